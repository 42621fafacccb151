// SPDX-License-Identifier: MIT
// Writes the topology tree: KFD nodes, the list of kernel modules; drm_sysfs.cpp adds the DRM class.
#include "mockgpu/topology.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "mockgpu/drm_sysfs.h"
#include "mockgpu/tree_writer.h"

namespace lockstep::mockgpu {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kRoots[] = {
    "/sys/devices/virtual/kfd",
    "/sys/class/kfd",
    "/sys/class/drm",
    "/sys/module/amdgpu",
    "/dev/dri",
    "/proc/modules",
    kPciRoot,
};
constexpr std::string_view kCharDevices = "/sys/dev/char/226:";

bool has_prefix_dir(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
}

// Keys and values of one sysfs "properties" file.
class Properties {
 public:
  Properties& add(std::string_view key, uint64_t value) {
    text_ += fmt::format("{} {}\n", key, value);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

uint32_t capability_of(const DeviceProfile& profile) {
  uint32_t bits = 2u << 12;   // doorbells of 8 bytes
  bits |= 1u << 7 | 2u << 8;  // four watch points
  bits |= 1u << 27;           // the SVM ioctl
  if (profile.sram_ecc) bits |= 1u << 20 | 1u << 26;
  return bits;
}

void write_cache(TreeWriter& tree, const std::string& node, int index, uint32_t level, uint32_t kib,
                 uint32_t line, uint32_t type) {
  Properties p;
  p.add("processor_id_low", 0).add("level", level).add("size", kib).add("cache_line_size", line);
  p.add("cache_lines_per_tag", 1).add("association", 16).add("latency", 0).add("type", type);
  tree.file(fmt::format("{}/caches/{}/properties", node, index), p.text() + "sibling_map 1\n");
}

void write_cpu_node(TreeWriter& tree, const std::string& node, size_t gpus) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  tree.file(node + "/gpu_id", "0\n");
  tree.file(node + "/name", "\n");
  Properties p;
  p.add("cpu_cores_count", cores).add("simd_count", 0).add("mem_banks_count", 1);
  p.add("caches_count", 1).add("io_links_count", gpus).add("p2p_links_count", 0);
  p.add("cpu_core_id_base", 0).add("simd_id_base", 0).add("max_waves_per_simd", 0);
  p.add("lds_size_in_kb", 0).add("gds_size_in_kb", 0).add("num_gws", 0).add("wave_front_size", 0);
  p.add("array_count", 0).add("simd_arrays_per_engine", 0).add("cu_per_simd_array", 0);
  p.add("simd_per_cu", 0).add("max_slots_scratch_cu", 0).add("gfx_target_version", 0);
  p.add("vendor_id", 0).add("device_id", 0).add("location_id", 0).add("domain", 0);
  p.add("drm_render_minor", 0).add("hive_id", 0).add("num_sdma_engines", 0);
  p.add("num_sdma_xgmi_engines", 0).add("num_sdma_queues_per_engine", 0).add("num_cp_queues", 0);
  p.add("max_engine_clk_ccompute", 3000);
  tree.file(node + "/properties", p.text());
  Properties bank;
  bank.add("heap_type", 0).add("size_in_bytes", system_memory_bytes()).add("flags", 0);
  bank.add("width", 64).add("mem_clk_max", 3200);
  tree.file(node + "/mem_banks/0/properties", bank.text());
  write_cache(tree, node, 0, 1, 32, 64, 1 | 4);
}

struct LinkKind {
  uint32_t type, weight, min_bandwidth, max_bandwidth;  ///< MB/s
};
constexpr LinkKind kPcie = {2, 20, 312, 31504}, kXgmi = {11, 15, 50000, 200000};
constexpr LinkKind kPciePeer = {2, 40, 312, 31504};  // through the root complex: two hops

void write_link(TreeWriter& tree, const std::string& links, size_t index, size_t from, size_t to,
                const LinkKind& kind) {
  Properties p;
  p.add("type", kind.type).add("version_major", 0).add("version_minor", 0).add("node_from", from);
  p.add("node_to", to).add("weight", kind.weight).add("min_latency", 0).add("max_latency", 0);
  p.add("min_bandwidth", kind.min_bandwidth).add("max_bandwidth", kind.max_bandwidth);
  p.add("recommended_transfer_size", 0).add("flags", 1);
  tree.file(fmt::format("{}/{}/properties", links, index), p.text());
}

/// Instinct cards of one machine form a hive; other cards reach each other over PCI Express.
bool in_hive(const DeviceProfile& profile) { return profile.sdma_xgmi_engines > 0; }
bool share_hive(const DeviceProfile& a, const DeviceProfile& b) {
  return in_hive(a) && a.target == b.target;
}
constexpr uint64_t kHiveId = 0x4c6f'636b'7374'0000;

/// Links of a GPU to the system and to every other GPU. Returns {io links, peer links}.
std::pair<size_t, size_t> write_gpu_links(TreeWriter& tree, const std::string& node, size_t index,
                                          const std::vector<isa::Target>& devices) {
  size_t direct = 0, peers = 0;
  write_link(tree, node + "/io_links", direct++, index + 1, 0, kPcie);
  for (size_t other = 0; other < devices.size(); ++other) {
    if (other == index) continue;
    if (share_hive(device_profile(devices[index]), device_profile(devices[other]))) {
      write_link(tree, node + "/io_links", direct++, index + 1, other + 1, kXgmi);
    } else {
      write_link(tree, node + "/p2p_links", peers++, index + 1, other + 1, kPciePeer);
    }
  }
  return {direct, peers};
}

void write_gpu_node(TreeWriter& tree, const std::string& node, size_t index,
                    const std::vector<isa::Target>& devices) {
  const DeviceProfile& profile = device_profile(devices[index]);
  const auto [direct, peers] = write_gpu_links(tree, node, index, devices);
  const isa::TargetInfo& info = isa::target_info(profile.target);
  tree.file(node + "/gpu_id", fmt::format("{}\n", gpu_id_of(index)));
  tree.file(node + "/name", fmt::format("{}\n", info.name));
  const int caches = profile.l3_kib ? 3 : 2;
  Properties p;
  p.add("cpu_cores_count", 0).add("simd_count", profile.simd_count()).add("mem_banks_count", 1);
  p.add("caches_count", static_cast<uint64_t>(caches));
  p.add("io_links_count", direct).add("p2p_links_count", peers);
  p.add("cpu_core_id_base", 0).add("simd_id_base", 2147487744u + index * 1024);
  p.add("max_waves_per_simd", profile.max_waves_per_simd).add("lds_size_in_kb", profile.lds_kib);
  p.add("gds_size_in_kb", 0)
      .add("num_gws", profile.gws_count)
      .add("wave_front_size", profile.wave_size);
  p.add("array_count", profile.array_count());
  p.add("simd_arrays_per_engine", profile.arrays_per_engine);
  p.add("cu_per_simd_array", profile.cu_per_array).add("simd_per_cu", profile.simd_per_cu);
  p.add("max_slots_scratch_cu", profile.max_scratch_slots_per_cu);
  p.add("gfx_target_version", info.gfx_target_version).add("vendor_id", 0x1002);
  p.add("device_id", profile.device_id).add("location_id", pci_location_of(index)).add("domain", 0);
  p.add("drm_render_minor", render_minor_of(index)).add("hive_id", in_hive(profile) ? kHiveId : 0);
  p.add("num_sdma_engines", profile.sdma_engines);
  p.add("num_sdma_xgmi_engines", profile.sdma_xgmi_engines);
  p.add("num_sdma_queues_per_engine", profile.sdma_queues_per_engine).add("num_cp_queues", 8);
  p.add("max_engine_clk_fcompute", profile.engine_clock_mhz);
  p.add("max_engine_clk_ccompute", 3000);
  p.add("local_mem_size", profile.vram_bytes).add("fw_version", profile.firmware_version);
  p.add("capability", capability_of(profile)).add("debug_prop", 0);
  p.add("sdma_fw_version", profile.sdma_firmware_version);
  p.add("unique_id", unique_id_of(index)).add("num_xcc", profile.xcc_count);
  tree.file(node + "/properties", p.text());
  Properties bank;
  bank.add("heap_type", 1).add("size_in_bytes", profile.vram_bytes).add("flags", 0);
  bank.add("width", profile.memory_bus_bits).add("mem_clk_max", profile.memory_clock_mhz);
  tree.file(node + "/mem_banks/0/properties", bank.text());
  write_cache(tree, node, 0, 1, profile.l1_kib, 128, 1 | 8);
  write_cache(tree, node, 1, 2, profile.l2_kib, 128, 1 | 8);
  if (profile.l3_kib) write_cache(tree, node, 2, 3, profile.l3_kib, 64, 1 | 8);
}

// The machine's own list with the driver in it; a container may have no list at all. Read by a plain
// system call: the interposed open() would ask for the very tree that is being made.
std::string modules_with_driver() {
  std::string real;
  const long fd = syscall(SYS_openat, AT_FDCWD, "/proc/modules", O_RDONLY | O_CLOEXEC, 0);
  if (fd >= 0) {
    char buffer[4096];
    for (ssize_t n; (n = read(static_cast<int>(fd), buffer, sizeof buffer)) > 0;) {
      real.append(buffer, static_cast<size_t>(n));
    }
    close(static_cast<int>(fd));
  }
  std::string text = "amdgpu 12648448 0 - Live 0x0000000000000000\n";
  std::istringstream lines(real);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("amdgpu ")) text += line + '\n';
  }
  return text;
}

