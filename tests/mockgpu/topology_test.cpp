// SPDX-License-Identifier: MIT
// The generated tree: what clients parse must be there, parse, and agree with the device table.
#include "mockgpu/topology.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace lockstep::mockgpu {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::map<std::string, uint64_t> properties(const fs::path& path) {
  const std::string text = read_file(path);
  EXPECT_LE(text.size(), 4096u) << "sysfs gives at most a page";
  std::map<std::string, uint64_t> result;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string key, value, rest;
    EXPECT_TRUE(words >> key >> value) << line;
    EXPECT_FALSE(words >> rest) << line;
    EXPECT_EQ(value.find_first_not_of("0123456789"), std::string::npos) << line;
    result[key] = std::stoull(value);
  }
  return result;
}

std::vector<isa::Target> every_target() {
  std::vector<isa::Target> all;
  for (const isa::TargetInfo& info : isa::all_targets()) all.push_back(info.target);
  return all;
}

TEST(DeviceTable, RowsAreConsistent) {
  std::set<uint32_t> ids;
  for (const DeviceProfile& p : all_device_profiles()) {
    const auto name = isa::target_info(p.target).name;
    EXPECT_EQ(&device_profile(p.target), &p) << name;
    EXPECT_TRUE(ids.insert(p.device_id).second) << name;
    EXPECT_LE(p.cu_count, p.array_count() * p.cu_per_array) << name;
    EXPECT_EQ(p.shader_engines % p.xcc_count, 0u) << name;
    EXPECT_EQ(p.lds_kib * 1024, isa::target_info(p.target).lds_bytes) << name;
    EXPECT_EQ(p.wave_size, isa::target_info(p.target).has_wave32 ? 32u : 64u) << name;
    uint32_t cus = 0;
    for (uint32_t e = 0; e < p.shader_engines; ++e) {
      for (uint32_t a = 0; a < p.arrays_per_engine; ++a) {
        cus += static_cast<uint32_t>(std::popcount(active_cu_mask(p, e, a)));
      }
    }
    EXPECT_EQ(cus, p.cu_count) << name;
  }
}

TEST(Topology, NodesAndTheirProperties) {
  const auto targets = every_target();
  auto topology = Topology::create(targets);
  ASSERT_TRUE(topology) << topology.error();
  const fs::path nodes = topology->redirect("/sys/devices/virtual/kfd/kfd/topology/nodes");
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(nodes)) {
    const std::string name = entry.path().filename();
    EXPECT_EQ(name.find_first_not_of("0123456789"), std::string::npos) << "only nodes may lie here";
    ++count;
  }
  EXPECT_EQ(count, targets.size() + 1);
  EXPECT_EQ(read_file(nodes / "0/gpu_id"), "0\n");
  EXPECT_GT(properties(nodes / "0/properties")["cpu_cores_count"], 0u);
  for (size_t i = 0; i < targets.size(); ++i) {
    const fs::path node = nodes / std::to_string(i + 1);
    const DeviceProfile& profile = device_profile(targets[i]);
    auto p = properties(node / "properties");
    EXPECT_EQ(read_file(node / "gpu_id"), std::to_string(gpu_id_of(i)) + "\n");
    EXPECT_EQ(p["gfx_target_version"], isa::target_info(targets[i]).gfx_target_version);
    EXPECT_EQ(p["drm_render_minor"], 128 + i);
    EXPECT_EQ(p["simd_count"] / p["simd_per_cu"], profile.cu_count);
    EXPECT_EQ(p["num_xcc"], profile.xcc_count);
    EXPECT_EQ(p["array_count"] % p["simd_arrays_per_engine"], 0u);
    EXPECT_EQ(p["cpu_cores_count"], 0u);
    for (const char* key : {"max_waves_per_simd", "max_slots_scratch_cu", "lds_size_in_kb",
                            "cu_per_simd_array", "capability", "vendor_id", "local_mem_size"}) {
      EXPECT_GT(p[key], 0u) << key;
    }
    // Each directory that the node announces exists.
    for (const auto& [key, directory] : {std::pair{"mem_banks_count", "mem_banks"},
                                         {"caches_count", "caches"},
                                         {"io_links_count", "io_links"}}) {
      for (uint64_t k = 0; k < p[key]; ++k) {
        EXPECT_TRUE(fs::exists(node / directory / std::to_string(k) / "properties")) << key;
      }
    }
    EXPECT_EQ(properties(node / "io_links/0/properties")["node_from"], i + 1);
    EXPECT_EQ(properties(node / "mem_banks/0/properties")["size_in_bytes"], profile.vram_bytes);

    const fs::path device =
        topology->redirect("/sys/class/drm/renderD" + std::to_string(128 + i) + "/device");
    const fs::path gc = device / "ip_discovery/die/0/11/0";
    EXPECT_EQ(read_file(gc / "major"), std::to_string(profile.gc.major) + "\n");
    EXPECT_EQ(read_file(gc / "revision"), std::to_string(profile.gc.revision) + "\n");
    EXPECT_TRUE(fs::exists(device / "ip_discovery/die/0/42/0/minor"));
    EXPECT_TRUE(fs::exists(device / "ip_discovery/die/0/108/0/minor"));
    EXPECT_EQ(read_file(device / "power_dpm_force_performance_level"), "profile_standard\n");
    EXPECT_TRUE(fs::exists(topology->redirect("/sys/dev/char/226:" + std::to_string(128 + i)) +
                           "/device/drm"));
    // Tools take the place on the bus from the link of the card.
    const fs::path card = topology->redirect("/sys/class/drm/card" + std::to_string(i));
    const std::string address = fmt::format("0000:{:02x}:00.0", 3 + i);
    EXPECT_TRUE(fs::read_symlink(card).string().ends_with("lockstep/" + address + "/drm/card" +
                                                          std::to_string(i)));
    EXPECT_EQ(fs::read_symlink(card / "device").filename(), address);
    EXPECT_EQ(read_file(device / "pp_dpm_sclk"),
              "0: " + std::to_string(profile.engine_clock_mhz) + "Mhz *\n");
    EXPECT_FALSE(fs::exists(device / "hwmon/hwmon0/temp1_input")) << "nothing measures it";
  }
}

