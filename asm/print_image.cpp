// SPDX-License-Identifier: MIT
// Graphics: image operations and exports. They are never executed, so their operands are read here
// and not in isa/.
#include <algorithm>
#include <vector>

#include "asm/image_shape.h"
#include "asm/printer.h"
#include "asm/symbols.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;

std::string vgprs(unsigned first, unsigned count) { return vector_register('v', first, count); }

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

std::string address_text(const Printer& p, const ImageShape& shape, bool default_sizes) {
  const bool listed = p.gfx12() || p.get(Field::nsa);
  if (p.gfx9() || default_sizes) return vgprs(p.get(p.gfx12() ? Field::vaddr0 : Field::vaddr), 1);
  if (shape.ray()) {
    const std::vector<unsigned> groups = shape.ray_groups();
    if (listed) return address_list(p, groups);
    unsigned sum = 0;
    for (const unsigned n : groups) sum += n;
    return vgprs(p.get(Field::vaddr), sum);
  }
  const unsigned words = shape.address_words();
  constexpr unsigned kLargestGroup = 12, kWholeGroup = 16;
  if (!listed) return vgprs(p.get(Field::vaddr), words > kLargestGroup ? kWholeGroup : words);
  const unsigned places = shape.address_places();
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
  const ImageShape shape(p.inst);
  p.mnemonic();
  const unsigned words = shape.data_words();
  const bool default_sizes = !shape.data_words_exist();
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
