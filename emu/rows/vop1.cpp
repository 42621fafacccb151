// SPDX-License-Identifier: MIT
// VOP1 rows on both machines: handlers that execute, recipes that the JIT lowers.
#include "emu/emit/emit_media.h"
#include "emu/emit/record.h"
#include "emu/valu.h"

namespace lockstep::emu {
namespace {

using namespace isa::rows;
using isa::ACC;
using isa::SWAP;
using isa::XLANE;
using namespace isa;

#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, ...) \
  LOCKSTEP_VALU_ROW(id, dsts, srcs, flags, __VA_ARGS__)
#include "isa/ops/vop1.def"

}  // namespace

void add_vop1_handlers(HandlerTable& table) {
#define ALU(format, id, ...) add_valu<Row_##id>(table);
#include "isa/ops/vop1.def"
}

void add_vop1_recipes(RecipeTable& table) {
#define ALU(format, id, ...) record<Row_##id, EmitMedia>(table);
#include "isa/ops/vop1.def"
}

}  // namespace lockstep::emu
