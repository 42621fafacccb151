// SPDX-License-Identifier: MIT
// Creates queues, writes packets, waits for them.
#include "runtime/queue.h"

#include <fmt/format.h>
#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <thread>

#include "loader/kernel_descriptor.h"
#include "runtime/pm4.h"
#include "runtime/save_area.h"

namespace lockstep::runtime {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr uint64_t kRingBytes = 1 << 16, kPacketBytes = 64, kEndOfPipeBytes = 4096;
constexpr uint64_t kDoorbellPage = 8192;  // 64-bit doorbells, gfx9 and later
constexpr uint32_t kAqlDispatch = 2, kAqlInvalid = 1;
// Kernel dispatch, barrier bit, acquire and release for the whole system.
constexpr uint32_t kDispatchHeader = kAqlDispatch | 1u << 8 | 2u << 9 | 2u << 11;
constexpr uint32_t kMostItems = 1024;  // of a workgroup
constexpr uint64_t kFlushAt = 1024;    // of the signal's page: PM4 packets
constexpr auto kSpin = std::chrono::microseconds(200);

/// What the packet processor knows a queue by (AMD's amd_queue_t, the parts that are used).
struct QueueRecord {
  uint8_t hsa_queue[56];
  uint64_t write_index;
  uint32_t group_aperture_high, private_aperture_high;
  uint8_t unused[56];
  uint64_t read_index;
  uint32_t read_index_offset;
  uint32_t tmpring_size;
  uint32_t scratch_resource[4];
  uint64_t scratch_address, scratch_size;
  uint32_t scratch_lane_size;
  uint32_t properties;
  uint8_t rest[72];
};
static_assert(offsetof(QueueRecord, write_index) == 0x38);
static_assert(offsetof(QueueRecord, read_index) == 0x80);
static_assert(offsetof(QueueRecord, scratch_address) == 0xa0);
static_assert(sizeof(QueueRecord) == 256);
constexpr uint32_t kPointersAre64Bit = 2;

struct AqlPacket {
  uint16_t header, setup;
  uint16_t block[3];
  uint16_t reserved0;
  uint32_t items[3];
  uint32_t private_bytes, group_bytes;
  uint64_t kernel_object, kernarg, reserved1, signal;
};
static_assert(sizeof(AqlPacket) == kPacketBytes);

bool has_scratch(const loader::KernelDescriptor& d) {
  return d.private_segment_fixed_size != 0 || d.properties.private_segment_buffer ||
         d.properties.flat_scratch_init || d.properties.uses_dynamic_stack;
}

}  // namespace

/// amd_signal_t
struct Queue::Signal {
  int64_t kind;
  int64_t value;
  uint64_t mailbox;
  uint32_t event, reserved0;
  uint64_t start, end, queue, reserved1;
};

Queue::Signal& Queue::signal() const { return *reinterpret_cast<Signal*>(signal_.data()); }

Result<std::unique_ptr<Queue>> Queue::create(Device& device, PacketFormat format) {
  if (format == PacketFormat::kPm4 && device.gpu().xcc_count > 1)
    return Error{fmt::format("{} has {} XCCs: PM4 queues would run on one of them only; use AQL",
                             device.gpu().describe(), device.gpu().xcc_count)};
  std::unique_ptr<Queue> queue(new Queue(device, format));
  if (auto done = queue->allocate(); !done) return Error{done.error()};
  if (auto done = queue->create_kernel_queue(); !done) return Error{done.error()};
  return queue;
}

Result<void> Queue::allocate() {
  // The driver checks that each of these is an allocation of its own and of exactly this size.
  const uint64_t save_bytes = save_area_of(device_.gpu()).total;
  for (const auto& [memory, bytes] : {std::pair{&ring_, kRingBytes},
                                      {&control_, uint64_t{4096}},
                                      {&end_of_pipe_, kEndOfPipeBytes},
                                      {&save_area_, save_bytes},
                                      {&signal_, uint64_t{4096}}}) {
    auto made = device_.allocate(bytes, 0, memory != &save_area_);  // which is large
    if (!made) return Error{made.error()};
    *memory = std::move(*made);
  }
  static_assert(sizeof(Signal) == 64);
  auto event = device_.create_signal_event();
  if (!event) return Error{event.error()};
  event_ = *event;
  signal().kind = 1;  // a signal that programs wait for
  signal().mailbox = event_.mailbox;
  signal().event = event_.id;
  if (format_ == PacketFormat::kAql)
    for (uint64_t at = 0; at < kRingBytes; at += kPacketBytes) ring_.data()[at] = kAqlInvalid;
  auto& record = *reinterpret_cast<QueueRecord*>(control_.data());
  record.read_index_offset = offsetof(QueueRecord, read_index);
  record.properties = kPointersAre64Bit;
  return {};
}

