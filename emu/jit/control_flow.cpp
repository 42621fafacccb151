// SPDX-License-Identifier: MIT
// Decoding along direct branches.
#include "emu/jit/control_flow.h"

#include <algorithm>

#include "asm/disassemble.h"
#include "emu/emit/recipe.h"
#include "isa/image_shape.h"

namespace lockstep::emu::jit {
namespace {

constexpr size_t kMaxInstructions = 20000;
constexpr size_t kLongest = 20;  // bytes of the longest instruction

bool ends_flow(isa::Op op) {
  using isa::Op;
  return op == Op::s_endpgm || op == Op::s_endpgm_saved || op == Op::s_endpgm_ordered_ps_done ||
         op == Op::s_setpc_b64 || op == Op::s_rfe_b64 || op == Op::s_code_end;
}

/// Operations after which a wave may come back from outside: waits, calls, changes of MODE.
bool may_leave(const Uop& u) {
  const isa::Op op = u.inst.op;
  if (op == isa::Op::s_swappc_b64) return true;
  // These jump or not, as the interpreter finds.
  if (op == isa::Op::s_cbranch_g_fork || op == isa::Op::s_cbranch_i_fork ||
      op == isa::Op::s_cbranch_join || op == isa::Op::s_subvector_loop_begin ||
      op == isa::Op::s_subvector_loop_end)
    return true;
  // Modes that only the interpreter knows.
  if (op == isa::Op::s_set_gpr_idx_on || op == isa::Op::s_setvskip) return true;
  if (op == isa::Op::s_setreg_b32 || op == isa::Op::s_setreg_imm32_b32) return true;
  if (u.inst.info().id.starts_with("ds_gws_")) return true;
  const Recipe* r = recipe_of(op);
  return u.inst.format == isa::Format::SOPP && !r;
}

}  // namespace

Repeat repeat_of(const Uop& u) {
  const isa::OpInfo& info = u.inst.info();
  if (info.id.starts_with("ds_gws_")) return Repeat::kNever;
  switch (u.inst.format) {
    case isa::Format::DS:
      return Repeat::kSame;
    case isa::Format::FLAT:
    case isa::Format::GLOBAL:
    case isa::Format::SCRATCH:
    case isa::Format::MUBUF:
    case isa::Format::MTBUF:
    case isa::Format::SMEM:
      switch (info.mem.kind) {
        case isa::MemKind::kLoad:
        case isa::MemKind::kLoadFormat:
        case isa::MemKind::kLoadLds:
          return Repeat::kSame;
        case isa::MemKind::kStore:
        case isa::MemKind::kStoreFormat:
          return Repeat::kStores;
        default:
          return Repeat::kNever;
      }
    case isa::Format::MIMG:
    case isa::Format::VIMAGE: {
      const isa::ImageShape shape(u.inst);
      if (shape.atomic()) return Repeat::kNever;
      return shape.has("_store") ? Repeat::kStores : Repeat::kSame;
    }
    default:
      break;
  }
  for (const std::string_view name :
       {"s_getreg", "s_sendmsg", "s_barrier_", "s_get_barrier", "s_wakeup_barrier"})
    if (info.id.starts_with(name)) return Repeat::kNever;
  return Repeat::kSame;
}

Flow explore(Context& c, const CodeKey& key, uint64_t entry, bool isolate,
             std::deque<Uop>& storage) {
  Flow flow;
  const Allocation* allocation = c.memory->allocation_at(entry);
  if (!allocation || (entry & 3)) return flow;
  const uint64_t base = allocation->base, size = allocation->size;
  const uint8_t* host = allocation->host;

  std::map<uint64_t, const Uop*> code;
  std::set<uint64_t> leaders;
  std::vector<uint64_t> work = {entry};
  const auto branches = [](const Uop& u) {
    const Recipe* r = recipe_of(u.inst.op);
    return r && r->branches ? r : nullptr;
  };
  while (!work.empty()) {
    uint64_t pc = work.back();
    work.pop_back();
    leaders.insert(pc);
    while (!code.contains(pc) && code.size() < kMaxInstructions) {
      if (pc - base >= size || (pc & 3)) break;
      isa::Inst inst;
      const size_t room = static_cast<size_t>(std::min<uint64_t>(kLongest, size - (pc - base)));
      if (isa::decode(key.isa, {host + (pc - base), room}, inst) != isa::DecodeError::kNone) break;
      const Uop& u = prepare_uop(inst, key, storage);
      code[pc] = &u;
      if (flow.last == 0) flow.first = flow.last = pc;
      flow.first = std::min(flow.first, pc);
      flow.last = std::max(flow.last, pc + u.size);
      const uint64_t next = pc + u.size;
      if (const Recipe* r = branches(u)) {
        work.push_back(*asm_::branch_target(u.inst, pc));
        if (r->condition >= 0 || u.ops.n_dst > 0) work.push_back(next);  // calls come back
        break;
      }
      if (ends_flow(u.inst.op)) break;
      if (may_leave(u)) leaders.insert(next);
      if (isolate && repeat_of(u) != Repeat::kSame) {
        leaders.insert(pc);
        leaders.insert(next);
      }
      pc = next;
    }
  }

  for (const uint64_t leader : leaders) {
    if (!code.contains(leader)) continue;
    Block& block = flow.blocks[leader];
    block.pc = leader;
    for (uint64_t pc = leader;;) {
      const auto it = code.find(pc);
      if (it == code.end() || (pc != leader && leaders.contains(pc))) break;
      block.code.push_back({pc, it->second});
      const Uop& u = *it->second;
      if (const Recipe* r = branches(u)) {
        block.target = *asm_::branch_target(u.inst, pc);
        block.conditional = r->condition >= 0;
        block.falls_through = block.conditional;
        break;
      }
      if (ends_flow(u.inst.op)) {
        block.falls_through = false;
        break;
      }
      pc += u.size;
    }
    flow.instructions += block.code.size();
  }
  return flow;
}

}  // namespace lockstep::emu::jit
