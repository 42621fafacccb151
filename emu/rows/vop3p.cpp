// SPDX-License-Identifier: MIT
// VOP3P rows on both machines: handlers that execute, recipes that the JIT lowers.
#include "emu/emit/emit_packed.h"
#include "emu/emit/record.h"
#include "emu/packed.h"

namespace lockstep::emu {
namespace {

using namespace isa::rows;
using namespace isa;

#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, ...) \
  LOCKSTEP_VALU_ROW(id, dsts, srcs, flags, __VA_ARGS__)
#include "isa/ops/vop3p.def"

template <class Row>
void add_packed(HandlerTable& table) {
  if constexpr (RowTraits<Row, PackedLane>::kHasSemantics)
    table[static_cast<size_t>(Row::kOp)] = &exec_packed<Row>;
}

}  // namespace

void add_vop3p_handlers(HandlerTable& table) {
#define ALU(format, id, ...) add_packed<Row_##id>(table);
#include "isa/ops/vop3p.def"
}

void add_vop3p_recipes(RecipeTable& table) {
#define ALU(format, id, ...) record<Row_##id, EmitPacked>(table);
#include "isa/ops/vop3p.def"
}

}  // namespace lockstep::emu
