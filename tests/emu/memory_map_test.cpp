// SPDX-License-Identifier: MIT
// The map of the process that run_asm sees: memory that comes, changes its rights and goes.
#include "emu/memory_map.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emu/process_maps.h"

namespace lockstep::emu {
namespace {

constexpr uint64_t kPage = 4096;

/// Four pages: readable and writable, read-only, not accessible, readable and writable.
class ProcessMemory : public testing::Test {
 protected:
  void SetUp() override {
    void* pages =
        mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    base = reinterpret_cast<uint64_t>(pages);
    set(1, PROT_READ);
    set(2, PROT_NONE);
  }
  void TearDown() override { munmap(reinterpret_cast<void*>(base), 4 * kPage); }
  void set(uint64_t page, int rights) {
    ASSERT_EQ(mprotect(reinterpret_cast<void*>(base + page * kPage), kPage, rights), 0);
  }
  uint64_t base = 0;
  MemoryMap map{MemoryMap::Mode::kProcess};
};

TEST_F(ProcessMemory, RightsOfEachPage) {
  MemoryView view(map);
  for (int round = 0; round < 2; ++round) {
    EXPECT_NE(view.translate(base, 4, Access::kWrite), nullptr);
    EXPECT_NE(view.translate(base + kPage, 4, Access::kRead), nullptr);
    EXPECT_EQ(view.translate(base + kPage, 4, Access::kWrite), nullptr);
    EXPECT_EQ(view.translate(base + 2 * kPage, 4, Access::kRead), nullptr);
    EXPECT_NE(view.translate(base + 3 * kPage, 4, Access::kWrite), nullptr);
  }
}

TEST_F(ProcessMemory, AnAccessMayCrossIntoTheNextMapping) {
  MemoryView view(map);
  EXPECT_NE(view.translate(base + kPage - 4, 8, Access::kRead), nullptr);
  EXPECT_EQ(view.translate(base + kPage - 4, 8, Access::kWrite), nullptr);
  EXPECT_NE(view.translate(base + kPage - 4, 4, Access::kWrite), nullptr)
      << "the rest is as it was";
  EXPECT_EQ(view.translate(base + 2 * kPage - 4, 8, Access::kRead), nullptr);
  EXPECT_EQ(view.translate(base + 3 * kPage - 4, 8, Access::kRead), nullptr);
}

TEST_F(ProcessMemory, MemoryThatGoesIsSeenAfterForgetting) {
  MemoryView before(map);
  ASSERT_NE(before.translate(base, 4, Access::kRead), nullptr);
  set(0, PROT_NONE);
  map.forget();
  MemoryView after(map);
  EXPECT_EQ(after.translate(base, 4, Access::kRead), nullptr);
  set(0, PROT_READ);
  EXPECT_NE(after.translate(base, 4, Access::kRead), nullptr) << "a miss looks again";
}

TEST_F(ProcessMemory, AMissShowsWhatIsNear) {
  MemoryView view(map);
  ASSERT_EQ(view.translate(base + 2 * kPage, 4, Access::kRead), nullptr);
  const auto nearest = find_nearest(view.list(), base + 2 * kPage);
  ASSERT_TRUE(nearest);
  EXPECT_EQ(nearest->distance, 0u);
  EXPECT_TRUE(nearest->after_end);
}

TEST_F(ProcessMemory, AChildAsksForItsOwnMemory) {
  ASSERT_TRUE(process_mapping_at(base, 4));
  const pid_t child = fork();
  if (child == 0) {
    munmap(reinterpret_cast<void*>(base), kPage);
    _exit(process_mapping_at(base, 4) ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(process_mapping_at(base, 4));
}

TEST_F(ProcessMemory, OneMappingAgreesWithTheList) {
  for (const Allocation& a : process_mappings())
    for (const uint64_t address : {a.base, a.base + a.size / 2, a.base + a.size - 1}) {
      const auto one = process_mapping_at(address, 1);
      if (!one) continue;  // the list itself needs memory that may come and go
      EXPECT_LE(one->base, address);
      EXPECT_EQ(one->writable, a.writable) << std::hex << address;
    }
}

}  // namespace
}  // namespace lockstep::emu
