// SPDX-License-Identifier: MIT
// KFD memory ioctls.
#include <cerrno>
#include <vector>

#include "mockgpu/kfd/handlers.h"
#include "mockgpu/user_memory.h"

namespace lockstep::mockgpu::kfd {
namespace {

// MAP and UNMAP share their shape: a list of gpu ids, worked off from n_success on, so that a call
// that was interrupted can be repeated.
template <class Args>
int for_each_device(Process& process, Args& args, int (Process::*action)(uint64_t, uint32_t)) {
  if (args.n_devices == 0 || args.n_success > args.n_devices || args.n_devices > kMaxDevices) {
    return -EINVAL;
  }
  std::vector<uint32_t> ids(args.n_devices);
  if (!copy_from_user(ids.data(), args.device_ids_array_ptr, ids.size() * sizeof ids[0])) {
    return -EFAULT;
  }
  while (args.n_success < args.n_devices) {
    if (const int result = (process.*action)(args.handle, ids[args.n_success])) return result;
    ++args.n_success;
  }
  return 0;
}

}  // namespace

int alloc_memory(Process& process, kfd_ioctl_alloc_memory_of_gpu_args& args) {
  MemoryObject object;
  object.device = process.find_device(args.gpu_id);
  if (!object.device) return -EINVAL;
  object.flags = args.flags;
  object.address = args.va_addr;
  object.size = args.size;
  MemoryObject* made = nullptr;
  if (const int result = process.allocate(std::move(object), args.mmap_offset, made)) return result;
  args.handle = made->handle;
  if (!(args.flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR)) args.mmap_offset = made->offset;
  return 0;
}

int free_memory(Process& process, kfd_ioctl_free_memory_of_gpu_args& args) {
  return process.free(args.handle);
}

int map_memory(Process& process, kfd_ioctl_map_memory_to_gpu_args& args) {
  return for_each_device(process, args, &Process::map);
}

int unmap_memory(Process& process, kfd_ioctl_unmap_memory_from_gpu_args& args) {
  return for_each_device(process, args, &Process::unmap);
}

int available_memory(Process& process, kfd_ioctl_get_available_memory_args& args) {
  const Device* device = process.find_device(args.gpu_id);
  if (!device) return -EINVAL;
  args.available = device->buffers().vram_free();
  return 0;
}

}  // namespace lockstep::mockgpu::kfd
