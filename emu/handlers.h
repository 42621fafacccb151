// SPDX-License-Identifier: MIT
// The table operation -> handler of the Lane interpreter. Each translation unit in emu/rows/ fills
// in its formats.
#pragma once
#include <array>

#include "emu/context.h"
#include "isa/op.h"

namespace lockstep::emu {

using HandlerTable = std::array<ExecFn, isa::kOpCount>;

/// Handlers of all rows; rows without semantics are nullptr.
const HandlerTable& handlers();

/// True if the operation exists on this variant and has semantics.
bool executes(isa::Op op, isa::Isa isa);

void add_salu_handlers(HandlerTable& table);  // SOP1 SOP2 SOPC SOPK
void add_sopp_handlers(HandlerTable& table);
void add_smem_handlers(HandlerTable& table);
void add_vop1_handlers(HandlerTable& table);
void add_vop2_handlers(HandlerTable& table);
void add_vopc_handlers(HandlerTable& table);
void add_vop3_handlers(HandlerTable& table);  // VOP3 VOP3SD
void add_vop3p_handlers(HandlerTable& table);
void add_matrix_handlers(HandlerTable& table);   // WMMA SWMMAC MFMA SMFMAC
void add_vinterp_handlers(HandlerTable& table);  // VINTERP LDSDIR
void add_ds_handlers(HandlerTable& table);
void add_flat_handlers(HandlerTable& table);    // FLAT GLOBAL SCRATCH
void add_buffer_handlers(HandlerTable& table);  // MUBUF MTBUF
void add_image_handlers(HandlerTable& table);   // MIMG VIMAGE
void add_vopd_handlers(HandlerTable& table);    // pairs run the two single operations' evaluators

}  // namespace lockstep::emu
