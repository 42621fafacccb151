// SPDX-License-Identifier: MIT
// From a code object to a dispatch: loads the image, fills the kernarg segment, sets up user SGPRs.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "cli/arena.h"
#include "emu/dispatch.h"
#include "isa/result.h"
#include "loader/code_object.h"

namespace lockstep::cli {

/// A code object in memory that the guest can reach.
struct LoadedObject {
  loader::CodeObject object;
  std::span<uint8_t> image;
  uint64_t base() const { return address_of(image); }
};
Result<LoadedObject> load_object(loader::CodeObject object, Arena& arena);

/// Extent of a launch. `items` are work-items in all; the last workgroup of a dimension is partial
/// if the workgroup size does not divide them.
struct LaunchShape {
  std::array<uint32_t, 3> block = {1, 1, 1};
  std::array<uint32_t, 3> items = {1, 1, 1};
};
/// `groups` workgroups of `block` work-items. Fails if a dimension is 0 or too large.
Result<LaunchShape> shape_of_groups(std::array<uint32_t, 3> groups, std::array<uint32_t, 3> block);
/// Refuses what the kernel or the target cannot do, naming the limit.
Result<void> check_shape(const LaunchShape& shape, const loader::Kernel& kernel);

/// More work-items a workgroup than the compiler was told: devices run that, some compilers' code
/// may not stand it. Empty if all is well.
std::string shape_warning(const LaunchShape& shape, const loader::Kernel& kernel);

/// What exists beside the arguments in one launch.
struct LaunchContext {
  LaunchShape shape;
  uint64_t kernarg = 0;      ///< guest address, 0 = none
  uint32_t dynamic_lds = 0;  ///< bytes beyond the kernel's static LDS
  emu::MemoryMap* memory = nullptr;
};

/// Bytes of the kernarg segment, hidden arguments included.
uint64_t kernarg_size(const loader::Kernel& kernel);
/// Writes every hidden argument that the kernel's metadata lists and that lies in `kernarg`.
/// Services that a run without a runtime does not have (printf, hostcall, device queues) stay 0.
void fill_hidden_arguments(const loader::Kernel& kernel, const LaunchShape& shape,
                           uint32_t dynamic_lds, uint64_t queue_address,
                           std::span<uint8_t> kernarg);

/// A queue record (zeroed) for kernels that ask for one.
Result<uint64_t> make_queue(Arena& arena);

/// The dispatch of one kernel: entry, register words, user SGPRs as its descriptor wants them, with
/// an AQL packet in memory if it asks for one.
Result<emu::DispatchRequest> make_request(const LoadedObject& loaded, const loader::Kernel& kernel,
                                          const LaunchContext& context, Arena& arena);

}  // namespace lockstep::cli
