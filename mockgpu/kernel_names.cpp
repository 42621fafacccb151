// SPDX-License-Identifier: MIT
// Searches the process for AMDGPU code objects and compares their code with what is being run.
#include "mockgpu/kernel_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>

#include "emu/process_maps.h"
#include "loader/bundle.h"
#include "loader/code_object.h"
#include "mockgpu/guest_memory.h"
#include "mockgpu/user_memory.h"

namespace lockstep::mockgpu {
namespace {

constexpr size_t kCompared = 256;                      // bytes of code that tell kernels apart
constexpr uint64_t kMostObject = 64u << 20;            // larger ones are not looked at
constexpr uint64_t kMostSearched = uint64_t{4} << 30;  // of one search
constexpr size_t kTelling = 128;                       // bytes that hardly repeat by chance
constexpr uint64_t kChunk = 1u << 20;
constexpr int kGiveUpAfter = 8;  // searches without a result: this program keeps no code objects
// ELF64, little endian, version 1, OS ABI AMDGPU_HSA
constexpr std::string_view kObjectMagic =
    "\x7f"
    "ELF\x02\x01\x01\x40";
constexpr std::string_view kBundleMagic = "CCOB";

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

// Bytes of the compressed offload bundle that starts at an address, and what follows it up to
// `end`; empty if the header is none. (The code objects of a plain bundle are found by themselves.)
std::vector<uint8_t> bundle_at(uint64_t address, uint64_t end) {
  uint16_t header[4];
  if (!copy_from_user(header, address, sizeof header)) return {};
  if (header[2] < 1 || header[2] > 3 || header[3] > 1) return {};  // version, method
  std::vector<uint8_t> bytes(std::min(end - address, kMostObject));
  if (!copy_from_user(bytes.data(), address, bytes.size())) return {};
  return bytes;
}

struct Range {
  uint64_t start, end;
  uint64_t offset, inode;  // of a file
  std::string file;        // empty for a heap
  bool constant;
};

// What may hold code: heaps, and constants and variables of files, which device nodes are not.
std::vector<Range> searchable() {
  std::vector<Range> ranges;
  emu::for_each_process_mapping([&](const emu::ProcessMapping& m) {
    const bool is_file =
        m.inode != 0 && !m.path.starts_with("/dev/") && !m.path.starts_with("/memfd:");
    const bool constant = m.rights == "r--p" || m.rights == "r--s", variable = m.rights == "rw-p";
    const bool is_heap = m.inode == 0 && variable;
    if (!is_heap && !(is_file && (constant || variable))) return;
    const std::string_view file = is_file ? m.path.substr(m.path.rfind('/') + 1) : "";
    ranges.push_back({m.start, m.end, m.offset, m.inode, std::string(file), constant});
  });
  return ranges;
}

// Calls visit(bytes, address) for a range piece by piece; `overlap` bytes are in two pieces each.
// Ends early where visit says true or memory cannot be read; true in the first case.
template <class Visit>
bool visit_pieces(const Range& range, uint64_t overlap, const Visit& visit) {
  std::vector<uint8_t> piece(std::min(kChunk, range.end - range.start));
  for (uint64_t at = range.start;;) {
    const uint64_t size = std::min(kChunk, range.end - at);
    if (!copy_from_user(piece.data(), at, size)) return false;
    if (visit(std::string_view(reinterpret_cast<const char*>(piece.data()), size), at)) return true;
    if (at + size == range.end) return false;
    at += size - overlap;
  }
}

// Calls found(address) for each place of `pattern` in a range.
void find_in(const Range& range, std::string_view pattern,
             const std::function<void(uint64_t address)>& found) {
  visit_pieces(range, pattern.size() - 1, [&](std::string_view bytes, uint64_t at) {
    for (size_t hit = 0;; ++hit) {
      const void* next =
          memmem(bytes.data() + hit, bytes.size() - hit, pattern.data(), pattern.size());
      if (!next) return false;
      hit = static_cast<size_t>(static_cast<const char*>(next) - bytes.data());
      found(at + hit);
    }
  });
}

// "code of FILE at 0x..." if a mapped file holds these bytes, else empty.
std::string place_in_files(const std::vector<uint8_t>& code) {
  if (code.size() < kTelling) return {};
  const std::string_view pattern(reinterpret_cast<const char*>(code.data()), kTelling);
  for (const Range& range : searchable()) {
    std::string place;
    if (range.file.empty()) continue;
    visit_pieces(range, pattern.size() - 1, [&](std::string_view bytes, uint64_t at) {
      const void* hit = memmem(bytes.data(), bytes.size(), pattern.data(), pattern.size());
      if (!hit) return false;
      const uint64_t address =
          at + static_cast<uint64_t>(static_cast<const char*>(hit) - bytes.data());
      place = fmt::format("code of {} at {:#x}", range.file, address - range.start + range.offset);
      return true;
    });
    if (!place.empty()) return place;
  }
  return {};
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
    const std::string place = known ? "" : place_in_files(code);
    fruitless_ = known || !place.empty() ? 0 : fruitless_ + 1;
    if (!place.empty()) return cache_[key] = place;
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

void KernelNames::add_bundle(const std::vector<uint8_t>& bytes) {
  const auto bundle = loader::parse_bundle(bytes);
  if (!bundle) return;
  for (const loader::BundleEntry& entry : bundle->entries) {
    const auto object = bundle->contents(entry);
    if (loader::is_code_object(object)) add({object.begin(), object.end()});
  }
}

void KernelNames::search_process() {
  uint64_t searched = 0;
  for (const Range& range : searchable()) {
    if (range.constant && !constant_.insert({range.start, range.end, range.inode}).second) continue;
    if ((searched += range.end - range.start) > kMostSearched) return;
    find_in(range, kObjectMagic, [&](uint64_t address) {
      const auto object = object_at(address);
      if (!object.empty()) add(object);
    });
    find_in(range, kBundleMagic, [&](uint64_t address) {
      const auto bundle = bundle_at(address, range.end);
      if (!bundle.empty()) add_bundle(bundle);
    });
  }
}

}  // namespace lockstep::mockgpu
