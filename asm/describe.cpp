// SPDX-License-Identifier: MIT
// Operands with access and role, implicit state, groups.
#include "asm/describe.h"

#include <algorithm>
#include <bit>

#include "asm/printer.h"
#include "isa/image_shape.h"
#include "isa/names.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Format;
using isa::ImageShape;
using isa::MemKind;
using isa::Operand;
using isa::OperandKind;
using isa::Operands;
using isa::RegisterRun;
using isa::Type;

bool is_short(Format f) { return f == Format::VOP1 || f == Format::VOP2 || f == Format::VOPC; }
bool is_salu(Format f) { return f <= Format::SOPP; }
bool is_valu(Format f) { return f >= Format::VOP1 && f <= Format::VINTERP; }
bool is_flat(Format f) { return f == Format::FLAT || f == Format::GLOBAL || f == Format::SCRATCH; }
bool is_image(Format f) { return f == Format::MIMG || f == Format::VIMAGE || f == Format::VSAMPLE; }
bool is_buffer(Format f) { return f == Format::MUBUF || f == Format::MTBUF; }
bool is_vector_memory(Format f) { return is_flat(f) || is_buffer(f) || is_image(f); }

constexpr std::string_view kSourceRoles[] = {"src0", "src1", "src2", "src3", "src4"};

std::string_view source_role(Format format, int i) {
  static constexpr std::string_view kFlat[] = {"address", "data", "scalar_address"},
                                    kDs[] = {"address", "data", "data1"},
                                    kBuffer[] = {"address", "data", "resource", "soffset"},
                                    kSmem[] = {"base", "offset", "data"};
  if (is_flat(format)) return kFlat[i];
  if (format == Format::DS) return kDs[i];
  if (is_buffer(format)) return kBuffer[i];
  if (format == Format::SMEM) return kSmem[i];
  return kSourceRoles[i];
}

class Details {
 public:
  Details(const isa::Inst& inst, const PrintOptions& options)
      : inst_(inst), printer_(inst, options), wave_size_(options.wave_size) {}

  std::vector<OperandDetail> take() { return std::move(list_); }

  void add(const Operand& o, Access access, std::string_view role, bool implicit = false) {
    if (o.kind == OperandKind::kNone) return;
    OperandDetail d;
    d.operand = o;
    d.access = access;
    d.implicit = implicit;
    d.role = role;
    d.bits = static_cast<uint16_t>(isa::bits_of(o.type, o.dwords, wave_size_));
    d.text = o.kind == OperandKind::kImmediate ? immediate_text(printer_, o) : printer_.plain(o);
    list_.push_back(std::move(d));
  }
  void add(const RegisterRun& run, OperandKind kind, Access access, std::string_view role) {
    Operand o;
    o.kind = kind;
    o.type = Type::B32;
    o.code = static_cast<uint16_t>(run.first);
    o.dwords = static_cast<uint8_t>(run.count);
    add(o, access, role);
  }
  /// An item of state; what is already there is widened.
  void add(State state, Access access) {
    for (OperandDetail& d : list_)
      if (d.state == state) {
        d.access = static_cast<Access>(static_cast<int>(d.access) | static_cast<int>(access));
        return;
      }
    OperandDetail d;
    d.state = state;
    d.access = access;
    d.implicit = true;
    d.role = state_name(state);
    d.text = d.role;
    list_.push_back(std::move(d));
  }

  /// One operation (or half of a pair) with operands from isa/.
  void add_all(const Operands& list, const isa::OpInfo& info) {
    const bool short_form = is_short(inst_.format);
    const bool keeps_half = info.mem.half != isa::MemHalf::kWhole;
    for (int i = 0; i < list.n_dst; ++i) {
      const Operand& o = list.dst[i];
      const bool old_is_used = (info.flags & (isa::ACC | isa::SWAP)) || keeps_half;
      const bool sdwa_names_it = inst_.suffix == isa::Suffix::kSdwa && inst_.get(Field::sd);
      const bool implicit = o.type == Type::EXEC_MASK ||
                            (o.type == Type::MASK && short_form && !sdwa_names_it) ||
                            (inst_.format == Format::VOPD && o.type == Type::MASK);
      add(o, old_is_used && i == 0 ? Access::kReadWrite : Access::kWrite, i ? "dst1" : "dst",
          implicit);
    }
    for (int i = 0; i < list.n_src; ++i) {
      const Operand& o = list.src[i];
      const bool implicit = o.type == Type::MASK && (short_form || inst_.format == Format::VOPD);
      add(o, info.flags & isa::SWAP ? Access::kReadWrite : Access::kRead,
          source_role(inst_.format, i), implicit);
    }
  }

