// SPDX-License-Identifier: MIT
// Buffers shared as files between two programs (two drivers in this process) and inside one, and
// the limit of system memory.
#include <libdrm/amdgpu_drm.h>

#include "tests/mockgpu/kfd_fixture.h"

namespace lockstep::mockgpu {
namespace {

constexpr unsigned long kExport = _IOWR('K', 0x24, kfd::ExportDmabufArgs);
constexpr uint64_t kHigh = 0x7000'0000'0000;

class DmabufTest : public KfdTest {
 protected:
  void SetUp() override {
    KfdTest::SetUp();
    first = std::move(process);
    open({isa::Target::kGfx1100, isa::Target::kGfx1201});
    second = std::move(process);
    process = std::move(first);
  }
  void TearDown() override {
    first.reset();
    process.reset();
    second.reset();
  }
  /// The other program makes the next calls.
  void change() { std::swap(process, second); }

  int export_fd(uint64_t handle) {
    kfd::ExportDmabufArgs args{handle, O_CLOEXEC, 0};
    const int result = call(kExport, args);
    return result ? result : static_cast<int>(args.dmabuf_fd);
  }
  int import(int fd, uint64_t address, uint64_t& handle, size_t device = 0) {
    kfd_ioctl_import_dmabuf_args args{};
    args.va_addr = address;
    args.gpu_id = gpu(device);
    args.dmabuf_fd = static_cast<uint32_t>(fd);
    const int result = call(AMDKFD_IOC_IMPORT_DMABUF, args);
    handle = args.handle;
    return result;
  }
  int release(uint64_t handle) {
    kfd_ioctl_free_memory_of_gpu_args args{handle};
    return call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, args);
  }
  uint64_t available() {
    kfd_ioctl_get_available_memory_args args{};
    args.gpu_id = gpu();
    EXPECT_EQ(call(AMDKFD_IOC_AVAILABLE_MEMORY, args), 0);
    return args.available;
  }
  template <class Args>
  int drm(unsigned long request, Args& args, size_t device = 0) {
    return drm_ioctl(*process, *process->devices()[device], request,
                     reinterpret_cast<uint64_t>(&args));
  }
  GuestMemory memory(size_t device = 0) { return GuestMemory(process->devices()[device]->map()); }

