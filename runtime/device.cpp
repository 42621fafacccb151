// SPDX-License-Identifier: MIT
// Device nodes, memory and events through /dev/kfd.
#include "runtime/device.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace lockstep::runtime {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMaxBytes = uint64_t{1} << 40;
constexpr uint64_t kEventPageBytes = 0x8000;  // one 64-bit slot for each of 4096 events
constexpr uint32_t kMemoryFlags =
    KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
    KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE | KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE |
    KFD_IOC_ALLOC_MEM_FLAGS_COHERENT | KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED;

int call(int fd, unsigned long request, void* argument) {
  int result;
  do {
    result = ioctl(fd, request, argument);
  } while (result != 0 && (errno == EINTR || errno == EAGAIN));
  return result;
}

Error failed(const char* what) { return Error{fmt::format("{}: {}", what, strerror(errno))}; }

const char* advice_for(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "; the user must be in the group that owns it (render, or video)";
    case ENOENT:
    case ENODEV:
      return "; is the amdgpu driver loaded?";
    default:
      return "";
  }
}

Result<int> open_node(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd >= 0) return fd;
  return Error{fmt::format("cannot open {}: {}{}", path, strerror(errno), advice_for(errno))};
}

}  // namespace

Memory::~Memory() {
  if (device_) device_->release(address_, size_, handle_);
}

void Memory::swap(Memory& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(address_, other.address_);
  std::swap(size_, other.size_);
  std::swap(handle_, other.handle_);
}

Result<std::unique_ptr<Device>> Device::open(size_t index) {
  const auto gpus = list_gpus();
  if (!gpus) return Error{gpus.error()};
  if (index >= gpus->size())
    return Error{fmt::format("there is no GPU {}: {} {} here", index, gpus->size(),
                             gpus->size() == 1 ? "is" : "are")};
  const GpuNode& gpu = (*gpus)[index];
  if (!gpu.target) return Error{fmt::format("GPU {}: {}", index, gpu.describe())};
  std::unique_ptr<Device> device(new Device);
  if (auto done = device->open_nodes(gpu); !done) return Error{done.error()};
  if (auto done = device->create_events(); !done) return Error{done.error()};
  return device;
}

Result<void> Device::open_nodes(const GpuNode& gpu) {
  gpu_ = gpu;
  const auto kfd = open_node("/dev/kfd");
  if (!kfd) return Error{kfd.error()};
  kfd_ = *kfd;
  kfd_ioctl_get_version_args version{};
  if (call(kfd_, AMDKFD_IOC_GET_VERSION, &version) != 0) return failed("/dev/kfd: GET_VERSION");
  if (version.major_version != KFD_IOCTL_MAJOR_VERSION)
    return Error{fmt::format("/dev/kfd speaks version {}.{}; this runtime knows version {}",
                             version.major_version, version.minor_version,
                             KFD_IOCTL_MAJOR_VERSION)};
  const auto render = open_node(fmt::format("/dev/dri/renderD{}", gpu.render_minor));
  if (!render) return Error{render.error()};
  render_ = *render;
  kfd_ioctl_acquire_vm_args acquire{};
  acquire.drm_fd = static_cast<uint32_t>(render_);
  acquire.gpu_id = gpu.gpu_id;
  if (call(kfd_, AMDKFD_IOC_ACQUIRE_VM, &acquire) != 0) return failed("/dev/kfd: ACQUIRE_VM");
  return {};
}

Device::~Device() {
  if (kfd_ >= 0 && memory_event_) destroy_event(memory_event_);
  if (kfd_ >= 0 && hardware_event_) destroy_event(hardware_event_);
  event_page_ = {};
  if (render_ >= 0) close(render_);
  if (kfd_ >= 0) close(kfd_);
}

