// SPDX-License-Identifier: MIT
// Copies that may span several allocations, piece by piece.
#include "mockgpu/guest_memory.h"

#include <algorithm>

namespace lockstep::mockgpu {

uint8_t* GuestMemory::span(uint64_t address, emu::Access access, uint64_t& length) {
  uint8_t* host = view_.translate(address, 1, access);
  if (!host) {
    fail(address, access);
    return nullptr;
  }
  const emu::AllocationList& list = view_.list();
  auto next = std::upper_bound(list.begin(), list.end(), address,
                               [](uint64_t a, const emu::Allocation& b) { return a < b.base; });
  const emu::Allocation& hit = *std::prev(next);
  length = hit.base + hit.size - address;
  return host;
}

bool GuestMemory::read(uint64_t address, void* to, uint64_t size) {
  auto* out = static_cast<uint8_t*>(to);
  while (size) {
    uint64_t length = 0;
    const uint8_t* host = span(address, emu::Access::kRead, length);
    if (!host) return false;
    length = std::min(length, size);
    std::memcpy(out, host, length);
    out += length, address += length, size -= length;
  }
  return true;
}

bool GuestMemory::write(uint64_t address, const void* from, uint64_t size) {
  const auto* in = static_cast<const uint8_t*>(from);
  while (size) {
    uint64_t length = 0;
    uint8_t* host = span(address, emu::Access::kWrite, length);
    if (!host) return false;
    length = std::min(length, size);
    std::memcpy(host, in, length);
    in += length, address += length, size -= length;
  }
  return true;
}

bool GuestMemory::copy(uint64_t to, uint64_t from, uint64_t size) {
  while (size) {
    uint64_t readable = 0, writable = 0;
    const uint8_t* source = span(from, emu::Access::kRead, readable);
    if (!source) return false;
    uint8_t* target = span(to, emu::Access::kWrite, writable);
    if (!target) return false;
    const uint64_t length = std::min({readable, writable, size});
    std::memmove(target, source, length);
    to += length, from += length, size -= length;
  }
  return true;
}

bool GuestMemory::fill(uint64_t address, uint64_t value, uint32_t unit, uint64_t size) {
  const uint64_t start = address;
  while (size) {
    uint64_t length = 0;
    uint8_t* host = span(address, emu::Access::kWrite, length);
    if (!host) return false;
    length = std::min(length, size);
    for (uint64_t i = 0; i < length; ++i) {
      host[i] = static_cast<uint8_t>(value >> (8 * ((address - start + i) % unit)));
    }
    address += length, size -= length;
  }
  return true;
}

}  // namespace lockstep::mockgpu
