// SPDX-License-Identifier: MIT
// What a monitoring program reads when kernels fail, through the descriptor of SMI_EVENTS.
#include <poll.h>
#include <sys/resource.h>

#include "tests/mockgpu/kfd_fixture.h"

namespace lockstep::mockgpu {
namespace {

using testing::join, testing::pm4;

class SmiEventsTest : public KfdTest {
 protected:
  int listen(size_t device, uint64_t mask) {
    kfd_ioctl_smi_events_args args{};
    args.gpuid = gpu(device);
    EXPECT_EQ(call(AMDKFD_IOC_SMI_EVENTS, args), 0);
    const int fd = static_cast<int>(args.anon_fd);
    EXPECT_EQ(write(fd, &mask, sizeof mask), static_cast<ssize_t>(sizeof mask));
    return fd;
  }
  static bool is_readable(int fd, int milliseconds) {
    pollfd entry{fd, POLLIN, 0};
    return poll(&entry, 1, milliseconds) == 1 && (entry.revents & POLLIN);
  }
  static std::string read_all(int fd) {
    char text[KFD_SMI_EVENT_MSG_SIZE * 4];
    const ssize_t got = read(fd, text, sizeof text);
    return got > 0 ? std::string(text, static_cast<size_t>(got)) : "";
  }
  void fail_with(emu::FaultKind kind, size_t device) {
    result.ok = false;
    result.fault.kind = kind;
    RunningQueue q = queue(KFD_IOC_QUEUE_TYPE_COMPUTE, device);
    std::vector events{entry(event(KFD_IOC_EVENT_MEMORY)),
                       entry(event(KFD_IOC_EVENT_HW_EXCEPTION))};
    submit(q, join({pm4(0x76, {0x207, 32, 1, 1}), pm4(0x15, {1, 1, 1, 0x8005})}), 4);
    uint32_t outcome = 99;
    EXPECT_EQ(wait(events, false, 5000, outcome), 0);
    EXPECT_EQ(outcome, static_cast<uint32_t>(KFD_IOC_WAIT_RESULT_COMPLETE));
  }
};

constexpr uint64_t kFaults = KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_VMFAULT);
constexpr uint64_t kResets = KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_GPU_PRE_RESET) |
                             KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_GPU_POST_RESET);

TEST_F(SmiEventsTest, MemoryFaultsGoToThoseWhoAskedForThemOnThatDevice) {
  const int wants = listen(0, kFaults), other_device = listen(1, kFaults),
            other_events = listen(0, kResets);
  char byte;
  EXPECT_EQ(read(wants, &byte, 1), -1);
  EXPECT_EQ(errno, EAGAIN) << "a read does not block";
  EXPECT_FALSE(is_readable(wants, 0));
  fail_with(emu::FaultKind::kMemoryWrite, 0);
  EXPECT_TRUE(is_readable(wants, 5000));
  char expected[128];
  snprintf(expected, sizeof expected, "1 %x:%s\n", getpid(), program_invocation_short_name);
  EXPECT_EQ(read_all(wants), expected);
  EXPECT_FALSE(is_readable(other_device, 0));
  EXPECT_FALSE(is_readable(other_events, 0));
  for (const int fd : {wants, other_device, other_events}) close(fd);
}

TEST_F(SmiEventsTest, ResetsAreNumberedAndAMaskCanChange) {
  const int fd = listen(1, kResets);
  fail_with(emu::FaultKind::kIllegalInstruction, 1);
  EXPECT_TRUE(is_readable(fd, 5000));
  EXPECT_EQ(read_all(fd), "3 1\n4 1\n");
  const uint64_t none = 0;
  ASSERT_EQ(write(fd, &none, sizeof none), static_cast<ssize_t>(sizeof none));
  fail_with(emu::FaultKind::kIllegalInstruction, 1);
  EXPECT_FALSE(is_readable(fd, 0));
  close(fd);
  fail_with(emu::FaultKind::kIllegalInstruction, 1);  // nobody listens any more
}

TEST_F(SmiEventsTest, BadDeviceAndNoDescriptors) {
  kfd_ioctl_smi_events_args args{};
  args.gpuid = 0x999;
  EXPECT_EQ(call(AMDKFD_IOC_SMI_EVENTS, args), -EINVAL);
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
  const rlimit none{0, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  args.gpuid = gpu(0);
  EXPECT_EQ(call(AMDKFD_IOC_SMI_EVENTS, args), -EMFILE);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
}

}  // namespace
}  // namespace lockstep::mockgpu
