// SPDX-License-Identifier: MIT
// The device's allocation map: which guest addresses exist, where they live in the host, and who
// owns them.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::emu {

enum class Access : uint8_t { kRead, kWrite, kExecute };

/// One interval of guest memory. `host` is where the first byte lives; for most memory host ==
/// base.
struct Allocation {
  uint64_t base = 0;
  uint64_t size = 0;
  uint8_t* host = nullptr;
  bool writable = true;
  std::string label;  ///< for fault reports: "VRAM handle 12", "kernarg", "arg 0 (in:f32:a.npy)"
};

/// An immutable, sorted picture of the map. Readers keep one without locking.
using AllocationList = std::vector<Allocation>;

class MemoryMap {
 public:
  /// kDeclared: only memory that was added exists. kProcess: the whole host process, mapping by
  /// mapping as readers miss them; this is what run_asm callers expect, where every address is a
  /// host address.
  enum class Mode : uint8_t { kDeclared, kProcess };
  explicit MemoryMap(Mode mode = Mode::kDeclared);

  /// False if the interval is empty, wraps, or overlaps one that is there.
  bool add(Allocation allocation);
  /// Removes the interval that starts at base; false if there is none.
  bool remove(uint64_t base);

  std::shared_ptr<const AllocationList> snapshot() const;
  /// A newer picture for a reader that missed [address, address + size). kProcess asks the kernel
  /// what is there now; if nothing is, for everything, so that a report can name what is near.
  std::shared_ptr<const AllocationList> refresh(uint64_t address, uint64_t size);
  /// kProcess: memory that was seen may be gone; the next access asks again.
  void forget();

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const AllocationList> list_;
  Mode mode_;
};

/// The allocation nearest to an address, for reports. distance is 0 inside, else bytes to the
/// nearer edge.
struct Nearest {
  Allocation allocation;
  uint64_t distance = 0;
  bool after_end = false;  ///< the address is past the end (else before the start)
};
std::optional<Nearest> find_nearest(const AllocationList& list, uint64_t address);

/// A worker's window on the map: last-hit cached translation. Not thread-safe; one a worker.
class MemoryView {
 public:
  explicit MemoryView(MemoryMap& map);
  /// Host pointer for [address, address + size), or nullptr if any byte is not accessible so.
  uint8_t* translate(uint64_t address, uint64_t size, Access access) {
    const Allocation& hit = *last_;
    const uint64_t offset = address - hit.base;
    if (offset < hit.size && size <= hit.size - offset &&
        (access != Access::kWrite || hit.writable))
      return hit.host + offset;
    return translate_slow(address, size, access);
  }
  /// Where the allocation of the last access is kept. Allocations that it has shown stay valid as
  /// long as the view.
  const Allocation* const* last_hit() const { return &last_; }
  /// An allocation of size 0.
  static const Allocation& nothing();
  const AllocationList& list() const { return *list_; }
  /// The allocation that this view has shown and whose host memory holds `host`, or nullptr. Only
  /// reads: signal handlers may ask.
  const Allocation* holder_of(const void* host) const;
  /// The allocation that holds an address, or nullptr. Valid until the next call on this view.
  const Allocation* allocation_at(uint64_t address);

 private:
  uint8_t* translate_slow(uint64_t address, uint64_t size, Access access);
  const Allocation* find(uint64_t address, uint64_t size, Access access);

  MemoryMap& map_;
  std::shared_ptr<const AllocationList> list_;
  std::vector<std::shared_ptr<const AllocationList>> kept_;
  const Allocation* last_;
};

}  // namespace lockstep::emu
