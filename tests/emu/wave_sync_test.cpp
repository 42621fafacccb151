// SPDX-License-Identifier: MIT
// The counters of the global wave sync unit: barriers over several rounds, semaphores.
#include "emu/wave_sync.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace lockstep::emu {
namespace {

TEST(GlobalWaveSync, BarrierOpensWithTheLastWaveAndForAll) {
  GlobalWaveSync sync;
  sync.init(3, 2);
  WaveSyncWait a, b, c;
  EXPECT_FALSE(sync.barrier(3, 2, a));
  EXPECT_FALSE(sync.barrier(3, 2, b));
  EXPECT_FALSE(sync.barrier(3, 2, a)) << "a wave that comes back does not arrive twice";
  EXPECT_TRUE(sync.barrier(3, 2, c));
  EXPECT_TRUE(sync.barrier(3, 2, a));
  EXPECT_TRUE(sync.barrier(3, 2, b));
}

TEST(GlobalWaveSync, FastWaveOfTheNextRoundDoesNotHoldTheOthers) {
  GlobalWaveSync sync;
  sync.init(0, 1);
  WaveSyncWait slow, fast;
  EXPECT_FALSE(sync.barrier(0, 1, slow));
  EXPECT_TRUE(sync.barrier(0, 1, fast));
  EXPECT_FALSE(sync.barrier(0, 1, fast)) << "its second barrier waits for the slow wave";
  EXPECT_TRUE(sync.barrier(0, 1, slow)) << "which leaves the first one";
  EXPECT_TRUE(sync.barrier(0, 1, slow));
  EXPECT_TRUE(sync.barrier(0, 1, fast));
}

TEST(GlobalWaveSync, ResourcesAreApart) {
  GlobalWaveSync sync;
  sync.init(0, 1);
  sync.init(63, 0);
  WaveSyncWait a, b;
  EXPECT_FALSE(sync.barrier(0, 1, a));
  EXPECT_TRUE(sync.barrier(63, 0, b));
  EXPECT_FALSE(sync.barrier(0, 1, a));
}

TEST(GlobalWaveSync, SemaphoreLetsAsManyPassAsWereReleased) {
  GlobalWaveSync sync;
  sync.init(1, 1);
  WaveSyncWait a, b, c;
  EXPECT_TRUE(sync.acquire(1, a));
  EXPECT_FALSE(sync.acquire(1, b));
  EXPECT_FALSE(sync.acquire(1, c));
  sync.release(1, 1);
  EXPECT_TRUE(sync.acquire(1, c));
  EXPECT_FALSE(sync.acquire(1, b));
  sync.release(1, 2);
  EXPECT_TRUE(sync.acquire(1, b));
  EXPECT_TRUE(sync.acquire(1, a)) << "what was released before anyone waits is kept";
}

TEST(GlobalWaveSync, ReleaseAllCountsThoseWhoWait) {
  GlobalWaveSync sync;
  WaveSyncWait a, b, c;
  EXPECT_FALSE(sync.acquire(2, a));
  EXPECT_FALSE(sync.acquire(2, b));
  EXPECT_FALSE(sync.acquire(2, a)) << "counted once";
  sync.release_all(2);
  EXPECT_TRUE(sync.acquire(2, a));
  EXPECT_TRUE(sync.acquire(2, b));
  EXPECT_FALSE(sync.acquire(2, c));
}

TEST(GlobalWaveSync, ResetIsAFreshDevice) {
  GlobalWaveSync sync;
  sync.init(5, 9);
  sync.reset();
  WaveSyncWait a;
  EXPECT_TRUE(sync.barrier(5, 0, a)) << "the counter is 0 again";
}

TEST(GlobalWaveSync, ThreadsMeetInEveryRound) {
  constexpr uint32_t kThreads = 4, kRounds = 200;
  GlobalWaveSync sync;
  sync.init(7, kThreads - 1);
  std::atomic<uint32_t> arrived{0};
  std::atomic<bool> early{false};
  const auto wave = [&] {
    for (uint32_t round = 1; round <= kRounds; ++round) {
      ++arrived;
      WaveSyncWait wait;
      while (!sync.barrier(7, kThreads - 1, wait)) std::this_thread::yield();
      if (arrived < round * kThreads) early = true;
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) threads.emplace_back(wave);
  for (std::thread& t : threads) t.join();
  EXPECT_FALSE(early);
  EXPECT_EQ(arrived, kThreads * kRounds);
}

}  // namespace
}  // namespace lockstep::emu
