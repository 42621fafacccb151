// SPDX-License-Identifier: MIT
// Event table and waiters.
#include "mockgpu/events.h"

#include <cerrno>
#include <chrono>

namespace lockstep::mockgpu {
namespace {

bool has_slot(uint32_t type) {
  return type == KFD_IOC_EVENT_SIGNAL || type == KFD_IOC_EVENT_DEBUG_EVENT;
}

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

int Events::destroy(uint32_t id) {
  const std::lock_guard lock(mutex_);
  if (events_.erase(id) == 0) return -EINVAL;
  changed_.notify_all();
  return 0;
}

int Events::set(uint32_t id) {
  const std::lock_guard lock(mutex_);
  const auto it = events_.find(id);
  if (it == events_.end() || !has_slot(it->second.type)) return -EINVAL;
  it->second.signaled = true;
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

void Events::memory_exception(const kfd_hsa_memory_exception_data& data) {
  const std::lock_guard lock(mutex_);
  for (auto& [id, event] : events_) {
    if (event.type != KFD_IOC_EVENT_MEMORY) continue;
    event.memory = data;
    event.signaled = true;
  }
  changed_.notify_all();
}

void Events::hardware_exception(const kfd_hsa_hw_exception_data& data) {
  const std::lock_guard lock(mutex_);
  for (auto& [id, event] : events_) {
    if (event.type != KFD_IOC_EVENT_HW_EXCEPTION) continue;
    event.hardware = data;
    event.signaled = true;
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
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  while (true) {
    size_t set = 0;
    for (const kfd_event_data& data : events) {
      const auto it = events_.find(data.event_id);
      if (it == events_.end()) return -EIO;  // destroyed while somebody waited for it
      set += it->second.signaled;
    }
    if (all ? set == events.size() : set > 0) break;
    if (timeout_ms == 0xffffffff) {
      changed_.wait(lock);
    } else if (changed_.wait_until(lock, deadline) == std::cv_status::timeout &&
               std::chrono::steady_clock::now() >= deadline) {
      result = KFD_IOC_WAIT_RESULT_TIMEOUT;
      return 0;
    }
  }
  for (kfd_event_data& data : events) {
    Event& event = events_[data.event_id];
    if (!event.signaled) continue;
    if (event.type == KFD_IOC_EVENT_MEMORY) data.memory_exception_data = event.memory;
    if (event.type == KFD_IOC_EVENT_HW_EXCEPTION) data.hw_exception_data = event.hardware;
    if (event.auto_reset) event.signaled = false;
  }
  result = KFD_IOC_WAIT_RESULT_COMPLETE;
  return 0;
}

}  // namespace lockstep::mockgpu
