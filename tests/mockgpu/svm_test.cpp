// SPDX-License-Identifier: MIT
// Shared virtual memory: attributes over ranges that split and join, and what devices reach.
#include "tests/mockgpu/kfd_fixture.h"

namespace lockstep::mockgpu {
namespace {

class SvmTest : public KfdTest {
 protected:
  static constexpr uint64_t kPages = 8;
  void SetUp() override {
    KfdTest::SetUp();
    void* made = mmap(nullptr, kPages * kPageBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(made, MAP_FAILED);
    host = static_cast<uint8_t*>(made);
    base = reinterpret_cast<uint64_t>(host);
  }
  void TearDown() override {
    process.reset();
    munmap(host, kPages * kPageBytes);
  }
  using List = std::vector<kfd_ioctl_svm_attribute>;
  int svm(uint32_t op, uint64_t start, uint64_t size, List& list) {
    kfd::SvmArgs args{};
    args.start_addr = start;
    args.size = size;
    args.op = op;
    args.nattr = static_cast<uint32_t>(list.size());
    std::copy(list.begin(), list.end(), args.attributes);
    const auto bytes = static_cast<unsigned>(24 + list.size() * sizeof list[0]);
    const int result = call(_IOC(_IOC_READ | _IOC_WRITE, 'K', 0x20, bytes), args);
    std::copy(args.attributes, args.attributes + list.size(), list.begin());
    return result;
  }
  int set(uint64_t page, uint64_t pages, List list) {
    return svm(KFD_IOCTL_SVM_OP_SET_ATTR, base + page * kPageBytes, pages * kPageBytes, list);
  }
  kfd_ioctl_svm_attribute get(uint64_t page, uint64_t pages, kfd_ioctl_svm_attribute wanted) {
    List list{wanted};
    EXPECT_EQ(svm(KFD_IOCTL_SVM_OP_GET_ATTR, base + page * kPageBytes, pages * kPageBytes, list),
              0);
    return list[0];
  }
  uint32_t location(uint64_t page, uint64_t pages) {
    return get(page, pages, {KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 1}).value;
  }
  uint32_t access(uint64_t page, uint64_t pages, size_t device = 0) {
    return get(page, pages, {KFD_IOCTL_SVM_ATTR_ACCESS, gpu(device)}).type;
  }
  bool reads(uint64_t page, size_t device = 0) {
    uint8_t byte;
    return GuestMemory(process->devices()[device]->map()).read(base + page * kPageBytes, &byte, 1);
  }
  bool writes(uint64_t page) {
    uint8_t byte = 1;
    return GuestMemory(process->devices()[0]->map()).write(base + page * kPageBytes, &byte, 1);
  }
  uint8_t* host = nullptr;
  uint64_t base = 0;
};

TEST_F(SvmTest, AccessDecidesWhatADeviceReaches) {
  EXPECT_FALSE(reads(0));
  EXPECT_EQ(access(0, 8), KFD_IOCTL_SVM_ATTR_NO_ACCESS);
  ASSERT_EQ(set(0, 8, {{KFD_IOCTL_SVM_ATTR_ACCESS, gpu(0)}}), 0);
  EXPECT_TRUE(reads(0) && reads(7) && writes(7));
  EXPECT_EQ(host[7 * kPageBytes], 1);
  EXPECT_FALSE(reads(0, 1));
  ASSERT_EQ(set(2, 2, {{KFD_IOCTL_SVM_ATTR_NO_ACCESS, gpu(0)}}), 0);
  EXPECT_TRUE(reads(1) && !reads(2) && !reads(3) && reads(4));
  EXPECT_EQ(access(0, 2), KFD_IOCTL_SVM_ATTR_ACCESS);
  EXPECT_EQ(access(0, 8), KFD_IOCTL_SVM_ATTR_NO_ACCESS) << "not all of it";
  ASSERT_EQ(set(2, 2, {{KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE, gpu(0)}}), 0);
  EXPECT_TRUE(reads(2));
  EXPECT_EQ(access(0, 8), KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE);
  ASSERT_EQ(set(0, 8, {{KFD_IOCTL_SVM_ATTR_SET_FLAGS, KFD_IOCTL_SVM_FLAG_GPU_RO}}), 0);
  EXPECT_TRUE(reads(3) && !writes(3));
  // One interval again: an access over the borders of the old pieces.
  uint8_t bytes[3 * kPageBytes];
  EXPECT_TRUE(GuestMemory(process->devices()[0]->map()).read(base + 100, bytes, sizeof bytes));
}

TEST_F(SvmTest, AttributesAreCommonOnes) {
  EXPECT_EQ(location(0, 8), 0xffffffffu);
  ASSERT_EQ(set(0, 8,
                {{KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, gpu(1)},
                 {KFD_IOCTL_SVM_ATTR_GRANULARITY, 5},
                 {KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, 0}}),
            0);
  EXPECT_EQ(location(0, 8), gpu(1));
  EXPECT_EQ(get(0, 8, {KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, 9}).value, 0u);
  ASSERT_EQ(set(3, 1,
                {{KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 0},
                 {KFD_IOCTL_SVM_ATTR_GRANULARITY, 3},
                 {KFD_IOCTL_SVM_ATTR_SET_FLAGS, KFD_IOCTL_SVM_FLAG_GPU_READ_MOSTLY}}),
            0);
  EXPECT_EQ(location(0, 3), gpu(1));
  EXPECT_EQ(location(3, 1), 0u);
  EXPECT_EQ(location(0, 8), 0xffffffffu) << "they differ";
  EXPECT_EQ(get(0, 8, {KFD_IOCTL_SVM_ATTR_GRANULARITY, 0}).value, 3u);
  constexpr uint32_t kMostly = KFD_IOCTL_SVM_FLAG_GPU_READ_MOSTLY;
  EXPECT_TRUE(get(3, 1, {KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0}).value & kMostly);
  EXPECT_FALSE(get(0, 8, {KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0}).value & kMostly);
  EXPECT_FALSE(get(0, 8, {KFD_IOCTL_SVM_ATTR_CLR_FLAGS, 0}).value & kMostly);
  EXPECT_TRUE(get(4, 4, {KFD_IOCTL_SVM_ATTR_CLR_FLAGS, 0}).value & kMostly);
}

TEST_F(SvmTest, Refusals) {
  List none, device{{KFD_IOCTL_SVM_ATTR_ACCESS, gpu(0)}};
  EXPECT_EQ(svm(KFD_IOCTL_SVM_OP_SET_ATTR, base + 1, kPageBytes, device), -EINVAL);
  EXPECT_EQ(svm(KFD_IOCTL_SVM_OP_SET_ATTR, base, 0, device), -EINVAL);
  EXPECT_EQ(svm(KFD_IOCTL_SVM_OP_SET_ATTR, base, kPageBytes + 1, device), -EINVAL);
  EXPECT_EQ(svm(KFD_IOCTL_SVM_OP_SET_ATTR, 0x1000, kPageBytes, device), -EFAULT);
  EXPECT_EQ(svm(77, base, kPageBytes, none), -EINVAL);
  EXPECT_EQ(set(0, 1, {{KFD_IOCTL_SVM_ATTR_ACCESS, 0x999}}), -EINVAL);
  EXPECT_EQ(set(0, 1, {{KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 0x999}}), -EINVAL);
  EXPECT_EQ(set(0, 1, {{99, 0}}), -EINVAL);
  kfd::SvmArgs longer{base, kPageBytes, KFD_IOCTL_SVM_OP_SET_ATTR, 5, {}};
  EXPECT_EQ(call(_IOC(_IOC_READ | _IOC_WRITE, 'K', 0x20, 24 + 8), longer), -EINVAL)
      << "more attributes than arguments";
  const Buffer taken = buffer(kPageBytes);
  EXPECT_EQ(svm(KFD_IOCTL_SVM_OP_SET_ATTR, taken.address(), kPageBytes, device), -EADDRINUSE);
  uint8_t byte;
  EXPECT_TRUE(GuestMemory(process->devices()[0]->map()).read(taken.address(), &byte, 1));
}

TEST_F(SvmTest, NewMemoryAtTheAddressesReplacesIt) {
  ASSERT_EQ(set(0, 8, {{KFD_IOCTL_SVM_ATTR_ACCESS, gpu(0)}}), 0);
  kfd_ioctl_alloc_memory_of_gpu_args args;
  ASSERT_EQ(alloc(base + 2 * kPageBytes, kPageBytes, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, args), 0);
  host[2 * kPageBytes] = 55;
  ASSERT_EQ(map_to(args.handle, {gpu(0)}), 0);
  uint8_t byte = 1;
  ASSERT_TRUE(GuestMemory(process->devices()[0]->map()).read(base + 2 * kPageBytes, &byte, 1));
  EXPECT_EQ(byte, 0) << "that of the device";
  EXPECT_TRUE(reads(1) && reads(3));
  EXPECT_EQ(access(2, 1), KFD_IOCTL_SVM_ATTR_NO_ACCESS);
}

}  // namespace
}  // namespace lockstep::mockgpu
