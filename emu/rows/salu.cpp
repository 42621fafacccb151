// SPDX-License-Identifier: MIT
// SOP1, SOP2, SOPC and SOPK rows on both machines: handlers that execute, recipes that the JIT lowers.
#include "emu/salu.h"

#include "emu/emit/record.h"

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

}  // namespace

void add_salu_handlers(HandlerTable& table) {
#define ALU(format, id, ...) add_salu<Salu_##id>(table);
#include "isa/ops/sop1.def"
#define ALU(format, id, ...) add_salu<Salu_##id>(table);
#include "isa/ops/sop2.def"
#define ALU(format, id, ...) add_salu<Salu_##id>(table);
#include "isa/ops/sopc.def"
#define ALU(format, id, ...) add_salu<Salu_##id>(table);
#include "isa/ops/sopk.def"
}

void add_salu_recipes(RecipeTable& table) {
#define ALU(format, id, ...) record<Salu_##id, EmitScalar>(table);
#include "isa/ops/sop1.def"
#define ALU(format, id, ...) record<Salu_##id, EmitScalar>(table);
#include "isa/ops/sop2.def"
#define ALU(format, id, ...) record<Salu_##id, EmitScalar>(table);
#include "isa/ops/sopc.def"
#define ALU(format, id, ...) record<Salu_##id, EmitScalar>(table);
#include "isa/ops/sopk.def"
}

}  // namespace lockstep::emu
