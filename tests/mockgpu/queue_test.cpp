// SPDX-License-Identifier: MIT
// Queue threads and the poller: waking, stalls beside other queues, failure, teardown, idle cost.
#include "mockgpu/queue.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "emu/wave_sync.h"
#include "mockgpu/pm4.h"
#include "mockgpu/sdma.h"
#include "tests/mockgpu/fixture.h"

namespace lockstep::mockgpu {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using isa::Target;

template <class Condition>
bool eventually(Condition condition, std::chrono::milliseconds limit = 5000ms) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < deadline) {
    if (condition()) return true;
    std::this_thread::sleep_for(200us);
  }
  return condition();
}

class FakeOwner : public QueueOwner {
 public:
  emu::DispatchResult run_dispatch(emu::DispatchRequest& request) override {
    ++dispatches;
    return on_dispatch ? on_dispatch(request) : emu::DispatchResult{};
  }
  void cancel_dispatches() override { cancelled = true; }
  uint64_t clock() override { return 1; }
  void interrupt(uint32_t) override { ++interrupts; }
  void wave_interrupt(uint32_t) override { ++interrupts; }
  emu::GlobalWaveSync& wave_sync() override { return sync; }
  void count_copy(uint64_t) override {}
  emu::GlobalWaveSync sync;
  void queue_failed(uint32_t queue_id, const QueueFailure& failure) override {
    const std::lock_guard lock(mutex);
    failures.emplace_back(queue_id, failure.what);
  }
  size_t failure_count() {
    const std::lock_guard lock(mutex);
    return failures.size();
  }

  std::function<emu::DispatchResult(const emu::DispatchRequest&)> on_dispatch;
  std::atomic<int> dispatches = 0, interrupts = 0;
  std::atomic<bool> cancelled = false;
  std::mutex mutex;
  std::vector<std::pair<uint32_t, std::string>> failures;
};

// Memory for several rings, written with ordinary stores as a program does.
class QueueTest : public ::testing::Test {
 protected:
  struct Ring {
    uint64_t base = 0;
    uint64_t put = 0;  // dwords
  };
  QueueTest() { ram.add(kBase, kSize); }
  ~QueueTest() override { poller.stop(); }

  Ring make_ring() {
    const Ring ring{kBase + next_};
    next_ += 0x3000;
    return ring;
  }
  template <class T>
  T* at(uint64_t address) {
    return GuestMemory(ram.map).aligned<T>(address, emu::Access::kWrite);
  }
  template <class T>
  T load(uint64_t address) {
    return std::atomic_ref(*at<T>(address)).load();
  }
  template <class T>
  void store(uint64_t address, T value) {
    std::atomic_ref(*at<T>(address)).store(value);
  }
  std::shared_ptr<Queue> start(uint32_t id, const Ring& ring, bool sdma = false) {
    const RingLayout layout{ring.base, 0x1000, ring.base + 0x1000, ring.base + 0x1008};
    auto queue = std::make_shared<Queue>(
        id, owner, [&](PacketHost& host) -> std::unique_ptr<PacketProcessor> {
          if (sdma) {
            return std::make_unique<SdmaProcessor>(isa::Generation::kGfx11, layout, ram.map, host);
          }
          return std::make_unique<Pm4Processor>(Target::kGfx1100, layout, ram.map, host);
        });
    poller.add(queue);
    return queue;
  }
  void submit(Ring& ring, const std::vector<uint32_t>& words, uint32_t unit = 4) {
    for (const uint32_t word : words) store<uint32_t>(ring.base + ring.put++ * 4 % 0x1000, word);
    store<uint64_t>(ring.base + 0x1008, ring.put * 4 / unit);
  }
  static std::vector<uint32_t> write_word(uint64_t address, uint32_t value) {
    return pm4(0x49, {0x514, 1u << 29, low(address), high(address), value, 0, 0});
  }
  static std::vector<uint32_t> wait_for(uint64_t address, uint32_t value) {
    return pm4(0x3c, {0x15, low(address), high(address), value, ~0u, 4});
  }
  static std::vector<uint32_t> launch() {
    return join({pm4(0x76, {0x207, 32, 1, 1}), pm4(0x15, {1, 1, 1, 0x8005})});
  }

  static constexpr uint64_t kBase = 0x10000000, kSize = 0x100000;
  GuestRam ram;
  FakeOwner owner;
  QueuePoller poller;
  uint64_t next_ = 0;
};

TEST_F(QueueTest, WakesAgainAfterIdling) {
  Ring ring = make_ring();
  const uint64_t word = ring.base + 0x2000;
  const auto queue = start(0, ring);
  for (uint32_t i = 1; i <= 5; ++i) {
    submit(ring, write_word(word, i));
    EXPECT_TRUE(eventually([&] { return load<uint32_t>(word) == i; })) << i;
    EXPECT_TRUE(eventually([&] { return !queue->active(); })) << "the thread must go to sleep";
  }
  EXPECT_EQ(load<uint64_t>(ring.base + 0x1000), ring.put);
}

TEST_F(QueueTest, QueuesThatWaitForEachOtherMakeProgress) {
  Ring a = make_ring(), b = make_ring();
  const uint64_t signal_a = a.base + 0x2000, signal_b = b.base + 0x2000;
  const auto first = start(0, a), second = start(1, b);
  submit(a, join({wait_for(signal_b, 1), write_word(signal_a, 1), wait_for(signal_b, 2),
                  write_word(signal_a, 2)}));
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(load<uint32_t>(signal_a), 0u);
  submit(b, join({write_word(signal_b, 1), wait_for(signal_a, 1), write_word(signal_b, 2)}));
  EXPECT_TRUE(eventually([&] { return load<uint32_t>(signal_a) == 2; }));
}