TEST(Topology, OnlyItsOwnPathsAreRedirected) {
  auto topology = Topology::create({isa::Target::kGfx1100});
  ASSERT_TRUE(topology);
  for (const char* path : {"/sys/class/drm", "/sys/class/drm/renderD128/device", "/dev/dri",
                           "/sys/class/kfd/kfd/topology", "/sys/dev/char/226:128"}) {
    EXPECT_TRUE(topology->redirect(path).ends_with(path)) << path;
  }
  for (const char* path : {"/sys/class/drmx", "/sys/class", "/dev/null", "/sys/dev/char/1:3", "",
                           "/sys/bus/pci/devices", "/dev/drip"}) {
    EXPECT_EQ(topology->redirect(path), "") << path;
  }
}

TEST(Topology, TreeGoesWithItsOwner) {
  fs::path root;
  {
    auto topology = Topology::create({isa::Target::kGfx1100});
    ASSERT_TRUE(topology);
    root = topology->root();
    EXPECT_TRUE(fs::exists(root));
  }
  EXPECT_FALSE(fs::exists(root));
}

TEST(Topology, TreeOfADeadProcessIsSweptByTheNext) {
  int channel[2];
  ASSERT_EQ(pipe(channel), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto topology = Topology::create({isa::Target::kGfx1100});
    const std::string root = topology ? topology->root().string() : "";
    if (write(channel[1], root.data(), root.size()) < 0) _exit(1);
    _exit(0);  // no destructors
  }
  char buffer[512] = {};
  ASSERT_GT(read(channel[0], buffer, sizeof buffer - 1), 0);
  int status = 0;
  waitpid(child, &status, 0);
  close(channel[0]);
  close(channel[1]);
  EXPECT_TRUE(fs::exists(buffer));
  auto next = Topology::create({isa::Target::kGfx1100});
  ASSERT_TRUE(next);
  EXPECT_FALSE(fs::exists(buffer));
  EXPECT_TRUE(fs::exists(next->root()));
}

TEST(Topology, UnusableTemporaryDirectoryIsAnError) {
  const char* old = getenv("TMPDIR");
  const std::string saved = old ? old : "";
  setenv("TMPDIR", "/nonexistent/place", 1);
  const auto topology = Topology::create({isa::Target::kGfx1100});
  old ? setenv("TMPDIR", saved.c_str(), 1) : unsetenv("TMPDIR");
  ASSERT_FALSE(topology);
  EXPECT_NE(topology.error().find("/nonexistent/place"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::mockgpu
