// SPDX-License-Identifier: MIT
// Operands of memory instructions.
#include <algorithm>
#include <bit>
#include <string_view>

#include "isa/image_shape.h"
#include "isa/memory_shape.h"
#include "isa/operand_reader.h"

namespace lockstep::isa::detail {
namespace {

constexpr Opnd b32s(unsigned n) { return {Type::B32, static_cast<uint8_t>(n), Place::kField}; }

void set_src(Operands& list, unsigned position, Operand o) {
  list.src[position] = o;
  if (position >= list.n_src) list.n_src = static_cast<uint8_t>(position + 1);
}

bool returns_value(const Inst& inst) {
  if (inst.isa == Isa::kGfx12) return inst.get(Field::th) & 1;
  return generation_of(inst.isa) == Generation::kGfx9 ? inst.get(Field::sc0) : inst.get(Field::glc);
}

/// Data registers of FLAT rows whose parameters do not say (blocks of registers, transposing
/// loads); 0: cache control.
unsigned special_dwords(std::string_view id, unsigned wave_size) {
  constexpr unsigned kBlock = 32;
  if (id.ends_with("_block")) return kBlock;
  const unsigned waves32 = wave_size == 64 ? 2 : 1;  // a transposed tile is spread over all lanes
  if (id.ends_with("load_tr_b64")) return 2 / waves32;
  return id.ends_with("load_tr_b128") ? 4 / waves32 : 0;
}

}  // namespace

void read_flat(const Inst& inst, const Reader& r, Operands& list) {
  MemParams p = inst.info().mem;
  unsigned n = data_dwords(p);
  if (p.kind == MemKind::kOther) {
    n = special_dwords(inst.info().id, r.wave_size());
    if (n == 0) return;
    p.kind =
        inst.info().id.find("store") != std::string_view::npos ? MemKind::kStore : MemKind::kLoad;
  }
  const bool acc = inst.get(Field::acc);
  const unsigned saddr = inst.get(Field::saddr);
  const bool gfx9 = generation_of(inst.isa) == Generation::kGfx9;
  constexpr unsigned kNoAddressOnGfx9 = 127;
  const unsigned no_address = gfx9 ? kNoAddressOnGfx9 : unsigned{kNull};
  const bool has_saddr = inst.format != Format::FLAT && saddr != no_address;
  Operand off;
  off.kind = OperandKind::kOff;
  const bool to_lds =
      inst.isa == Isa::kGfx90a && inst.get(Field::sve);  // that bit is named LDS there
  if ((p.kind == MemKind::kLoad && !to_lds) || (p.kind == MemKind::kAtomic && returns_value(inst)))
    push_dst(list, r.vgpr(inst.get(Field::vdst), b32s(n), acc));
  if (p.address == MemAddress::kAddTid) {
    // No address VGPR: the lane number takes its place.
  } else if (inst.format == Format::SCRATCH) {
    // gfx90a has no SVE bit: the VGPR is used exactly when there is no scalar address.
    const bool has_vaddr = inst.isa == Isa::kGfx90a ? !has_saddr : inst.get(Field::sve);
    set_src(list, kMemAddr, has_vaddr ? r.vgpr(inst.get(Field::addr), b32s(1)) : off);
  } else {
    set_src(list, kMemAddr, r.vgpr(inst.get(Field::addr), b32s(has_saddr ? 1 : 2)));
  }
  if (p.kind == MemKind::kStore || p.kind == MemKind::kAtomic)
    set_src(
        list, kMemData,
        r.vgpr(inst.get(Field::data),
               b32s(p.kind == MemKind::kAtomic ? atomic_data_dwords(inst.info().id, p) : n), acc));
  set_src(list, kMemScalar,
          has_saddr ? r.scalar(saddr, b32s(inst.format == Format::SCRATCH ? 1 : 2)) : off);
}

void read_ds(const Inst& inst, const Reader& r, Operands& list) {
  const OpInfo& info = inst.info();
  const MemParams& p = info.mem;
  const bool acc = inst.get(Field::acc);
  const auto contains = [&](std::string_view s) {
    return info.id.find(s) != std::string_view::npos;
  };
  const unsigned n = data_dwords(p);
  const bool two = p.address == MemAddress::kTwo || p.address == MemAddress::kTwoStride64;
  switch (p.kind) {
    case MemKind::kLoad:
      push_dst(list, r.vgpr(inst.get(Field::vdst), b32s(two ? 2 * n : n), acc));
      if (p.address != MemAddress::kAddTid)
        set_src(list, kMemAddr, r.vgpr(inst.get(Field::addr), b32s(1)));
      break;
    case MemKind::kStore:
      if (p.address != MemAddress::kAddTid)
        set_src(list, kMemAddr, r.vgpr(inst.get(Field::addr), b32s(1)));
      set_src(list, kMemData, r.vgpr(inst.get(Field::data0), b32s(n), acc));
      if (two) set_src(list, kDsData1, r.vgpr(inst.get(Field::data1), b32s(n), acc));
      break;
    case MemKind::kAtomic:
      if (ds_returns(info.id)) push_dst(list, r.vgpr(inst.get(Field::vdst), b32s(n), acc));
      set_src(list, kMemAddr, r.vgpr(inst.get(Field::addr), b32s(1)));
      set_src(list, kMemData,
              r.vgpr(inst.get(Field::data0), b32s(ds_atomic_data_dwords(info.id, p)), acc));
      if (ds_atomic_has_second(info.id))
        set_src(list, kDsData1, r.vgpr(inst.get(Field::data1), b32s(n), acc));
      break;
    default: {
      if (contains("nop") || contains("gws_barrier") || contains("gws_init") ||
          contains("gws_sema_br")) {
        if (contains("gws")) set_src(list, kMemData, r.vgpr(inst.get(Field::addr), b32s(1), acc));
        break;
      }
      if (contains("gws")) break;
      if (contains("storexchg_2addr")) {
        const unsigned size = contains("_b64") ? 2 : 1;
        push_dst(list, r.vgpr(inst.get(Field::vdst), b32s(2 * size), acc));
        set_src(list, kMemAddr, r.vgpr(inst.get(Field::addr), b32s(1)));
        set_src(list, kMemData, r.vgpr(inst.get(Field::data0), b32s(size), acc));
        set_src(list, kDsData1, r.vgpr(inst.get(Field::data1), b32s(size), acc));
        break;
      }
      const bool tr96 = contains("_tr_b6"), tr = contains("_tr_");
      const unsigned out = tr96                                                       ? 3
                           : tr || contains("pop2_rtn_b64") || contains("gs_reg_rtn") ? 2
                                                                                      : 1;
      push_dst(list, r.vgpr(inst.get(Field::vdst), b32s(out), acc));
      if (contains("append") || contains("consume")) break;
      if (contains("gs_reg_rtn")) {
        set_src(list, kMemData, r.vgpr(inst.get(Field::data0), b32s(1), acc));
        break;
      }
      set_src(list, kMemAddr, r.vgpr(inst.get(Field::addr), b32s(1)));
      if (contains("permute"))
        set_src(list, kMemData, r.vgpr(inst.get(Field::data0), b32s(1), acc));
      if (contains("bvh_stack")) {
        set_src(list, kMemData, r.vgpr(inst.get(Field::data0), b32s(1)));
        set_src(list, kDsData1, r.vgpr(inst.get(Field::data1), b32s(contains("push8") ? 8 : 4)));
      }
    }
  }
}

void read_buffer(const Inst& inst, const Reader& r, Operands& list) {
  const MemParams& p = inst.info().mem;
  if (p.kind == MemKind::kOther && inst.info().id != "buffer_store_lds_b32") return;
  const bool acc = inst.get(Field::acc);
  unsigned n = data_dwords(p);
  const unsigned extra = inst.get(Field::tfe) ? 1 : 0;
  const bool offen = inst.get(Field::offen), idxen = inst.get(Field::idxen);
  if (p.kind == MemKind::kAtomic) n = atomic_data_dwords(inst.info().id, p);
  const bool to_lds = inst.get(Field::lds);  // gfx9: the data goes to LDS instead of a VGPR
  const bool loads = p.kind == MemKind::kLoad || p.kind == MemKind::kLoadFormat;
  if (loads && !to_lds) push_dst(list, r.vgpr(inst.get(Field::vdata), b32s(n + extra), acc));
  if (p.kind == MemKind::kAtomic && returns_value(inst))
    push_dst(list, r.vgpr(inst.get(Field::vdata), b32s(data_dwords(p) + extra), acc));
  Operand off;
  off.kind = OperandKind::kOff;
  if (p.kind != MemKind::kOther)
    set_src(list, kMemAddr,
            offen || idxen ? r.vgpr(inst.get(Field::vaddr), b32s(offen && idxen ? 2 : 1)) : off);
  if (!loads && p.kind != MemKind::kLoadLds && p.kind != MemKind::kOther)
    set_src(list, kMemData, r.vgpr(inst.get(Field::vdata), b32s(n + extra), acc));
  const unsigned srsrc = inst.get(Field::srsrc);
  set_src(list, kMemScalar, r.scalar(inst.isa == Isa::kGfx12 ? srsrc : srsrc * 4, b32s(4)));
  set_src(list, kMemSoffset, r.source(inst.get(Field::soffset), b32s(1)));
}

void read_smem(const Inst& inst, const Reader& r, Operands& list) {
  const OpInfo& info = inst.info();
  const MemParams& p = info.mem;
  const auto contains = [&](std::string_view s) {
    return info.id.find(s) != std::string_view::npos;
  };
  const bool prefetch = contains("prefetch");
  if (p.kind == MemKind::kOther) {
    if (info.id == "s_memtime" || info.id == "s_memrealtime")
      push_dst(list, r.scalar(inst.get(Field::sdata), b32s(2)));
    if (!prefetch && !contains("atc_probe") && !contains("discard")) return;
  }
  const Operand data = r.scalar(inst.get(Field::sdata), b32s(atomic_data_dwords(info.id, p)));
  if (p.kind == MemKind::kLoad) push_dst(list, data);
  if (!contains("pc_rel"))
    set_src(list, kSmemBase, r.scalar(inst.get(Field::sbase) * 2, b32s(smem_base_dwords(info.id))));
  Operand off;
  off.kind = OperandKind::kOff;
  const unsigned soffset = inst.get(Field::soffset);
  if (generation_of(inst.isa) == Generation::kGfx9) {
    // Without IMM the low bits of the offset field name an SGPR; with SOFFSET_EN another SGPR is
    // added.
    if (inst.get(Field::soffset_en))
      set_src(list, kSmemOffset, r.scalar(soffset, b32s(1)));
    else if (!inst.get(Field::imm))
      set_src(list, kSmemOffset, r.scalar(inst.get(Field::offset) & 127, b32s(1)));
    else
      set_src(list, kSmemOffset, off);
  } else {
    set_src(list, kSmemOffset, soffset == kNull ? off : r.scalar(soffset, b32s(1)));
  }
  if (p.kind == MemKind::kStore || p.kind == MemKind::kAtomic) {
    set_src(list, kSmemData, data);
    if (p.kind == MemKind::kAtomic && inst.get(Field::glc))
      push_dst(list, r.scalar(inst.get(Field::sdata), b32s(data_dwords(p))));
  }
}

/// On gfx9 the resource says how many address registers there are: only the first one is listed.
void read_image(const Inst& inst, const Reader& r, Operands& list) {
  const ImageShape shape(inst);
  const bool acc = inst.get(Field::acc);
  const auto data = [&](unsigned dwords) {
    return r.vgpr(inst.get(Field::vdata), b32s(dwords), acc);
  };
  // Another register says whether texels were resident (TFE) or a level was missing (LWE).
  const unsigned status = inst.get(Field::tfe) || inst.get(Field::lwe) ? 1 : 0;
  if (shape.atomic()) {
    const auto words = std::max(1u, static_cast<unsigned>(std::popcount(inst.get(Field::dmask))));
    set_src(list, kMemData, data(words));
    const unsigned result = is_cmpswap(inst.info().id) ? (words + 1) / 2 : words;
    if (returns_value(inst)) push_dst(list, data(result + status));
  } else {
    const unsigned words =
        shape.ray() ? shape.data().count : shape.data_words() - (inst.get(Field::tfe) ? 1 : 0);
    if (shape.has("_store"))
      set_src(list, kMemData, data(words));
    else
      push_dst(list, data(words + status));
  }
  unsigned position = kMemAddr;
  for (const RegisterRun& run : shape.addresses()) {
    set_src(list, position, r.vgpr(run.first, b32s(run.count)));
    position = position == kMemAddr ? unsigned{kImageAddr1} : position + 1;
  }
  const RegisterRun resource = shape.resource();
  constexpr unsigned kShortResource = 4;  // R128: the rest of the resource reads as 0
  set_src(list, kMemScalar,
          r.scalar(resource.first, b32s(inst.get(Field::r128) ? kShortResource : resource.count)));
}

}  // namespace lockstep::isa::detail