TEST_F(QueueTest, LongKernelHoldsUpItsOwnQueueOnly) {
  Ring compute = make_ring(), copies = make_ring();
  const uint64_t word = copies.base + 0x2000;
  std::atomic<bool> release = false;
  owner.on_dispatch = [&](const emu::DispatchRequest&) {
    while (!release) std::this_thread::sleep_for(1ms);
    return emu::DispatchResult{};
  };
  const auto first = start(0, compute), second = start(1, copies, true);
  submit(compute, join({launch(), write_word(word + 8, 1)}));
  EXPECT_TRUE(eventually([&] { return owner.dispatches == 1; }));
  submit(copies, {0x30005, low(word), 0, 77}, 1);
  EXPECT_TRUE(eventually([&] { return load<uint32_t>(word) == 77; }));
  EXPECT_EQ(load<uint32_t>(word + 8), 0u);
  release = true;
  EXPECT_TRUE(eventually([&] { return load<uint32_t>(word + 8) == 1; }));
}

TEST_F(QueueTest, FailedDispatchCompletesNothingAndIsReportedOnce) {
  Ring ring = make_ring();
  const uint64_t word = ring.base + 0x2000;
  owner.on_dispatch = [](const emu::DispatchRequest&) {
    emu::DispatchResult result;
    result.ok = false;
    result.fault.kind = emu::FaultKind::kMemoryRead;
    return result;
  };
  const auto queue = start(9, ring);
  submit(ring, join({launch(), write_word(word, 1)}));
  EXPECT_TRUE(eventually([&] { return queue->failed(); }));
  EXPECT_TRUE(eventually([&] { return owner.failure_count() == 1; }));
  submit(ring, write_word(word, 2));
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(load<uint32_t>(word), 0u);
  EXPECT_EQ(owner.failure_count(), 1u);
  EXPECT_EQ(owner.failures[0].first, 9u);
  EXPECT_EQ(owner.dispatches, 1);
}

TEST_F(QueueTest, OtherQueuesLiveOnAfterAFailure) {
  Ring bad = make_ring(), good = make_ring();
  const auto first = start(0, bad), second = start(1, good);
  submit(bad, {0x00001234});
  EXPECT_TRUE(eventually([&] { return owner.failure_count() == 1; }));
  submit(good, write_word(good.base + 0x2000, 5));
  EXPECT_TRUE(eventually([&] { return load<uint32_t>(good.base + 0x2000) == 5; }));
}

TEST_F(QueueTest, StopEndsStalledQueuesAtOnceAndCancelsKernels) {
  Ring stalled = make_ring(), busy = make_ring();
  const auto waiting = start(0, stalled);
  submit(stalled, wait_for(stalled.base + 0x2000, 1));
  EXPECT_TRUE(eventually([&] { return waiting->active(); }));
  const auto begin = std::chrono::steady_clock::now();
  waiting->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 500ms);
  EXPECT_FALSE(owner.cancelled);

  owner.on_dispatch = [&](const emu::DispatchRequest&) {
    while (!owner.cancelled) std::this_thread::sleep_for(1ms);
    emu::DispatchResult result;
    result.ok = false;
    return result;
  };
  const auto looping = start(1, busy);
  submit(busy, launch());
  EXPECT_TRUE(eventually([&] { return owner.dispatches == 1; }));
  looping->stop();
  EXPECT_TRUE(owner.cancelled);
  EXPECT_EQ(owner.failure_count(), 0u) << "a cancelled launch is not a fault of the program";
}

TEST_F(QueueTest, ManyPacketsThroughASmallRing) {
  Ring ring = make_ring();
  const uint64_t word = ring.base + 0x2000;
  const auto queue = start(0, ring);
  for (uint32_t i = 1; i <= 20000; ++i) {
    submit(ring, write_word(word, i));
    while (ring.put - load<uint64_t>(ring.base + 0x1000) > 900) std::this_thread::yield();
  }
  EXPECT_TRUE(eventually([&] { return load<uint32_t>(word) == 20000; }));
}

TEST_F(QueueTest, IdleCostsLessThanOnePercentOfACore) {
  std::vector<std::shared_ptr<Queue>> queues;
  std::vector<Ring> rings;
  for (uint32_t i = 0; i < 16; ++i) {
    rings.push_back(make_ring());
    queues.push_back(start(i, rings.back()));
    submit(rings.back(), write_word(rings.back().base + 0x2000, 1));
  }
  EXPECT_TRUE(eventually([&] { return load<uint32_t>(rings.back().base + 0x2000) == 1; }));
  std::this_thread::sleep_for(1200ms);
  const auto cpu = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
           static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  };
  // The quietest of a few seconds: on a busy machine, switching alone costs CPU time.
  double least = 1e9;
  for (int i = 0; i < 5 && least >= 10'000; ++i) {
    const double before = cpu();
    std::this_thread::sleep_for(1000ms);
    least = std::min(least, cpu() - before);
  }
  EXPECT_LT(least, 10'000) << "microseconds of CPU time in one second";
}

}  // namespace
}  // namespace lockstep::mockgpu
