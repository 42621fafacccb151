// SPDX-License-Identifier: MIT
// What an instruction can reach while it executes: its wave, memory, LDS, its workgroup, and the
// exit it may raise.
#pragma once
#include <cstdint>

#include "emu/dispatch.h"
#include "emu/exit.h"
#include "emu/memory_map.h"
#include "emu/row_counts.h"
#include "emu/wave_state.h"
#include "emu/wave_sync.h"
#include "isa/inst.h"
#include "isa/operand.h"

namespace lockstep::emu {

struct Uop;
class GroupBarriers;
class Workgroup;
struct Footprint;
namespace jit {
struct Jumps;
}

/// Details of a pending fault; the dispatcher completes it to a Fault.
struct PendingFault {
  FaultKind kind = FaultKind::kNone;
  int lane = -1;
  uint64_t address = 0;
  uint32_t size = 0;
  const char* detail = "";  ///< static text
};

/// Bytes of a lane's private memory, in whole dwords.
inline uint64_t scratch_limit(const DispatchRequest& r) {
  return (uint64_t{r.scratch_bytes_per_lane} + 3) & ~uint64_t{3};
}

/// Result of one instruction. kNext continues with the following instruction; the interpreter
/// handles the rest.
enum class Step : uint8_t { kNext, kJumped, kExit };

struct Context {
  WaveState* wave = nullptr;
  MemoryView* memory = nullptr;
  uint8_t* lds = nullptr;
  uint32_t lds_size = 0;
  const DispatchRequest* request = nullptr;
  isa::Isa isa = isa::Isa::kGfx11;
  uint64_t shared_base = 0;    ///< LDS aperture: high 32 bits of generic addresses that mean LDS
  uint64_t private_base = 0;   ///< scratch aperture
  uint64_t scratch_limit = 0;  ///< bytes of a lane's private memory: whole dwords
  uint32_t wave_in_group = 0;
  uint32_t waves_in_group = 1;
  const Allocation* const* last_hit = nullptr;  ///< memory->last_hit(), for generated code
  jit::Jumps* jumps = nullptr;                  ///< for generated code
  GroupBarriers* barriers = nullptr;
  uint32_t special_modes = 0;  ///< bits of MODE that make vector instructions special (gfx9)
  WaveSyncWait sync_wait;      ///< of ds_gws_barrier and ds_gws_sema_p
  OpCounts* counts = nullptr;  ///< grows by what the interpreter runs; null: nobody asks
  bool code_changed = false;   ///< s_icache_inv ran: fetch must compare code again
  /// What the wave's compiled code can have changed; null: not known. It holds unless `spilled`: set
  /// where something else changed registers in memory.
  const Footprint* footprint = nullptr;
  bool spilled = false;

  ExitReason exit = ExitReason::kEnd;  ///< why, when a Step says kExit
  PendingFault fault;

  /// Raises a fault; the instruction returns what this returns. Lanes before `lane` may already
  /// have taken effect.
  Step raise(FaultKind kind, int lane = -1, uint64_t address = 0, uint32_t size = 0,
             const char* detail = "") {
    fault = {kind, lane, address, size, detail};
    exit = ExitReason::kFault;
    return Step::kExit;
  }
  Step leave(ExitReason reason) {
    exit = reason;
    return Step::kExit;
  }
};

using ExecFn = Step (*)(Context&, const Uop&);

/// A prepared instruction: decoded once, its operands resolved to data, its handler found.
struct Uop {
  ExecFn exec = nullptr;
  isa::Inst inst;
  isa::Operands ops;
  const Uop* half[2] = {};  ///< VOPD: the two single operations
  uint8_t size = 0;
  bool clamp = false;
  uint8_t omod = 0;
};

}  // namespace lockstep::emu