// Trees of processes that died without removing them (killed, or left by _exit in a fork child).
void sweep_stale(const fs::path& parent, const std::string& stem) {
  std::error_code code;
  for (fs::directory_iterator it(parent, code), end; !code && it != end; it.increment(code)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(stem)) continue;
    const char* digits = name.c_str() + stem.size();
    int pid = 0;
    const auto parsed = std::from_chars(digits, name.c_str() + name.size(), pid);
    if (parsed.ec != std::errc() || *parsed.ptr != '.' || pid <= 0) continue;
    if (kill(pid, 0) == 0 || errno != ESRCH) continue;
    std::error_code ignored;
    fs::remove_all(it->path(), ignored);
  }
}

}  // namespace

uint64_t system_memory_bytes() {
  struct sysinfo info{};
  return sysinfo(&info) == 0 ? uint64_t{info.totalram} * info.mem_unit : 0;
}

uint32_t gpu_id_of(size_t device_index) {
  return 0x5a10 + static_cast<uint32_t>(device_index) * 0x101;
}

uint32_t render_minor_of(size_t device_index) { return 128 + static_cast<uint32_t>(device_index); }

Result<Topology> Topology::create(const std::vector<isa::Target>& devices) {
  const char* temp = getenv("TMPDIR");
  const fs::path parent = temp && *temp ? temp : "/tmp";
  const std::string stem = fmt::format("lockstep-{}-", getuid());
  sweep_stale(parent, stem);
  std::string pattern = (parent / fmt::format("{}{}.XXXXXX", stem, getpid())).string();
  if (!mkdtemp(pattern.data())) {
    return Error{fmt::format("cannot create {}: {}; set TMPDIR to a writable directory", pattern,
                             strerror(errno))};
  }
  Topology topology{fs::path(pattern)};
  TreeWriter tree(topology.root_);
  const std::string kfd = "sys/devices/virtual/kfd/kfd";
  const std::string nodes = kfd + "/topology/nodes";
  tree.file(kfd + "/dev", "235:0\n");
  tree.file(kfd + "/topology/generation_id", "2\n");
  tree.file(kfd + "/topology/system_properties", "platform_oem 0\nplatform_id 0\nplatform_rev 0\n");
  write_cpu_node(tree, nodes + "/0", devices.size());
  for (size_t i = 0; i < devices.size(); ++i) {
    write_gpu_node(tree, fmt::format("{}/{}", nodes, i + 1), i, devices);
    write_link(tree, nodes + "/0/io_links", i, 0, i + 1, kPcie);
    write_drm_device(tree, i, device_profile(devices[i]));
  }
  tree.directory(kfd + "/proc");  // monitors look here for programs; each has a machine of its own
  tree.link("sys/class/kfd/kfd", "../../devices/virtual/kfd/kfd");
  // lsmod and its like look for the driver in the list of modules.
  tree.file("proc/modules", modules_with_driver());
  tree.file("sys/module/amdgpu/initstate", "live\n");
  tree.file("sys/module/amdgpu/refcnt", "1\n");
  tree.directory("sys/module/amdgpu/holders");
  if (!tree.error().empty()) return Error{tree.error()};
  return topology;
}

Topology::Topology(Topology&& other) noexcept : root_(std::move(other.root_)) {
  other.root_.clear();
}

Topology::~Topology() {
  if (root_.empty()) return;
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

bool is_redirected_path(std::string_view path) {
  for (const std::string_view root : kRoots) {
    if (has_prefix_dir(path, root)) return true;
  }
  return path.starts_with(kCharDevices);
}

std::string Topology::redirect(std::string_view path) const {
  if (root_.empty() || !is_redirected_path(path)) return {};
  return root_.string() + std::string(path);
}

}  // namespace lockstep::mockgpu
