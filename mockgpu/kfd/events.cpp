// SPDX-License-Identifier: MIT
// KFD event ioctls.
#include <cerrno>
#include <vector>

#include "mockgpu/kfd/handlers.h"
#include "mockgpu/user_memory.h"

namespace lockstep::mockgpu::kfd {

int create_event(Process& process, kfd_ioctl_create_event_args& args) {
  if (args.event_type > KFD_IOC_EVENT_MEMORY) return -EINVAL;
  // event_page_offset names the buffer of the mailbox slots. Nothing is read from there: events are
  // set when the queue raises its interrupt.
  const auto id = process.events().create(args.event_type, args.auto_reset);
  if (!id) return -ENOSPC;
  // Non-zero tells the runtime that there is a mailbox: it gives signals its address then.
  constexpr uint64_t kMmapEvents = uint64_t{2} << 62;
  const bool has_mailbox = *id < KFD_SIGNAL_EVENT_LIMIT;
  if (has_mailbox) args.event_page_offset = kMmapEvents;
  args.event_id = *id;
  args.event_trigger_data = *id;
  args.event_slot_index = has_mailbox ? *id : 0;
  return 0;
}

int destroy_event(Process& process, kfd_ioctl_destroy_event_args& args) {
  return process.events().destroy(args.event_id);
}

int set_event(Process& process, kfd_ioctl_set_event_args& args) {
  return process.events().set(args.event_id);
}

int reset_event(Process& process, kfd_ioctl_reset_event_args& args) {
  return process.events().reset(args.event_id);
}

int wait_events(Process& process, kfd_ioctl_wait_events_args& args) {
  if (args.num_events > KFD_SIGNAL_EVENT_LIMIT * 2) return -EINVAL;
  std::vector<kfd_event_data> events(args.num_events);
  const size_t bytes = events.size() * sizeof(kfd_event_data);
  if (!copy_from_user(events.data(), args.events_ptr, bytes)) return -EFAULT;
  const int result =
      process.events().wait(events, args.wait_for_all != 0, args.timeout, args.wait_result);
  if (result) return result;
  return copy_to_user(args.events_ptr, events.data(), bytes) ? 0 : -EFAULT;
}

}  // namespace lockstep::mockgpu::kfd
