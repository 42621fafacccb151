// SPDX-License-Identifier: MIT
// One kernel launch as data, its result, and the Dispatcher that runs it over worker threads.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emu/exit.h"
#include "emu/jit/tier.h"
#include "emu/memory_map.h"
#include "isa/result.h"
#include "isa/target.h"

namespace lockstep::emu {

class GlobalWaveSync;
class RowCounts;

/// What a packet processor (or the command line) knows about one launch. Register words are as
/// drivers write them.
struct DispatchRequest {
  isa::Target target = isa::Target::kGfx1100;
  uint32_t wave_size = 32;  ///< 32 or 64
  uint64_t entry = 0;       ///< guest address of the first instruction
  std::string kernel_name;  ///< for reports; may be empty
  std::array<uint32_t, 3> grid = {
      1, 1, 1};  ///< total work-items in each dimension (the last group may be partial)
  std::array<uint32_t, 3> block = {1, 1, 1};  ///< workgroup size in work-items
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;   ///< COMPUTE_PGM_RSRC1..3
  std::vector<uint32_t>
      user_sgprs;          ///< s0.. in order; RSRC2.USER_SGPR_COUNT says where system SGPRs start
  uint32_t lds_bytes = 0;  ///< LDS of one workgroup, static and dynamic
  uint32_t scratch_bytes_per_lane =
      0;  ///< private segment of one work-item; the emulator supplies the memory
  /// gfx90a: first user SGPR of the private segment's buffer descriptor and of FLAT_SCRATCH's start
  /// value; -1 = the kernel wants none. The emulator fills them for each wave.
  int private_segment_buffer = -1, flat_scratch_init = -1;
  bool grant_all_registers =
      false;  ///< every architectural VGPR, whatever RSRC1 says (callers without a descriptor)
  bool all_work_item_ids =
      false;  ///< v0 holds x, y and z, whatever RSRC2 enables (run_asm's convention)
  GlobalWaveSync* wave_sync = nullptr;  ///< null: the queue may not use ds_gws_*
  /// s_sendmsg(MSG_INTERRUPT) with M0; called from worker threads. May be empty.
  std::function<void(uint32_t)> interrupt;
  MemoryMap* memory = nullptr;  ///< never null
};

struct DispatchStats {
  uint64_t workgroups = 0;
  uint64_t waves = 0;
  uint64_t wave_instructions = 0;
  double seconds = 0;
};

struct DispatchResult {
  bool ok = true;
  Fault fault;  ///< set when !ok
  DispatchStats stats;
};

enum class Engine : uint8_t { kInterp, kJit, kVerify };
/// The JIT where this host can run its code, else the interpreter.
Engine default_engine();
/// "interp", "jit", "verify".
std::optional<Engine> find_engine(std::string_view name);
/// Fails with a sentence if the engine does not run on this host, or if LOCKSTEP_JIT_HOST is wrong.
Result<void> check_engine(Engine engine);

/// Who is told about code that the JIT makes.
struct JitObservers {
  bool perf_map = false;  ///< /tmp/perf-PID.map, which perf reads
  bool gdb = false;       ///< gdb's JIT interface
  std::string dump_file;  ///< gets a listing; "-": standard error, empty: nothing does
  bool any() const { return perf_map || gdb || !dump_file.empty(); }
};

struct DispatcherOptions {
  int threads = 0;                ///< 0 = one a core; 1 = deterministic
  uint64_t max_instructions = 0;  ///< wave-instructions a dispatch may run in all; 0 = no limit
  uint64_t schedule_seed = 0;     ///< other interleavings of waves, repeatable with threads == 1
  Engine engine = default_engine();
  jit::Tier tier = jit::host_tier();  ///< of the JIT's code; one that this host can do
  JitObservers observers = {};
  std::shared_ptr<RowCounts> row_counts = {};  ///< gets what ran, row by row; null: not counted
};

/// Runs launches. Thread-safe: several queues may call run() at once.
class Dispatcher {
 public:
  explicit Dispatcher(DispatcherOptions options);
  ~Dispatcher();
  /// Runs to completion or to the first fault. Never throws; a bad request is a kBadDispatch fault.
  DispatchResult run(const DispatchRequest& request);
  /// Asks a running dispatch to stop at its next slice (shutdown, queue destroy). Later runs are
  /// not affected.
  void cancel();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::emu
