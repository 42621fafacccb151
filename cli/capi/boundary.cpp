// SPDX-License-Identifier: MIT
// Error text and architecture names.
#include "cli/capi/boundary.h"

#include <fmt/format.h>

#include "isa/names.h"

namespace lockstep::capi {
namespace {

thread_local std::string t_error;

}  // namespace

int fail(int code, std::string_view message) noexcept {
  try {
    t_error = message;
  } catch (...) {
    t_error.clear();
  }
  return code;
}

void clear_error() noexcept { t_error.clear(); }
const char* error_text() noexcept { return t_error.c_str(); }

std::optional<Arch> find_arch(std::string_view name) {
  // Programs for "rdna3" may hold RDNA 3.5's scalar float instructions; gfx1150 has all of
  // gfx1100's.
  if (name == "rdna3") return Arch{isa::Target::kGfx1150, 32};
  if (name == "rdna4") return Arch{isa::Target::kGfx1201, 32};
  if (name == "cdna") return Arch{isa::Target::kGfx950, 64};
  const auto target = isa::find_target(name);
  if (!target) return std::nullopt;
  return Arch{*target, isa::target_info(*target).has_wave32 ? 32u : 64u};
}

std::string unknown_arch(const char* name) {
  if (!name) return "arch is NULL; give \"rdna3\", \"rdna4\", \"cdna\" or a gfx name";
  return fmt::format("arch: \"{}\" is unknown; there are: rdna3 rdna4 cdna {}", name,
                     isa::target_list());
}

}  // namespace lockstep::capi

extern "C" {

const char* lockstep_last_error(void) { return lockstep::capi::error_text(); }

const char* lockstep_version(void) { return LOCKSTEP_VERSION; }

size_t lockstep_target_count(void) { return lockstep::isa::all_targets().size(); }

const char* lockstep_target_name(size_t index) {
  const auto targets = lockstep::isa::all_targets();
  return index < targets.size() ? targets[index].name.data() : nullptr;  // literals end in NUL
}

}  // extern "C"
