// SPDX-License-Identifier: MIT
// Counting of signals and members.
#include "emu/barriers.h"

#include <algorithm>

namespace lockstep::emu {

void GroupBarriers::add(WaveState* wave) {
  waves_.push_back(wave);
  State& s = state_[slot(kWorkgroup)];
  s.valid = true;
  ++s.members;
}

void GroupBarriers::remove(WaveState* wave) {
  if (std::erase(waves_, wave) == 0) return;
  leave(*wave);
  --state_[slot(kWorkgroup)].members;
  check(kWorkgroup);
}

bool GroupBarriers::signal(int number) {
  if (number == 0 || number == kTrap) return false;
  State& s = state_[slot(number)];
  const bool first = s.signals == 0;
  ++s.signals;
  check(number);
  return first;
}

void GroupBarriers::init(int number, uint32_t members) {
  if (number <= 0) return;
  state_[slot(number)] = {members, 0, true};
}

void GroupBarriers::join(WaveState& wave, int number) {
  wave.joined_barrier = number > 0 ? static_cast<uint32_t>(number) : 0;
  wave.barrier_done &= ~kNamedDone;
}

bool GroupBarriers::leave(WaveState& wave) {
  const auto number = static_cast<int>(wave.joined_barrier);
  if (number == 0) return false;
  wave.joined_barrier = 0;
  State& s = state_[slot(number)];
  if (s.members) --s.members;
  check(number);
  return true;
}

uint32_t GroupBarriers::state(int number) const {
  const State& s = state_[slot(number)];
  return (s.signals & 0x7f) << 16 | (s.members & 0x7f) << 4 | (s.valid ? 1u : 0u);
}

void GroupBarriers::check(int number) {
  State& s = state_[slot(number)];
  if (s.members == 0 || s.signals < s.members) return;
  s.signals = 0;
  const bool whole = number == kWorkgroup;
  for (WaveState* wave : waves_)
    if (whole || static_cast<int>(wave->joined_barrier) == number)
      wave->barrier_done |= whole ? kWorkgroupDone : kNamedDone;
}

}  // namespace lockstep::emu
