// SPDX-License-Identifier: MIT
// KFD ioctls that describe devices or set modes that have no effect here.
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "mockgpu/kfd/handlers.h"
#include "mockgpu/user_memory.h"

namespace lockstep::mockgpu::kfd {
namespace {

uint64_t nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

kfd_process_device_apertures apertures_of(const Device& device) {
  kfd_process_device_apertures a{};
  a.lds_base = 0x1'0000'0000'0000;
  a.lds_limit = a.lds_base + 0xffff'ffff;
  a.scratch_base = 0x2'0000'0000'0000;
  a.scratch_limit = a.scratch_base + 0xffff'ffff;
  a.gpuvm_base = 0x4000;
  a.gpuvm_limit = 0x7fff'ffff'ffff;
  a.gpu_id = device.gpu_id();
  return a;
}

int check_device(Process& process, uint32_t gpu_id) {
  return process.find_device(gpu_id) ? 0 : -EINVAL;
}

}  // namespace

int get_version(Process&, kfd_ioctl_get_version_args& args) {
  args.major_version = kVersionMajor;
  args.minor_version = kVersionMinor;
  return 0;
}

int get_clock_counters(Process& process, kfd_ioctl_get_clock_counters_args& args) {
  // Without a device the driver reports CPU clocks only.
  Device* device = process.find_device(args.gpu_id);
  args.gpu_clock_counter = device ? device->clock() : 0;
  args.cpu_clock_counter = nanoseconds(CLOCK_MONOTONIC_RAW);
  args.system_clock_counter = nanoseconds(CLOCK_BOOTTIME);
  args.system_clock_freq = 1'000'000'000;
  return 0;
}

int get_process_apertures(Process& process, kfd_ioctl_get_process_apertures_args& args) {
  args.num_of_nodes = 0;
  for (const auto& device : process.devices()) {
    if (args.num_of_nodes == NUM_OF_SUPPORTED_GPUS) break;
    args.process_apertures[args.num_of_nodes++] = apertures_of(*device);
  }
  return 0;
}

int get_process_apertures_new(Process& process, kfd_ioctl_get_process_apertures_new_args& args) {
  const auto count = static_cast<uint32_t>(process.devices().size());
  if (args.num_of_nodes == 0) {  // only asks how many there are
    args.num_of_nodes = count;
    return 0;
  }
  std::vector<kfd_process_device_apertures> list;
  for (const auto& device : process.devices()) list.push_back(apertures_of(*device));
  list.resize(std::min(count, args.num_of_nodes));
  args.num_of_nodes = static_cast<uint32_t>(list.size());
  const bool ok = copy_to_user(args.kfd_process_device_apertures_ptr, list.data(),
                               list.size() * sizeof list[0]);
  return ok ? 0 : -EFAULT;
}

int get_tile_config(Process& process, kfd_ioctl_get_tile_config_args& args) {
  const Device* device = process.find_device(args.gpu_id);
  if (!device) return -EINVAL;
  args.gb_addr_config = device->profile().gb_addr_config;
  args.num_banks = args.num_ranks = 0;
  const std::vector<uint32_t> zeros(32);
  args.num_tile_configs = std::min(args.num_tile_configs, 32u);
  args.num_macro_tile_configs = std::min(args.num_macro_tile_configs, 16u);
  const bool ok =
      copy_to_user(args.tile_config_ptr, zeros.data(), args.num_tile_configs * 4) &&
      copy_to_user(args.macro_tile_config_ptr, zeros.data(), args.num_macro_tile_configs * 4);
  return ok ? 0 : -EFAULT;
}

int acquire_vm(Process& process, kfd_ioctl_acquire_vm_args& args) {
  Device* device = process.find_device(args.gpu_id);
  if (!device) return -EINVAL;
  const Process::FileId file = process.identify(static_cast<int>(args.drm_fd));
  if (file.kind != Process::FileKind::kRender || file.device != device) return -EINVAL;
  return 0;
}

int set_memory_policy(Process& process, kfd_ioctl_set_memory_policy_args& args) {
  if (args.default_policy > KFD_IOC_CACHE_POLICY_NONCOHERENT ||
      args.alternate_policy > KFD_IOC_CACHE_POLICY_NONCOHERENT) {
    return -EINVAL;
  }
  return check_device(process, args.gpu_id);
}

int set_scratch_backing_va(Process& process, kfd_ioctl_set_scratch_backing_va_args& args) {
  return check_device(process, args.gpu_id);  // the emulator supplies scratch itself
}

int set_trap_handler(Process& process, kfd_ioctl_set_trap_handler_args& args) {
  return check_device(process, args.gpu_id);  // traps end the queue; no handler code runs
}

int set_xnack_mode(Process&, kfd_ioctl_set_xnack_mode_args& args) {
  if (args.xnack_enabled > 0) return -EPERM;  // retry faults do not exist here
  args.xnack_enabled = 0;
  return 0;
}

int runtime_enable(Process& process, RuntimeEnableArgs& args) {
  constexpr uint32_t kEnable = 1, kTtmpSave = 2;
  if (args.mode_mask & ~(kEnable | kTtmpSave)) return -EINVAL;
  if (args.mode_mask & kEnable) {
    if (process.runtime_enabled) return -EBUSY;
    process.runtime_enabled = true;
  } else {
    process.runtime_enabled = false;
  }
  args.capabilities_mask = 0;
  return 0;
}

int smi_events(Process& process, kfd_ioctl_smi_events_args& args) {
  if (const int result = check_device(process, args.gpuid)) return result;
  const int fd = process.smi_events().open(args.gpuid);
  if (fd < 0) return fd;
  args.anon_fd = static_cast<uint32_t>(fd);
  return 0;
}

}  // namespace lockstep::mockgpu::kfd
