// SPDX-License-Identifier: MIT
// Reads /sys/devices/virtual/kfd/kfd/topology.
#include "runtime/topology.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <map>

namespace lockstep::runtime {
namespace {

const char* const kNodes = "/sys/devices/virtual/kfd/kfd/topology/nodes";
const char* const kAdvice =
    "a card needs the amdgpu driver with its compute part (KFD); without a card, run the program "
    "under `lockstep run`";

bool read_text(const std::string& path, std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (!file) return false;
  char buffer[4096];
  size_t n;
  text.clear();
  while ((n = std::fread(buffer, 1, sizeof buffer, file)) > 0) text.append(buffer, n);
  const bool good = !std::ferror(file);
  std::fclose(file);
  return good;
}

/// "key value" lines.
std::map<std::string, uint64_t> parse_properties(const std::string& text) {
  std::map<std::string, uint64_t> values;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const size_t blank = line.find(' ');
    if (blank == std::string::npos) continue;
    uint64_t value = 0;
    const char* last = line.data() + line.size();
    if (std::from_chars(line.data() + blank + 1, last, value).ec == std::errc())
      values[line.substr(0, blank)] = value;
  }
  return values;
}

std::vector<uint32_t> node_numbers(DIR* directory) {
  std::vector<uint32_t> numbers;
  while (const dirent* entry = readdir(directory)) {
    uint32_t number = 0;
    const char* last = entry->d_name + std::strlen(entry->d_name);
    const auto parsed = std::from_chars(entry->d_name, last, number);
    if (parsed.ec == std::errc() && parsed.ptr == last) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::optional<isa::Target> target_of(uint32_t version) {
  for (const isa::TargetInfo& info : isa::all_targets())
    if (info.gfx_target_version == version) return info.target;
  return std::nullopt;
}

}  // namespace

std::string GpuNode::describe() const {
  const std::string name =
      target ? std::string(isa::target_info(*target).name)
             : fmt::format("unknown GPU (gfx_target_version {})", gfx_target_version);
  return fmt::format("{} (gpu id {:#x}, /dev/dri/renderD{})", name, gpu_id, render_minor);
}

Result<std::vector<GpuNode>> list_gpus() {
  if (access("/dev/kfd", F_OK) != 0)
    return Error{fmt::format("there is no /dev/kfd on this machine: {}", kAdvice)};
  DIR* directory = opendir(kNodes);
  if (!directory)
    return Error{fmt::format("cannot read {}: {}; {}", kNodes, strerror(errno), kAdvice)};
  const std::vector<uint32_t> numbers = node_numbers(directory);
  closedir(directory);

  std::vector<GpuNode> gpus;
  std::string text;
  for (const uint32_t number : numbers) {
    const std::string folder = fmt::format("{}/{}", kNodes, number);
    if (!read_text(folder + "/gpu_id", text)) continue;  // a device that this user may not use
    const auto id = static_cast<uint32_t>(std::strtoul(text.c_str(), nullptr, 10));
    if (id == 0) continue;  // a CPU
    if (!read_text(folder + "/properties", text))
      return Error{fmt::format("cannot read {}/properties: {}", folder, strerror(errno))};
    auto p = parse_properties(text);
    const auto number_of = [&](const char* key) { return static_cast<uint32_t>(p[key]); };
    GpuNode gpu;
    gpu.node = number;
    gpu.gpu_id = id;
    gpu.render_minor = number_of("drm_render_minor");
    gpu.gfx_target_version = number_of("gfx_target_version");
    gpu.target = target_of(gpu.gfx_target_version);
    gpu.simd_count = number_of("simd_count");
    gpu.simd_per_cu = number_of("simd_per_cu");
    gpu.array_count = number_of("array_count");
    gpu.arrays_per_engine = number_of("simd_arrays_per_engine");
    gpu.lds_kib = number_of("lds_size_in_kb");
    gpu.xcc_count = std::max(1u, number_of("num_xcc"));
    gpu.device_id = number_of("device_id");
    gpu.firmware_version = number_of("fw_version");
    gpu.cwsr_size = number_of("cwsr_size");
    gpu.ctl_stack_size = number_of("ctl_stack_size");
    gpus.push_back(gpu);
  }
  if (gpus.empty())
    return Error{
        fmt::format("{} lists no GPU that this user may use (is the user in the group render?); {}",
                    kNodes, kAdvice)};
  return gpus;
}

}  // namespace lockstep::runtime
