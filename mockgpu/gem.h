// SPDX-License-Identifier: MIT
// Buffers that a program names by the render node's handles, and where it mapped them.
#pragma once
#include <cstdint>
#include <map>
#include <memory>

#include "emu/memory_map.h"
#include "mockgpu/buffer_pool.h"

namespace lockstep::mockgpu {

/// The GEM objects of one device. Files are not told apart: a buffer that two files of a program
/// import has one handle, and each import is one hold on it. Not thread-safe: callers hold the
/// process lock.
class GemObjects {
 public:
  explicit GemObjects(emu::MemoryMap& map) : map_(map) {}

  /// The handle of a buffer; the same one, held once more, if it has one.
  uint32_t add(std::shared_ptr<Buffer> buffer);
  /// nullptr if there is no such handle.
  std::shared_ptr<Buffer> find(uint32_t handle) const;
  /// False if there is no such handle. Mappings go with the last hold.
  bool close(uint32_t handle);

  /// Makes [offset, offset + size) of a buffer the device's memory at an address. False if the
  /// addresses are taken.
  bool map(uint64_t address, std::shared_ptr<Buffer> buffer, uint64_t offset, uint64_t size,
           bool writable);
  /// Undoes the map() of a buffer at exactly this address; false if there was none.
  bool unmap(uint64_t address, const Buffer& buffer);
  /// Takes whatever map() put into the interval away; mappings that stick out keep their rest.
  void clear(uint64_t address, uint64_t size);

 private:
  struct Entry {
    std::shared_ptr<Buffer> buffer;
    uint32_t holds = 1;
  };
  struct Mapping {
    std::shared_ptr<Buffer> buffer;
    uint64_t offset = 0, size = 0;
    bool writable = false;
  };
  bool put(uint64_t address, Mapping mapping);

  emu::MemoryMap& map_;
  std::map<uint32_t, Entry> handles_;
  std::map<uint64_t, Mapping> mappings_;  ///< by address
};

}  // namespace lockstep::mockgpu
