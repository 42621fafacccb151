// SPDX-License-Identifier: MIT
// Internal to isa/: where the fields of every encoding lie, and which top bits select it, as
// isa/formats.def says.
#pragma once
#include "isa/inst.h"

namespace lockstep::isa::detail {

struct Position {
  uint8_t low = 0;
  uint8_t width = 0;  ///< 0: absent
};
inline constexpr unsigned kGenerations = 3;
inline constexpr unsigned GFX9 = 1, GFX11 = 2, GFX12 = 4;
inline constexpr unsigned kSuffixes = 5;

struct Layout {
  Position base[kGenerations][kFormatCount][kFieldCount];
  Position suffix[kSuffixes][kFieldCount];
};

constexpr Layout build_layout() {
  Layout layout{};
  for (unsigned g = 0; g < kGenerations; ++g) {
#define FIELD(fmt, generations, field, low, width)                                              \
  if ((generations) >> g & 1)                                                                   \
    layout.base[g][static_cast<size_t>(Format::fmt)][static_cast<size_t>(Field::field)] = {low, \
                                                                                           width};
#include "isa/formats.def"
  }
#define SUFFIX(kind, field, low, width)                                                       \
  layout.suffix[static_cast<size_t>(Suffix::kind)][static_cast<size_t>(Field::field)] = {low, \
                                                                                         width};
#include "isa/formats.def"
  return layout;
}
inline constexpr Layout kLayout = build_layout();

struct Pattern {
  Format format;
  uint8_t generations, top_bits, bytes;
  uint32_t value;
};
inline constexpr Pattern kPatterns[] = {
#define ENCODING(fmt, generations, top_bits, value, bytes) \
  {Format::fmt, (generations), top_bits, bytes, value},
#include "isa/formats.def"
};

inline unsigned generation_index(Isa isa) { return static_cast<unsigned>(generation_of(isa)); }

/// The format whose layout holds the opcode and whose ENCODING line applies (VOP3SD reads as VOP3
/// at first).
constexpr Format pattern_format(Format format, Generation generation) {
  switch (format) {
    case Format::VOP3SD:
      return Format::VOP3;
    case Format::MAI:
      return Format::VOP3P;
    case Format::GLOBAL:
    case Format::SCRATCH:
      return generation == Generation::kGfx12 ? format : Format::FLAT;
    case Format::MTBUF:
      return generation == Generation::kGfx12 ? Format::MUBUF : format;
    default:
      return format;
  }
}

inline const Pattern* find_pattern(Isa isa, Format format) {
  const unsigned bit = 1u << generation_index(isa);
  const Format wanted = pattern_format(format, generation_of(isa));
  for (const Pattern& p : kPatterns)
    if ((p.generations & bit) && p.format == wanted) return &p;
  return nullptr;
}

constexpr unsigned suffix_bytes(Suffix suffix) { return suffix == Suffix::kNone ? 0 : 4; }

}  // namespace lockstep::isa::detail
