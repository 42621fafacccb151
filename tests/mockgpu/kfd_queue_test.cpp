// SPDX-License-Identifier: MIT
// The ioctl handlers for queues, events and faults, with good and with bad arguments.
#include "tests/mockgpu/kfd_fixture.h"

namespace lockstep::mockgpu {
namespace {

TEST_F(KfdTest, QueueErrors) {
  const Buffer ring = buffer(0x1000), pointers = buffer(0x100);
  const auto good = queue_args(ring, pointers, KFD_IOC_QUEUE_TYPE_COMPUTE);
  const auto expect = [&](int code, auto change) {
    auto args = good;
    change(args);
    EXPECT_EQ(call(AMDKFD_IOC_CREATE_QUEUE, args), code);
  };
  expect(-EINVAL, [](auto& a) { a.gpu_id = 1; });
  expect(-EINVAL, [](auto& a) { a.ring_size = 0; });
  expect(-EINVAL, [](auto& a) { a.ring_size = 3000; });
  expect(-EINVAL, [](auto& a) { a.ring_size = 512; });
  expect(-EINVAL, [](auto& a) { a.queue_type = 17; });
  expect(-EINVAL, [](auto& a) { a.queue_percentage = 101; });
  expect(-EINVAL, [](auto& a) { a.queue_priority = 16; });
  expect(-EFAULT, [](auto& a) { a.ring_base_address = 0x1000; });
  expect(-EFAULT, [](auto& a) { a.ring_size = 0x100000; });
  expect(-EFAULT, [](auto& a) { a.read_pointer_address = 0; });
  expect(-EFAULT, [](auto& a) { a.write_pointer_address = 8; });
  kfd_ioctl_destroy_queue_args destroy{};
  EXPECT_EQ(call(AMDKFD_IOC_DESTROY_QUEUE, destroy), -EINVAL);
}

TEST_F(KfdTest, QueueUpdatesAndTheirErrors) {
  RunningQueue q = queue(KFD_IOC_QUEUE_TYPE_COMPUTE);
  kfd_ioctl_update_queue_args update{};
  update.queue_id = q.args.queue_id;
  update.ring_base_address = q.args.ring_base_address;
  update.ring_size = q.args.ring_size;
  kfd_ioctl_get_queue_wave_state_args state{};
  state.queue_id = q.args.queue_id;
  state.ctl_stack_address = q.pointers.address();
  EXPECT_EQ(call(AMDKFD_IOC_GET_QUEUE_WAVE_STATE, state), -EINVAL) << "the queue is active";
  EXPECT_EQ(call(AMDKFD_IOC_UPDATE_QUEUE, update), 0) << "0 % pauses it";
  EXPECT_EQ(call(AMDKFD_IOC_GET_QUEUE_WAVE_STATE, state), 0);
  update.queue_percentage = 101;
  EXPECT_EQ(call(AMDKFD_IOC_UPDATE_QUEUE, update), -EINVAL);
  update.queue_percentage = 100;
  EXPECT_EQ(call(AMDKFD_IOC_UPDATE_QUEUE, update), 0);
  update.queue_id = 999;
  EXPECT_EQ(call(AMDKFD_IOC_UPDATE_QUEUE, update), -EFAULT);

  const uint32_t words[2] = {~0u, ~0u};
  kfd_ioctl_set_cu_mask_args mask{};
  mask.queue_id = q.args.queue_id;
  mask.cu_mask_ptr = reinterpret_cast<uint64_t>(words);
  EXPECT_EQ(call(AMDKFD_IOC_SET_CU_MASK, mask), -EINVAL);
  mask.num_cu_mask = 64;
  EXPECT_EQ(call(AMDKFD_IOC_SET_CU_MASK, mask), 0);
  mask.cu_mask_ptr = 16;
  EXPECT_EQ(call(AMDKFD_IOC_SET_CU_MASK, mask), -EFAULT);
}

TEST_F(KfdTest, WaveSyncBelongsToOneQueueOfADevice) {
  RunningQueue first = queue(KFD_IOC_QUEUE_TYPE_COMPUTE),
               second = queue(KFD_IOC_QUEUE_TYPE_COMPUTE);
  RunningQueue without = queue(KFD_IOC_QUEUE_TYPE_COMPUTE, 1);  // gfx12 has no such unit
  const auto grant = [&](uint32_t id, uint32_t count) {
    kfd_ioctl_alloc_queue_gws_args args{};
    args.queue_id = id;
    args.num_gws = count;
    return call(AMDKFD_IOC_ALLOC_QUEUE_GWS, args);
  };
  EXPECT_EQ(grant(first.args.queue_id, 0), -EINVAL);
  EXPECT_EQ(grant(first.args.queue_id, 1), 0);
  EXPECT_EQ(grant(second.args.queue_id, 1), -EBUSY);
  EXPECT_EQ(grant(first.args.queue_id, 0), 0);
  EXPECT_EQ(grant(second.args.queue_id, 1), 0);
  EXPECT_EQ(grant(without.args.queue_id, 1), -ENODEV);
  EXPECT_EQ(grant(999, 1), -EINVAL);
}

TEST_F(KfdTest, EveryWaiterOfAnEventIsLetGo) {
  const uint32_t id = event(KFD_IOC_EVENT_SIGNAL, true);
  uint32_t results[2] = {9, 9};
  std::vector<std::thread> waiters;
  for (uint32_t& result : results) {
    waiters.emplace_back([&result, id, this] {
      std::vector events{entry(id)};
      process->events().wait(events, false, 20000, result);
    });
  }
  std::this_thread::sleep_for(100ms);
  process->events().set(id);
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(results[0], uint32_t{KFD_IOC_WAIT_RESULT_COMPLETE});
  EXPECT_EQ(results[1], uint32_t{KFD_IOC_WAIT_RESULT_COMPLETE});
}

TEST_F(KfdTest, AnEventThatAnotherThreadTookIsSeenByItsAge) {
  const uint32_t id = event(KFD_IOC_EVENT_SIGNAL, true);
  uint32_t outcome = 99;
  const auto wait_since = [&](uint64_t age) {
    std::vector events{entry(id)};
    std::memcpy(&events[0], &age, sizeof age);
    EXPECT_EQ(process->events().wait(events, false, 0, outcome), 0);
    std::memcpy(&age, &events[0], sizeof age);
    return age;
  };
  EXPECT_EQ(wait_since(1), 1u);
  EXPECT_EQ(outcome, uint32_t{KFD_IOC_WAIT_RESULT_TIMEOUT}) << "nothing happened yet";
  process->events().set(id);
  EXPECT_EQ(wait_since(0), 0u) << "whoever gives no age gets none";
  EXPECT_EQ(outcome, uint32_t{KFD_IOC_WAIT_RESULT_COMPLETE});
  EXPECT_EQ(wait_since(1), 2u) << "it is reset, but was set since";
  EXPECT_EQ(outcome, uint32_t{KFD_IOC_WAIT_RESULT_COMPLETE});
  EXPECT_EQ(wait_since(2), 2u);
  EXPECT_EQ(outcome, uint32_t{KFD_IOC_WAIT_RESULT_TIMEOUT});
  EXPECT_EQ(wait_since(0), 0u);
  EXPECT_EQ(outcome, uint32_t{KFD_IOC_WAIT_RESULT_TIMEOUT});
}

TEST_F(KfdTest, WavesNameAnEventByItsLowBits) {
  uint32_t ids[300];
  for (uint32_t& id : ids) id = event(KFD_IOC_EVENT_SIGNAL, true);
  const auto is_set = [&](uint32_t id) {
    uint32_t result = 9;
    std::vector events{entry(id)};
    process->events().wait(events, false, 0, result);
    return result == KFD_IOC_WAIT_RESULT_COMPLETE;
  };
  const uint32_t late = ids[290];
  process->events().wave_interrupt(late & 0xff);
  EXPECT_TRUE(is_set(late));
  EXPECT_FALSE(is_set(ids[100]));
}

TEST_F(KfdTest, QueueIdsAreReusedAndDoorbellsDistinct) {
  RunningQueue a = queue(KFD_IOC_QUEUE_TYPE_COMPUTE), b = queue(KFD_IOC_QUEUE_TYPE_SDMA);
  EXPECT_NE(a.args.queue_id, b.args.queue_id);
  EXPECT_NE(a.args.doorbell_offset, b.args.doorbell_offset);
  EXPECT_EQ(a.args.doorbell_offset & ~0x1fffull, b.args.doorbell_offset & ~0x1fffull);
  void* page = mmap(nullptr, 0x2000, PROT_READ | PROT_WRITE, MAP_SHARED, process->control().fd(),
                    static_cast<off_t>(a.args.doorbell_offset & ~0x1fffull));
  EXPECT_NE(page, MAP_FAILED);
  munmap(page, 0x2000);
  kfd_ioctl_destroy_queue_args destroy{};
  destroy.queue_id = a.args.queue_id;
  EXPECT_EQ(call(AMDKFD_IOC_DESTROY_QUEUE, destroy), 0);
  EXPECT_EQ(queue(KFD_IOC_QUEUE_TYPE_COMPUTE).args.queue_id, a.args.queue_id);
}

TEST_F(KfdTest, CopyOnOneDeviceAndInterruptEvent) {
  RunningQueue q = queue(KFD_IOC_QUEUE_TYPE_SDMA, 1);
  const Buffer from = buffer(64, 1), to = buffer(64, 1);
  memset(from.host, 0x5a, 64);
  const uint32_t id = event(KFD_IOC_EVENT_SIGNAL, true);
  using testing::high, testing::low;
  submit(q,
         {1, 63, 0, low(from.address()), high(from.address()), low(to.address()),
          high(to.address()), 6, id},
         1);
  std::vector events{entry(id)};
  uint32_t outcome = 99;
  EXPECT_EQ(wait(events, false, 5000, outcome), 0);
  EXPECT_EQ(outcome, static_cast<uint32_t>(KFD_IOC_WAIT_RESULT_COMPLETE));
  EXPECT_EQ(to.host[63], 0x5a);
  EXPECT_EQ(wait(events, false, 0, outcome), 0);
  EXPECT_EQ(outcome, static_cast<uint32_t>(KFD_IOC_WAIT_RESULT_TIMEOUT)) << "it resets itself";
}

TEST_F(KfdTest, KernelFaultReachesTheMemoryEvent) {
  result.ok = false;
  result.fault.kind = emu::FaultKind::kMemoryWrite;
  result.fault.address = 0xabcdef000;
  RunningQueue q = queue(KFD_IOC_QUEUE_TYPE_COMPUTE);
  const Buffer signal = buffer(64);
  std::vector events{entry(event(KFD_IOC_EVENT_SIGNAL, true)), entry(event(KFD_IOC_EVENT_MEMORY)),
                     entry(event(KFD_IOC_EVENT_HW_EXCEPTION))};
  using testing::high, testing::join, testing::low, testing::pm4;
  submit(q,
         join({pm4(0x76, {0x207, 32, 1, 1}), pm4(0x15, {1, 1, 1, 0x8005}),
               pm4(0x49, {0x514, 1u << 29 | 2u << 24, low(signal.address()), high(signal.address()),
                          1, 0, events[0].event_id})}),
         4);
  uint32_t outcome = 99;
  EXPECT_EQ(wait(events, false, 5000, outcome), 0);
  EXPECT_EQ(outcome, static_cast<uint32_t>(KFD_IOC_WAIT_RESULT_COMPLETE));
  EXPECT_EQ(events[1].memory_exception_data.gpu_id, gpu(0));
  EXPECT_EQ(events[1].memory_exception_data.va, 0xabcdef000u);
  EXPECT_EQ(events[1].memory_exception_data.failure.NotPresent, 1u);
  EXPECT_EQ(events[2].hw_exception_data.gpu_id, 0u);
  EXPECT_EQ(signal.host[0], 0) << "completion after a failure";
  EXPECT_EQ(process->report().fault_count(), 1u);
}

TEST_F(KfdTest, IllegalInstructionReachesTheHardwareEvent) {
  result.ok = false;
  result.fault.kind = emu::FaultKind::kIllegalInstruction;
  RunningQueue q = queue(KFD_IOC_QUEUE_TYPE_COMPUTE);
  std::vector events{entry(event(KFD_IOC_EVENT_MEMORY)), entry(event(KFD_IOC_EVENT_HW_EXCEPTION))};
  using testing::join, testing::pm4;
  submit(q, join({pm4(0x76, {0x207, 32, 1, 1}), pm4(0x15, {1, 1, 1, 0x8005})}), 4);
  uint32_t outcome = 99;
  EXPECT_EQ(wait(events, false, 5000, outcome), 0);
  EXPECT_EQ(events[1].hw_exception_data.gpu_id, gpu(0));
  EXPECT_EQ(events[0].memory_exception_data.gpu_id, 0u);
}

TEST_F(KfdTest, Events) {
  std::vector events{entry(event(KFD_IOC_EVENT_SIGNAL)), entry(event(KFD_IOC_EVENT_SIGNAL))};
  EXPECT_NE(events[0].event_id, events[1].event_id);
  uint32_t outcome = 99;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(wait(events, false, 50, outcome), 0);
  EXPECT_EQ(outcome, static_cast<uint32_t>(KFD_IOC_WAIT_RESULT_TIMEOUT));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 50ms);

