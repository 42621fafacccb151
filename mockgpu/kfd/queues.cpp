// SPDX-License-Identifier: MIT
// KFD queue ioctls.
#include <algorithm>
#include <bit>
#include <cerrno>
#include <vector>

#include "mockgpu/guest_memory.h"
#include "mockgpu/kfd/handlers.h"
#include "mockgpu/log.h"
#include "mockgpu/user_memory.h"

namespace lockstep::mockgpu::kfd {

int create_queue(Process& process, kfd_ioctl_create_queue_args& args) {
  Device* device = process.find_device(args.gpu_id);
  if (!device) return -EINVAL;
  // The second byte of the percentage selects an XCC; the one logical device stands for all of
  // them.
  if ((args.queue_percentage & 0xff) > KFD_MAX_QUEUE_PERCENTAGE ||
      args.queue_priority > KFD_MAX_QUEUE_PRIORITY) {
    return -EINVAL;
  }
  // A ring of 0 bytes makes a queue that UPDATE_QUEUE would have to give one: nobody does.
  if (!std::has_single_bit(args.ring_size) || args.ring_size < KFD_MIN_QUEUE_RING_SIZE) {
    return -EINVAL;
  }
  switch (args.queue_type) {
    case KFD_IOC_QUEUE_TYPE_COMPUTE:
    case KFD_IOC_QUEUE_TYPE_COMPUTE_AQL:
    case KFD_IOC_QUEUE_TYPE_SDMA:
    case KFD_IOC_QUEUE_TYPE_SDMA_XGMI:
      break;
    default:
      return -EINVAL;
  }
  GuestMemory memory(device->map());
  uint64_t pointer;
  uint32_t first;
  if (!memory.load(args.read_pointer_address, pointer) ||
      !memory.load(args.write_pointer_address, pointer) ||
      !memory.load(args.ring_base_address, first) ||
      !memory.load(args.ring_base_address + args.ring_size - 4, first)) {
    log(LogLevel::kWarn, "gpu {}: CREATE_QUEUE: {:#x} is not mapped to the device", device->index(),
        memory.miss().address);
    return -EFAULT;
  }
  QueueRequest request;
  request.type = args.queue_type;
  request.ring = {args.ring_base_address, args.ring_size, args.read_pointer_address,
                  args.write_pointer_address};
  request.active = (args.queue_percentage & 0xff) != 0;
  uint64_t doorbell = 0;
  if (const int result = process.create_queue(*device, request, args.queue_id, doorbell)) {
    return result;
  }
  args.doorbell_offset = doorbell;
  return 0;
}

int destroy_queue(Process& process, kfd_ioctl_destroy_queue_args& args) {
  return process.destroy_queue(args.queue_id);
}

int update_queue(Process& process, kfd_ioctl_update_queue_args& args) {
  if ((args.queue_percentage & 0xff) > KFD_MAX_QUEUE_PERCENTAGE ||
      args.queue_priority > KFD_MAX_QUEUE_PRIORITY) {
    return -EINVAL;
  }
  if (args.ring_size != 0 && !std::has_single_bit(args.ring_size)) return -EINVAL;
  Process::QueueEntry* entry = process.find_queue(args.queue_id);
  if (!entry) return -EFAULT;  // so says the driver
  const bool active =
      args.ring_size != 0 && args.ring_base_address != 0 && (args.queue_percentage & 0xff) != 0;
  const RingLayout& ring = entry->request.ring;
  if (active && (args.ring_base_address != ring.base || args.ring_size != ring.size)) {
    log(LogLevel::kWarn, "gpu {}: UPDATE_QUEUE of queue {}: Lockstep cannot move a ring",
        entry->device->index(), args.queue_id);
    return -EINVAL;
  }
  entry->queue->set_paused(!active);
  return 0;
}

int set_cu_mask(Process& process, kfd_ioctl_set_cu_mask_args& args) {
  constexpr uint32_t kMaxBits = 1024;
  if (args.num_cu_mask == 0 || args.num_cu_mask % 32 != 0) return -EINVAL;
  std::vector<uint32_t> mask(std::min(args.num_cu_mask, kMaxBits) / 32);
  if (!copy_from_user(mask.data(), args.cu_mask_ptr, mask.size() * sizeof mask[0])) return -EFAULT;
  // Results do not depend on which compute units run a kernel.
  return process.find_queue(args.queue_id) ? 0 : -EFAULT;
}

int get_queue_wave_state(Process& process, kfd_ioctl_get_queue_wave_state_args& args) {
  const Process::QueueEntry* entry = process.find_queue(args.queue_id);
  if (!entry) return -EFAULT;
  const bool compute = entry->request.type == KFD_IOC_QUEUE_TYPE_COMPUTE ||
                       entry->request.type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
  if (!compute || !entry->queue->paused()) return -EINVAL;
  // Packets run to their end before a queue pauses: no wave is ever saved.
  args.ctl_stack_used_size = args.save_area_used_size = 0;
  const uint32_t header[4] = {};
  return copy_to_user(args.ctl_stack_address, header, sizeof header) ? 0 : -EFAULT;
}

int alloc_queue_gws(Process& process, kfd_ioctl_alloc_queue_gws_args& args) {
  const int result = process.grant_wave_sync(args.queue_id, args.num_gws != 0);
  args.first_gws = 0;
  return result;
}

}  // namespace lockstep::mockgpu::kfd
