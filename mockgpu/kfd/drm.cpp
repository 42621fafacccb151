// SPDX-License-Identifier: MIT
// The ioctl table of a render node, and that of the descriptor of a shared buffer.
#include <linux/dma-buf.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <mutex>

#include "mockgpu/kfd/drm_handlers.h"
#include "mockgpu/kfd/ioctl.h"
#include "mockgpu/log.h"
#include "mockgpu/user_memory.h"

namespace lockstep::mockgpu {
namespace {

struct Entry {
  uint32_t number;
  const char* name;
  int (*handler)(drm::Node, void*);  ///< null: the driver has it, Lockstep does not
};

template <class>
struct ArgumentOf;
template <class Args>
struct ArgumentOf<int (*)(drm::Node, Args&)> {
  using type = Args;
};
constexpr size_t kMostBytes = 512;

template <auto F>
constexpr Entry entry(unsigned long request, const char* name) {
  using Args = typename ArgumentOf<decltype(F)>::type;
  static_assert(sizeof(Args) <= kMostBytes);
  return {static_cast<uint32_t>(_IOC_NR(request)), name,
          [](drm::Node node, void* args) { return F(node, *static_cast<Args*>(args)); }};
}
constexpr Entry missing(unsigned long request, const char* name) {
  return {static_cast<uint32_t>(_IOC_NR(request)), name, nullptr};
}

constexpr Entry kTable[] = {
    entry<drm::version>(DRM_IOCTL_VERSION, "VERSION"),
    entry<drm::gem_close>(DRM_IOCTL_GEM_CLOSE, "GEM_CLOSE"),
    entry<drm::get_cap>(DRM_IOCTL_GET_CAP, "GET_CAP"),
    entry<drm::prime_handle_to_fd>(DRM_IOCTL_PRIME_HANDLE_TO_FD, "PRIME_HANDLE_TO_FD"),
    entry<drm::prime_fd_to_handle>(DRM_IOCTL_PRIME_FD_TO_HANDLE, "PRIME_FD_TO_HANDLE"),
    entry<drm::gem_create>(DRM_IOCTL_AMDGPU_GEM_CREATE, "AMDGPU_GEM_CREATE"),
    entry<drm::gem_mmap>(DRM_IOCTL_AMDGPU_GEM_MMAP, "AMDGPU_GEM_MMAP"),
    missing(DRM_IOCTL_AMDGPU_CTX, "AMDGPU_CTX"),
    missing(DRM_IOCTL_AMDGPU_BO_LIST, "AMDGPU_BO_LIST"),
    missing(DRM_IOCTL_AMDGPU_CS, "AMDGPU_CS"),
    entry<drm::amdgpu_info>(DRM_IOCTL_AMDGPU_INFO, "AMDGPU_INFO"),
    entry<drm::gem_metadata>(DRM_IOCTL_AMDGPU_GEM_METADATA, "AMDGPU_GEM_METADATA"),
    entry<drm::gem_wait_idle>(DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, "AMDGPU_GEM_WAIT_IDLE"),
    entry<drm::gem_va>(DRM_IOCTL_AMDGPU_GEM_VA, "AMDGPU_GEM_VA"),
    missing(DRM_IOCTL_AMDGPU_WAIT_CS, "AMDGPU_WAIT_CS"),
    entry<drm::gem_op>(DRM_IOCTL_AMDGPU_GEM_OP, "AMDGPU_GEM_OP"),
    missing(DRM_IOCTL_AMDGPU_GEM_USERPTR, "AMDGPU_GEM_USERPTR"),
    missing(DRM_IOCTL_AMDGPU_WAIT_FENCES, "AMDGPU_WAIT_FENCES"),
    missing(DRM_IOCTL_AMDGPU_VM, "AMDGPU_VM"),
    missing(DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, "AMDGPU_FENCE_TO_HANDLE"),
    missing(DRM_IOCTL_AMDGPU_SCHED, "AMDGPU_SCHED"),
};

}  // namespace

int drm_ioctl(Process& process, Device& device, unsigned long request, uint64_t argument) {
  const uint32_t number = _IOC_NR(request);
  const bool drm = _IOC_TYPE(request) == DRM_IOCTL_BASE;
  const auto found = std::ranges::find(kTable, number, &Entry::number);
  if (!drm || found == std::end(kTable)) {
    log(LogLevel::kWarn, "render node: unknown ioctl {:#x} (number {:#x})", request, number);
    return drm ? -EINVAL : -ENOTTY;
  }
  if (!found->handler) {
    log(LogLevel::kWarn,
        "render node: ioctl {} is not supported: work is submitted through /dev/kfd only",
        found->name);
    return -EINVAL;
  }
  // As for /dev/kfd: sizes may differ between program and kernel.
  alignas(std::max_align_t) std::array<std::byte, kMostBytes> arguments{};
  const size_t user_size = std::min<size_t>(_IOC_SIZE(request), arguments.size());
  if ((_IOC_DIR(request) & _IOC_WRITE) && !copy_from_user(arguments.data(), argument, user_size)) {
    return -EFAULT;
  }
  const std::lock_guard lock(process.mutex());
  const int result = found->handler({process, device}, arguments.data());
  if ((_IOC_DIR(request) & _IOC_READ) && !copy_to_user(argument, arguments.data(), user_size)) {
    return -EFAULT;
  }
  log(LogLevel::kTrace, "render node: {} -> {}", found->name, result);
  return result;
}

int shared_buffer_ioctl(unsigned long request, uint64_t argument) {
  if (request != DMA_BUF_IOCTL_SYNC) {
    log(LogLevel::kWarn, "shared buffer: unknown ioctl {:#x}", request);
    return -ENOTTY;
  }
  dma_buf_sync args{};
  if (!copy_from_user(&args, argument, sizeof args)) return -EFAULT;
  // CPU and devices see the same memory: there is nothing to flush.
  return args.flags & ~uint64_t{DMA_BUF_SYNC_VALID_FLAGS_MASK} ? -EINVAL : 0;
}

}  // namespace lockstep::mockgpu
