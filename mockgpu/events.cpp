// SPDX-License-Identifier: MIT
// Event table and waiters.
#include "mockgpu/events.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace lockstep::mockgpu {
namespace {

bool has_slot(uint32_t type) {
  return type == KFD_IOC_EVENT_SIGNAL || type == KFD_IOC_EVENT_DEBUG_EVENT;
}

// The entry's first quadword; the structure of older headers has no name for it.
uint64_t age_of(const kfd_event_data& data) {
  uint64_t age;
  std::memcpy(&age, &data, sizeof age);
  return age;
}
void set_age(kfd_event_data& data, uint64_t age) { std::memcpy(&data, &age, sizeof age); }

}  // namespace

std::optional<uint32_t> Events::create(uint32_t type, bool auto_reset) {
  const std::lock_guard lock(mutex_);
  uint32_t id = next_other_;
  if (has_slot(type)) {
    // Slot 0 stays free: an interrupt with context 0 names nobody.
    id = 1;
    while (events_.contains(id)) ++id;
    if (id >= KFD_SIGNAL_EVENT_LIMIT) return std::nullopt;
  } else {
    ++next_other_;
  }
  events_[id] = Event{.type = type, .auto_reset = auto_reset};
  return id;
}

void Events::signal(Event& event) {
  ++event.age;
  for (Waiting* waiting : event.waiters) waiting->activated = true;
  event.signaled = !event.auto_reset || event.waiters.empty();
}

int Events::destroy(uint32_t id) {
  const std::lock_guard lock(mutex_);
  const auto it = events_.find(id);
  if (it == events_.end()) return -EINVAL;
  for (Waiting* waiting : it->second.waiters) waiting->destroyed = true;
  events_.erase(it);
  changed_.notify_all();
  return 0;
}

int Events::set(uint32_t id) {
  const std::lock_guard lock(mutex_);
  const auto it = events_.find(id);
  if (it == events_.end() || !has_slot(it->second.type)) return -EINVAL;
  signal(it->second);
  changed_.notify_all();
  return 0;
}

int Events::reset(uint32_t id) {
  const std::lock_guard lock(mutex_);
  const auto it = events_.find(id);
  if (it == events_.end() || !has_slot(it->second.type)) return -EINVAL;
  it->second.signaled = false;
  return 0;
}

void Events::interrupt(uint32_t id) { set(id); }

void Events::wave_interrupt(uint32_t value) {
  constexpr uint32_t kShortBits = 0xff;
  const std::lock_guard lock(mutex_);
  for (auto& [id, event] : events_) {
    if (!has_slot(event.type)) continue;
    if (id == value || (value <= kShortBits && (id & kShortBits) == value)) signal(event);
  }
  changed_.notify_all();
}

void Events::memory_exception(const kfd_hsa_memory_exception_data& data) {
  const std::lock_guard lock(mutex_);
  for (auto& [id, event] : events_) {
    if (event.type != KFD_IOC_EVENT_MEMORY) continue;
    event.memory = data;
    signal(event);
  }
  changed_.notify_all();
}

void Events::hardware_exception(const kfd_hsa_hw_exception_data& data) {
  const std::lock_guard lock(mutex_);
  for (auto& [id, event] : events_) {
    if (event.type != KFD_IOC_EVENT_HW_EXCEPTION) continue;
    event.hardware = data;
    signal(event);
  }
  changed_.notify_all();
}

int Events::wait(std::span<kfd_event_data> events, bool all, uint32_t timeout_ms,
                 uint32_t& result) {
  std::unique_lock lock(mutex_);
  result = KFD_IOC_WAIT_RESULT_FAIL;
  for (const kfd_event_data& data : events) {
    if (!events_.contains(data.event_id)) return -EINVAL;
  }
  std::vector<Waiting> waiting(events.size());
  for (size_t i = 0; i < events.size(); ++i) {
    Event& event = events_[events[i].event_id];
    waiting[i].activated = event.signaled;
    if (event.auto_reset) event.signaled = false;
    const uint64_t seen = event.type == KFD_IOC_EVENT_SIGNAL ? age_of(events[i]) : 0;
    waiting[i].wants_age = seen != 0;
    if (seen != 0 && seen != event.age) waiting[i].activated = true;
    event.waiters.push_back(&waiting[i]);
  }
  const auto count = [&](bool Waiting::* flag) {
    return static_cast<size_t>(std::ranges::count(waiting, true, flag));
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  while (true) {
    if (count(&Waiting::destroyed)) break;
    const size_t set = count(&Waiting::activated);
    if (set == events.size() || (set && !all)) {
      result = KFD_IOC_WAIT_RESULT_COMPLETE;
      break;
    }
    if (timeout_ms == 0xffffffff) {
      changed_.wait(lock);
    } else if (std::chrono::steady_clock::now() >= deadline) {
      result = KFD_IOC_WAIT_RESULT_TIMEOUT;
      break;
    } else {
      changed_.wait_until(lock, deadline);
    }
  }
  for (size_t i = 0; i < events.size(); ++i) {
    const auto it = events_.find(events[i].event_id);
    if (it == events_.end() || waiting[i].destroyed) continue;
    Event& event = it->second;
    std::erase(event.waiters, &waiting[i]);
    if (!waiting[i].activated) continue;
    if (result == KFD_IOC_WAIT_RESULT_TIMEOUT && event.auto_reset) signal(event);  // as if not seen
    if (result != KFD_IOC_WAIT_RESULT_COMPLETE) continue;
    if (waiting[i].wants_age) set_age(events[i], event.age);
    if (event.type == KFD_IOC_EVENT_MEMORY) events[i].memory_exception_data = event.memory;
    if (event.type == KFD_IOC_EVENT_HW_EXCEPTION) events[i].hw_exception_data = event.hardware;
  }
  return result == KFD_IOC_WAIT_RESULT_FAIL ? -EIO : 0;
}

}  // namespace lockstep::mockgpu