  void add_image() {
    const ImageShape shape(inst_);
    const bool store = shape.has("_store");
    const OperandKind bank = inst_.get(Field::acc) ? OperandKind::kAgpr : OperandKind::kVgpr;
    add(shape.data(), bank,
        store            ? Access::kRead
        : shape.atomic() ? Access::kReadWrite
                         : Access::kWrite,
        "data");
    for (const RegisterRun& run : shape.addresses())
      add(run, OperandKind::kVgpr, Access::kRead, "address");
    add(shape.resource(), OperandKind::kScalar, Access::kRead, "resource");
    if (shape.samples()) add(shape.sampler(), OperandKind::kScalar, Access::kRead, "sampler");
  }

  void add_export() {
    static constexpr Field kSources[] = {Field::vsrc0, Field::vsrc1, Field::vsrc2, Field::vsrc3};
    for (unsigned i = 0; i < 4; ++i)
      if (inst_.get(Field::en) >> i & 1)
        add({inst_.get(kSources[i]), 1}, OperandKind::kVgpr, Access::kRead, kSourceRoles[i]);
  }

 private:
  const isa::Inst& inst_;
  Printer printer_;
  unsigned wave_size_;
  std::vector<OperandDetail> list_;
};

bool has(const isa::Inst& inst, std::string_view part) {
  return inst.info().id.find(part) != std::string_view::npos;
}

/// Vector operations work on the lanes of EXEC, but for those that choose a lane themselves.
bool reads_exec(const isa::Inst& inst) {
  const Format f = inst.format;
  if (is_valu(f)) return inst.info().id != "v_readlane_b32" && inst.info().id != "v_writelane_b32";
  return is_vector_memory(f) || f == Format::DS || f == Format::EXP || f == Format::LDSDIR;
}

bool reads_mode(const isa::Inst& inst) {
  if (!is_valu(inst.format) && !is_salu(inst.format)) return false;
  const auto is_float = [](isa::Op op) {
    const isa::OpInfo& info = isa::op_info(isa::op_info(op).base);
    const auto f = [](const isa::Opnd& o) { return isa::is_float(o.type); };
    return std::any_of(info.dsts, info.dsts + info.n_dsts, f) ||
           std::any_of(info.srcs, info.srcs + info.n_srcs, f);
  };
  return is_float(inst.op) || (inst.format == Format::VOPD && is_float(inst.op_y));
}

bool reads_m0(const isa::Inst& inst) {
  const Format f = inst.format;
  if (f == Format::LDSDIR) return true;
  if (f == Format::DS) return has(inst, "_gws_") || has(inst, "ordered_count");
  if (is_buffer(f)) return inst.get(Field::lds) || has(inst, "_lds_");
  if (is_flat(f))
    return has(inst, "_lds_") || (inst.isa == isa::Isa::kGfx90a && inst.get(Field::sve));
  return inst.info().n_srcs > 0 && inst.info().srcs[0].type == Type::SENDMSG;
}

void add_state(Details& out, const isa::Inst& inst) {
  const uint16_t bits = isa::implicit_state(inst.op);
  const auto add = [&](State state, unsigned reads, unsigned writes) {
    if (bits & reads) out.add(state, Access::kRead);
    if (bits & writes) out.add(state, Access::kWrite);
  };
  add(State::kScc, isa::kReadsScc, isa::kWritesScc);
  add(State::kVcc, isa::kReadsVcc, isa::kWritesVcc);
  // An operand already says that v_cmpx writes EXEC.
  const bool exec_is_operand =
      inst.info().n_dsts > 0 && inst.info().dsts[0].type == Type::EXEC_MASK;
  add(State::kExec, isa::kReadsExec, exec_is_operand ? 0 : isa::kWritesExec);
  if (reads_exec(inst)) out.add(State::kExec, Access::kRead);
  add(State::kM0, isa::kReadsM0, isa::kWritesM0);
  if (reads_m0(inst)) out.add(State::kM0, Access::kRead);
  add(State::kPc, 0, isa::kWritesPc);
  if (reads_mode(inst)) out.add(State::kMode, Access::kRead);
  if (inst.format == Format::SCRATCH || inst.format == Format::FLAT)
    out.add(State::kFlatScratch, Access::kRead);
}

