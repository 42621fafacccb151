// SPDX-License-Identifier: MIT
// Splitting, joining and mapping of shared virtual memory.
#include "mockgpu/svm.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "mockgpu/log.h"

namespace lockstep::mockgpu {
namespace {

// Values of location attributes besides the ids of devices.
constexpr uint32_t kSystem = 0, kUndefined = 0xffffffff;

// True if the program has something mapped everywhere in the range. Reads no page.
bool is_mapped(uint64_t start, uint64_t size) {
  constexpr uint64_t kPages = 1 << 16;
  static thread_local std::array<unsigned char, kPages> resident;
  const int saved = errno;
  bool ok = true;
  for (uint64_t at = 0; ok && at < size; at += kPages * kPageBytes) {
    const uint64_t length = std::min(size - at, kPages * kPageBytes);
    ok = mincore(reinterpret_cast<void*>(start + at), length, resident.data()) == 0;
  }
  errno = saved;
  return ok;
}

}  // namespace

SvmRanges::Attributes SvmRanges::defaults() {
  constexpr uint32_t kFlags = KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_COHERENT;
  constexpr uint32_t kTwoMiB = 9;  // in powers of two of pages
  return {kUndefined, kUndefined, kFlags, kTwoMiB};
}

uint32_t SvmRanges::device_bit(uint32_t gpu_id) const {
  for (size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i]->gpu_id() == gpu_id) return 1u << i;
  }
  return 0;
}

int SvmRanges::check(std::span<const kfd_ioctl_svm_attribute> attributes) const {
  for (const auto& [type, value] : attributes) {
    switch (type) {
      case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
      case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
        if (value != kSystem && value != kUndefined && !device_bit(value)) return -EINVAL;
        break;
      case KFD_IOCTL_SVM_ATTR_ACCESS:
      case KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE:
      case KFD_IOCTL_SVM_ATTR_NO_ACCESS:
        if (!device_bit(value)) return -EINVAL;
        break;
      case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
      case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
      case KFD_IOCTL_SVM_ATTR_GRANULARITY:
        break;
      default:
        log(LogLevel::kWarn, "/dev/kfd: SVM: unknown attribute {}", type);
        return -EINVAL;
    }
  }
  return 0;
}

void SvmRanges::apply(Attributes& to, std::span<const kfd_ioctl_svm_attribute> attributes) const {
  for (const auto& [type, value] : attributes) {
    switch (type) {
      case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
        to.preferred = value;
        break;
      case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
        to.prefetched = value;
        break;
      case KFD_IOCTL_SVM_ATTR_ACCESS:
      case KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE:
      case KFD_IOCTL_SVM_ATTR_NO_ACCESS: {
        const uint32_t bit = device_bit(value);
        to.access &= ~bit;
        to.in_place &= ~bit;
        if (type == KFD_IOCTL_SVM_ATTR_ACCESS) to.access |= bit;
        if (type == KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE) to.in_place |= bit;
        break;
      }
      case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
        to.flags |= value;
        break;
      case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
        to.flags &= ~value;
        break;
      case KFD_IOCTL_SVM_ATTR_GRANULARITY:
        to.granularity = std::min(value, 0x3fu);
        break;
    }
  }
}

void SvmRanges::cut(Ranges& ranges, uint64_t start, uint64_t end) {
  for (const uint64_t at : {start, end}) {
    auto it = ranges.lower_bound(at);
    if (it == ranges.begin()) continue;
    --it;
    if (it->second.end <= at) continue;
    ranges[at] = it->second;
    it->second.end = at;
  }
}

void SvmRanges::join(Ranges& ranges) {
  for (auto it = ranges.begin(); it != ranges.end();) {
    const auto next = std::next(it);
    if (next != ranges.end() && it->second.end == next->first &&
        it->second.attributes == next->second.attributes) {
      it->second.end = next->second.end;
      ranges.erase(next);
    } else {
      it = next;
    }
  }
}

