// SPDX-License-Identifier: MIT
// Barriers and semaphores of the global wave sync unit.
#include "emu/wave_sync.h"

namespace lockstep::emu {

void GlobalWaveSync::init(unsigned resource, uint32_t value) {
  const std::lock_guard lock(mutex_);
  resources_[resource].counter = value;
}

bool GlobalWaveSync::barrier(unsigned resource, uint32_t value, WaveSyncWait& wait) {
  const std::lock_guard lock(mutex_);
  Resource& r = resources_[resource];
  if (wait.waiting) {
    wait.waiting = r.round == wait.round;
    return !wait.waiting;
  }
  if (r.counter == 0) {
    ++r.round;
    r.counter = value;
    return true;
  }
  --r.counter;
  wait = {true, r.round};
  return false;
}

bool GlobalWaveSync::acquire(unsigned resource, WaveSyncWait& wait) {
  const std::lock_guard lock(mutex_);
  Resource& r = resources_[resource];
  if (r.counter == 0) {
    r.waiting += !wait.waiting;
    wait.waiting = true;
    return false;
  }
  --r.counter;
  r.waiting -= wait.waiting;
  wait.waiting = false;
  return true;
}

void GlobalWaveSync::release(unsigned resource, uint32_t count) {
  const std::lock_guard lock(mutex_);
  resources_[resource].counter += count;
}

void GlobalWaveSync::release_all(unsigned resource) {
  const std::lock_guard lock(mutex_);
  resources_[resource].counter = resources_[resource].waiting;
}

void GlobalWaveSync::reset() {
  const std::lock_guard lock(mutex_);
  resources_ = {};
}

}  // namespace lockstep::emu
