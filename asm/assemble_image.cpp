// SPDX-License-Identifier: MIT
// Image operations and exports: the inverse of print_image.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "asm/assembler.h"
#include "asm/symbols.h"
#include "isa/image_shape.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Format;
using isa::ImageShape;
using isa::kDimensions;
using isa::Operand;
using isa::OperandKind;

constexpr Field kPlaces[] = {Field::vaddr0, Field::vaddr1, Field::vaddr2, Field::vaddr3,
                             Field::vaddr4};

Operand registers(unsigned dwords) {
  Operand o;
  o.kind = OperandKind::kVgpr;
  o.type = isa::Type::B32;
  o.dwords = static_cast<uint8_t>(dwords);
  return o;
}

bool dimension(Assembler& a) {
  const Modifier* m = a.take("dim");
  if (!m) {
    if (a.gfx9()) return true;
    return a.fail(a.line.at, "dim modifier is required on this GPU");
  }
  std::string_view name = m->text;
  constexpr std::string_view kPrefix = "SQ_RSRC_IMG_";
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  for (unsigned i = 0; i < std::size(kDimensions); ++i)
    if (kDimensions[i].name == name || (m->integer && *m->integer == i))
      return a.set(Field::dim, i) || a.fail(m->at, "dim does not exist here");
  return a.fail(m->at, "invalid dim value");
}

bool modifiers(Assembler& a, const ImageShape& shape) {
  const auto flag = [&](std::string_view name, Field field) {
    return !a.inst.has(field) || a.flag(name, field);
  };
  if (!shape.wide_ray() && !flag("a16", Field::a16)) return false;
  if (shape.ray()) {
    constexpr unsigned kAll = 15;
    a.set(Field::dmask, kAll);
    a.set(Field::unrm, 1);
    a.set(Field::r128, 1);
    return true;
  }
  if (!a.cut_number("dmask", Field::dmask, 15)) return false;
  if (!dimension(a) || !assemble_cache(a)) return false;
  return flag("unorm", Field::unrm) && flag("r128", Field::r128) && flag("tfe", Field::tfe) &&
         flag("lwe", Field::lwe) && (a.name_has("_pck") || flag("d16", Field::d16)) &&
         flag("da", Field::da);
}

bool listed(Assembler& a, const ParsedOperand& o, const std::vector<unsigned>& sizes) {
  std::vector<ParsedOperand> items = o.list;
  if (items.empty()) items.push_back(o);
  if (items.size() != sizes.size()) return a.fail(o.at, "the address has a wrong number of parts");
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Field place = i == 0 && !a.gfx12() ? Field::vaddr : kPlaces[i];
    if (!a.vgpr(place, items[i], registers(sizes[i]), -1)) return false;
  }
  return true;
}

bool address(Assembler& a, const ImageShape& shape, const ParsedOperand& o) {
  if (a.gfx9()) {
    // The dimension is in the resource, so any size may be right.
    if (!o.is_register(OperandKind::kVgpr)) return a.fail(o.at, "a vector register is needed here");
    return a.vgpr(Field::vaddr, o, registers(o.dwords), -1);
  }
  const bool list = a.gfx12() || o.list.size() > 1;
  if (list && a.gfx11()) {
    constexpr uint8_t kWithAddresses = 12;
    a.inst.size = kWithAddresses;
    a.set(Field::nsa, 1);
  }
  if (shape.ray()) {
    const std::vector<unsigned> groups = shape.ray_groups();
    if (list) return listed(a, o, groups);
    unsigned sum = 0;
    for (const unsigned n : groups) sum += n;
    return a.vgpr(Field::vaddr, o, registers(sum), -1);
  }
  const unsigned words = shape.address_words();
  if (list) {
    const unsigned places = shape.address_places();
    std::vector<unsigned> sizes(std::min(words, places), 1u);
    if (words > places) sizes.back() = words - places + 1;
    return listed(a, o, sizes);
  }
  // Groups of 5 to 7 may be written as 8.
  constexpr unsigned kLargestGroup = 12, kWholeGroup = 16, kEight = 8;
  if (words > 4 && words < kEight && o.dwords == kEight)
    return a.vgpr(Field::vaddr, o, registers(kEight), -1);
  return a.vgpr(Field::vaddr, o, registers(words > kLargestGroup ? kWholeGroup : words), -1);
}