bool SvmRanges::update_map(size_t device) {
  std::map<uint64_t, Mapping> wanted;
  for (const auto& [start, range] : ranges_) {
    if (!((range.attributes.access | range.attributes.in_place) >> device & 1)) continue;
    const bool writable = !(range.attributes.flags & KFD_IOCTL_SVM_FLAG_GPU_RO);
    const auto last = wanted.empty() ? wanted.end() : std::prev(wanted.end());
    if (last != wanted.end() && last->second == Mapping{start, writable}) {
      last->second.end = range.end;
    } else {
      wanted[start] = {range.end, writable};
    }
  }
  // What stays the same is not touched: kernels may be using it.
  emu::MemoryMap& map = devices_[device]->map();
  auto& mapped = mapped_[device];
  std::erase_if(mapped, [&](const auto& old) {
    const auto it = wanted.find(old.first);
    if (it != wanted.end() && it->second == old.second) return false;
    map.remove(old.first);
    return true;
  });
  bool ok = true;
  for (const auto& [start, mapping] : wanted) {
    if (mapped.contains(start)) continue;
    emu::Allocation allocation;
    allocation.base = start;
    allocation.size = mapping.end - start;
    allocation.host = reinterpret_cast<uint8_t*>(start);
    allocation.writable = mapping.writable;
    allocation.label = fmt::format("shared virtual memory of {} bytes", mapping.end - start);
    if (map.add(std::move(allocation))) {
      mapped[start] = mapping;
    } else {
      ok = false;
    }
  }
  return ok;
}

int SvmRanges::set(uint64_t start, uint64_t size,
                   std::span<const kfd_ioctl_svm_attribute> attributes) {
  const uint64_t end = start + size;
  if (start == 0 || size == 0 || end < start || start % kPageBytes || size % kPageBytes) {
    return -EINVAL;
  }
  if (const int result = check(attributes)) return result;
  if (!is_mapped(start, size)) return -EFAULT;
  const Ranges before = ranges_;
  cut(ranges_, start, end);
  for (uint64_t at = start; at < end;) {
    auto it = ranges_.lower_bound(at);
    const uint64_t next = it == ranges_.end() ? end : std::min(it->first, end);
    if (next > at) it = ranges_.emplace(at, Range{next, defaults()}).first;
    apply(it->second.attributes, attributes);
    at = it->second.end;
  }
  join(ranges_);
  bool ok = true;
  for (size_t i = 0; i < devices_.size(); ++i) ok = update_map(i) && ok;
  if (ok) return 0;
  ranges_ = before;
  for (size_t i = 0; i < devices_.size(); ++i) update_map(i);
  return -EADDRINUSE;
}

int SvmRanges::get(uint64_t start, uint64_t size,
                   std::span<kfd_ioctl_svm_attribute> attributes) const {
  const uint64_t end = start + size;
  if (start == 0 || size == 0 || end < start || start % kPageBytes || size % kPageBytes) {
    return -EINVAL;
  }
  if (!is_mapped(start, size)) return -EFAULT;
  Attributes common = defaults();
  uint32_t any_flags = common.flags;
  bool first = true;
  for (const auto& [from, range] : ranges_) {
    if (range.end <= start || from >= end) continue;
    const Attributes& each = range.attributes;
    if (first) {
      common = each;
      any_flags = each.flags;
      first = false;
      continue;
    }
    if (common.preferred != each.preferred) common.preferred = kUndefined;
    if (common.prefetched != each.prefetched) common.prefetched = kUndefined;
    common.flags &= each.flags;
    any_flags |= each.flags;
    common.granularity = std::min(common.granularity, each.granularity);
    // In place is the weaker promise; whoever reaches only a part reaches nothing.
    const uint32_t reach = (common.access | common.in_place) & (each.access | each.in_place);
    common.access &= each.access;
    common.in_place = reach & ~common.access;
  }
  for (auto& [type, value] : attributes) {
    switch (type) {
      case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
        value = common.preferred;
        break;
      case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
        value = common.prefetched;
        break;
      case KFD_IOCTL_SVM_ATTR_ACCESS: {
        const uint32_t bit = device_bit(value);
        if (!bit) return -EINVAL;
        type = common.access & bit     ? KFD_IOCTL_SVM_ATTR_ACCESS
               : common.in_place & bit ? KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE
                                       : KFD_IOCTL_SVM_ATTR_NO_ACCESS;
        break;
      }
      case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
        value = common.flags;
        break;
      case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
        value = ~any_flags;
        break;
      case KFD_IOCTL_SVM_ATTR_GRANULARITY:
        value = common.granularity;
        break;
      default:
        return -EINVAL;
    }
  }
  return 0;
}

void SvmRanges::forget(uint64_t start, uint64_t size) {
  const uint64_t first = start & ~(kPageBytes - 1), end = page_round(start + size);
  const bool touched = std::ranges::any_of(
      ranges_, [&](const auto& range) { return range.first < end && range.second.end > first; });
  if (!touched) return;
  cut(ranges_, first, end);
  std::erase_if(ranges_,
                [&](const auto& range) { return range.first >= first && range.second.end <= end; });
  for (size_t i = 0; i < devices_.size(); ++i) update_map(i);
}

}  // namespace lockstep::mockgpu
