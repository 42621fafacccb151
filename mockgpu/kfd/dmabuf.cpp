// SPDX-License-Identifier: MIT
// KFD ioctls that share buffers between processes.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "mockgpu/kfd/handlers.h"

namespace lockstep::mockgpu::kfd {
namespace {

// What taking a reference of a file that is no dma-buf gives.
int refusal(uint32_t fd) { return fcntl(static_cast<int>(fd), F_GETFD) < 0 ? -EBADF : -EINVAL; }

}  // namespace

int export_dmabuf(Process& process, ExportDmabufArgs& args) {
  const int fd = process.export_buffer(args.handle, args.flags & O_CLOEXEC, /*writable=*/true);
  if (fd < 0) return fd;
  args.dmabuf_fd = static_cast<uint32_t>(fd);
  return 0;
}

int get_dmabuf_info(Process& process, kfd_ioctl_get_dmabuf_info_args& args) {
  const auto shared = process.find_shared(static_cast<int>(args.dmabuf_fd));
  if (!shared) return refusal(args.dmabuf_fd);
  args.size = shared->range.size;
  args.gpu_id = shared->device->gpu_id();
  args.flags = shared->range.domain;
  if (args.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM) args.flags |= KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC;
  args.metadata_size = 0;  // image layouts travel with graphics buffers only
  return 0;
}

int import_dmabuf(Process& process, kfd_ioctl_import_dmabuf_args& args) {
  Device* device = process.find_device(args.gpu_id);
  if (!device) return -EINVAL;
  const int fd = static_cast<int>(args.dmabuf_fd);
  if (!process.find_shared(fd)) return refusal(args.dmabuf_fd);
  MemoryObject* made = nullptr;
  if (const int result = process.import_buffer(fd, *device, args.va_addr, made)) return result;
  args.handle = made->handle;
  return 0;
}

int ipc_export(Process& process, IpcExportArgs& args) {
  if (!process.find_device(args.gpu_id)) return -EINVAL;
  RangeKey key;
  if (const int result = process.name_buffer(args.handle, key)) return result;
  std::ranges::copy(key, args.share_handle);
  args.flags = 0;
  return 0;
}

int ipc_import(Process& process, IpcImportArgs& args) {
  Device* device = process.find_device(args.gpu_id);
  if (!device) return -EINVAL;
  RangeKey key;
  std::ranges::copy(args.share_handle, key.begin());
  const int fd = open_shared_range(key);
  if (fd < 0) return fd;
  MemoryObject* made = nullptr;
  const int result = process.import_buffer(fd, *device, args.va_addr, made);
  close(fd);
  if (result) return result;
  args.handle = made->handle;
  args.mmap_offset = made->offset;
  args.flags = made->flags;
  return 0;
}

}  // namespace lockstep::mockgpu::kfd
