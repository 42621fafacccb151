// SPDX-License-Identifier: MIT
// Fields that an instruction has in its encoding but does not use: which ones LLVM looks at.
#include "asm/unused_bits.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/fields.h"
#include "isa/image_shape.h"
#include "isa/names.h"
#include "isa/operand.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Format;
using isa::Generation;
using isa::Inst;

constexpr unsigned kNull = isa::kNull;

struct Unused {
  Field field;
  unsigned wanted = 0;
};

/// What the rules below ask of an instruction.
class Reader {
 public:
  explicit Reader(const Inst& inst)
      : inst_(inst), list_(isa::operands_of(inst, kWave)), generation_(generation_of(inst.isa)) {}

  bool has(std::string_view part) const {
    return inst_.info().id.find(part) != std::string_view::npos;
  }
  bool gfx9() const { return generation_ == Generation::kGfx9; }
  bool gfx11() const { return generation_ == Generation::kGfx11; }
  bool gfx12() const { return generation_ == Generation::kGfx12; }
  bool reads(int source) const {
    return source < list_.n_src && list_.src[source].kind != isa::OperandKind::kNone;
  }
  bool writes() const { return list_.n_dst > 0; }
  const Inst& inst() const { return inst_; }

  void want(Field field, unsigned value = 0) {
    if (inst_.has(field) && inst_.get(field) != value && problem_.empty())
      problem_ =
          fmt::format("field {} is not used here and must be {}", isa::field_name(field), value);
  }
  void want_if(bool unused, Field field, unsigned value = 0) {
    if (unused) want(field, value);
  }
  std::string take() { return std::move(problem_); }

 private:
  static constexpr unsigned kWave = 32;  // the number of operands is the same in both
  const Inst& inst_;
  isa::Operands list_;
  Generation generation_;
  std::string problem_;
};

void check_ds(Reader& r) {
  // The value of the GWS operations lies in ADDR.
  const bool gws = r.has("_gws_");
  const bool in_addr = gws && r.reads(isa::kMemData);
  r.want_if(!r.writes(), Field::vdst);
  r.want_if(!r.reads(isa::kMemAddr) && !in_addr, Field::addr);
  r.want_if(!r.reads(isa::kMemData) || gws, Field::data0);
  r.want_if(!r.reads(isa::kDsData1), Field::data1);
  r.want_if(gws, Field::gds, 1);
  r.want_if(r.has("permute") || r.has("bvh_stack"), Field::gds);
}

void check_flat(Reader& r) {
  if (r.inst().format == Format::FLAT) r.want(Field::saddr, r.gfx9() ? 0u : kNull);
}

void check_image(Reader& r) {
  const isa::ImageShape shape(r.inst());
  const Format format = r.inst().format;
  if (shape.ray()) {
    r.want_if(true, Field::unrm, 1);
    r.want(Field::dmask, 0xf);
    for (const Field f : {Field::dim, Field::d16, Field::glc, Field::slc, Field::dlc, Field::tfe,
                          Field::lwe, Field::th, Field::scope})
      r.want(f);
    r.want(Field::r128, 1);
    return;
  }
  if (format == Format::VIMAGE) r.want(Field::vaddr4);
  if (format == Format::VSAMPLE && shape.most_address_words() < shape.address_places())
    r.want(Field::vaddr3);
  r.want_if(shape.atomic() || shape.has("_pck") || shape.has("_get_"), Field::d16);
  r.want_if(!shape.samples(), Field::ssamp);
  r.want_if(!shape.samples(), Field::samp);
}

void check_buffer(Reader& r) {
  const isa::MemKind kind = r.inst().info().mem.kind;
  if (r.gfx9()) {
    if (kind == isa::MemKind::kOther)
      for (const Field f : {Field::offen, Field::idxen, Field::acc}) r.want(f);
    if (r.has("wbinvl1"))
      for (const Field f : {Field::sc0, Field::sc1}) r.want(f);
    return;
  }
  if (kind == isa::MemKind::kOther)
    for (const Field f : {Field::offen, Field::idxen, Field::glc, Field::dlc, Field::tfe})
      r.want(f);
  if (kind == isa::MemKind::kAtomic || r.inst().format == Format::MTBUF) r.want(Field::tfe);
}

void check_vector(Reader& r) {
  const Inst& inst = r.inst();
  switch (inst.format) {
    case Format::VINTERP: {
      // Only the operations on halves choose some.
      if (!r.has("f16")) r.want(Field::opsel);
      break;
    }
    case Format::SMEM:
      if (!r.reads(isa::kSmemBase)) r.want(Field::imm);  // times and caches
      if (r.has("atc_probe")) {
        constexpr unsigned kKinds = 31;
        r.want_if(!r.gfx9(), Field::glc);
        for (const Field f : {Field::dlc, Field::th, Field::scope}) r.want(f);
        r.want_if(r.gfx12() && inst.get(Field::sdata) > kKinds, Field::sdata);
      }
      break;
    default:
      break;
  }
}

/// The bits without a name that LLVM wants to be zero. It does not look at the others.
uint32_t minded_bits(const Inst& inst) {
  const Generation generation = generation_of(inst.isa);
  constexpr uint32_t kAll = ~uint32_t{0};
  constexpr uint32_t kDsGds = 1u << 17;  // where gfx11 has GDS
  switch (inst.format) {
    case Format::VOP1:
    case Format::VOP3P:
    case Format::LDSDIR:
      return kAll;
    case Format::DS:
      return generation == Generation::kGfx12 ? kDsGds : 0;
    case Format::MIMG:
      return generation == Generation::kGfx9 ? 1u : 0;
    default:
      return 0;
  }
}

bool moves(isa::Op op) { return isa::op_info(isa::op_info(op).base).n_srcs == 1; }

}  // namespace

std::string unused_bits(const Inst& inst) {
  if (isa::reserved_bits(inst) & minded_bits(inst)) return "a bit that no field names must be zero";
  if (inst.format == Format::VOPD) {
    if (moves(inst.op) && inst.get(Field::vsrcx1)) return "the second source of X must be zero";
    if (moves(inst.op_y) && inst.get(Field::vsrcy1)) return "the second source of Y must be zero";
    return {};
  }
  Reader r(inst);
  switch (inst.format) {
    case Format::DS:
      check_ds(r);
      break;
    case Format::FLAT:
    case Format::GLOBAL:
    case Format::SCRATCH:
      check_flat(r);
      break;
    case Format::MIMG:
    case Format::VIMAGE:
    case Format::VSAMPLE:
      check_image(r);
      break;
    case Format::MUBUF:
    case Format::MTBUF:
      check_buffer(r);
      break;
    default:
      check_vector(r);
      break;
  }
  return r.take();
}

}  // namespace lockstep::asm_