Result<Memory> Device::allocate(uint64_t size, uint64_t at, bool clear) {
  if (size == 0 || size > kMaxBytes)
    return Error{fmt::format("{} bytes of GPU memory cannot be allocated", size)};
  size = (size + kPage - 1) / kPage * kPage;
  const int fixed = at ? MAP_FIXED_NOREPLACE : 0;
  void* place = mmap(reinterpret_cast<void*>(at), size, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (place == MAP_FAILED)
    return Error{fmt::format("cannot reserve {} bytes of address space at {:#x}: {}", size, at,
                             strerror(errno))};
  const auto give_up = [&](const char* what) {
    Error error{fmt::format("{} for {} bytes: {}", what, size, strerror(errno))};
    munmap(place, size);
    return error;
  };
  if (at && reinterpret_cast<uint64_t>(place) != at) {  // a kernel that does not know the flag
    errno = EEXIST;
    return give_up("address space is in use");
  }
  kfd_ioctl_alloc_memory_of_gpu_args args{};
  args.va_addr = reinterpret_cast<uint64_t>(place);
  args.size = size;
  args.gpu_id = gpu_.gpu_id;
  args.flags = kMemoryFlags;
  if (call(kfd_, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args) != 0)
    return give_up("/dev/kfd: ALLOC_MEMORY_OF_GPU");
  kfd_ioctl_free_memory_of_gpu_args free_args{args.handle};
  if (mmap(place, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, render_,
           static_cast<off_t>(args.mmap_offset)) == MAP_FAILED) {
    Error error = give_up("mmap of GPU memory");
    call(kfd_, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &free_args);
    return error;
  }
  uint32_t gpu_id = gpu_.gpu_id;
  kfd_ioctl_map_memory_to_gpu_args map{};
  map.handle = args.handle;
  map.device_ids_array_ptr = reinterpret_cast<uint64_t>(&gpu_id);
  map.n_devices = 1;
  if (call(kfd_, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map) != 0) {
    Error error = give_up("/dev/kfd: MAP_MEMORY_TO_GPU");
    call(kfd_, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &free_args);
    return error;
  }
  Memory memory;
  memory.device_ = this;
  memory.address_ = args.va_addr;
  memory.size_ = size;
  memory.handle_ = args.handle;
  if (clear) std::memset(place, 0, size);
  return memory;
}

void Device::release(uint64_t address, uint64_t size, uint64_t handle) {
  uint32_t gpu_id = gpu_.gpu_id;
  kfd_ioctl_unmap_memory_from_gpu_args unmap{};
  unmap.handle = handle;
  unmap.device_ids_array_ptr = reinterpret_cast<uint64_t>(&gpu_id);
  unmap.n_devices = 1;
  call(kfd_, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &unmap);
  kfd_ioctl_free_memory_of_gpu_args args{handle};
  call(kfd_, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args);
  munmap(reinterpret_cast<void*>(address), size);
}

Result<LoadedCode> Device::load(loader::CodeObject object, uint64_t at) {
  if (object.target != target())
    return Error{fmt::format("the code object is for {}, the GPU is {}",
                             isa::target_info(object.target).name, gpu_.describe())};
  auto image = allocate(object.image_size, at);
  if (!image) return Error{image.error()};
  const std::span<uint8_t> bytes = image->bytes().first(object.image_size);
  if (auto done = loader::load_code_object(object, bytes, image->address()); !done)
    return Error{done.error()};
  return LoadedCode{std::move(object), std::move(*image)};
}

Result<void> Device::create_events() {
  auto page = allocate(kEventPageBytes);
  if (!page) return Error{page.error()};
  event_page_ = std::move(*page);
  for (const auto& [type, id] : {std::pair{KFD_IOC_EVENT_MEMORY, &memory_event_},
                                 {KFD_IOC_EVENT_HW_EXCEPTION, &hardware_event_}}) {
    const auto made = create_event(static_cast<uint32_t>(type), true, nullptr);
    if (!made) return Error{made.error()};
    *id = *made;
  }
  return {};
}

Result<uint32_t> Device::create_event(uint32_t type, bool auto_reset, uint32_t* slot) {
  kfd_ioctl_create_event_args args{};
  args.event_type = type;
  args.auto_reset = auto_reset;
  args.node_id = gpu_.gpu_id;
  // The first event of a process says where the page of slots is; later ones do not repeat it.
  if (!memory_event_ && !hardware_event_) args.event_page_offset = event_page_.handle_;
  if (call(kfd_, AMDKFD_IOC_CREATE_EVENT, &args) != 0) return failed("/dev/kfd: CREATE_EVENT");
  if (slot) *slot = args.event_slot_index;
  return args.event_id;
}

Result<Device::Event> Device::create_signal_event() {
  uint32_t slot = 0;
  const auto id = create_event(KFD_IOC_EVENT_SIGNAL, true, &slot);
  if (!id) return Error{id.error()};
  return Event{*id, event_page_.address() + uint64_t{slot} * 8};
}

void Device::destroy_event(uint32_t id) {
  kfd_ioctl_destroy_event_args args{};
  args.event_id = id;
  call(kfd_, AMDKFD_IOC_DESTROY_EVENT, &args);
}

Result<Device::Wake> Device::wait(uint32_t event, uint32_t milliseconds) {
  kfd_event_data events[3] = {};
  events[0].event_id = event;
  events[1].event_id = memory_event_;
  events[2].event_id = hardware_event_;
  kfd_ioctl_wait_events_args args{};
  args.events_ptr = reinterpret_cast<uint64_t>(events);
  args.num_events = 3;
  args.timeout = milliseconds;
  if (call(kfd_, AMDKFD_IOC_WAIT_EVENTS, &args) != 0) return failed("/dev/kfd: WAIT_EVENTS");
  Wake wake;
  if (args.wait_result == KFD_IOC_WAIT_RESULT_TIMEOUT) return wake;
  const kfd_hsa_memory_exception_data& memory = events[1].memory_exception_data;
  const kfd_hsa_hw_exception_data& hardware = events[2].hw_exception_data;
  if (memory.gpu_id == gpu_.gpu_id) {
    wake.reason = Wake::Reason::kMemoryFault;
    wake.address = memory.va;
    wake.detail = fmt::format("memory fault at {:#x}:{}{}{}{}", static_cast<uint64_t>(memory.va),
                              memory.failure.NotPresent ? " not present" : "",
                              memory.failure.ReadOnly ? " read only" : "",
                              memory.failure.NoExecute ? " not executable" : "",
                              memory.failure.imprecise ? " (the address is not exact)" : "");
  } else if (hardware.gpu_id == gpu_.gpu_id) {
    wake.reason = Wake::Reason::kHardwareFault;
    wake.detail = fmt::format("hardware exception: reset type {}, cause {}, memory {}",
                              static_cast<uint32_t>(hardware.reset_type),
                              static_cast<uint32_t>(hardware.reset_cause),
                              hardware.memory_lost ? "lost" : "kept");
  } else {
    wake.reason = Wake::Reason::kSignal;
  }
  return wake;
}

}  // namespace lockstep::runtime
