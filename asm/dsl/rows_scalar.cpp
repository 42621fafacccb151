// SPDX-License-Identifier: MIT
// Builder functions of scalar rows.
#include "asm/dsl/program.h"

namespace lockstep::dsl::detail {

// clang-format off: the order of these matters
#define LOCKSTEP_HERE
#define LOCKSTEP_FN(id, parameters, arguments) \
  Instruction& Rows::id parameters { return add(Op::id, {LOCKSTEP_STRIP arguments}, where); }
#include "asm/dsl/expand.h"
#define LOCKSTEP_KEEP_ROW_MACROS
#include "isa/ops/sop1.def"
#include "isa/ops/sop2.def"
#include "isa/ops/sopc.def"
#include "isa/ops/sopk.def"
#include "isa/ops/sopp.def"
#include "isa/ops/smem.def"
#undef LOCKSTEP_KEEP_ROW_MACROS
#include "isa/ops/undefine.h"
#include "asm/dsl/unexpand.h"
// clang-format on

}  // namespace lockstep::dsl::detail
