// SPDX-License-Identifier: MIT
// ioctls of a render node: version, device information with its size contract, refusals.
#include <gtest/gtest.h>
#include <libdrm/amdgpu_drm.h>
#include <sys/ioctl.h>

#include <bit>
#include <cerrno>

#include "mockgpu/kfd/ioctl.h"

namespace lockstep::mockgpu {
namespace {

class NoRunner : public KernelRunner {
 public:
  emu::DispatchResult run(const emu::DispatchRequest&) override { return {}; }
};

class DrmTest : public ::testing::TestWithParam<isa::Target> {
 protected:
  void SetUp() override {
    set_log_level(LogLevel::kError);
    Options options;
    options.devices = {GetParam()};
    auto made = Process::create(options, [] { return std::make_unique<NoRunner>(); });
    ASSERT_TRUE(made) << made.error();
    process = std::move(*made);
  }
  Device& device() { return *process->devices()[0]; }
  template <class Args>
  int call(unsigned long request, Args& args) {
    return drm_ioctl(*process, device(), request, reinterpret_cast<uint64_t>(&args));
  }
  template <class T>
  int info(uint32_t query, T& result, size_t size = sizeof(T)) {
    drm_amdgpu_info args{};
    args.query = query;
    args.return_pointer = reinterpret_cast<uint64_t>(&result);
    args.return_size = static_cast<uint32_t>(size);
    return call(DRM_IOCTL_AMDGPU_INFO, args);
  }
  std::unique_ptr<Process> process;
};

TEST_P(DrmTest, DeviceInformationAgreesWithTheProfile) {
  drm_amdgpu_info_device result{};
  ASSERT_EQ(info(AMDGPU_INFO_DEV_INFO, result), 0);
  const DeviceProfile& profile = device().profile();
  EXPECT_EQ(result.device_id, profile.device_id);
  EXPECT_EQ(result.cu_active_number, profile.cu_count);
  if (profile.shader_engines <= 8) {  // more do not fit into the bitmap of this interface
    int cus = 0;
    for (const auto& row : result.cu_bitmap) {
      for (const uint32_t mask : row) cus += std::popcount(mask);
    }
    EXPECT_EQ(cus, static_cast<int>(profile.cu_count));
  }
}

TEST_P(DrmTest, ReturnSizeIsHonoured) {
  uint32_t words[4] = {~0u, ~0u, ~0u, ~0u};
  ASSERT_EQ(info(AMDGPU_INFO_DEV_INFO, words, 4), 0);
  EXPECT_EQ(words[0], device().profile().device_id);
  EXPECT_EQ(words[1], ~0u);
}

TEST_P(DrmTest, VersionAndMemory) {
  char name[16] = {};
  drm_version version{};
  version.name = name;
  version.name_len = sizeof name;
  ASSERT_EQ(call(DRM_IOCTL_VERSION, version), 0);
  EXPECT_STREQ(name, "amdgpu");
  EXPECT_EQ(version.name_len, 6u);
  drm_amdgpu_memory_info memory{};
  ASSERT_EQ(info(AMDGPU_INFO_MEMORY, memory), 0);
  EXPECT_EQ(memory.vram.total_heap_size, device().profile().vram_bytes);
}

TEST_P(DrmTest, RefusalsAreErrors) {
  uint64_t scratch[64] = {};
  EXPECT_EQ(info(0x777, scratch), -EINVAL);
  EXPECT_EQ(call(_IOWR('d', 0x42, uint64_t), scratch), -EINVAL);
  EXPECT_EQ(call(_IOWR('X', 0x41, uint64_t), scratch), -ENOTTY);
  EXPECT_EQ(drm_ioctl(*process, device(), DRM_IOCTL_AMDGPU_INFO, 0x10), -EFAULT);
  drm_amdgpu_info args{};
  args.query = AMDGPU_INFO_DEV_INFO;
  args.return_pointer = 0x10;
  args.return_size = 100;
  EXPECT_EQ(call(DRM_IOCTL_AMDGPU_INFO, args), -EFAULT);
  drm_amdgpu_info reg{};
  reg.query = AMDGPU_INFO_READ_MMR_REG;
  reg.read_mmr_reg.dword_offset = 0x1234;
  reg.read_mmr_reg.count = 1;
  reg.return_pointer = reinterpret_cast<uint64_t>(scratch);
  reg.return_size = 4;
  EXPECT_EQ(call(DRM_IOCTL_AMDGPU_INFO, reg), -EINVAL);
}

std::string name_of(const ::testing::TestParamInfo<isa::Target>& param) {
  return std::string(isa::target_info(param.param).name);
}
INSTANTIATE_TEST_SUITE_P(Targets, DrmTest,
                         ::testing::Values(isa::Target::kGfx90a, isa::Target::kGfx942,
                                           isa::Target::kGfx1100, isa::Target::kGfx1103,
                                           isa::Target::kGfx1201),
                         name_of);

}  // namespace
}  // namespace lockstep::mockgpu