Result<void> Queue::create_kernel_queue() {
  const SaveArea area = save_area_of(device_.gpu());
  kfd_ioctl_create_queue_args args{};
  args.ring_base_address = ring_.address();
  args.ring_size = kRingBytes;
  args.write_pointer_address = control_.address() + offsetof(QueueRecord, write_index);
  args.read_pointer_address = control_.address() + offsetof(QueueRecord, read_index);
  args.gpu_id = device_.gpu().gpu_id;
  args.queue_type =
      format_ == PacketFormat::kAql ? KFD_IOC_QUEUE_TYPE_COMPUTE_AQL : KFD_IOC_QUEUE_TYPE_COMPUTE;
  args.queue_percentage = KFD_MAX_QUEUE_PERCENTAGE;
  args.queue_priority = 7;
  args.eop_buffer_address = end_of_pipe_.address();
  args.eop_buffer_size = kEndOfPipeBytes;
  args.ctx_save_restore_address = save_area_.address();
  args.ctx_save_restore_size = area.save_restore;
  args.ctl_stack_size = area.control_stack;
  if (ioctl(device_.kfd(), AMDKFD_IOC_CREATE_QUEUE, &args) != 0)
    return Error{fmt::format("/dev/kfd: CREATE_QUEUE: {}", strerror(errno))};
  id_ = args.queue_id;
  created_ = true;
  const uint64_t in_page = args.doorbell_offset % kDoorbellPage;
  void* page = mmap(nullptr, kDoorbellPage, PROT_READ | PROT_WRITE, MAP_SHARED, device_.kfd(),
                    static_cast<off_t>(args.doorbell_offset - in_page));
  if (page == MAP_FAILED)
    return Error{fmt::format("mmap of the doorbell page: {}", strerror(errno))};
  doorbell_page_ = page;
  doorbell_ = reinterpret_cast<volatile uint64_t*>(static_cast<uint8_t*>(page) + in_page);
  return {};
}

Queue::~Queue() {
  if (created_) {
    kfd_ioctl_destroy_queue_args args{};
    args.queue_id = id_;
    ioctl(device_.kfd(), AMDKFD_IOC_DESTROY_QUEUE, &args);
  }
  if (doorbell_page_) munmap(doorbell_page_, kDoorbellPage);
  if (event_.mailbox) device_.destroy_event(event_.id);
}

Result<void> Queue::check(const Launch& launch) const {
  if (dead_) return Error{"this queue met a fault or a timeout: make another one"};
  const loader::Kernel& kernel = *launch.kernel;
  if (auto good = loader::check_kernel_descriptor(kernel.descriptor, device_.target()); !good)
    return Error{fmt::format("{}: {}", kernel.name, good.error())};
  if (has_scratch(kernel.descriptor))
    return Error{
        fmt::format("{} needs scratch memory, which this runtime does not give", kernel.name)};
  uint64_t items = 1;
  for (size_t d = 0; d < 3; ++d) {
    if (launch.items[d] == 0 || launch.block[d] == 0)
      return Error{fmt::format("{}: the extent is 0 in {}", kernel.name, "xyz"[d])};
    items *= std::min<uint64_t>(launch.block[d], kMostItems + 1);
  }
  if (items > kMostItems)
    return Error{
        fmt::format("{}: a workgroup has more than {} work-items", kernel.name, kMostItems)};
  const uint64_t lds = uint64_t{kernel.descriptor.group_segment_fixed_size} + launch.dynamic_lds;
  if (const uint32_t most = isa::target_info(device_.target()).lds_bytes; lds > most)
    return Error{fmt::format("{}: {} bytes of LDS, {} has {}", kernel.name, lds,
                             isa::target_info(device_.target()).name, most)};
  return {};
}

Result<Outcome> Queue::run(const Launch& launch, milliseconds timeout) {
  if (auto good = check(launch); !good) return Error{good.error()};
  std::atomic_ref(signal().value).store(1);
  if (format_ == PacketFormat::kAql) {
    if (launch.new_code) submit_cache_flush();
    submit_aql(launch);
  } else if (auto done = submit_pm4(launch); !done) {
    return Error{done.error()};
  }
  auto outcome = wait(timeout);
  dead_ = !outcome || outcome->kind != Outcome::Kind::kDone;
  return outcome;
}

void Queue::submit_aql(const Launch& launch) {
  const loader::Kernel& kernel = *launch.kernel;
  AqlPacket packet{};
  packet.setup = 3;  // dimensions
  for (size_t d = 0; d < 3; ++d) {
    packet.block[d] = static_cast<uint16_t>(launch.block[d]);
    packet.items[d] = launch.items[d];
  }
  packet.group_bytes = kernel.descriptor.group_segment_fixed_size + launch.dynamic_lds;
  packet.kernel_object = launch.image_address + kernel.descriptor_address;
  packet.kernarg = launch.kernarg;
  packet.signal = signal_.address();
  put(&packet, kDispatchHeader | uint32_t{packet.setup} << 16);
}

