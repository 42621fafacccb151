// SPDX-License-Identifier: MIT
// Code objects behind an opaque handle, and running their kernels.
#include "loader/code_object.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "cli/arena.h"
#include "cli/capi/boundary.h"
#include "cli/launch.h"
#include "loader/bundle.h"

struct lockstep_code_object {
  lockstep::cli::Arena arena{nullptr};  // holds the image; the process's own map shows it
  lockstep::cli::LoadedObject loaded;
  std::string target;
};

namespace lockstep::capi {
namespace {

int load(const void* bytes, size_t size, const char* arch_name, lockstep_code_object*& out) {
  if (!bytes) return fail(LOCKSTEP_ERROR_ARGUMENT, "bytes is NULL");
  std::optional<isa::Target> target;
  if (arch_name) {
    const auto arch = find_arch(arch_name);
    if (!arch) return fail(LOCKSTEP_ERROR_ARGUMENT, unknown_arch(arch_name));
    // "rdna3" stands for a wider decoder in run_asm; files are made for the card.
    target = std::string_view(arch_name) == "rdna3" ? isa::Target::kGfx1100 : arch->target;
  }
  const auto elf = loader::extract_code_object({static_cast<const uint8_t*>(bytes), size}, target);
  if (!elf) return fail(LOCKSTEP_ERROR_INPUT, elf.error());
  auto object = loader::parse_code_object(*elf);
  if (!object) return fail(LOCKSTEP_ERROR_INPUT, object.error());
  if (target && object->target != *target) {
    return fail(LOCKSTEP_ERROR_INPUT, fmt::format("the code object is for {}, not for {}",
                                                  object->target_id(), arch_name));
  }
  auto handle = std::make_unique<lockstep_code_object>();
  handle->target = object->target_id();
  auto loaded = cli::load_object(std::move(*object), handle->arena);
  if (!loaded) return fail(LOCKSTEP_ERROR_INPUT, loaded.error());
  handle->loaded = std::move(*loaded);
  out = handle.release();
  return LOCKSTEP_OK;
}

/// Host order of a launch: the caller's arguments, then hidden ones where it gave none.
int run_kernel(const lockstep_code_object* object, const char* name, const uint32_t* grid,
               const uint32_t* block, const void* arguments, size_t arguments_size,
               uint32_t dynamic_lds, lockstep_stats* stats) {
  const auto bad = [](const std::string& message) {
    return fail(LOCKSTEP_ERROR_ARGUMENT, message);
  };
  if (!object) return bad("object is NULL");
  if (!name) return bad("kernel is NULL");
  if (!grid) return bad("grid is NULL");
  if (!block) return bad("block is NULL");
  if (!arguments && arguments_size != 0) {
    return bad(fmt::format("kernarg is NULL, but kernarg_size is {}", arguments_size));
  }
  const loader::Kernel* kernel = object->loaded.object.find_kernel(name);
  if (!kernel) return bad(fmt::format("the code object has no kernel \"{}\"", name));
  const auto shape =
      cli::shape_of_groups({grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]});
  if (!shape) return bad(shape.error());
  if (const auto good = cli::check_shape(*shape, *kernel); !good) return bad(good.error());
  const uint32_t max_lds = isa::target_info(object->loaded.object.target).lds_bytes;
  if (dynamic_lds > max_lds) {
    return bad(fmt::format("dynamic_lds is {}; {} has {} bytes of LDS", dynamic_lds, object->target,
                           max_lds));
  }
  const uint64_t size = cli::kernarg_size(*kernel);
  if (arguments_size > size) {
    return bad(fmt::format("kernarg_size is {}, but {} takes {} bytes of arguments", arguments_size,
                           name, size));
  }
  if (kernel->metadata) {
    for (const loader::KernelArg& arg : kernel->metadata->args) {
      if (arg.hidden() || uint64_t{arg.offset} + arg.size <= arguments_size) continue;
      return bad(fmt::format("kernarg_size is {}, but the argument {} of {} ends at byte {}",
                             arguments_size, arg.name.empty() ? arg.value_kind : arg.name, name,
                             uint64_t{arg.offset} + arg.size));
    }
  }
  cli::Arena arena(nullptr);
  cli::LaunchContext context{*shape, 0, dynamic_lds, nullptr};
  if (size != 0) {
    const auto kernarg = arena.allocate(size, "kernarg", false);
    if (!kernarg) return fail(LOCKSTEP_ERROR_INTERNAL, kernarg.error());
    const auto queue = cli::make_queue(arena);
    if (!queue) return fail(LOCKSTEP_ERROR_INTERNAL, queue.error());
    cli::fill_hidden_arguments(*kernel, *shape, dynamic_lds, *queue, *kernarg);
    if (arguments_size != 0) std::memcpy(kernarg->data(), arguments, arguments_size);
    context.kernarg = cli::address_of(*kernarg);
  }
  auto request = cli::make_request(object->loaded, *kernel, context, arena);
  if (!request) return fail(LOCKSTEP_ERROR_UNSUPPORTED, request.error());
  return run_in_process(*request, stats);
}

}  // namespace
}  // namespace lockstep::capi

extern "C" {

lockstep_code_object* lockstep_code_object_load(const void* bytes, size_t size, const char* arch) {
  lockstep_code_object* object = nullptr;
  lockstep::capi::guarded([&] { return lockstep::capi::load(bytes, size, arch, object); });
  return object;
}

void lockstep_code_object_free(lockstep_code_object* object) { delete object; }

const char* lockstep_code_object_target(const lockstep_code_object* object) {
  return object ? object->target.c_str() : "";
}

size_t lockstep_code_object_kernel_count(const lockstep_code_object* object) {
  return object ? object->loaded.object.kernels.size() : 0;
}

const char* lockstep_code_object_kernel_name(const lockstep_code_object* object, size_t index) {
  if (!object || index >= object->loaded.object.kernels.size()) return nullptr;
  return object->loaded.object.kernels[index].name.c_str();
}

int lockstep_kernel_run(const lockstep_code_object* object, const char* kernel,
                        const uint32_t grid[3], const uint32_t block[3], const void* kernarg,
                        size_t kernarg_size, uint32_t dynamic_lds, lockstep_stats* stats) {
  return lockstep::capi::guarded([&] {
    return lockstep::capi::run_kernel(object, kernel, grid, block, kernarg, kernarg_size,
                                      dynamic_lds, stats);
  });
}

}  // extern "C"
