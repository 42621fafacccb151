// SPDX-License-Identifier: MIT
// What the examples share: running a code object in this process, on its own memory.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "asm/dsl/kernel.h"
#include "cli/capi/lockstep.h"

namespace example {

inline void require(bool condition, const char* what, const char* why = "") {
  if (condition) return;
  std::fprintf(stderr, "%s: %s\n", what, why);
  std::exit(1);
}

/// `arguments` is laid out as the kernel's parameters; `size` is where they end.
template <class Arguments>
void run(const lockstep::Result<std::vector<uint8_t>>& object, const char* kernel, uint32_t groups,
         uint32_t items, const Arguments& arguments, size_t size = sizeof(Arguments)) {
  require(bool(object), "build", object ? "" : object.error().c_str());
  lockstep_code_object* loaded = lockstep_code_object_load(object->data(), object->size(), nullptr);
  require(loaded != nullptr, "load", lockstep_last_error());
  const uint32_t grid[3] = {groups, 1, 1}, block[3] = {items, 1, 1};
  const int status = lockstep_kernel_run(loaded, kernel, grid, block, &arguments, size, 0, nullptr);
  require(status == 0, "run", lockstep_last_error());
  lockstep_code_object_free(loaded);
}

}  // namespace example
