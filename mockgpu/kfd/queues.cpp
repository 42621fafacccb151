// SPDX-License-Identifier: MIT
// KFD queue ioctls.
#include <bit>
#include <cerrno>

#include "mockgpu/guest_memory.h"
#include "mockgpu/kfd/handlers.h"
#include "mockgpu/log.h"

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

}  // namespace lockstep::mockgpu::kfd
