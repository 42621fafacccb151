// SPDX-License-Identifier: MIT
// Searches the process for AMDGPU code objects and compares their code with what is being run.
#include "mockgpu/kernel_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <string_view>

#include "loader/code_object.h"
#include "mockgpu/guest_memory.h"
#include "mockgpu/user_memory.h"

namespace lockstep::mockgpu {
namespace {

constexpr size_t kCompared = 256;                      // bytes of code that tell kernels apart
constexpr uint64_t kMostObject = 64u << 20;            // larger ones are not looked at
constexpr uint64_t kMostSearched = uint64_t{4} << 30;  // of one search
constexpr size_t kChunk = 1u << 20;
constexpr int kGiveUpAfter = 8;  // searches without a result: this program keeps no code objects
// ELF64, little endian, version 1, OS ABI AMDGPU_HSA
constexpr char kMagic[] =
    "\x7f"
    "ELF\x02\x01\x01\x40";
constexpr size_t kMagicSize = 8;

uint64_t hash_of(const std::vector<uint8_t>& bytes) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// The code at an address: up to kCompared bytes, fewer at the end of the memory.
std::vector<uint8_t> code_at(uint64_t entry, emu::MemoryMap& map) {
  GuestMemory memory(map);
  std::vector<uint8_t> code(kCompared);
  for (size_t size = kCompared; size >= 4; size /= 2) {
    if (!memory.read(entry, code.data(), size)) continue;
    code.resize(size);
    return code;
  }
  return {};
}

// Bytes of the ELF file that starts at an address of this process; empty if none does.
std::vector<uint8_t> object_at(uint64_t address) {
  uint8_t header[64];
  if (!copy_from_user(header, address, sizeof header)) return {};
  uint64_t sections;
  uint16_t entry_size, count;
  memcpy(&sections, header + 40, 8);
  memcpy(&entry_size, header + 58, 2);
  memcpy(&count, header + 60, 2);
  const uint64_t size = sections + uint64_t{entry_size} * count;
  if (sections > kMostObject || size < sizeof header) return {};
  std::vector<uint8_t> bytes(size);
  if (!copy_from_user(bytes.data(), address, size)) return {};
  return bytes;
}

struct Range {
  uint64_t start, end;
};

// Private, writable, anonymous memory: heaps.
std::vector<Range> heaps() {
  std::vector<Range> ranges;
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    Range range{};
    char access[5] = {};
    unsigned long inode = 0;
    if (sscanf(line.c_str(), "%lx-%lx %4s %*x %*x:%*x %lu", &range.start, &range.end, access,
               &inode) != 4) {
      continue;
    }
    if (std::string_view(access) == "rw-p" && inode == 0) ranges.push_back(range);
  }
  return ranges;
}

}  // namespace

std::string KernelNames::find(uint64_t entry, emu::MemoryMap& map, bool search) {
  const std::lock_guard lock(mutex_);
  const std::vector<uint8_t> code = code_at(entry, map);
  const std::pair key(entry, hash_of(code));
  if (const auto hit = cache_.find(key); hit != cache_.end()) return hit->second;
  const Known* known = match(code);
  if (!known && search && !code.empty() && fruitless_ < kGiveUpAfter) {
    search_process();
    known = match(code);
    fruitless_ = known ? 0 : fruitless_ + 1;
  }
  if (!known) return fmt::format("kernel at {:#x}", entry);
  return cache_[key] = known->name;
}

const KernelNames::Known* KernelNames::match(const std::vector<uint8_t>& code) const {
  for (const Known& known : known_) {
    // The shorter of the two decides: code may end before the memory does, or the other way round.
    const size_t size = std::min(known.code.size(), code.size());
    if (size >= 4 && memcmp(known.code.data(), code.data(), size) == 0) return &known;
  }
  return nullptr;
}

bool KernelNames::add(const std::vector<uint8_t>& bytes) {
  if (!seen_.insert(hash_of(bytes)).second) return true;
  const auto object = loader::parse_code_object(bytes);
  if (!object) return false;
  for (const loader::Kernel& kernel : object->kernels) {
    uint64_t size = kernel.code_size ? std::min<uint64_t>(kernel.code_size, kCompared) : kCompared;
    while (size >= 4) {
      const auto code = object->bytes_at(kernel.entry, size);
      if (!code.empty()) {
        known_.push_back({kernel.name, {code.begin(), code.end()}});
        break;
      }
      size /= 2;
    }
  }
  return true;
}

void KernelNames::search_process() {
  std::vector<uint8_t> chunk(kChunk);
  uint64_t searched = 0;
  for (const Range& range : heaps()) {
    for (uint64_t at = range.start; at + kMagicSize <= range.end; at += kChunk - kMagicSize) {
      const size_t size = std::min<uint64_t>(kChunk, range.end - at);
      if ((searched += size) > kMostSearched) return;
      if (!copy_from_user(chunk.data(), at, size)) break;
      const uint8_t* from = chunk.data();
      const uint8_t* const end = chunk.data() + size;
      while (const void* hit = memmem(from, static_cast<size_t>(end - from), kMagic, kMagicSize)) {
        const auto* position = static_cast<const uint8_t*>(hit);
        const auto object = object_at(at + static_cast<uint64_t>(position - chunk.data()));
        if (!object.empty()) add(object);
        from = position + 1;
      }
    }
  }
}

}  // namespace lockstep::mockgpu
