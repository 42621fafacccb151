// SPDX-License-Identifier: MIT
// The KFD ioctl table, and the copying of arguments in and out.
#include "mockgpu/kfd/ioctl.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <mutex>

#include "mockgpu/kfd/handlers.h"
#include "mockgpu/log.h"
#include "mockgpu/user_memory.h"

namespace lockstep::mockgpu {
namespace {

using Handler = int (*)(Process&, void*, size_t user_size);

struct Entry {
  uint32_t number;
  const char* name;
  Handler handler;
  int refusal;  ///< 0, or the errno of every call
  bool locked;  ///< runs under the process lock; waits must not
};

template <class>
struct ArgumentOf;
template <class Args>
struct ArgumentOf<int (*)(Process&, Args&)> {
  using type = Args;
};

constexpr size_t kMostBytes = 2048;

template <auto F>
constexpr Entry entry(uint32_t number, const char* name, bool locked = true) {
  using Args = typename ArgumentOf<decltype(F)>::type;
  static_assert(sizeof(Args) <= kMostBytes);
  return {
      number, name,
      [](Process& process, void* args, size_t) { return F(process, *static_cast<Args*>(args)); }, 0,
      locked};
}
/// Not for every program, or not here: the error is one that a real driver can give.
constexpr Entry refused(uint32_t number, const char* name, int error) {
  return {number, name, nullptr, error, false};
}

static_assert(sizeof(kfd::SvmArgs) <= kMostBytes);
constexpr Entry kSvm = {0x20, "SVM",
                        [](Process& process, void* args, size_t user_size) {
                          return kfd::svm(process, *static_cast<kfd::SvmArgs*>(args), user_size);
                        },
                        0, true};

constexpr Entry kTable[] = {
    entry<kfd::get_version>(0x01, "GET_VERSION"),
    entry<kfd::create_queue>(0x02, "CREATE_QUEUE"),
    entry<kfd::destroy_queue>(0x03, "DESTROY_QUEUE"),
    entry<kfd::set_memory_policy>(0x04, "SET_MEMORY_POLICY"),
    entry<kfd::get_clock_counters>(0x05, "GET_CLOCK_COUNTERS"),
    entry<kfd::get_process_apertures>(0x06, "GET_PROCESS_APERTURES"),
    entry<kfd::update_queue>(0x07, "UPDATE_QUEUE"),
    entry<kfd::create_event>(0x08, "CREATE_EVENT"),
    entry<kfd::destroy_event>(0x09, "DESTROY_EVENT"),
    entry<kfd::set_event>(0x0a, "SET_EVENT"),
    entry<kfd::reset_event>(0x0b, "RESET_EVENT"),
    entry<kfd::wait_events>(0x0c, "WAIT_EVENTS", false),
    refused(0x0d, "DBG_REGISTER_DEPRECATED", EPERM),
    refused(0x0e, "DBG_UNREGISTER_DEPRECATED", EPERM),
    refused(0x0f, "DBG_ADDRESS_WATCH_DEPRECATED", EPERM),
    refused(0x10, "DBG_WAVE_CONTROL_DEPRECATED", EPERM),
    entry<kfd::set_scratch_backing_va>(0x11, "SET_SCRATCH_BACKING_VA"),
    entry<kfd::get_tile_config>(0x12, "GET_TILE_CONFIG"),
    entry<kfd::set_trap_handler>(0x13, "SET_TRAP_HANDLER"),
    entry<kfd::get_process_apertures_new>(0x14, "GET_PROCESS_APERTURES_NEW"),
    entry<kfd::acquire_vm>(0x15, "ACQUIRE_VM"),
    entry<kfd::alloc_memory>(0x16, "ALLOC_MEMORY_OF_GPU"),
    entry<kfd::free_memory>(0x17, "FREE_MEMORY_OF_GPU"),
    entry<kfd::map_memory>(0x18, "MAP_MEMORY_TO_GPU"),
    entry<kfd::unmap_memory>(0x19, "UNMAP_MEMORY_FROM_GPU"),
    entry<kfd::set_cu_mask>(0x1a, "SET_CU_MASK"),
    entry<kfd::get_queue_wave_state>(0x1b, "GET_QUEUE_WAVE_STATE"),
    entry<kfd::get_dmabuf_info>(0x1c, "GET_DMABUF_INFO"),
    entry<kfd::import_dmabuf>(0x1d, "IMPORT_DMABUF"),
    entry<kfd::alloc_queue_gws>(0x1e, "ALLOC_QUEUE_GWS"),
    entry<kfd::smi_events>(0x1f, "SMI_EVENTS"),
    kSvm,
    entry<kfd::set_xnack_mode>(0x21, "SET_XNACK_MODE"),
    refused(0x22, "CRIU_OP", EACCES),  // without CAP_CHECKPOINT_RESTORE
    entry<kfd::available_memory>(0x23, "AVAILABLE_MEMORY"),
    entry<kfd::export_dmabuf>(0x24, "EXPORT_DMABUF"),
    entry<kfd::runtime_enable>(0x25, "RUNTIME_ENABLE"),
    refused(0x26, "DBG_TRAP", EINVAL),  // without scheduler firmware
    entry<kfd::ipc_import>(0x80, "IPC_IMPORT_HANDLE"),
    entry<kfd::ipc_export>(0x81, "IPC_EXPORT_HANDLE"),
};

const Entry* find(uint32_t number) {
  for (const Entry& candidate : kTable) {
    if (candidate.number == number) return &candidate;
  }
  return nullptr;
}

}  // namespace

int kfd_ioctl(Process& process, unsigned long request, uint64_t argument) {
  const uint32_t number = _IOC_NR(request);
  const Entry* found = _IOC_TYPE(request) == AMDKFD_IOCTL_BASE ? find(number) : nullptr;
  if (!found) {
    // Runtimes older than the merge of the debugger ask whether there is one of theirs.
    constexpr uint32_t kOldDebugTrap = 0x82;
    log(number == kOldDebugTrap ? LogLevel::kInfo : LogLevel::kWarn,
        "/dev/kfd: unknown ioctl {:#x} (number {:#x})", request, number);
    return -ENOTTY;
  }
  if (!found->handler) {
    log(LogLevel::kWarn, "/dev/kfd: ioctl AMDKFD_IOC_{} is refused: Lockstep does not have it",
        found->name);
    return -found->refusal;
  }
  // As in the driver, sizes may differ between program and kernel: what the program does not know
  // is zero on the way in and cut off on the way out.
  alignas(std::max_align_t) std::array<std::byte, kMostBytes> arguments{};
  const size_t user_size = std::min<size_t>(_IOC_SIZE(request), arguments.size());
  if ((_IOC_DIR(request) & _IOC_WRITE) && !copy_from_user(arguments.data(), argument, user_size)) {
    return -EFAULT;
  }
  int result;
  if (found->locked) {
    const std::lock_guard lock(process.mutex());
    result = found->handler(process, arguments.data(), user_size);
  } else {
    result = found->handler(process, arguments.data(), user_size);
  }
  if ((_IOC_DIR(request) & _IOC_READ) && !copy_to_user(argument, arguments.data(), user_size)) {
    result = -EFAULT;
  }
  log(LogLevel::kTrace, "/dev/kfd: {} -> {}", found->name, result);
  return result;
}

std::vector<IoctlSupport> kfd_ioctl_support() {
  std::vector<IoctlSupport> list;
  for (const Entry& entry : kTable) list.push_back({entry.number, entry.name, entry.refusal});
  return list;
}

}  // namespace lockstep::mockgpu
