// SPDX-License-Identifier: MIT
// Scalar rows on the Emit machine.
#include "emu/emit/record.h"
#include "emu/salu.h"

namespace lockstep::emu {
namespace {

using namespace isa::rows;
using namespace isa;

#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, ...) \
  LOCKSTEP_SALU_ROW(format, id, dsts, srcs, flags, __VA_ARGS__)
#include "isa/ops/sop1.def"
#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, ...) \
  LOCKSTEP_SALU_ROW(format, id, dsts, srcs, flags, __VA_ARGS__)
#include "isa/ops/sop2.def"
#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, ...) \
  LOCKSTEP_SALU_ROW(format, id, dsts, srcs, flags, __VA_ARGS__)
#include "isa/ops/sopc.def"
#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, ...) \
  LOCKSTEP_SALU_ROW(format, id, dsts, srcs, flags, __VA_ARGS__)
#include "isa/ops/sopk.def"
#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, ...) \
  LOCKSTEP_SALU_ROW(format, id, dsts, srcs, flags, __VA_ARGS__)
#include "isa/ops/sopp.def"

}  // namespace

void add_salu_recipes(RecipeTable& table) {
#define ALU(format, id, ...) record<Salu_##id, EmitScalar>(table);
#include "isa/ops/sop1.def"
#define ALU(format, id, ...) record<Salu_##id, EmitScalar>(table);
#include "isa/ops/sop2.def"
#define ALU(format, id, ...) record<Salu_##id, EmitScalar>(table);
#include "isa/ops/sopc.def"
#define ALU(format, id, ...) record<Salu_##id, EmitScalar>(table);
#include "isa/ops/sopk.def"
#define ALU(format, id, ...) record<Salu_##id, EmitScalar>(table);
#include "isa/ops/sopp.def"
}

}  // namespace lockstep::emu
