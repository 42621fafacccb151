// SPDX-License-Identifier: MIT
// Builder functions of vector arithmetic.
#include "asm/dsl/program.h"

namespace lockstep::dsl::detail {

// clang-format off: the order of these matters
#define LOCKSTEP_HERE
#define LOCKSTEP_FN(id, parameters, arguments) \
  Instruction& Rows::id parameters { return add(Op::id, {LOCKSTEP_STRIP arguments}, where); }
#include "asm/dsl/expand.h"
#define LOCKSTEP_KEEP_ROW_MACROS
#include "isa/ops/vop1.def"
#include "isa/ops/vop2.def"
#include "isa/ops/vopc.def"
#include "isa/ops/vop3.def"
#include "isa/ops/vop3p.def"
#include "isa/ops/wmma.def"
#include "isa/ops/mai.def"
#include "isa/ops/vopd.def"
#include "isa/ops/vinterp.def"
#undef LOCKSTEP_KEEP_ROW_MACROS
#include "isa/ops/undefine.h"
#include "asm/dsl/unexpand.h"
// clang-format on

}  // namespace lockstep::dsl::detail
