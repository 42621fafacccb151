// SPDX-License-Identifier: MIT
// Ranges of the sparse file: no overlap, reuse, merging, zeroed pages, exhaustion.
#include "mockgpu/device_heap.h"

#include <gtest/gtest.h>

#include <random>

namespace lockstep::mockgpu {
namespace {

constexpr uint64_t kSize = 64 * kPageBytes;

TEST(DeviceHeap, FillsUpAndRefuses) {
  auto heap = DeviceHeap::create("test", kSize);
  ASSERT_TRUE(heap) << heap.error();
  EXPECT_FALSE(heap->allocate(0));
  EXPECT_FALSE(heap->allocate(kSize + 1));
  const auto all = heap->allocate(kSize);
  ASSERT_TRUE(all);
  EXPECT_FALSE(heap->allocate(1));
  heap->release(*all, kSize);
  EXPECT_TRUE(heap->allocate(kSize));
}

TEST(DeviceHeap, RandomUseNeverOverlapsAndMergesBack) {
  auto heap = DeviceHeap::create("test", kSize);
  ASSERT_TRUE(heap);
  std::mt19937 random(1);
  std::map<uint64_t, uint64_t> live;
  for (int i = 0; i < 5000; ++i) {
    if (random() % 2 && !live.empty()) {
      const auto it = std::next(live.begin(), random() % live.size());
      heap->release(it->first, it->second);
      live.erase(it);
      continue;
    }
    const uint64_t size = 1 + random() % (6 * kPageBytes);
    const auto offset = heap->allocate(size);
    if (!offset) continue;
    EXPECT_EQ(*offset % kPageBytes, 0u);
    EXPECT_LE(*offset + size, kSize);
    const auto next = live.lower_bound(*offset);
    if (next != live.end()) {
      EXPECT_LE(*offset + size, next->first);
    }
    if (next != live.begin()) {
      EXPECT_LE(std::prev(next)->first + std::prev(next)->second, *offset);
    }
    EXPECT_EQ(heap->host(*offset)[0], 0) << "memory of a former owner";
    heap->host(*offset)[0] = 0xee;
    live[*offset] = size;
  }
  for (const auto& [offset, size] : live) heap->release(offset, size);
  EXPECT_TRUE(heap->allocate(kSize)) << "all free ranges merge into one";
}

}  // namespace
}  // namespace lockstep::mockgpu
