// SPDX-License-Identifier: MIT
// The ioctl handlers for devices and memory, with good and with bad arguments.
#include <algorithm>

#include "tests/mockgpu/kfd_fixture.h"

namespace lockstep::mockgpu {
namespace {

TEST_F(KfdTest, VersionAndSizesOfArguments) {
  kfd_ioctl_get_version_args args{};
  EXPECT_EQ(call(AMDKFD_IOC_GET_VERSION, args), 0);
  EXPECT_EQ(args.major_version, 1u);
  EXPECT_EQ(args.minor_version, kfd::kVersionMinor);
  // A program with a shorter structure gets only its part; a longer one is filled as far as known.
  uint32_t small[2] = {0, 0x5555};
  EXPECT_EQ(call(_IOR('K', 1, uint32_t), small), 0);
  EXPECT_EQ(small[0], 1u);
  EXPECT_EQ(small[1], 0x5555u);
}

TEST_F(KfdTest, UnknownAndUnsupportedIoctls) {
  uint64_t args[64] = {};
  EXPECT_EQ(call(_IOWR('K', 0x7f, uint64_t), args), -ENOTTY);
  EXPECT_EQ(call(_IOWR('d', 0x01, uint64_t), args), -ENOTTY);
  EXPECT_EQ(call(AMDKFD_IOC_CRIU_OP, args), -EACCES);
  EXPECT_EQ(call(AMDKFD_IOC_DBG_REGISTER_DEPRECATED, args), -EPERM);
}

int refusal_of(uint32_t number) {
  const std::vector<IoctlSupport> list = kfd_ioctl_support();
  return std::ranges::find(list, number, &IoctlSupport::number)->refusal;
}

TEST_F(KfdTest, BadArgumentPointersAreFaults) {
  for (uint32_t number = 1; number <= 0x26; ++number) {
    for (const uint64_t pointer : {uint64_t{0}, uint64_t{0x10}, ~uint64_t{0} - 7}) {
      const int code = kfd_ioctl(*process, _IOC(_IOC_READ | _IOC_WRITE, 'K', number, 64), pointer);
      const int refusal = refusal_of(number);
      EXPECT_TRUE(refusal ? code == -refusal : code == -EFAULT) << number << ": " << code;
    }
  }
}

TEST_F(KfdTest, AcquireVmChecksTheRenderNode) {
  kfd_ioctl_acquire_vm_args args{};
  args.drm_fd = static_cast<uint32_t>(process->devices()[0]->heap().fd());
  args.gpu_id = gpu(0);
  EXPECT_EQ(call(AMDKFD_IOC_ACQUIRE_VM, args), 0);
  const int duplicate = dup(static_cast<int>(args.drm_fd));
  args.drm_fd = static_cast<uint32_t>(duplicate);
  EXPECT_EQ(call(AMDKFD_IOC_ACQUIRE_VM, args), 0) << "a duplicate is the same file";
  args.gpu_id = gpu(1);
  EXPECT_EQ(call(AMDKFD_IOC_ACQUIRE_VM, args), -EINVAL);
  args.gpu_id = 0x999;
  EXPECT_EQ(call(AMDKFD_IOC_ACQUIRE_VM, args), -EINVAL);
  args.gpu_id = gpu(0);
  args.drm_fd = 0;
  EXPECT_EQ(call(AMDKFD_IOC_ACQUIRE_VM, args), -EINVAL);
  close(duplicate);
}

TEST_F(KfdTest, AllocationErrors) {
  kfd_ioctl_alloc_memory_of_gpu_args args;
  const uint64_t va = 0x7000'0000'0000;
  EXPECT_EQ(alloc(va, 0, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, args), -EINVAL);
  EXPECT_EQ(alloc(va + 8, 64, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, args), -EINVAL);
  EXPECT_EQ(alloc(va, 64, 0, args), -EINVAL) << "no domain";
  EXPECT_EQ(alloc(va, 64, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT, args),
            -EINVAL);
  EXPECT_EQ(alloc(va, 64, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, args, 5), -EINVAL) << "no such gpu";
  EXPECT_EQ(alloc(va, ~0ull - 4096, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, args), -EINVAL);
  EXPECT_EQ(alloc(va, 64, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR, args), -EINVAL) << "no CPU address";
  EXPECT_EQ(alloc(va, 64, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR, args, 0, 0x10), -EFAULT);
  EXPECT_EQ(alloc(va, 64, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, args), -EINVAL);
  EXPECT_EQ(alloc(va, 64, KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP, args), -EINVAL);
}

TEST_F(KfdTest, VramIsCounted) {
  const uint64_t total = process->devices()[0]->profile().vram_bytes;
  kfd_ioctl_alloc_memory_of_gpu_args first, second;
  EXPECT_EQ(alloc(0x7000'0000'0000, total - 4096, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, first), 0);
  EXPECT_EQ(alloc(0x7100'0000'0000, 4097, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, second), -ENOMEM);
  kfd_ioctl_get_available_memory_args available{};
  available.gpu_id = gpu();
  EXPECT_EQ(call(AMDKFD_IOC_AVAILABLE_MEMORY, available), 0);
  EXPECT_EQ(available.available, 4096u);
  EXPECT_EQ(alloc(0x7100'0000'0000, 1, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, second), 0);
  kfd_ioctl_free_memory_of_gpu_args free_args{first.handle};
  EXPECT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, free_args), 0);
  EXPECT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, free_args), -EINVAL) << "freed already";
  EXPECT_EQ(call(AMDKFD_IOC_AVAILABLE_MEMORY, available), 0);
  EXPECT_EQ(available.available, total - 4096);
}