uint32_t memory_groups(const isa::Inst& inst) {
  if (is_image(inst.format)) {
    const ImageShape shape(inst);
    return kGroupVectorMemory | kGroupImage |
           (shape.atomic()        ? kGroupAtomic
            : shape.has("_store") ? kGroupStore
                                  : kGroupLoad);
  }
  uint32_t groups = inst.format == Format::SMEM ? kGroupScalarMemory
                    : inst.format == Format::DS || inst.format == Format::LDSDIR
                        ? kGroupLds
                        : kGroupVectorMemory;
  switch (inst.info().mem.kind) {
    case MemKind::kLoad:
    case MemKind::kLoadFormat:
      return groups | kGroupLoad;
    case MemKind::kStore:
    case MemKind::kStoreFormat:
      return groups | kGroupStore;
    case MemKind::kLoadLds:
      return groups | kGroupLoad | kGroupLds;
    case MemKind::kAtomic:
      return groups | kGroupAtomic;
    default:
      return groups | (has(inst, "load") ? kGroupLoad : has(inst, "store") ? kGroupStore : 0u);
  }
}

uint32_t scalar_groups(const isa::Inst& inst) {
  const std::string_view id = inst.info().id;
  uint32_t groups = inst.format == Format::SOPP ? 0u : uint32_t{kGroupScalarAlu};
  if (isa::implicit_state(inst.op) & isa::kWritesPc || id.starts_with("s_cbranch") ||
      id.starts_with("s_rfe"))
    groups |= kGroupBranch;
  if (id.starts_with("s_cbranch") || id.starts_with("s_subvector")) groups |= kGroupConditional;
  if (id == "s_swappc_b64" || id == "s_call_b64") groups |= kGroupCall;
  if (id.starts_with("s_endpgm")) groups |= kGroupEnd;
  if (id.starts_with("s_barrier")) groups |= kGroupBarrier;
  if (id.starts_with("s_wait")) groups |= kGroupWait;
  if (id == "s_trap") groups |= kGroupTrap;
  return groups;
}

}  // namespace

std::string_view state_name(State state) {
  switch (state) {
    case State::kNone:
      return "";
    case State::kScc:
      return "scc";
    case State::kVcc:
      return "vcc";
    case State::kExec:
      return "exec";
    case State::kM0:
      return "m0";
    case State::kPc:
      return "pc";
    case State::kMode:
      return "mode";
    case State::kFlatScratch:
      return "flat_scratch";
  }
  return "";
}

std::vector<OperandDetail> operand_details(const isa::Inst& inst, const PrintOptions& given) {
  PrintOptions options = given;
  if (isa::generation_of(inst.isa) == isa::Generation::kGfx9) options.wave_size = 64;
  Details out(inst, options);
  if (is_image(inst.format)) {
    out.add_image();
  } else if (inst.format == Format::EXP) {
    out.add_export();
  } else if (inst.format == Format::VOPD) {
    for (const int half : {0, 1})
      out.add_all(isa::operands_of_half(inst, half, options.wave_size),
                  isa::op_info(isa::op_info(half ? inst.op_y : inst.op).base));
  } else {
    out.add_all(isa::operands_of(inst, options.wave_size), inst.info());
  }
  add_state(out, inst);
  return out.take();
}

uint32_t groups_of(const isa::Inst& inst) {
  const Format f = inst.format;
  if (is_salu(f)) return scalar_groups(inst);
  if (f == Format::EXP) return kGroupExport;
  if (!is_valu(f)) return memory_groups(inst);
  const bool matrix = (f == Format::MAI && !has(inst, "accvgpr")) || f == Format::VOP3PX2 ||
                      inst.info().id.starts_with("v_wmma") ||
                      inst.info().id.starts_with("v_swmmac");
  return kGroupVectorAlu | (matrix ? uint32_t{kGroupMatrix} : 0u);
}

std::string_view group_name(uint32_t group) {
  static constexpr std::string_view kNames[] = {
      "branch",     "conditional", "call",   "end",           "barrier",       "wait",
      "load",       "store",       "atomic", "scalar-memory", "vector-memory", "lds",
      "scalar-alu", "vector-alu",  "matrix", "image",         "export",        "trap"};
  const auto i = static_cast<size_t>(std::countr_zero(group));
  return i < std::size(kNames) ? kNames[i] : std::string_view();
}

}  // namespace lockstep::asm_
