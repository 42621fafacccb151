// SPDX-License-Identifier: MIT
// Looks at the text of the rows' expressions.
#include "emu/jit/idle_rows.h"

#include <bitset>
#include <string_view>

namespace lockstep::emu::jit {
namespace {

using isa::Op;

std::bitset<isa::kOpCount> find_idle() {
  std::bitset<isa::kOpCount> idle;
  const auto look = [&](Op op, std::string_view expression) {
    if (expression == "m.nothing()") idle.set(static_cast<size_t>(op));
  };
#define MEM(format, id, g9, g11, g12, params, ...) look(Op::id, #__VA_ARGS__);
#define MEM_ATOMIC(...)
#include "isa/ops/ds.def"
#define MEM(format, id, g9, g11, g12, params, ...) look(Op::id, #__VA_ARGS__);
#define MEM_ATOMIC(...)
#include "isa/ops/flat.def"
#define MEM(format, id, g9, g11, g12, params, ...) look(Op::id, #__VA_ARGS__);
#define MEM_ATOMIC(...)
#include "isa/ops/buffer.def"
#define MEM(format, id, g9, g11, g12, params, ...) look(Op::id, #__VA_ARGS__);
#define MEM_ATOMIC(...)
#include "isa/ops/smem.def"
  return idle;
}

}  // namespace

bool does_nothing(Op op) {
  static const std::bitset<isa::kOpCount> idle = find_idle();
  return idle[static_cast<size_t>(op)];
}

}  // namespace lockstep::emu::jit