TEST_F(KfdTest, MappingLifeCycle) {
  const Buffer b = buffer(100);
  memcpy(b.host, "hello", 6);
  GuestMemory memory(process->devices()[0]->map());
  char text[6];
  ASSERT_TRUE(memory.read(b.address(), text, 6));
  EXPECT_STREQ(text, "hello");
  uint8_t byte;
  EXPECT_TRUE(memory.read(b.address() + 127, &byte, 1)) << "ends are rounded to 64 bytes";
  EXPECT_FALSE(memory.read(b.address() + 128, &byte, 1));
  EXPECT_FALSE(GuestMemory(process->devices()[1]->map()).read(b.address(), &byte, 1));

  uint32_t success = 0;
  EXPECT_EQ(map_to(b.handle, {gpu(0), gpu(1)}, &success), 0);
  EXPECT_EQ(success, 2u);
  EXPECT_TRUE(GuestMemory(process->devices()[1]->map()).read(b.address(), &byte, 1));
  EXPECT_EQ(map_to(b.handle, {gpu(0), 0x999}, &success), -EINVAL);
  EXPECT_EQ(success, 1u);
  EXPECT_EQ(map_to(b.handle, {}), -EINVAL);
  EXPECT_EQ(map_to(b.handle + 1, {gpu(0)}), -EINVAL);

  kfd_ioctl_free_memory_of_gpu_args free_args{b.handle};
  EXPECT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, free_args), -EBUSY) << "still mapped";
  EXPECT_EQ(map_to(b.handle, {gpu(0), gpu(1)}, &success, true), 0);
  EXPECT_EQ(success, 2u);
  EXPECT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, free_args), 0);
  EXPECT_FALSE(GuestMemory(process->devices()[0]->map()).read(b.address(), &byte, 1));
}

TEST_F(KfdTest, DeviceSideSurvivesAnEarlyUnmap) {
  const Buffer b = buffer(4096);
  b.host[5] = 42;
  munmap(b.host, b.size);
  uint8_t byte = 0;
  EXPECT_TRUE(GuestMemory(process->devices()[0]->map()).read(b.address() + 5, &byte, 1));
  EXPECT_EQ(byte, 42);
}

TEST_F(KfdTest, FreedMemoryComesBackZeroed) {
  const Buffer b = buffer(4096);
  b.host[0] = 1;
  EXPECT_EQ(map_to(b.handle, {gpu(0)}, nullptr, true), 0);
  munmap(b.host, b.size);
  kfd_ioctl_free_memory_of_gpu_args free_args{b.handle};
  EXPECT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, free_args), 0);
  const Buffer next = buffer(4096);
  EXPECT_EQ(next.host[0], 0);
}

TEST_F(KfdTest, UserPointersTranslate) {
  static int value = 77;
  const uint64_t va = 0x7000'0000'0ad0;
  kfd_ioctl_alloc_memory_of_gpu_args args;
  ASSERT_EQ(alloc(va, sizeof value, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR, args, 0,
                  reinterpret_cast<uint64_t>(&value)),
            0);
  ASSERT_EQ(map_to(args.handle, {gpu(0)}), 0);
  int seen = 0;
  EXPECT_TRUE(GuestMemory(process->devices()[0]->map()).read(va, &seen, sizeof seen));
  EXPECT_EQ(seen, 77);
}

TEST_F(KfdTest, OverlapIsRefused) {
  const Buffer b = buffer(8192);
  kfd_ioctl_alloc_memory_of_gpu_args args;
  ASSERT_EQ(alloc(b.address() + 4096, 4096, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, args), 0);
  EXPECT_EQ(map_to(args.handle, {gpu(0)}), -EINVAL);
}

TEST_F(KfdTest, Apertures) {
  kfd_ioctl_get_process_apertures_new_args args{};
  EXPECT_EQ(call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, args), 0);
  EXPECT_EQ(args.num_of_nodes, 2u);
  std::vector<kfd_process_device_apertures> list(4);
  args.num_of_nodes = 4;
  args.kfd_process_device_apertures_ptr = reinterpret_cast<uint64_t>(list.data());
  EXPECT_EQ(call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, args), 0);
  EXPECT_EQ(args.num_of_nodes, 2u);
  EXPECT_EQ(list[1].gpu_id, gpu(1));
  EXPECT_GE(list[0].gpuvm_limit, (1ull << 47) - 1);
  args.num_of_nodes = 4;
  args.kfd_process_device_apertures_ptr = 0x10;
  EXPECT_EQ(call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, args), -EFAULT);
}

}  // namespace
}  // namespace lockstep::mockgpu
