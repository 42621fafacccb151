// SPDX-License-Identifier: MIT
// Builder functions of memory rows.
#include "asm/dsl/program.h"

namespace lockstep::dsl::detail {

// clang-format off: the order of these matters
#define LOCKSTEP_HERE
#define LOCKSTEP_FN(id, parameters, arguments) \
  Instruction& Rows::id parameters { return add(Op::id, {LOCKSTEP_STRIP arguments}, where); }
#include "asm/dsl/expand.h"
#define LOCKSTEP_KEEP_ROW_MACROS
#include "isa/ops/ds.def"
#include "isa/ops/flat.def"
#include "isa/ops/buffer.def"
#include "isa/ops/mimg.def"
#undef LOCKSTEP_KEEP_ROW_MACROS
#include "isa/ops/undefine.h"
#include "asm/dsl/unexpand.h"
// clang-format on

}  // namespace lockstep::dsl::detail
