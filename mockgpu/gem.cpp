// SPDX-License-Identifier: MIT
// Handles and address mappings of GEM objects.
#include "mockgpu/gem.h"

#include <fmt/format.h>
#include <linux/kfd_ioctl.h>

namespace lockstep::mockgpu {

uint32_t GemObjects::add(std::shared_ptr<Buffer> buffer) {
  uint32_t handle = 1;
  for (auto& [number, entry] : handles_) {
    if (entry.buffer == buffer) {
      ++entry.holds;
      return number;
    }
    if (number == handle) ++handle;
  }
  handles_[handle].buffer = std::move(buffer);
  return handle;
}

std::shared_ptr<Buffer> GemObjects::find(uint32_t handle) const {
  const auto it = handles_.find(handle);
  return it == handles_.end() ? nullptr : it->second.buffer;
}

bool GemObjects::close(uint32_t handle) {
  const auto it = handles_.find(handle);
  if (it == handles_.end()) return false;
  if (--it->second.holds != 0) return true;
  std::erase_if(mappings_, [&](const auto& mapping) {
    if (mapping.second.buffer != it->second.buffer) return false;
    map_.remove(mapping.first);
    return true;
  });
  handles_.erase(it);
  return true;
}

bool GemObjects::put(uint64_t address, Mapping mapping) {
  const bool vram = mapping.buffer->domain() == KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
  emu::Allocation allocation;
  allocation.base = address;
  allocation.size = mapping.size;
  allocation.host = mapping.buffer->host() + mapping.offset;
  allocation.writable = mapping.writable;
  allocation.label = fmt::format("{} of {} bytes (render node mapping, offset {:#x})",
                                 vram ? "VRAM" : "GTT", mapping.size, mapping.offset);
  if (!map_.add(std::move(allocation))) return false;
  mappings_[address] = std::move(mapping);
  return true;
}

bool GemObjects::map(uint64_t address, std::shared_ptr<Buffer> buffer, uint64_t offset,
                     uint64_t size, bool writable) {
  return put(address, {std::move(buffer), offset, size, writable});
}

bool GemObjects::unmap(uint64_t address, const Buffer& buffer) {
  const auto it = mappings_.find(address);
  if (it == mappings_.end() || it->second.buffer.get() != &buffer) return false;
  map_.remove(address);
  mappings_.erase(it);
  return true;
}

void GemObjects::clear(uint64_t address, uint64_t size) {
  const uint64_t end = address + size;
  auto it = mappings_.lower_bound(address);
  if (it != mappings_.begin()) --it;
  while (it != mappings_.end() && it->first < end) {
    const uint64_t start = it->first, stop = start + it->second.size;
    if (stop <= address) {
      ++it;
      continue;
    }
    const Mapping old = std::move(it->second);
    map_.remove(start);
    mappings_.erase(it);
    if (start < address) put(start, {old.buffer, old.offset, address - start, old.writable});
    if (stop > end) put(end, {old.buffer, old.offset + (end - start), stop - end, old.writable});
    it = mappings_.lower_bound(end);
  }
}

}  // namespace lockstep::mockgpu
