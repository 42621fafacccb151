// SPDX-License-Identifier: MIT
// Builds a dispatch as a driver would: the amdhsa kernel ABI, without a driver.
#include "cli/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace lockstep::cli {
namespace {

constexpr uint64_t kQueueRecordSize = 256;  // amd_queue_t
constexpr uint64_t kPreloadPrologue = 256;  // code before the entry of kernels with kernarg preload
constexpr uint32_t kMaxGroupItems = 1024;

/// The 64 bytes that "dispatch ptr" points to.
struct AqlPacket {
  uint16_t header = 2;  // kernel dispatch
  uint16_t setup = 0;   // dimensions
  uint16_t workgroup_size[3] = {};
  uint16_t reserved0 = 0;
  uint32_t grid_size[3] = {};  // work-items
  uint32_t private_segment_size = 0;
  uint32_t group_segment_size = 0;
  uint64_t kernel_object = 0;
  uint64_t kernarg_address = 0;
  uint64_t reserved1 = 0;
  uint64_t completion_signal = 0;
};
static_assert(sizeof(AqlPacket) == 64);

uint16_t dimensions_of(const LaunchShape& shape) {
  return shape.items[2] > 1 ? 3 : shape.items[1] > 1 ? 2 : 1;
}

std::string triple(const std::array<uint32_t, 3>& v) {
  return fmt::format("{}x{}x{}", v[0], v[1], v[2]);
}

uint64_t hidden_value(loader::ArgKind kind, const LaunchShape& shape, uint32_t dynamic_lds,
                      uint64_t queue_address) {
  using enum loader::ArgKind;
  const auto dim = [&](loader::ArgKind first) {
    return static_cast<size_t>(kind) - static_cast<size_t>(first);
  };
  switch (kind) {
    case kHiddenBlockCountX:
    case kHiddenBlockCountY:
    case kHiddenBlockCountZ: {
      const size_t d = dim(kHiddenBlockCountX);
      return shape.items[d] / shape.block[d];  // whole groups only
    }
    case kHiddenGroupSizeX:
    case kHiddenGroupSizeY:
    case kHiddenGroupSizeZ:
      return shape.block[dim(kHiddenGroupSizeX)];
    case kHiddenRemainderX:
    case kHiddenRemainderY:
    case kHiddenRemainderZ: {
      const size_t d = dim(kHiddenRemainderX);
      return shape.items[d] % shape.block[d];
    }
    case kHiddenGridDims:
      return dimensions_of(shape);
    case kHiddenDynamicLdsSize:
      return dynamic_lds;
    case kHiddenQueuePtr:
      return queue_address;
    default:
      return 0;
  }
}

}  // namespace

Result<LoadedObject> load_object(loader::CodeObject object, Arena& arena) {
  auto image = arena.reserve(object.image_size, object.image_alignment, "code object");
  if (!image) return Error{image.error()};
  LoadedObject loaded{std::move(object), *image};
  const loader::CodeObject& o = loaded.object;
  if (auto done = loader::load_code_object(o, *image, loaded.base()); !done) {
    return Error{done.error()};
  }
  for (const loader::Segment& segment : o.segments) {
    if (segment.memory_size == 0) continue;
    const char* label = segment.executable ? "code"
                        : segment.writable ? "data of the code object"
                                           : "constants of the code object";
    auto shown = arena.show_guest(image->subspan(segment.address, segment.memory_size), label,
                                  segment.writable);
    if (!shown) return Error{shown.error()};
  }
  return loaded;
}

Result<LaunchShape> shape_of_groups(std::array<uint32_t, 3> groups, std::array<uint32_t, 3> block) {
  LaunchShape shape{block, {}};
  for (size_t d = 0; d < 3; ++d) {
    if (groups[d] == 0) return Error{fmt::format("the grid is 0 in {}", "xyz"[d])};
    if (block[d] == 0) return Error{fmt::format("the workgroup size is 0 in {}", "xyz"[d])};
    const uint64_t items = uint64_t{groups[d]} * block[d];
    if (items > UINT32_MAX) {
      return Error{fmt::format("{} workgroups of {} work-items in {} are more than 2^32 - 1",
                               groups[d], block[d], "xyz"[d])};
    }
    shape.items[d] = static_cast<uint32_t>(items);
  }
  return shape;
}

Result<void> check_shape(const LaunchShape& shape, const loader::Kernel& kernel) {
  const uint64_t items = uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  if (std::max({shape.block[0], shape.block[1], shape.block[2]}) > kMaxGroupItems ||
      items > kMaxGroupItems) {
    return Error{fmt::format("a workgroup of {} has more than {} work-items", triple(shape.block),
                             kMaxGroupItems)};
  }
  if (!kernel.metadata) return {};
  const loader::KernelMetadata& m = *kernel.metadata;
  if (m.reqd_workgroup_size && *m.reqd_workgroup_size != shape.block) {
    return Error{fmt::format("{} was compiled for workgroups of {}, not {}", kernel.name,
                             triple(*m.reqd_workgroup_size), triple(shape.block))};
  }
  return {};
}

std::string shape_warning(const LaunchShape& shape, const loader::Kernel& kernel) {
  const uint64_t items = uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  if (!kernel.metadata || kernel.metadata->max_flat_workgroup_size == 0 ||
      items <= kernel.metadata->max_flat_workgroup_size) {
    return "";
  }
  return fmt::format("{} was compiled for at most {} work-items a workgroup; {} are {}",
                     kernel.name, kernel.metadata->max_flat_workgroup_size, triple(shape.block),
                     items);
}