void Queue::submit_cache_flush() {
  // AQL's fences leave the instruction cache alone: a vendor packet with PM4 packets does it.
  constexpr uint32_t kVendorHeader = 1u << 8 | 2u << 9 | 2u << 11, kPm4Format = 1, kWords = 10;
  const isa::Generation generation = isa::target_info(device_.target()).generation;
  const std::vector<uint32_t> words = pm4_acquire(generation);
  std::memcpy(signal_.data() + kFlushAt, words.data(), words.size() * 4);
  const auto jump = pm4_indirect(signal_.address() + kFlushAt, static_cast<uint32_t>(words.size()));
  std::array<uint32_t, kPacketBytes / 4> packet{};
  std::copy(jump.begin(), jump.end(), packet.begin() + 1);
  packet[5] = kWords;
  put(packet.data(), kVendorHeader | kPm4Format << 16);
}

void Queue::put(const void* packet, uint32_t header) {
  uint8_t* slot = ring_.data() + written_ * kPacketBytes % kRingBytes;
  std::memcpy(slot + 4, static_cast<const uint8_t*>(packet) + 4, kPacketBytes - 4);
  auto& first = *reinterpret_cast<uint32_t*>(slot);
  std::atomic_ref(first).store(header, std::memory_order_release);
  auto& record = *reinterpret_cast<QueueRecord*>(control_.data());
  std::atomic_ref(record.write_index).store(written_ + 1, std::memory_order_release);
  *doorbell_ = written_;
  ++written_;
}

Result<void> Queue::submit_pm4(const Launch& launch) {
  const loader::Kernel& kernel = *launch.kernel;
  const loader::KernelDescriptor& d = kernel.descriptor;
  const loader::CodeProperties& wants = d.properties;
  if (wants.dispatch_ptr || wants.queue_ptr || wants.dispatch_id || d.kernarg_preload_length)
    return Error{
        fmt::format("{} wants more than a kernarg pointer: use an AQL queue", kernel.name)};
  const isa::TargetInfo& info = isa::target_info(device_.target());
  Pm4Launch p;
  p.entry = launch.image_address + kernel.entry;
  p.rsrc1 = d.compute_pgm_rsrc1;
  p.rsrc2 = d.compute_pgm_rsrc2;
  p.rsrc3 = d.compute_pgm_rsrc3;
  p.lds_bytes = d.group_segment_fixed_size + launch.dynamic_lds;
  p.wave32 = loader::wave_size(d, device_.target()) == 32;
  p.items = launch.items;
  p.block = launch.block;
  if (wants.kernarg_segment_ptr)
    p.user_data = {static_cast<uint32_t>(launch.kernarg),
                   static_cast<uint32_t>(launch.kernarg >> 32)};
  const std::vector<uint32_t> words =
      pm4_launch(info.generation, p,
                 {signal_.address() + offsetof(Signal, value), 0, event_.mailbox, event_.id});
  constexpr uint64_t kRingWords = kRingBytes / 4;
  auto* ring = reinterpret_cast<uint32_t*>(ring_.data());
  for (const uint32_t word : words) ring[written_++ % kRingWords] = word;
  std::atomic_thread_fence(std::memory_order_release);
  auto& record = *reinterpret_cast<QueueRecord*>(control_.data());
  std::atomic_ref(record.write_index).store(written_, std::memory_order_release);
  *doorbell_ = written_;
  return {};
}

Result<Outcome> Queue::wait(milliseconds timeout) {
  const auto start = Clock::now();
  const auto done = [&] {
    return std::atomic_ref(signal().value).load(std::memory_order_acquire) <= 0;
  };
  while (Clock::now() - start < kSpin) {
    if (done()) return Outcome{};
    std::this_thread::yield();
  }
  while (true) {
    const auto left = std::chrono::duration_cast<milliseconds>(timeout - (Clock::now() - start));
    // The value decides, whatever the event says: waits in slices, as an event may be early.
    const auto slice = std::clamp(left, milliseconds(0), milliseconds(100));
    const auto wake = device_.wait(event_.id, static_cast<uint32_t>(slice.count()));
    if (!wake) return Error{wake.error()};
    if (done()) return Outcome{};
    using Reason = Device::Wake::Reason;
    if (wake->reason == Reason::kMemoryFault)
      return Outcome{Outcome::Kind::kMemoryFault, wake->address, wake->detail};
    if (wake->reason == Reason::kHardwareFault)
      return Outcome{Outcome::Kind::kHardwareFault, 0, wake->detail};
    if (left <= milliseconds(0))
      return Outcome{Outcome::Kind::kTimeout, 0,
                     fmt::format("the kernel did not end within {} ms", timeout.count())};
  }
}

}  // namespace lockstep::runtime
