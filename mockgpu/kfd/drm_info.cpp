// SPDX-License-Identifier: MIT
// What a render node says about itself: version, capabilities, device information.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "mockgpu/kfd/drm_handlers.h"
#include "mockgpu/log.h"
#include "mockgpu/user_memory.h"

namespace lockstep::mockgpu::drm {
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

template <class T>
int answer_value(const drm_amdgpu_info& query, T value) {
  return answer(query, &value, sizeof value);
}

// Submission engines by kind, whatever the number of their rings.
uint32_t engine_count(const DeviceProfile& profile, uint32_t kind) {
  if (kind == AMDGPU_HW_IP_GFX) return profile.generation() == isa::Generation::kGfx9 ? 0 : 1;
  return kind == AMDGPU_HW_IP_COMPUTE || kind == AMDGPU_HW_IP_DMA ? 1 : 0;
}

}  // namespace

int amdgpu_info(Node node, drm_amdgpu_info& query) {
  const Process& process = node.process;
  Device& device = node.device;
  const DeviceProfile& profile = device.profile();
  switch (query.query) {
    case AMDGPU_INFO_ACCEL_WORKING:
      return answer_value(query, uint32_t{1});
    case AMDGPU_INFO_HW_IP_COUNT:
      if (query.query_hw_ip.type >= AMDGPU_HW_IP_NUM) return -EINVAL;
      return answer_value(query, engine_count(profile, query.query_hw_ip.type));
    case AMDGPU_INFO_DEV_INFO: {
      const drm_amdgpu_info_device info = device_info(profile);
      return answer(query, &info, sizeof info);
    }
    case AMDGPU_INFO_TIMESTAMP:
      return answer_value(query, device.clock());
    case AMDGPU_INFO_VRAM_USAGE:
    case AMDGPU_INFO_VIS_VRAM_USAGE:
      return answer_value(query, device.buffers().vram_used());
    case AMDGPU_INFO_GTT_USAGE:
      return answer_value(query, device.buffers().gtt_used());
    case AMDGPU_INFO_NUM_BYTES_MOVED:
    case AMDGPU_INFO_NUM_EVICTIONS:
    case AMDGPU_INFO_NUM_VRAM_CPU_PAGE_FAULTS:
    case AMDGPU_INFO_RAS_ENABLED_FEATURES:
      return answer_value(query, uint64_t{0});  // nothing is ever moved
    case AMDGPU_INFO_VRAM_LOST_COUNTER:
      return answer_value(query, uint32_t{0});
    case AMDGPU_INFO_VRAM_GTT:
      return answer_value(query, drm_amdgpu_info_vram_gtt{profile.vram_bytes, profile.vram_bytes,
                                                          process.system_memory().managed_limit()});
    case AMDGPU_INFO_MEMORY: {
      drm_amdgpu_memory_info info{};
      info.vram.total_heap_size = info.vram.usable_heap_size = profile.vram_bytes;
      info.vram.heap_usage = device.buffers().vram_used();
      info.vram.max_allocation = profile.vram_bytes / 4 * 3;
      info.cpu_accessible_vram = info.vram;
      const uint64_t gtt = process.system_memory().managed_limit();
      info.gtt = {gtt, gtt, device.buffers().gtt_used(), gtt / 4 * 3};
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

int version(Node, drm_version& args) {
  const auto put = [](char* to, __kernel_size_t& length, std::string_view text) {
    const size_t copied = std::min<size_t>(length, text.size());
    length = text.size();
    return !to || copy_to_user(reinterpret_cast<uint64_t>(to), text.data(), copied);
  };
  args.version_major = 3;
  args.version_minor = 57;
  args.version_patchlevel = 0;
  const bool ok = put(args.name, args.name_len, "amdgpu") &&
                  put(args.date, args.date_len, "20150101") &&
                  put(args.desc, args.desc_len, "AMD GPU");
  return ok ? 0 : -EFAULT;
}

int get_cap(Node, drm_get_cap& args) {
  switch (args.capability) {
    case DRM_CAP_PRIME:
      args.value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
      return 0;
    case DRM_CAP_TIMESTAMP_MONOTONIC:
      args.value = 1;
      return 0;
    case DRM_CAP_SYNCOBJ:
    case DRM_CAP_SYNCOBJ_TIMELINE:
      args.value = 0;
      return 0;
    default:
      return -EOPNOTSUPP;  // the rest asks for a display
  }
}

}  // namespace lockstep::mockgpu::drm