uint64_t kernarg_size(const loader::Kernel& kernel) {
  uint64_t size = kernel.descriptor.kernarg_size;
  if (kernel.metadata) {
    size = std::max<uint64_t>(size, kernel.metadata->kernarg_segment_size);
    for (const loader::KernelArg& arg : kernel.metadata->args) {
      size = std::max(size, uint64_t{arg.offset} + arg.size);
    }
  }
  return size;
}

void fill_hidden_arguments(const loader::Kernel& kernel, const LaunchShape& shape,
                           uint32_t dynamic_lds, uint64_t queue_address,
                           std::span<uint8_t> kernarg) {
  if (!kernel.metadata) return;
  for (const loader::KernelArg& arg : kernel.metadata->args) {
    if (!arg.hidden() || uint64_t{arg.offset} + arg.size > kernarg.size()) continue;
    const uint64_t value = hidden_value(arg.kind, shape, dynamic_lds, queue_address);
    std::memset(kernarg.data() + arg.offset, 0, arg.size);
    std::memcpy(kernarg.data() + arg.offset, &value, std::min<size_t>(arg.size, sizeof value));
  }
}

Result<uint64_t> make_queue(Arena& arena) {
  auto queue = arena.allocate(kQueueRecordSize, "queue record", false);
  if (!queue) return Error{queue.error()};
  return address_of(*queue);
}

Result<emu::DispatchRequest> make_request(const LoadedObject& loaded, const loader::Kernel& kernel,
                                          const LaunchContext& context, Arena& arena) {
  const loader::KernelDescriptor& d = kernel.descriptor;
  const isa::Target target = loaded.object.target;
  if (auto good = loader::check_kernel_descriptor(d, target); !good) {
    return Error{fmt::format("{}: {}", kernel.name, good.error())};
  }
  emu::DispatchRequest request;
  request.target = target;
  request.wave_size = loader::wave_size(d, target);
  request.entry = loaded.base() + kernel.entry;
  if (d.kernarg_preload_length != 0) request.entry += kPreloadPrologue;
  request.kernel_name = kernel.name;
  request.block = context.shape.block;
  request.grid = context.shape.items;
  request.rsrc1 = d.compute_pgm_rsrc1;
  request.rsrc2 = d.compute_pgm_rsrc2;
  request.rsrc3 = d.compute_pgm_rsrc3;
  request.lds_bytes = d.group_segment_fixed_size + context.dynamic_lds;
  request.scratch_bytes_per_lane = d.private_segment_fixed_size;
  request.memory = context.memory;

  const loader::UserSgprLayout layout = loader::user_sgpr_layout(d, target);
  request.user_sgprs.resize(d.rsrc2.user_sgpr_count);
  request.private_segment_buffer = layout.private_segment_buffer;
  request.flat_scratch_init = layout.flat_scratch_init;
  const auto put = [&](int at, uint32_t value) {
    if (static_cast<size_t>(at) < request.user_sgprs.size()) request.user_sgprs[at] = value;
  };
  const auto put64 = [&](int at, uint64_t value) {
    put(at, static_cast<uint32_t>(value));
    put(at + 1, static_cast<uint32_t>(value >> 32));
  };
  if (layout.dispatch_ptr >= 0) {
    AqlPacket packet;
    packet.setup = dimensions_of(context.shape);
    for (size_t i = 0; i < 3; ++i) {
      packet.workgroup_size[i] = static_cast<uint16_t>(context.shape.block[i]);
      packet.grid_size[i] = context.shape.items[i];
    }
    packet.private_segment_size = request.scratch_bytes_per_lane;
    packet.group_segment_size = request.lds_bytes;
    packet.kernel_object = loaded.base() + kernel.descriptor_address;
    packet.kernarg_address = context.kernarg;
    auto memory = arena.allocate(sizeof packet, "dispatch packet", false);
    if (!memory) return Error{memory.error()};
    std::memcpy(memory->data(), &packet, sizeof packet);
    put64(layout.dispatch_ptr, address_of(*memory));
  }
  if (layout.queue_ptr >= 0) {
    const auto queue = make_queue(arena);
    if (!queue) return Error{queue.error()};
    put64(layout.queue_ptr, *queue);
  }
  if (layout.kernarg_segment_ptr >= 0) put64(layout.kernarg_segment_ptr, context.kernarg);
  if (layout.dispatch_id >= 0) put64(layout.dispatch_id, 0);
  if (layout.kernarg_preload >= 0) {
    const auto* words = reinterpret_cast<const uint8_t*>(context.kernarg);
    for (int i = 0; i < d.kernarg_preload_length; ++i) {
      const uint64_t offset = (uint64_t{d.kernarg_preload_offset} + static_cast<uint64_t>(i)) * 4;
      uint32_t word = 0;
      if (words && offset + 4 <= kernarg_size(kernel)) std::memcpy(&word, words + offset, 4);
      put(layout.kernarg_preload + i, word);
    }
  }
  if (layout.private_segment_size >= 0) {
    put(layout.private_segment_size, request.scratch_bytes_per_lane);
  }
  return request;
}

}  // namespace lockstep::cli
