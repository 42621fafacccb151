// SPDX-License-Identifier: MIT
// Memory objects, queues and failures of one program.
#include "mockgpu/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "mockgpu/log.h"
#include "mockgpu/topology.h"
#include "mockgpu/user_memory.h"

namespace lockstep::mockgpu {
namespace {

// Address space, not memory: room for every card's VRAM and as much again of system memory.
constexpr uint64_t kHeapBytes = 1ull << 40;
// The low 32 bits of a doorbell offset are its place in the page: the driver says which device it is
// of further up, and the thunk of ROCm 5 takes it apart there. So each device has 4 GiB of the file.
constexpr uint64_t kDoorbellStride = uint64_t{1} << 32;
constexpr uint64_t kControlBytes = kDoorbellStride * (kMaxDevices + 1);
constexpr uint32_t kMaxQueues = 1024;
// A load that a compiler may widen never leaves its aligned 64 bytes, so that rounding ends to 64
// keeps every correct program running while a real overrun is still seen.
constexpr uint64_t kBoundsGranule = 64;

uint64_t physical_memory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Process::Process(Options options, DeviceHeap control)
    : options_(std::move(options)), control_(std::move(control)), system_(physical_memory()) {
  control_inode_ = inode_of(control_.fd());
}

Result<std::unique_ptr<Process>> Process::create(const Options& options,
                                                 const RunnerFactory& make_runner) {
  auto control = DeviceHeap::create("lockstep-kfd", kControlBytes);
  if (!control) return Error{control.error()};
  std::unique_ptr<Process> process(new Process(options, std::move(*control)));
  std::vector<std::pair<std::string, std::string>> names;
  const bool name_kernels = !options.report_file.empty() || options.log_level >= LogLevel::kInfo;
  for (size_t i = 0; i < options.devices.size(); ++i) {
    const DeviceProfile& profile = device_profile(options.devices[i]);
    const std::string heap_name =
        fmt::format("{}{}-{}", kHeapPrefix, i, isa::target_info(profile.target).name);
    auto heap = DeviceHeap::create(heap_name.c_str(), kHeapBytes);
    if (!heap) return Error{heap.error()};
    const auto doorbells = process->control_.allocate(kDoorbellStride);
    process->render_inodes_.push_back(inode_of(heap->fd()));
    process->devices_.push_back(std::make_unique<Device>(
        i, profile, std::move(*heap), process->system_, *doorbells, make_runner(), process->events_,
        process->report_, process->names_, name_kernels,
        [owner = process.get()](size_t device, uint32_t queue, const QueueFailure& failure) {
          owner->on_queue_failed(device, queue, failure);
        }));
    names.emplace_back(profile.marketing_name, isa::target_info(profile.target).name);
  }
  process->report_.set_devices(std::move(names));
  process->report_.share_row_counts(options.dispatcher.row_counts);
  if (!options.progress_file.empty())
    process->report_.share_progress(map_progress(options.progress_file, false));
  return process;
}

Process::~Process() { shut_down(); }

Device* Process::find_device(uint32_t gpu_id) const {
  for (const auto& device : devices_) {
    if (device->gpu_id() == gpu_id) return device.get();
  }
  return nullptr;
}

Process::FileId Process::identify(int fd) const {
  const Inode inode = inode_of(fd);
  if (inode == Inode{}) return {};
  if (inode == control_inode_) return {FileKind::kKfd, nullptr};
  for (size_t i = 0; i < render_inodes_.size(); ++i) {
    if (inode != render_inodes_[i]) continue;
    return {describe_shared_range(fd) ? FileKind::kShared : FileKind::kRender, devices_[i].get()};
  }
  const bool in_memory = inode.device == control_inode_.device;  // as all memfds are
  if (in_memory && describe_shared_range(fd)) return {FileKind::kShared, nullptr};
  return {};
}

int Process::allocate(MemoryObject object, uint64_t cpu_address, MemoryObject*& made) {
  constexpr uint32_t kDomains = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT |
                                KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL |
                                KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP;
  if (object.size == 0 || object.address + object.size < object.address) return -EINVAL;
  const bool user = object.flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR;
  if (!user && object.address % kPageBytes != 0) return -EINVAL;
  switch (object.flags & kDomains) {
    case KFD_IOC_ALLOC_MEM_FLAGS_VRAM:
    case KFD_IOC_ALLOC_MEM_FLAGS_GTT: {
      const uint32_t domain = object.flags & kDomains;
      object.buffer = object.device->buffers().allocate(object.size, domain);
      if (!object.buffer) {
        const bool vram = domain == KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
        const BufferPool& pool = object.device->buffers();
        log(LogLevel::kWarn, "gpu {}: out of {}: {} bytes wanted, {} of {} are in use",
            object.device->index(), vram ? "memory" : "GTT memory", object.size,
            vram ? pool.vram_used() : system_.managed_used(),
            vram ? object.device->profile().vram_bytes : system_.managed_limit());
        return -ENOMEM;
      }
      object.offset = object.buffer->offset();
      object.host = object.buffer->host();
      break;
    }
    case KFD_IOC_ALLOC_MEM_FLAGS_USERPTR:
      if (cpu_address == 0) return -EINVAL;
      if (object.size > system_.total()) return -ENOMEM;
      if (!is_user_range(cpu_address, object.size)) return -EFAULT;
      if (!system_.reserve(object.size, false)) {
        log(LogLevel::kWarn, "gpu {}: no system memory left for {} bytes of user pointers",
            object.device->index(), object.size);
        return -ENOMEM;
      }
      object.offset = cpu_address;
      object.host = reinterpret_cast<uint8_t*>(cpu_address);
      break;
    case KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL:
      if (object.size != kDoorbellBytes) return -EINVAL;
      object.offset = object.device->doorbell_offset();
      object.host = control_.host(object.offset);
      break;
    case KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP: {
      if (object.size != kPageBytes) return -EINVAL;
      const auto offset = control_.allocate(kDoorbellBytes);  // keeps doorbells aligned
      if (!offset) return -ENOMEM;
      object.offset = *offset;
      object.host = control_.host(object.offset);
      break;
    }
    default:
      return -EINVAL;
  }
  made = keep(std::move(object));
  return 0;
}

MemoryObject* Process::keep(MemoryObject object) {
  object.handle = static_cast<uint64_t>(object.device->gpu_id()) << 32 | next_object_++;
  return &(objects_[object.handle] = std::move(object));
}

int Process::export_buffer(uint64_t handle, bool cloexec, bool writable) {
  const auto it = objects_.find(handle);
  if (it == objects_.end() || !it->second.buffer) return -EINVAL;
  return it->second.device->buffers().share(*it->second.buffer, cloexec, writable);
}

int Process::name_buffer(uint64_t handle, RangeKey& key) {
  const auto it = objects_.find(handle);
  if (it == objects_.end() || !it->second.buffer) return -EINVAL;
  return it->second.device->buffers().name(*it->second.buffer, key);
}

std::optional<Process::Shared> Process::find_shared(int fd) const {
  auto range = describe_shared_range(fd);
  if (!range) return std::nullopt;
  for (size_t i = 0; i < devices_.size(); ++i) {
    const std::string_view target = isa::target_info(devices_[i]->profile().target).name;
    if (range->heap_name == fmt::format("{}{}-{}", kHeapPrefix, i, target))
      return Shared{std::move(*range), devices_[i].get()};
  }
  log(LogLevel::kWarn, "a shared buffer lies on a device ({}) that this program does not have",
      range->heap_name.substr(kHeapPrefix.size()));
  return std::nullopt;
}

int Process::import_buffer(int fd, Device& device, uint64_t address, MemoryObject*& made) {
  const auto shared = find_shared(fd);
  if (!shared || shared->device != &device || address % kPageBytes != 0) return -EINVAL;
  MemoryObject object;
  object.device = &device;
  object.buffer = device.buffers().import(fd, shared->range);
  if (!object.buffer) return -ENOMEM;
  object.flags = object.buffer->domain() | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
                 KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE;
  object.address = address;
  object.size = object.buffer->size();
  object.offset = object.buffer->offset();
  object.host = object.buffer->host();
  made = keep(std::move(object));
  return 0;
}

int Process::free(uint64_t handle) {
  const auto it = objects_.find(handle);
  if (it == objects_.end()) return -EINVAL;
  const MemoryObject& object = it->second;
  if (!object.mapped.empty()) return -EBUSY;
  if (object.flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) system_.release(object.size, false);
  if (object.flags & KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP) {
    control_.release(object.offset, kDoorbellBytes);
  }
  objects_.erase(it);
  return 0;
}

int Process::map(uint64_t handle, uint32_t gpu_id) {
  const auto it = objects_.find(handle);
  Device* device = find_device(gpu_id);
  if (it == objects_.end() || !device) return -EINVAL;
  MemoryObject& object = it->second;
  if (object.mapped.contains(device)) return 0;
  uint64_t end = object.address + object.size;
  if (!options_.exact_bounds) end = (end + kBoundsGranule - 1) & ~(kBoundsGranule - 1);
  const char* kind = object.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM      ? "VRAM"
                     : object.flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR ? "host memory"
                     : object.flags & KFD_IOC_ALLOC_MEM_FLAGS_GTT     ? "GTT"
                                                                      : "MMIO";
  emu::Allocation allocation;
  allocation.base = object.address;
  allocation.size = end - object.address;
  allocation.host = object.host;
  allocation.writable = object.flags & KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
  allocation.label = fmt::format("{} of {} bytes (handle {:#x})", kind, object.size, handle);
  svm_.forget(object.address, allocation.size);
  if (!device->map().add(std::move(allocation))) {
    log(LogLevel::kWarn, "gpu {}: [{:#x}, {:#x}) overlaps memory that is mapped already",
        device->index(), object.address, end);
    return -EINVAL;
  }
  object.mapped.insert(device);
  return 0;
}

int Process::unmap(uint64_t handle, uint32_t gpu_id) {
  const auto it = objects_.find(handle);
  Device* device = find_device(gpu_id);
  if (it == objects_.end() || !device) return -EINVAL;
  if (it->second.mapped.erase(device)) device->map().remove(it->second.address);
  return 0;
}

int Process::create_queue(Device& device, const QueueRequest& request, uint32_t& id,
                          uint64_t& doorbell_offset) {
  id = 0;
  while (queues_.contains(id)) ++id;
  if (id >= kMaxQueues) return -ENOMEM;
  auto queue = device.create_queue(id, request);
  queue->set_paused(!request.active);
  queues_[id] = {queue, &device, request};
  poller_.add(std::move(queue));
  doorbell_offset = device.doorbell_offset() + id * 8ull;
  return 0;
}

int Process::destroy_queue(uint32_t id) {
  const auto it = queues_.find(id);
  if (it == queues_.end()) return -EINVAL;
  poller_.remove(it->second.queue.get());
  it->second.queue->stop();
  queues_.erase(it);
  return 0;
}

Process::QueueEntry* Process::find_queue(uint32_t id) {
  const auto it = queues_.find(id);
  return it == queues_.end() ? nullptr : &it->second;
}

int Process::grant_wave_sync(uint32_t queue_id, bool granted) {
  QueueEntry* entry = find_queue(queue_id);
  if (!entry) return -EINVAL;
  if (entry->device->profile().gws_count == 0) return -ENODEV;
  const bool taken = std::ranges::any_of(queues_, [&](const auto& other) {
    return other.second.device == entry->device && other.second.queue->has_wave_sync();
  });
  if (granted && taken) return -EBUSY;
  if (!granted && !taken) return -EINVAL;
  entry->queue->grant_wave_sync(granted);
  return 0;
}

void Process::on_queue_failed(size_t index, uint32_t queue_id, const QueueFailure& failure) {
  const Device& device = *devices_[index];
  const bool kernel = failure.fault.has_value();
  const emu::FaultKind kind = kernel ? failure.fault->kind : emu::FaultKind::kNone;
  const bool memory = failure.memory || kind == emu::FaultKind::kMemoryRead ||
                      kind == emu::FaultKind::kMemoryWrite ||
                      kind == emu::FaultKind::kInstructionFetch;
  const std::string_view target = isa::target_info(device.profile().target).name;
  log_line(LogLevel::kError,
           // The account of a kernel fault is a paragraph of its own.
           fmt::format("gpu {} ({}): queue {} stopped:{}{}", index, target, queue_id,
                       kernel ? '\n' : ' ', failure.what));
  const char* name = kernel ? emu::to_string(kind) : memory ? "packet memory access" : "packet";
  report_.fault(index, name, failure.what);
  if (!options_.status_file.empty()) {
    const std::string first = failure.what.substr(0, failure.what.find('\n'));
    append_status(options_.status_file, fmt::format("fault pid {} gpu {} queue {} {}: {}", getpid(),
                                                    index, queue_id, name, first));
  }
  // The program learns of it as from a real driver: through the exception events.
  if (memory) {
    kfd_hsa_memory_exception_data data{};
    data.va = kernel ? failure.fault->address : failure.address;
    if (kind == emu::FaultKind::kInstructionFetch) data.va = failure.fault->pc;
    data.gpu_id = device.gpu_id();
    data.failure.NotPresent = 1;
    data.failure.NoExecute = kind == emu::FaultKind::kInstructionFetch;
    smi_events_.send(data.gpu_id, KFD_SMI_EVENT_VMFAULT,
                     fmt::format("{:x}:{}", getpid(), program_invocation_short_name));
    events_.memory_exception(data);
  } else {
    kfd_hsa_hw_exception_data data{};
    data.reset_type = KFD_HW_EXCEPTION_PER_ENGINE_RESET;
    data.reset_cause = KFD_HW_EXCEPTION_GPU_HANG;
    data.gpu_id = device.gpu_id();
    const std::string number = fmt::format("{:x}", ++resets_);
    smi_events_.send(data.gpu_id, KFD_SMI_EVENT_GPU_PRE_RESET, number);
    smi_events_.send(data.gpu_id, KFD_SMI_EVENT_GPU_POST_RESET, number);
    events_.hardware_exception(data);
  }
}

void Process::shut_down() {
  poller_.stop();
  for (auto& [id, entry] : queues_) {
    poller_.remove(entry.queue.get());
    entry.queue->stop();
  }
  queues_.clear();
}

void Process::finish() {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  finished_ = true;
  shut_down();
  if (options_.report_file.empty() || !report_.used()) return;
  if (const auto written = report_.write(options_.report_file, options_.session); !written) {
    log_line(LogLevel::kError, written.error());
  }
}

}  // namespace lockstep::mockgpu
