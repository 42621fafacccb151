// SPDX-License-Identifier: MIT
// Lists the fields of an instruction through the same layout that decodes it.
#include "isa/fields.h"

#include <algorithm>

#include "isa/layout.h"

namespace lockstep::isa {

using namespace detail;

namespace {

constexpr unsigned kBaseWords = 4;  // of the longest encoding without suffix
struct Named {
  uint32_t words[kBaseWords] = {};
  constexpr void add(unsigned low, unsigned width) {
    for (unsigned bit = low; bit < low + width; ++bit) words[bit / 32] |= 1u << bit % 32;
  }
};
struct NamedBits {
  Named of[kGenerations][kFormatCount];
};

/// The bits of every encoding that a field names or that select the format.
constexpr NamedBits build_named_bits() {
  NamedBits bits{};
  for (unsigned g = 0; g < kGenerations; ++g)
    for (int f = 0; f < kFormatCount; ++f) {
      const Format format = pattern_format(static_cast<Format>(f), static_cast<Generation>(g));
      for (const Pattern& p : kPatterns)
        if (p.format == format && (p.generations >> g & 1))
          bits.of[g][f].add(32u - p.top_bits, p.top_bits);
      for (const Position& at : kLayout.base[g][f]) bits.of[g][f].add(at.low, at.width);
    }
  return bits;
}
constexpr NamedBits kNamedBits = build_named_bits();

}  // namespace

uint32_t reserved_bits(const Inst& inst) {
  return inst.words[0] &
         ~kNamedBits.of[generation_index(inst.isa)][static_cast<size_t>(inst.format)].words[0];
}

std::vector<FieldValue> fields_of(const Inst& inst) {
  std::vector<FieldValue> list;
  constexpr unsigned kDword = 32;
  if (const Pattern* p = find_pattern(inst.isa, inst.format))
    list.push_back(
        {.fixed = true, .low = kDword - p->top_bits, .width = p->top_bits, .value = p->value});
  const unsigned suffix_at = (inst.size - suffix_bytes(inst.suffix)) * 8u;
  for (int f = 0; f < kFieldCount; ++f) {
    const auto field = static_cast<Field>(f);
    if (!inst.has(field)) continue;
    const Position s = kLayout.suffix[static_cast<size_t>(inst.suffix)][f];
    const Position b =
        kLayout.base[generation_index(inst.isa)][static_cast<size_t>(inst.format)][f];
    if (s.width) {
      list.push_back({false, field, suffix_at + s.low, s.width, inst.get(field)});
    } else {
      list.push_back({false, field, b.low, b.width, inst.get(field)});
    }
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const FieldValue& a, const FieldValue& b) { return a.low < b.low; });
  return list;
}

}  // namespace lockstep::isa
