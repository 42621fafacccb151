// SPDX-License-Identifier: MIT
// Finds the name of a kernel from its code: packets carry only an address.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "emu/memory_map.h"

namespace lockstep::mockgpu {

/// Looks names up in the code objects that the program holds in its own memory, since what is
/// uploaded to the device is often the bare code: on its heaps, and in the files that it has mapped
/// (HIP's fat binaries, plain or compressed, are part of programs and libraries). Code that is in no
/// code object but in a mapped file (ROCr's own copy kernels) is named after that place. A search
/// reads all of it (about 30 ms a 100 MiB), once for each kernel that is not known yet; so it is
/// made for reports and faults only. Thread-safe.
class KernelNames {
 public:
  /// Name of the kernel at a guest address, "code of FILE at 0x..." (an offset in the file), or
  /// "kernel at 0x...". Without `search`, only what earlier searches found is used.
  std::string find(uint64_t entry, emu::MemoryMap& map, bool search);
  /// Adds the kernels of one code object; false if the bytes are none.
  bool add(const std::vector<uint8_t>& object);

 private:
  struct Known {
    std::string name;
    std::vector<uint8_t> code;  ///< the first bytes of the kernel
  };
  const Known* match(const std::vector<uint8_t>& code) const;
  void search_process();
  /// The kernels of all code objects of an offload bundle; what is none is left out.
  void add_bundle(const std::vector<uint8_t>& bundle);

  std::mutex mutex_;
  std::vector<Known> known_;
  std::set<uint64_t> seen_;  ///< hashes of objects that were looked at
  std::set<std::array<uint64_t, 3>>
      constant_;  ///< mappings that were searched: (start, end, inode)
  std::map<std::pair<uint64_t, uint64_t>, std::string> cache_;  ///< (entry, hash of code) -> name
  int fruitless_ = 0;
};

}  // namespace lockstep::mockgpu
