// SPDX-License-Identifier: MIT
// The border between C++ and C: error text of a thread, and a fence that no exception crosses.
#pragma once
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "cli/capi/lockstep.h"
#include "emu/dispatch.h"
#include "isa/target.h"

namespace lockstep::capi {

/// Sets the thread's error text and returns `code`. Never throws: without memory the text is lost.
int fail(int code, std::string_view message) noexcept;
void clear_error() noexcept;
const char* error_text() noexcept;

/// Runs f() with a clean error text; an exception becomes LOCKSTEP_ERROR_INTERNAL.
template <class F>
int guarded(F f) noexcept {
  clear_error();
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return fail(LOCKSTEP_ERROR_INTERNAL, "out of memory");
  } catch (const std::exception& error) {
    return fail(LOCKSTEP_ERROR_INTERNAL, error.what());
  } catch (...) {
    return fail(LOCKSTEP_ERROR_INTERNAL, "unknown exception");
  }
}

/// RSRC1 as the amdhsa directives leave it: FLOAT_MODE 0xC0 (12 and up), DX10_CLAMP, IEEE_MODE.
inline constexpr uint32_t kDefaultRsrc1 = 0xC0u << 12 | 1u << 21 | 1u << 23;

struct Arch {
  isa::Target target;
  uint32_t wave_size;
};
/// "rdna3", "rdna4", "cdna" or a gfx name.
std::optional<Arch> find_arch(std::string_view name);
/// What to say where find_arch() fails.
std::string unknown_arch(const char* name);

/// How LOCKSTEP_* in the environment wants kernels to run; a sentence if it cannot be.
Result<emu::DispatcherOptions> engine_options();
/// The status code of a fault.
int code_of(emu::FaultKind kind);

/// Runs a request in this process's memory; fills request.memory itself. Returns a status code.
int run_in_process(emu::DispatchRequest& request, lockstep_stats* stats);

}  // namespace lockstep::capi