  std::unique_ptr<Process> first, second;
};

TEST_F(DmabufTest, TwoProgramsSeeOneMemory) {
  const Buffer b = buffer(3 * kPageBytes + 5);
  memcpy(b.host + 100, "from A", 7);
  const int fd = export_fd(b.handle);
  ASSERT_GE(fd, 0);
  EXPECT_TRUE(fcntl(fd, F_GETFD) & FD_CLOEXEC);

  change();
  kfd_ioctl_get_dmabuf_info_args info{};
  info.dmabuf_fd = static_cast<uint32_t>(fd);
  ASSERT_EQ(call(AMDKFD_IOC_GET_DMABUF_INFO, info), 0);
  EXPECT_EQ(info.size, 4 * kPageBytes);
  EXPECT_EQ(info.gpu_id, gpu(0));
  EXPECT_EQ(info.flags, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC);
  EXPECT_EQ(info.metadata_size, 0u);
  const uint64_t before = available();
  uint64_t handle = 0;
  ASSERT_EQ(import(fd, kHigh, handle), 0);
  EXPECT_EQ(available(), before) << "the memory is counted where it was allocated";
  ASSERT_EQ(map_to(handle, {gpu(0)}), 0);
  char text[7];
  ASSERT_TRUE(memory().read(kHigh + 100, text, sizeof text));
  EXPECT_STREQ(text, "from A");
  ASSERT_TRUE(memory().write(kHigh + 100, "from B", 7));
  EXPECT_STREQ(reinterpret_cast<char*>(b.host + 100), "from B");
  close(fd);
}

TEST_F(DmabufTest, MemoryLivesAsLongAsAnyoneNeedsIt) {
  const uint64_t all = available();
  const Buffer b = buffer(kPageBytes);
  b.host[0] = 77;
  const int fd = export_fd(b.handle);
  ASSERT_GE(fd, 0);
  change();
  uint64_t handle = 0;
  ASSERT_EQ(import(fd, kHigh, handle), 0);
  ASSERT_EQ(map_to(handle, {gpu(0)}), 0);
  close(fd);
  change();
  EXPECT_EQ(map_to(b.handle, {gpu(0)}, nullptr, true), 0);
  EXPECT_EQ(release(b.handle), 0);
  EXPECT_EQ(available(), all - kPageBytes) << "the other program still has it";
  const Buffer next = buffer(kPageBytes);
  EXPECT_EQ(next.host[0], 0) << "other memory";
  change();
  uint8_t byte = 0;
  ASSERT_TRUE(memory().read(kHigh, &byte, 1));
  EXPECT_EQ(byte, 77);
  EXPECT_EQ(release(handle), -EBUSY) << "still mapped";
  EXPECT_EQ(map_to(handle, {gpu(0)}, nullptr, true), 0);
  EXPECT_EQ(release(handle), 0);
  change();
  buffer(kPageBytes);
  EXPECT_EQ(available(), all - 2 * kPageBytes) << "given back, then two pages taken";
}

TEST_F(DmabufTest, ADescriptorAloneKeepsMemoryAndBringsItBack) {
  const uint64_t all = available();
  const Buffer b = buffer(kPageBytes);
  b.host[9] = 5;
  const int fd = export_fd(b.handle);
  EXPECT_EQ(map_to(b.handle, {gpu(0)}, nullptr, true), 0);
  EXPECT_EQ(release(b.handle), 0);
  uint64_t again = 0;
  ASSERT_EQ(import(fd, kHigh, again), 0);
  close(fd);
  ASSERT_EQ(map_to(again, {gpu(0)}), 0);
  uint8_t byte = 0;
  ASSERT_TRUE(memory().read(kHigh + 9, &byte, 1));
  EXPECT_EQ(byte, 5);
  EXPECT_EQ(map_to(again, {gpu(0)}, nullptr, true), 0);
  EXPECT_EQ(release(again), 0);
  EXPECT_EQ(available(), all);
}

TEST_F(DmabufTest, BadDescriptorsAndHandles) {
  EXPECT_EQ(export_fd(12345), -EINVAL);
  static int value;
  kfd_ioctl_alloc_memory_of_gpu_args user;
  ASSERT_EQ(
      alloc(kHigh, 4, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR, user, 0, reinterpret_cast<uint64_t>(&value)),
      0);
  EXPECT_EQ(export_fd(user.handle), -EINVAL) << "the program's own memory";
  uint64_t handle = 0;
  EXPECT_EQ(import(-1, kHigh, handle), -EBADF);
  EXPECT_EQ(import(0, kHigh, handle), -EINVAL);
  EXPECT_EQ(import(process->devices()[0]->heap().fd(), kHigh, handle), -EINVAL)
      << "a render node is no buffer";
  const int fd = export_fd(buffer(kPageBytes).handle);
  EXPECT_EQ(import(fd, kHigh, handle, 1), -EINVAL) << "it lies on the other device";
  EXPECT_EQ(import(fd, kHigh + 1, handle), -EINVAL);
  close(fd);
  kfd_ioctl_get_dmabuf_info_args info{};
  info.dmabuf_fd = static_cast<uint32_t>(fd);
  EXPECT_EQ(call(AMDKFD_IOC_GET_DMABUF_INFO, info), -EBADF);
}

TEST_F(DmabufTest, ProgramsWithOtherDevicesAreToldNo) {
  const int fd = export_fd(buffer(kPageBytes).handle);
  open({isa::Target::kGfx90a});
  uint64_t handle = 0;
  EXPECT_EQ(import(fd, kHigh, handle), -EINVAL);
  close(fd);
}

TEST_F(DmabufTest, NamesOfTheDriverPackage) {
  const unsigned long export_name = _IOWR('K', 0x81, kfd::IpcExportArgs);
  const unsigned long import_name = _IOWR('K', 0x80, kfd::IpcImportArgs);
  const Buffer b = buffer(2 * kPageBytes);
  b.host[1] = 99;
  kfd::IpcExportArgs name{b.handle, {}, gpu(), 0};
  ASSERT_EQ(call(export_name, name), 0);
  kfd::IpcExportArgs bad{b.handle + 1, {}, gpu(), 0};
  EXPECT_EQ(call(export_name, bad), -EINVAL);
  bad = {b.handle, {}, 0x999, 0};
  EXPECT_EQ(call(export_name, bad), -EINVAL);

  change();
  kfd::IpcImportArgs in{};
  memcpy(in.share_handle, name.share_handle, sizeof in.share_handle);
  in.va_addr = kHigh;
  in.gpu_id = gpu(1);
  EXPECT_EQ(call(import_name, in), -EINVAL) << "it lies on the other device";
  in.gpu_id = gpu(0);
  ASSERT_EQ(call(import_name, in), 0);
  EXPECT_GE(in.mmap_offset, BufferPool::kForeignOffsets);
  ASSERT_EQ(map_to(in.handle, {gpu(0)}), 0);
  uint8_t byte = 0;
  ASSERT_TRUE(memory().read(kHigh + 1, &byte, 1));
  EXPECT_EQ(byte, 99);
  EXPECT_EQ(map_to(in.handle, {gpu(0)}, nullptr, true), 0);
  EXPECT_EQ(release(in.handle), 0);
  change();

  EXPECT_EQ(map_to(b.handle, {gpu(0)}, nullptr, true), 0);
  EXPECT_EQ(release(b.handle), 0);
  EXPECT_EQ(call(import_name, in), -EINVAL) << "the buffer is gone";
  for (uint32_t& word : in.share_handle) {
    kfd::IpcImportArgs broken = in;
    broken.share_handle[&word - in.share_handle] ^= 0x5a5a;
    EXPECT_EQ(call(import_name, broken), -EINVAL);
  }
}

TEST_F(DmabufTest, RenderNodeHandles) {
  const Buffer b = buffer(2 * kPageBytes);
  b.host[kPageBytes] = 42;
  const int fd = export_fd(b.handle);
  drm_prime_handle prime{};
  prime.fd = fd;
  ASSERT_EQ(drm(DRM_IOCTL_PRIME_FD_TO_HANDLE, prime), 0);
  const uint32_t handle = prime.handle;
  ASSERT_EQ(drm(DRM_IOCTL_PRIME_FD_TO_HANDLE, prime), 0);
  EXPECT_EQ(prime.handle, handle) << "one buffer, one handle";
  drm_amdgpu_gem_create_in created{};
  drm_amdgpu_gem_op op{handle, AMDGPU_GEM_OP_GET_GEM_CREATE_INFO,
                       reinterpret_cast<uint64_t>(&created)};
  ASSERT_EQ(drm(DRM_IOCTL_AMDGPU_GEM_OP, op), 0);
  EXPECT_EQ(created.bo_size, 2 * kPageBytes);
  EXPECT_EQ(created.domains, AMDGPU_GEM_DOMAIN_VRAM);
  drm_amdgpu_gem_mmap where{};
  where.in.handle = handle;
  ASSERT_EQ(drm(DRM_IOCTL_AMDGPU_GEM_MMAP, where), 0);
  auto* seen = static_cast<uint8_t*>(mmap(nullptr, 2 * kPageBytes, PROT_READ, MAP_SHARED,
                                          process->devices()[0]->heap().fd(),
                                          static_cast<off_t>(where.out.addr_ptr)));
  ASSERT_NE(seen, MAP_FAILED);
  EXPECT_EQ(seen[kPageBytes], 42);

  drm_amdgpu_gem_va va{};
  va.handle = handle;
  va.operation = AMDGPU_VA_OP_MAP;
  va.flags = AMDGPU_VM_PAGE_READABLE;
  va.va_address = kHigh;
  va.offset_in_bo = kPageBytes;
  va.map_size = 2 * kPageBytes;
  EXPECT_EQ(drm(DRM_IOCTL_AMDGPU_GEM_VA, va), -EINVAL) << "past the end";
  va.map_size = kPageBytes;
  ASSERT_EQ(drm(DRM_IOCTL_AMDGPU_GEM_VA, va), 0);
  EXPECT_EQ(drm(DRM_IOCTL_AMDGPU_GEM_VA, va), -EINVAL) << "taken";
  uint8_t byte = 0;
  ASSERT_TRUE(memory().read(kHigh, &byte, 1));
  EXPECT_EQ(byte, 42);
  EXPECT_FALSE(memory().write(kHigh, &byte, 1)) << "mapped for reading";

  drm_prime_handle out{};
  out.handle = handle;
  out.flags = DRM_CLOEXEC | DRM_RDWR;
  ASSERT_EQ(drm(DRM_IOCTL_PRIME_HANDLE_TO_FD, out), 0);
  change();
  ASSERT_EQ(drm(DRM_IOCTL_PRIME_FD_TO_HANDLE, out, 1), 0) << "also by the neighbour";
  va.handle = out.handle;
  va.flags |= AMDGPU_VM_PAGE_WRITEABLE;
  ASSERT_EQ(drm(DRM_IOCTL_AMDGPU_GEM_VA, va, 1), 0);
  byte = 43;
  ASSERT_TRUE(memory(1).write(kHigh, &byte, 1));
  EXPECT_EQ(seen[kPageBytes], 43);
  change();

  drm_gem_close gone{handle, 0};
  EXPECT_EQ(drm(DRM_IOCTL_GEM_CLOSE, gone), 0);
  EXPECT_TRUE(memory().read(kHigh, &byte, 1)) << "imported twice, closed once";
  EXPECT_EQ(drm(DRM_IOCTL_GEM_CLOSE, gone), 0);
  EXPECT_FALSE(memory().read(kHigh, &byte, 1));
  EXPECT_EQ(drm(DRM_IOCTL_GEM_CLOSE, gone), -EINVAL);
  EXPECT_EQ(drm(DRM_IOCTL_AMDGPU_GEM_MMAP, where), -ENOENT);
  close(fd);
  close(out.fd);
  munmap(seen, 2 * kPageBytes);
}

TEST_F(DmabufTest, MappingsAreCutAndReplaced) {
  drm_amdgpu_gem_create made{};
  made.in.bo_size = 4 * kPageBytes;
  made.in.domains = AMDGPU_GEM_DOMAIN_GTT;
  ASSERT_EQ(drm(DRM_IOCTL_AMDGPU_GEM_CREATE, made), 0);
  drm_amdgpu_gem_va va{};
  va.handle = made.out.handle;
  va.operation = AMDGPU_VA_OP_MAP;
  va.flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE;
  va.va_address = kHigh;
  va.map_size = 4 * kPageBytes;
  ASSERT_EQ(drm(DRM_IOCTL_AMDGPU_GEM_VA, va), 0);
  for (uint64_t page = 0; page < 4; ++page) {
    ASSERT_TRUE(memory().write(kHigh + page * kPageBytes, &page, 8));
  }
  va.operation = AMDGPU_VA_OP_CLEAR;
  va.va_address = kHigh + kPageBytes;
  va.map_size = kPageBytes;
  ASSERT_EQ(drm(DRM_IOCTL_AMDGPU_GEM_VA, va), 0);
  uint64_t value = 0;
  EXPECT_TRUE(memory().read(kHigh, &value, 8));
  EXPECT_FALSE(memory().read(kHigh + kPageBytes, &value, 8));
  EXPECT_TRUE(memory().read(kHigh + 3 * kPageBytes, &value, 8));
  EXPECT_EQ(value, 3u);
  va.operation = AMDGPU_VA_OP_REPLACE;
  va.va_address = kHigh + 2 * kPageBytes;
  va.offset_in_bo = kPageBytes;
  ASSERT_EQ(drm(DRM_IOCTL_AMDGPU_GEM_VA, va), 0);
  EXPECT_TRUE(memory().read(kHigh + 2 * kPageBytes, &value, 8));
  EXPECT_EQ(value, 1u);
}

TEST_F(DmabufTest, SystemMemoryIsLimited) {
  const SystemMemory& system = process->system_memory();
  const uint64_t half = system.managed_limit() & ~(kPageBytes - 1);
  kfd_ioctl_alloc_memory_of_gpu_args big, more;
  ASSERT_EQ(alloc(kHigh, half, KFD_IOC_ALLOC_MEM_FLAGS_GTT, big), 0);
  EXPECT_EQ(alloc(kHigh, kPageBytes * 2, KFD_IOC_ALLOC_MEM_FLAGS_GTT, more, 1), -ENOMEM)
      << "all devices share it";
  EXPECT_EQ(alloc(kHigh, kPageBytes, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, more), 0);
  drm_amdgpu_memory_info info{};
  drm_amdgpu_info query{};
  query.query = AMDGPU_INFO_MEMORY;
  query.return_pointer = reinterpret_cast<uint64_t>(&info);
  query.return_size = sizeof info;
  ASSERT_EQ(drm(DRM_IOCTL_AMDGPU_INFO, query), 0);
  EXPECT_EQ(info.gtt.heap_usage, half);
  EXPECT_EQ(info.gtt.total_heap_size, system.managed_limit());
  EXPECT_EQ(release(big.handle), 0);
  EXPECT_EQ(alloc(kHigh, kPageBytes * 2, KFD_IOC_ALLOC_MEM_FLAGS_GTT, more, 1), 0);
}

}  // namespace
}  // namespace lockstep::mockgpu
