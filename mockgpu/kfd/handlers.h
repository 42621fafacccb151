// SPDX-License-Identifier: MIT
// One function a KFD ioctl. Arguments are already copied in; what they leave there is copied out.
#pragma once
#include <linux/kfd_ioctl.h>

#include "mockgpu/process.h"

namespace lockstep::mockgpu::kfd {

/// RUNTIME_ENABLE is newer than the header that Debian ships.
struct RuntimeEnableArgs {
  uint64_t r_debug;
  uint32_t mode_mask;
  uint32_t capabilities_mask;
};
/// So is EXPORT_DMABUF.
struct ExportDmabufArgs {
  uint64_t handle;     ///< to KFD
  uint32_t flags;      ///< to KFD: of the descriptor, as open() takes them
  uint32_t dmabuf_fd;  ///< from KFD
};
/// The two of AMD's out-of-tree driver, which runtimes before ROCm 6.2 need for sharing between
/// processes.
struct IpcImportArgs {
  uint64_t handle;           ///< from KFD
  uint64_t va_addr;          ///< to KFD
  uint64_t mmap_offset;      ///< from KFD
  uint32_t share_handle[4];  ///< to KFD
  uint32_t gpu_id;           ///< to KFD
  uint32_t flags;            ///< from KFD
};
struct IpcExportArgs {
  uint64_t handle;           ///< to KFD
  uint32_t share_handle[4];  ///< from KFD
  uint32_t gpu_id;           ///< to KFD
  uint32_t flags;            ///< to KFD
};
inline constexpr uint32_t kVersionMajor = 1;
inline constexpr uint32_t kVersionMinor = 14;

// info.cpp
int get_version(Process& process, kfd_ioctl_get_version_args& args);
int get_clock_counters(Process& process, kfd_ioctl_get_clock_counters_args& args);
int get_process_apertures(Process& process, kfd_ioctl_get_process_apertures_args& args);
int get_process_apertures_new(Process& process, kfd_ioctl_get_process_apertures_new_args& args);
int get_tile_config(Process& process, kfd_ioctl_get_tile_config_args& args);
int acquire_vm(Process& process, kfd_ioctl_acquire_vm_args& args);
int set_memory_policy(Process& process, kfd_ioctl_set_memory_policy_args& args);
int set_scratch_backing_va(Process& process, kfd_ioctl_set_scratch_backing_va_args& args);
int set_trap_handler(Process& process, kfd_ioctl_set_trap_handler_args& args);
int set_xnack_mode(Process& process, kfd_ioctl_set_xnack_mode_args& args);
int runtime_enable(Process& process, RuntimeEnableArgs& args);
int smi_events(Process& process, kfd_ioctl_smi_events_args& args);

// memory.cpp
int alloc_memory(Process& process, kfd_ioctl_alloc_memory_of_gpu_args& args);
int free_memory(Process& process, kfd_ioctl_free_memory_of_gpu_args& args);
int map_memory(Process& process, kfd_ioctl_map_memory_to_gpu_args& args);
int unmap_memory(Process& process, kfd_ioctl_unmap_memory_from_gpu_args& args);
int available_memory(Process& process, kfd_ioctl_get_available_memory_args& args);

// dmabuf.cpp
int export_dmabuf(Process& process, ExportDmabufArgs& args);
int get_dmabuf_info(Process& process, kfd_ioctl_get_dmabuf_info_args& args);
int import_dmabuf(Process& process, kfd_ioctl_import_dmabuf_args& args);
int ipc_import(Process& process, IpcImportArgs& args);
int ipc_export(Process& process, IpcExportArgs& args);

// svm.cpp
/// The arguments and as many attributes as a call may have here.
struct SvmArgs {
  static constexpr uint32_t kMostAttributes = 253;
  uint64_t start_addr, size;
  uint32_t op, nattr;
  kfd_ioctl_svm_attribute attributes[kMostAttributes];
};
/// user_size: how long the program says that its arguments are.
int svm(Process& process, SvmArgs& args, size_t user_size);

// queues.cpp
int create_queue(Process& process, kfd_ioctl_create_queue_args& args);
int destroy_queue(Process& process, kfd_ioctl_destroy_queue_args& args);
int update_queue(Process& process, kfd_ioctl_update_queue_args& args);
int set_cu_mask(Process& process, kfd_ioctl_set_cu_mask_args& args);
int get_queue_wave_state(Process& process, kfd_ioctl_get_queue_wave_state_args& args);
int alloc_queue_gws(Process& process, kfd_ioctl_alloc_queue_gws_args& args);

// events.cpp
int create_event(Process& process, kfd_ioctl_create_event_args& args);
int destroy_event(Process& process, kfd_ioctl_destroy_event_args& args);
int set_event(Process& process, kfd_ioctl_set_event_args& args);
int reset_event(Process& process, kfd_ioctl_reset_event_args& args);
int wait_events(Process& process, kfd_ioctl_wait_events_args& args);

}  // namespace lockstep::mockgpu::kfd
