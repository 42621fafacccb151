// SPDX-License-Identifier: MIT
// SOPP rows on both machines: handlers that execute, recipes that the JIT lowers.
#include "emu/emit/record.h"
#include "emu/salu.h"

namespace lockstep::emu {
namespace {

using namespace isa::rows;
using namespace isa;

#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, ...) \
  LOCKSTEP_SALU_ROW(format, id, dsts, srcs, flags, __VA_ARGS__)
#include "isa/ops/sopp.def"

}  // namespace

void add_sopp_handlers(HandlerTable& table) {
#define ALU(format, id, ...) add_salu<Salu_##id>(table);
#include "isa/ops/sopp.def"
}

void add_sopp_recipes(RecipeTable& table) {
#define ALU(format, id, ...) record<Salu_##id, EmitScalar>(table);
#include "isa/ops/sopp.def"
}

}  // namespace lockstep::emu
