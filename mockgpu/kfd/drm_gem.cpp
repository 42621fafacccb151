// SPDX-License-Identifier: MIT
// DRM ioctls for buffers: handles, their place in the address space, and sharing as files.
#include <fcntl.h>
#include <linux/kfd_ioctl.h>

#include <bit>
#include <cerrno>

#include "mockgpu/kfd/drm_handlers.h"
#include "mockgpu/log.h"
#include "mockgpu/user_memory.h"

namespace lockstep::mockgpu::drm {
namespace {

constexpr uint64_t kLowestAddress = 0x200000;  // as AMDGPU_INFO_DEV_INFO says
constexpr uint64_t kHighestAddress = 0x8000'0000'0000;

bool is_page(uint64_t value) { return value % kPageBytes == 0; }

uint32_t gem_domain_of(const Buffer& buffer) {
  return buffer.domain() & KFD_IOC_ALLOC_MEM_FLAGS_VRAM ? AMDGPU_GEM_DOMAIN_VRAM
                                                        : AMDGPU_GEM_DOMAIN_GTT;
}

}  // namespace

int gem_close(Node node, drm_gem_close& args) {
  return node.device.gem().close(args.handle) ? 0 : -EINVAL;
}

int prime_handle_to_fd(Node node, drm_prime_handle& args) {
  if (args.flags & ~static_cast<uint32_t>(DRM_CLOEXEC | DRM_RDWR)) return -EINVAL;
  const auto buffer = node.device.gem().find(args.handle);
  if (!buffer) return -ENOENT;
  const int fd =
      node.device.buffers().share(*buffer, args.flags & DRM_CLOEXEC, args.flags & DRM_RDWR);
  if (fd < 0) return fd;
  args.fd = fd;
  return 0;
}

int prime_fd_to_handle(Node node, drm_prime_handle& args) {
  if (inode_of(args.fd) == Inode{}) return -EBADF;
  const auto shared = node.process.find_shared(args.fd);
  if (!shared) return -EINVAL;
  // Memory of another device of the machine is reached over the bus.
  auto buffer = node.device.buffers().import(args.fd, shared->range);
  if (!buffer) return -ENOMEM;
  args.handle = node.device.gem().add(std::move(buffer));
  return 0;
}

int gem_create(Node node, drm_amdgpu_gem_create& args) {
  const drm_amdgpu_gem_create_in in = args.in;
  uint32_t domain;
  if (in.domains & AMDGPU_GEM_DOMAIN_VRAM) {
    domain = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
  } else if (in.domains & AMDGPU_GEM_DOMAIN_GTT) {
    domain = KFD_IOC_ALLOC_MEM_FLAGS_GTT;
  } else {
    log(LogLevel::kWarn, "render node: GEM_CREATE in domains {:#x}: only VRAM and GTT can be had",
        uint64_t{in.domains});
    return -EINVAL;
  }
  if (in.bo_size == 0 || (in.alignment && !std::has_single_bit(uint64_t{in.alignment}))) {
    return -EINVAL;
  }
  auto buffer = node.device.buffers().allocate(in.bo_size, domain);
  // A buffer that may lie in either goes where there is room.
  if (!buffer && (in.domains & AMDGPU_GEM_DOMAIN_GTT)) {
    buffer = node.device.buffers().allocate(in.bo_size, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
  }
  if (!buffer) return -ENOMEM;
  args.out = {};
  args.out.handle = node.device.gem().add(std::move(buffer));
  return 0;
}

int gem_mmap(Node node, drm_amdgpu_gem_mmap& args) {
  const auto buffer = node.device.gem().find(args.in.handle);
  if (!buffer) return -ENOENT;
  args.out.addr_ptr = buffer->offset();
  return 0;
}

int gem_metadata(Node node, drm_amdgpu_gem_metadata& args) {
  if (!node.device.gem().find(args.handle)) return -ENOENT;
  if (args.op != AMDGPU_GEM_METADATA_OP_GET_METADATA) {
    log(LogLevel::kWarn, "render node: GEM_METADATA: Lockstep keeps no metadata of images");
    return -EINVAL;
  }
  args.data = {};  // buffers are linear
  return 0;
}

int gem_wait_idle(Node node, drm_amdgpu_gem_wait_idle& args) {
  const auto buffer = node.device.gem().find(args.in.handle);
  if (!buffer) return -ENOENT;
  args.out = {};  // work comes through KFD queues, which put no fences on buffers
  args.out.domain = gem_domain_of(*buffer);
  return 0;
}

int gem_va(Node node, drm_amdgpu_gem_va& args) {
  constexpr uint32_t kFlags = AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_READABLE |
                              AMDGPU_VM_PAGE_WRITEABLE | AMDGPU_VM_PAGE_EXECUTABLE |
                              AMDGPU_VM_MTYPE_MASK;
  GemObjects& gem = node.device.gem();
  const uint64_t end = args.va_address + args.map_size;
  if (args.va_address < kLowestAddress || end < args.va_address || end > kHighestAddress ||
      !is_page(args.va_address) || !is_page(args.map_size) || !is_page(args.offset_in_bo)) {
    return -EINVAL;
  }
  if (args.flags & ~kFlags) {
    log(LogLevel::kWarn, "render node: GEM_VA flags {:#x} are not supported", args.flags & ~kFlags);
    return -EINVAL;
  }
  if (args.operation == AMDGPU_VA_OP_CLEAR) {
    gem.clear(args.va_address, args.map_size);
    return 0;
  }
  const auto buffer = gem.find(args.handle);
  if (!buffer) return -ENOENT;
  switch (args.operation) {
    case AMDGPU_VA_OP_UNMAP:
      return gem.unmap(args.va_address, *buffer) ? 0 : -ENOENT;
    case AMDGPU_VA_OP_MAP:
    case AMDGPU_VA_OP_REPLACE: {
      if (args.map_size == 0 || args.offset_in_bo > buffer->size() ||
          args.map_size > buffer->size() - args.offset_in_bo) {
        return -EINVAL;
      }
      if (args.operation == AMDGPU_VA_OP_REPLACE) gem.clear(args.va_address, args.map_size);
      const bool writable = args.flags & AMDGPU_VM_PAGE_WRITEABLE;
      return gem.map(args.va_address, buffer, args.offset_in_bo, args.map_size, writable) ? 0
                                                                                          : -EINVAL;
    }
    default:
      return -EINVAL;
  }
}

int gem_op(Node node, drm_amdgpu_gem_op& args) {
  const auto buffer = node.device.gem().find(args.handle);
  if (!buffer) return -ENOENT;
  if (args.op != AMDGPU_GEM_OP_GET_GEM_CREATE_INFO) {
    log(LogLevel::kWarn, "render node: GEM_OP {}: Lockstep does not move buffers", args.op);
    return -EINVAL;
  }
  drm_amdgpu_gem_create_in info{};
  info.bo_size = buffer->size();
  info.alignment = kPageBytes;
  info.domains = gem_domain_of(*buffer);
  return copy_to_user(args.value, &info, sizeof info) ? 0 : -EFAULT;
}

}  // namespace lockstep::mockgpu::drm
