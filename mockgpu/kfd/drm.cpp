// SPDX-License-Identifier: MIT
// The DRM ioctls of a render node that compute programs use: version and device information.
#include <libdrm/amdgpu_drm.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "mockgpu/kfd/ioctl.h"
#include "mockgpu/log.h"
#include "mockgpu/user_memory.h"

namespace lockstep::mockgpu {
namespace {

// The one configuration register that user-mode drivers read: how addresses spread over channels.
constexpr uint32_t kGbAddrConfig = 0x263e;

drm_amdgpu_info_device device_info(const DeviceProfile& profile) {
  drm_amdgpu_info_device info{};
  info.device_id = profile.device_id;
  info.pci_rev = profile.pci_revision;
  info.external_rev = 1;
  info.family = profile.family;
  info.num_shader_engines = profile.shader_engines;
  info.num_shader_arrays_per_engine = profile.arrays_per_engine;
  info.gpu_counter_freq = 100'000;
  info.max_engine_clock = profile.engine_clock_mhz * 1000ull;
  info.max_memory_clock = profile.memory_clock_mhz * 1000ull;
  info.cu_active_number = profile.cu_count;
  // Engines beyond the fourth use the upper rows of the same columns, as the kernel lays them out.
  for (uint32_t engine = 0; engine < std::min(profile.shader_engines, 8u); ++engine) {
    for (uint32_t array = 0; array < profile.arrays_per_engine; ++array) {
      const uint32_t mask = active_cu_mask(profile, engine, array);
      const uint32_t row = engine % 4, column = array + engine / 4 * 2;
      info.cu_bitmap[row][column] = info.cu_ao_bitmap[row][column] = mask;
    }
  }
  info.virtual_address_offset = 0x200000;
  info.virtual_address_max = 0x8000'0000'0000;
  info.virtual_address_alignment = 0x1000;
  info.pte_fragment_size = 0x200000;
  info.gart_page_size = 0x1000;
  info.vram_bit_width = profile.memory_bus_bits;
  info.wave_front_size = profile.wave_size;
  info.num_shader_visible_vgprs = profile.generation() == isa::Generation::kGfx9 ? 512 : 1024;
  info.num_cu_per_sh = profile.cu_per_array;
  info.num_tcc_blocks = 16;
  info.high_va_offset = 0xffff'8000'0000'0000;
  info.high_va_max = 0xffff'ffff'ffff'f000;
  return info;
}

// The program says how much it wants; it gets at most that.
int answer(const drm_amdgpu_info& query, const void* data, size_t size) {
  const size_t length = std::min<size_t>(query.return_size, size);
  return copy_to_user(query.return_pointer, data, length) ? 0 : -EFAULT;
}

int amdgpu_info(Device& device, const drm_amdgpu_info& query) {
  const DeviceProfile& profile = device.profile();
  switch (query.query) {
    case AMDGPU_INFO_ACCEL_WORKING: {
      const uint32_t working = 1;
      return answer(query, &working, sizeof working);
    }
    case AMDGPU_INFO_DEV_INFO: {
      const drm_amdgpu_info_device info = device_info(profile);
      return answer(query, &info, sizeof info);
    }
    case AMDGPU_INFO_TIMESTAMP: {
      const uint64_t now = device.clock();
      return answer(query, &now, sizeof now);
    }
    case AMDGPU_INFO_VRAM_USAGE:
    case AMDGPU_INFO_VIS_VRAM_USAGE: {
      const uint64_t used = profile.vram_bytes - device.vram_free();
      return answer(query, &used, sizeof used);
    }
    case AMDGPU_INFO_VRAM_GTT: {
      const drm_amdgpu_info_vram_gtt info{profile.vram_bytes, profile.vram_bytes,
                                          profile.vram_bytes};
      return answer(query, &info, sizeof info);
    }
    case AMDGPU_INFO_MEMORY: {
      drm_amdgpu_memory_info info{};
      info.vram.total_heap_size = info.vram.usable_heap_size = profile.vram_bytes;
      info.vram.heap_usage = profile.vram_bytes - device.vram_free();
      info.vram.max_allocation = profile.vram_bytes / 4 * 3;
      info.cpu_accessible_vram = info.vram;
      info.gtt = info.vram;
      info.gtt.heap_usage = 0;
      return answer(query, &info, sizeof info);
    }
    case AMDGPU_INFO_READ_MMR_REG: {
      const auto& wanted = query.read_mmr_reg;
      if (wanted.dword_offset != kGbAddrConfig || wanted.count != 1) {
        log(LogLevel::kWarn, "render node: READ_MMR_REG of unknown register {:#x} (count {})",
            uint32_t{wanted.dword_offset}, uint32_t{wanted.count});
        return -EINVAL;
      }
      return answer(query, &profile.gb_addr_config, sizeof profile.gb_addr_config);
    }
    default:
      log(LogLevel::kWarn, "render node: AMDGPU_INFO query {:#x} is not supported", query.query);
      return -EINVAL;
  }
}

int drm_version_of(drm_version& version) {
  const auto put = [](char* to, __kernel_size_t& length, std::string_view text) {
    const size_t copied = std::min<size_t>(length, text.size());
    length = text.size();
    return !to || copy_to_user(reinterpret_cast<uint64_t>(to), text.data(), copied);
  };
  version.version_major = 3;
  version.version_minor = 57;
  version.version_patchlevel = 0;
  const bool ok = put(version.name, version.name_len, "amdgpu") &&
                  put(version.date, version.date_len, "20150101") &&
                  put(version.desc, version.desc_len, "AMD GPU");
  return ok ? 0 : -EFAULT;
}

template <class Args, class Handler>
int with_arguments(uint64_t argument, bool copy_back, Handler handler) {
  Args args{};
  if (!copy_from_user(&args, argument, sizeof args)) return -EFAULT;
  const int result = handler(args);
  if (copy_back && !copy_to_user(argument, &args, sizeof args)) return -EFAULT;
  return result;
}

}  // namespace

int drm_ioctl(Process& process, Device& device, unsigned long request, uint64_t argument) {
  const std::lock_guard lock(process.mutex());
  if (_IOC_TYPE(request) == DRM_IOCTL_BASE) {
    switch (_IOC_NR(request)) {
      case _IOC_NR(DRM_IOCTL_VERSION):
        return with_arguments<drm_version>(argument, true, drm_version_of);
      case _IOC_NR(DRM_IOCTL_AMDGPU_INFO):
        return with_arguments<drm_amdgpu_info>(argument, false, [&](const drm_amdgpu_info& query) {
          return amdgpu_info(device, query);
        });
      default:
        break;
    }
  }
  log(LogLevel::kWarn, "render node: unknown ioctl {:#x} (number {:#x})", request,
      _IOC_NR(request));
  return _IOC_TYPE(request) == DRM_IOCTL_BASE ? -EINVAL : -ENOTTY;
}

}  // namespace lockstep::mockgpu
