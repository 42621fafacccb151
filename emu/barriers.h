// SPDX-License-Identifier: MIT
// Split barriers of a workgroup (gfx12): the workgroup's own barrier and the named ones.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "emu/wave_state.h"

namespace lockstep::emu {

/// A barrier completes when as many waves have signalled as it has members; then it starts anew,
/// and every wave that belongs to it gets its completion bit (WaveState::barrier_done).
class GroupBarriers {
 public:
  static constexpr int kWorkgroup = -1, kTrap = -2;
  /// Completion bits.
  static constexpr uint32_t kNamedDone = 1, kWorkgroupDone = 2;

  void clear() { waves_.clear(), state_ = {}; }
  /// A wave enters the workgroup. Waves must stay where they are until clear().
  void add(WaveState* wave);
  /// The wave has ended: it counts nowhere any more.
  void remove(WaveState* wave);

  /// Returns true if this is the first signal since the barrier started. Barrier 0 and the trap
  /// handler's barrier do nothing.
  bool signal(int number);
  /// Sets up a named barrier for `members` waves.
  void init(int number, uint32_t members);
  /// The wave belongs to this named barrier from now on.
  void join(WaveState& wave, int number);
  /// The wave leaves its named barrier; false if it belongs to none.
  bool leave(WaveState& wave);
  /// As s_get_barrier_state returns it: valid in bit 0, members from bit 4, signals from bit 16.
  uint32_t state(int number) const;

 private:
  struct State {
    uint32_t members = 0, signals = 0;
    bool valid = false;
  };
  static unsigned slot(int number) { return static_cast<unsigned>(number) & 63; }
  void check(int number);

  std::array<State, 64> state_;
  std::vector<WaveState*> waves_;
};

}  // namespace lockstep::emu
