// SPDX-License-Identifier: MIT
// Files of one PCI device and its DRM nodes.
#include "mockgpu/drm_sysfs.h"

#include <fmt/format.h>

#include "mockgpu/topology.h"

namespace lockstep::mockgpu {
namespace {

void write_ip(TreeWriter& tree, const std::string& die, int hardware_id, std::string_view alias,
              const IpVersion& version) {
  const std::string base = fmt::format("{}/{}/0", die, hardware_id);
  tree.file(base + "/hw_id", fmt::format("{}\n", hardware_id));
  tree.file(base + "/num_instance", "0\n");
  tree.file(base + "/major", fmt::format("{}\n", version.major));
  tree.file(base + "/minor", fmt::format("{}\n", version.minor));
  tree.file(base + "/revision", fmt::format("{}\n", version.revision));
  tree.link(fmt::format("{}/{}", die, alias), fmt::format("{}", hardware_id));
}

void write_ip_discovery(TreeWriter& tree, const std::string& device, const DeviceProfile& profile) {
  const std::string die = device + "/ip_discovery/die/0";
  write_ip(tree, die, 11, "GC", profile.gc);
  write_ip(tree, die, 42, "SDMA0", profile.sdma);
  write_ip(tree, die, 108, "NBIF", profile.nbif);
}

void write_identity(TreeWriter& tree, const std::string& device, size_t index,
                    const DeviceProfile& profile) {
  tree.file(device + "/vendor", "0x1002\n");
  tree.file(device + "/device", fmt::format("{:#06x}\n", profile.device_id));
  tree.file(device + "/revision", fmt::format("{:#04x}\n", profile.pci_revision));
  tree.file(device + "/subsystem_vendor", "0x1002\n");
  tree.file(device + "/subsystem_device", "0x0e3b\n");
  tree.file(device + "/class", "0x030000\n");
  tree.file(device + "/product_name", fmt::format("{}\n", profile.marketing_name));
  tree.file(device + "/unique_id", fmt::format("{:016x}\n", unique_id_of(index)));
  // No firmware image stands behind it, and it says so.
  tree.file(device + "/vbios_version",
            fmt::format("LOCKSTEP-{}\n", isa::target_info(profile.target).name));
  tree.file(device + "/uevent", fmt::format("DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:{:04X}\n"
                                            "PCI_SUBSYS_ID=1002:0E3B\nPCI_SLOT_NAME={}\n",
                                            profile.device_id, pci_address_of(index)));
  tree.file(device + "/numa_node", "0\n");
  for (const char* end : {"current", "max"}) {
    tree.file(fmt::format("{}/{}_link_speed", device, end), "16.0 GT/s PCIe\n");
    tree.file(fmt::format("{}/{}_link_width", device, end), "16\n");
  }
}

// What monitors read. The device has one level of each clock and always runs at it.
void write_state(TreeWriter& tree, const std::string& device, const DeviceProfile& profile) {
  const uint64_t gtt = system_memory_bytes() / 2;
  for (const char* kind : {"vram", "vis_vram"}) {
    tree.file(fmt::format("{}/mem_info_{}_total", device, kind),
              fmt::format("{}\n", profile.vram_bytes));
    tree.file(fmt::format("{}/mem_info_{}_used", device, kind), "0\n");
  }
  tree.file(device + "/mem_info_gtt_total", fmt::format("{}\n", gtt));
  tree.file(device + "/mem_info_gtt_used", "0\n");
  tree.file(device + "/gpu_busy_percent", "0\n");
  tree.file(device + "/mem_busy_percent", "0\n");
  tree.file(device + "/pp_dpm_sclk", fmt::format("0: {}Mhz *\n", profile.engine_clock_mhz));
  tree.file(device + "/pp_dpm_mclk", fmt::format("0: {}Mhz *\n", profile.memory_clock_mhz));
  tree.file(device + "/pp_dpm_pcie", "0: 16.0GT/s, x16 *\n");
  tree.file(device + "/pcie_replay_count", "0\n");
  // Counters are only handed out at the fixed clock; the emulated clock is always fixed.
  tree.file(device + "/power_dpm_force_performance_level", "profile_standard\n");
  const std::string monitor = device + "/hwmon/hwmon0";
  tree.file(monitor + "/name", "amdgpu\n");
  tree.file(monitor + "/freq1_label", "sclk\n");
  tree.file(monitor + "/freq1_input", fmt::format("{}000000\n", profile.engine_clock_mhz));
  tree.file(monitor + "/freq2_label", "mclk\n");
  tree.file(monitor + "/freq2_input", fmt::format("{}000000\n", profile.memory_clock_mhz));
  // rocm-smi starts only where this sensor has a name. It has no value: see write_drm_device.
  tree.file(monitor + "/in0_label", "vddgfx\n");
  const auto firmware = [&](const char* name, uint32_t version) {
    tree.file(fmt::format("{}/fw_version/{}_fw_version", device, name),
              fmt::format("{:#010x}\n", version));
  };
  firmware("mec", profile.firmware_version);
  firmware("sdma", profile.sdma_firmware_version);
}

}  // namespace

uint32_t pci_location_of(size_t device_index) {
  return static_cast<uint32_t>(3 + device_index) << 8;
}

std::string pci_address_of(size_t device_index) {
  return fmt::format("0000:{:02x}:00.0", pci_location_of(device_index) >> 8);
}

uint64_t unique_id_of(size_t device_index) { return 0x10c5'7e90'0000'0000u + device_index; }

void write_drm_device(TreeWriter& tree, size_t index, const DeviceProfile& profile) {
  // As in the kernel: the classes hold links, and tools take the address from where those lead.
  const std::string address = pci_address_of(index);
  const std::string device = fmt::format("{}/{}", kPciRoot, address).substr(1);
  const auto add_node = [&](const std::string& name, size_t minor) {
    const std::string node = fmt::format("{}/drm/{}", device, name);
    tree.file(node + "/dev", fmt::format("{}:{}\n", kDrmMajor, minor));
    tree.link(node + "/device", "../../../" + address);
    tree.link("sys/class/drm/" + name, "../../../" + node);
    tree.link(fmt::format("sys/dev/char/{}:{}", kDrmMajor, minor), "../../../" + node);
    tree.file("dev/dri/" + name, "");
  };
  add_node(fmt::format("card{}", index), index);
  add_node(fmt::format("renderD{}", render_minor_of(index)), render_minor_of(index));
  write_identity(tree, device, index, profile);
  write_state(tree, device, profile);
  write_ip_discovery(tree, device, profile);
}

}  // namespace lockstep::mockgpu