  kfd_ioctl_set_event_args set{events[0].event_id, 0};
  EXPECT_EQ(call(AMDKFD_IOC_SET_EVENT, set), 0);
  EXPECT_EQ(wait(events, false, 0, outcome), 0);
  EXPECT_EQ(outcome, static_cast<uint32_t>(KFD_IOC_WAIT_RESULT_COMPLETE));
  EXPECT_EQ(wait(events, true, 0, outcome), 0);
  EXPECT_EQ(outcome, static_cast<uint32_t>(KFD_IOC_WAIT_RESULT_TIMEOUT)) << "all means both";
  std::thread later([&] {
    std::this_thread::sleep_for(20ms);
    kfd_ioctl_set_event_args other{events[1].event_id, 0};
    EXPECT_EQ(call(AMDKFD_IOC_SET_EVENT, other), 0);
  });
  EXPECT_EQ(wait(events, true, 0xffffffff, outcome), 0);
  EXPECT_EQ(outcome, static_cast<uint32_t>(KFD_IOC_WAIT_RESULT_COMPLETE));
  later.join();

  kfd_ioctl_reset_event_args reset{events[0].event_id, 0};
  EXPECT_EQ(call(AMDKFD_IOC_RESET_EVENT, reset), 0);
  kfd_ioctl_destroy_event_args destroy{events[0].event_id, 0};
  EXPECT_EQ(call(AMDKFD_IOC_DESTROY_EVENT, destroy), 0);
  EXPECT_EQ(call(AMDKFD_IOC_DESTROY_EVENT, destroy), -EINVAL);
  EXPECT_EQ(call(AMDKFD_IOC_SET_EVENT, set), -EINVAL);
  EXPECT_EQ(wait(events, false, 0, outcome), -EINVAL);
  kfd_ioctl_create_event_args bad{};
  bad.event_type = 99;
  EXPECT_EQ(call(AMDKFD_IOC_CREATE_EVENT, bad), -EINVAL);
}

TEST_F(KfdTest, SignalEventsRunOutWithAnError) {
  kfd_ioctl_create_event_args args{};
  int created = 0, code = 0;
  while ((code = call(AMDKFD_IOC_CREATE_EVENT, args)) == 0 && created < 5000) ++created;
  EXPECT_EQ(code, -ENOSPC);
  EXPECT_EQ(created, KFD_SIGNAL_EVENT_LIMIT - 1);
}

}  // namespace
}  // namespace lockstep::mockgpu
