// SPDX-License-Identifier: MIT
// Graphics: image operations and exports. They are never executed, so their operands are read here
// and not in isa/.
#include <bit>
#include <vector>

#include "asm/printer.h"
#include "asm/symbols.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Format;

struct Dimension {
  std::string_view name;
  uint8_t coordinates, gradients;
};
constexpr Dimension kDimensions[] = {
    {"1D", 1, 2},       {"2D", 2, 4},       {"3D", 3, 6},      {"CUBE", 3, 4},
    {"1D_ARRAY", 2, 2}, {"2D_ARRAY", 3, 4}, {"2D_MSAA", 3, 4}, {"2D_MSAA_ARRAY", 4, 4},
};

constexpr unsigned half_up(unsigned n) { return (n + 1) / 2; }

/// What the mnemonic says about the operands.
class Shape {
 public:
  explicit Shape(const Printer& p) : name_(isa::op_name(p.inst.op, p.inst.isa)) {}
  bool has(std::string_view part) const { return name_.find(part) != std::string_view::npos; }
  bool samples() const { return has("_sample") || has("_gather4") || has("_get_lod"); }
  bool ray() const { return has("_bvh"); }
  bool atomic() const { return has("_atomic"); }
  bool four_results() const { return has("_gather4") || has("_msaa_load"); }

  /// Registers of the address.
  unsigned address_words(unsigned dim, bool a16) const {
    const Dimension& d = kDimensions[dim];
    unsigned words = has_word("_o") + has_word("_b") + has_word("_c");
    const bool level = has_word("_l") || has_word("_cl") || has("_mip") || has("_get_resinfo");
    const unsigned components = (has("_get_resinfo") ? 0u : d.coordinates) + level;
    words += a16 ? half_up(components) : components;
    if (has_word("_d")) words += has("_g16") ? (d.gradients / 2 + 1) / 2 * 2 : d.gradients;
    return words ? words : 1;
  }

 private:
  /// True if `word` ("_c") is one of the parts of a sampling mnemonic.
  bool has_word(std::string_view word) const {
    if (!samples()) return false;
    for (size_t at = name_.find(word); at != std::string_view::npos;
         at = name_.find(word, at + 1)) {
      const size_t end = at + word.size();
      if (end == name_.size() || name_[end] == '_') return true;
    }
    return false;
  }
  std::string_view name_;
};

std::string vgprs(unsigned first, unsigned count) { return vector_register('v', first, count); }

/// Registers of the data; 0 if no such form exists.
unsigned data_words(const Printer& p, const Shape& shape) {
  unsigned n = shape.four_results() ? 4 : static_cast<unsigned>(std::popcount(p.get(Field::dmask)));
  if (n == 0) n = 1;
  if (p.get(Field::d16)) n = half_up(n);
  if (p.get(Field::tfe)) ++n;
  if (!shape.atomic()) return n;
  const bool pairs = shape.has("cmpswap");
  return pairs ? (n == 2 || n == 4 ? n : 0) : (n <= 2 ? n : 0);
}

/// Addresses given one by one: groups of `sizes`, or single registers and the rest in the last
/// place.
std::string address_list(const Printer& p, const std::vector<unsigned>& sizes) {
  static constexpr Field kPlaces[] = {Field::vaddr0, Field::vaddr1, Field::vaddr2, Field::vaddr3,
                                      Field::vaddr4};
  std::string list;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Field place = i == 0 && !p.gfx12() ? Field::vaddr : kPlaces[i];
    list += (i ? ", " : "") + vgprs(p.get(place), sizes[i]);
  }
  return sizes.size() == 1 ? list : "[" + list + "]";
}

std::vector<unsigned> ray_groups(bool wide, bool a16) {
  std::vector<unsigned> groups = {wide ? 2u : 1u, 1, 3, 3};
  if (!a16) groups.push_back(3);
  return groups;
}

std::string address_text(const Printer& p, const Shape& shape, bool default_sizes) {
  const bool a16 = p.get(Field::a16);
  const bool listed = p.gfx12() || p.get(Field::nsa);
  if (p.gfx9() || default_sizes) return vgprs(p.get(p.gfx12() ? Field::vaddr0 : Field::vaddr), 1);
  if (shape.ray()) {
    const std::vector<unsigned> groups = ray_groups(shape.has("bvh64"), a16);
    if (listed) return address_list(p, groups);
    unsigned sum = 0;
    for (const unsigned n : groups) sum += n;
    return vgprs(p.get(Field::vaddr), sum);
  }
  const unsigned words = shape.address_words(p.get(Field::dim), a16);
  constexpr unsigned kLargestGroup = 12, kWholeGroup = 16;
  if (!listed) return vgprs(p.get(Field::vaddr), words > kLargestGroup ? kWholeGroup : words);
  const unsigned places = p.inst.format == Format::VSAMPLE ? 4 : 5;
  std::vector<unsigned> sizes(std::min(words, places), 1u);
  if (words > places) sizes.back() = words - places + 1;
  return address_list(p, sizes);
}

std::string resource(const Printer& p, Field field, unsigned dwords) {
  const unsigned value = p.get(field);
  return scalar_register(p.inst.isa, p.gfx12() ? value & ~3u : value * 4, dwords);
}

}  // namespace

void print_image(Printer& p) {
  const Shape shape(p);
  p.mnemonic();
  const unsigned words = data_words(p, shape);
  const bool default_sizes = words == 0;
  const unsigned data = shape.ray() ? 4 : default_sizes ? (shape.has("cmpswap") ? 2 : 1) : words;
  p.operand(vector_register(p.get(Field::acc) ? 'a' : 'v', p.get(Field::vdata), data));
  p.operand(address_text(p, shape, default_sizes));
  p.operand(resource(p, Field::srsrc, shape.ray() ? 4 : 8));
  if (shape.samples()) p.operand(resource(p, p.gfx12() ? Field::samp : Field::ssamp, 4));
  if (shape.ray()) {
    p.flag(Field::a16, "a16");
    return;
  }
  if (const unsigned dmask = p.get(Field::dmask)) p.modifier(fmt::format("dmask:0x{:x}", dmask));
  if (!p.gfx9()) p.modifier(fmt::format("dim:SQ_RSRC_IMG_{}", kDimensions[p.get(Field::dim)].name));
  p.flag(Field::unrm, "unorm");
  print_cache(p);
  if (p.gfx9()) {
    p.flag(Field::a16, "a16");
    p.flag(Field::lwe, "lwe");
    p.flag(Field::da, "da");
  } else {
    p.flag(Field::r128, "r128");
    p.flag(Field::a16, "a16");
    p.flag(Field::tfe, "tfe");
    p.flag(Field::lwe, "lwe");
  }
  p.flag(Field::d16, "d16");
}

void print_export(Printer& p) {
  static constexpr Field kSources[] = {Field::vsrc0, Field::vsrc1, Field::vsrc2, Field::vsrc3};
  p.mnemonic();
  p.modifier(export_target_text(p.get(Field::target)));
  for (unsigned i = 0; i < 4; ++i)
    p.operand(p.get(Field::en) >> i & 1 ? fmt::format("v{}", p.get(kSources[i])) : "off");
  p.flag(Field::done, "done");
  p.flag(Field::row, "row_en");
}

}  // namespace lockstep::asm_
