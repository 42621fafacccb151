// SPDX-License-Identifier: MIT
// What the driver knows about one program: devices, memory objects, queues, events, and its report.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "isa/result.h"
#include "mockgpu/device.h"
#include "mockgpu/events.h"
#include "mockgpu/options.h"
#include "mockgpu/queue.h"
#include "mockgpu/report.h"
#include "mockgpu/smi_events.h"
#include "mockgpu/svm.h"

namespace lockstep::mockgpu {

/// One ALLOC_MEMORY_OF_GPU.
struct MemoryObject {
  uint64_t handle = 0;
  Device* device = nullptr;  ///< where it was allocated
  uint32_t flags = 0;        ///< KFD_IOC_ALLOC_MEM_FLAGS_*
  uint64_t address = 0;      ///< GPU virtual address
  uint64_t size = 0;         ///< as asked for
  uint64_t offset = 0;       ///< for mmap: of the render node, or of the kfd file for doorbells
  uint8_t* host = nullptr;
  std::shared_ptr<Buffer> buffer;  ///< VRAM and GTT
  std::set<Device*> mapped;        ///< devices that can reach it
};

class Process {
 public:
  static Result<std::unique_ptr<Process>> create(const Options& options,
                                                 const RunnerFactory& make_runner);
  ~Process();

  const Options& options() const { return options_; }
  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }
  Device* find_device(uint32_t gpu_id) const;
  Events& events() { return events_; }
  SmiEvents& smi_events() { return smi_events_; }
  Report& report() { return report_; }
  /// The file behind /dev/kfd: doorbell pages and the remapped MMIO page.
  DeviceHeap& control() { return control_; }

  /// kShared: a buffer as a file (dma-buf), of this process or of another one.
  enum class FileKind : uint8_t { kOther, kKfd, kRender, kShared };
  struct FileId {
    FileKind kind = FileKind::kOther;
    Device* device = nullptr;
  };
  /// Which of our files a descriptor refers to, by inode: descriptors are duplicated and
  /// renumbered.
  FileId identify(int fd) const;

  // Memory. All return 0 or a negative errno, as the driver does.
  int allocate(MemoryObject object, uint64_t cpu_address, MemoryObject*& made);
  int free(uint64_t handle);
  int map(uint64_t handle, uint32_t gpu_id);
  int unmap(uint64_t handle, uint32_t gpu_id);
  const SystemMemory& system_memory() const { return system_; }

  // Buffers as files.
  /// The descriptor, or a negative errno.
  int export_buffer(uint64_t handle, bool cloexec, bool writable);
  /// What a descriptor shares and the device that it lies on; nothing if it is none or if that
  /// device is not one of this program.
  struct Shared {
    SharedRange range;
    Device* device = nullptr;
  };
  std::optional<Shared> find_shared(int fd) const;
  int name_buffer(uint64_t handle, RangeKey& key);
  SvmRanges& svm() { return svm_; }
  int import_buffer(int fd, Device& device, uint64_t address, MemoryObject*& made);

  // Queues.
  int create_queue(Device& device, const QueueRequest& request, uint32_t& id,
                   uint64_t& doorbell_offset);
  int destroy_queue(uint32_t id);
  struct QueueEntry {
    std::shared_ptr<Queue> queue;
    Device* device = nullptr;
    QueueRequest request;
  };
  /// nullptr if there is none of that number. Under mutex().
  QueueEntry* find_queue(uint32_t id);
  /// Only one queue of a program on a device can have global wave sync.
  int grant_wave_sync(uint32_t queue_id, bool granted);

  /// Stops all queues; the last thing before the process ends.
  void shut_down();
  /// Report and complaints at exit; safe to call more than once.
  void finish();

  /// Serialises ioctls (but not waits).
  std::mutex& mutex() { return mutex_; }
  bool runtime_enabled = false;

 private:
  Process(Options options, DeviceHeap control);
  void on_queue_failed(size_t device, uint32_t queue_id, const QueueFailure& failure);

  MemoryObject* keep(MemoryObject object);

  Options options_;
  DeviceHeap control_;
  Inode control_inode_;
  Events events_;
  SmiEvents smi_events_;
  std::atomic<uint32_t> resets_ = 0;  ///< numbers them for listeners
  SystemMemory system_;
  Report report_;
  KernelNames names_;
  std::vector<std::unique_ptr<Device>> devices_;
  SvmRanges svm_{devices_};
  std::vector<Inode> render_inodes_;
  std::mutex mutex_;
  std::map<uint64_t, MemoryObject> objects_;
  uint32_t next_object_ = 1;
  std::map<uint32_t, QueueEntry> queues_;
  QueuePoller poller_;
  bool finished_ = false;
};

}  // namespace lockstep::mockgpu
