// SPDX-License-Identifier: MIT
// Collects the handlers of every format.
#include "emu/handlers.h"

namespace lockstep::emu {
namespace {

HandlerTable build() {
  HandlerTable table{};
  add_salu_handlers(table);
  add_sopp_handlers(table);
  add_smem_handlers(table);
  add_vop1_handlers(table);
  add_vop2_handlers(table);
  add_vopc_handlers(table);
  add_vop3_handlers(table);
  add_vop3p_handlers(table);
  add_matrix_handlers(table);
  add_vinterp_handlers(table);
  add_ds_handlers(table);
  add_flat_handlers(table);
  add_buffer_handlers(table);
  add_image_handlers(table);
  add_vopd_handlers(table);
  return table;
}

}  // namespace

const HandlerTable& handlers() {
  static const HandlerTable table = build();
  return table;
}

bool executes(isa::Op op, isa::Isa isa) {
  return isa::exists_on(op, isa) && handlers()[static_cast<size_t>(op)];
}

}  // namespace lockstep::emu
