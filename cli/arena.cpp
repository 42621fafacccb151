// SPDX-License-Identifier: MIT
// Allocates guest memory with mmap at addresses of our choice.
#include "cli/arena.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lockstep::cli {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMaxAllocation = uint64_t{1} << 40;
constexpr uint64_t round_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

Arena::~Arena() {
  for (const uint64_t base : shown_) map_->remove(base);
  for (const Mapping& mapping : mappings_) munmap(mapping.address, mapping.size);
}

Result<std::span<uint8_t>> Arena::reserve(uint64_t size, uint64_t alignment,
                                          const std::string& label) {
  const uint64_t align = std::max(alignment, kPage);
  const uint64_t used = round_up(size, kPage);
  const uint64_t mapped = used + (align - kPage);
  if (size == 0 || size > kMaxAllocation || align > kMaxAllocation) {
    return Error{fmt::format("{}: an allocation of {} bytes (aligned to {}) is not possible", label,
                             size, alignment)};
  }
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* address = mmap(reinterpret_cast<void*>(next_), mapped, PROT_READ | PROT_WRITE,
                       kFlags | MAP_FIXED_NOREPLACE, -1, 0);
  if (address == MAP_FAILED) {
    address = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  }
  if (address == MAP_FAILED) {
    return Error{fmt::format("{}: cannot allocate {} bytes: {}", label, size, strerror(errno))};
  }
  mappings_.push_back({address, mapped});
  next_ += round_up(mapped, kGuardGap) + kGuardGap;
  const uint64_t base = round_up(reinterpret_cast<uint64_t>(address), align);
  return std::span(reinterpret_cast<uint8_t*>(base), size);
}

Result<void> Arena::show_guest(std::span<uint8_t> memory, const std::string& label, bool writable) {
  if (!map_) return {};
  const uint64_t base = address_of(memory);
  if (!map_->add({base, memory.size(), memory.data(), writable, label})) {
    return Error{fmt::format("{}: {} bytes at {:#x} overlap other guest memory", label,
                             memory.size(), base)};
  }
  shown_.push_back(base);
  return {};
}

Result<std::span<uint8_t>> Arena::allocate(uint64_t size, const std::string& label, bool writable) {
  auto memory = reserve(size, kPage, label);
  if (!memory) return memory;
  if (auto shown = show_guest(*memory, label, writable); !shown) return Error{shown.error()};
  return memory;
}

}  // namespace lockstep::cli