bool resource(Assembler& a, Field field, const ParsedOperand& o, unsigned dwords) {
  if (o.is_register(OperandKind::kScalar) && o.code == isa::kNull)
    return a.fail(o.at, "a resource is needed here");
  return a.scalar(field, o, dwords, a.gfx12() ? 1 : 4);
}

std::optional<unsigned> export_target(const Assembler& a, std::string_view name) {
  constexpr unsigned kTargets = 32;
  for (unsigned i = 0; i < kTargets; ++i) {
    const std::string text = export_target_text(i);
    if (text == name && !text.starts_with("invalid")) return i;
  }
  (void)a;
  return std::nullopt;
}

}  // namespace

bool assemble_image(Assembler& a) {
  const ImageShape shape(a.inst);
  if (!modifiers(a, shape)) return false;
  const unsigned dmask = a.inst.get(Field::dmask), dim = a.inst.get(Field::dim);
  if (shape.four_results() && !std::has_single_bit(dmask))
    return a.fail(a.line.at, "invalid image_gather dmask: only one bit must be set");
  if (shape.has("_atomic_") && dmask != 1 && dmask != 3 && dmask != 15)
    return a.fail(a.line.at, "invalid atomic image dmask");
  constexpr unsigned kFirstMsaa = 6;
  if (shape.has("_msaa_load") && dim < kFirstMsaa)
    return a.fail(a.line.at, "invalid dim; must be MSAA type");
  const unsigned words = shape.ray() ? shape.ray_data_words() : shape.data_words();
  const bool samples = shape.samples();
  if (!a.operand_count(samples ? 4 : 3)) return false;
  for (const ParsedOperand& o : a.line.operands)
    if (!a.no_operand_modifiers(o)) return false;
  const ParsedOperand& data = a.line.operands[0];
  Operand want = registers(words);
  if (data.is_register(OperandKind::kAgpr)) {
    if (!a.set(Field::acc, 1)) return a.fail(data.at, "a vector register is needed here");
    want.kind = OperandKind::kAgpr;
  }
  if (!a.vgpr(Field::vdata, data, want, -1) || !address(a, shape, a.line.operands[1])) return false;
  const unsigned size = shape.ray() ? 4 : 8;
  if (!resource(a, Field::srsrc, a.line.operands[2], size)) return false;
  if (samples && !resource(a, a.gfx12() ? Field::samp : Field::ssamp, a.line.operands[3], 4))
    return false;
  return a.all_modifiers_used();
}

bool assemble_export(Assembler& a) {
  static constexpr Field kSources[] = {Field::vsrc0, Field::vsrc1, Field::vsrc2, Field::vsrc3};
  constexpr size_t kOperands = 5;
  if (!a.operand_count(kOperands)) return false;
  const ParsedOperand& to = a.line.operands[0];
  const auto target =
      to.kind == ParsedKind::kText ? export_target(a, to.text) : std::optional<unsigned>();
  if (!target) return a.fail(to.at, "invalid export target");
  a.set(Field::target, *target);
  unsigned enabled = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const ParsedOperand& o = a.line.operands[i + 1];
    if (o.kind == ParsedKind::kOff) continue;
    if (!a.no_operand_modifiers(o) || !a.vgpr(kSources[i], o, registers(1), -1)) return false;
    enabled |= 1u << i;
  }
  a.set(Field::en, enabled);
  return a.flag("done", Field::done) && a.flag("row_en", Field::row) && a.all_modifiers_used();
}

}  // namespace lockstep::asm_
