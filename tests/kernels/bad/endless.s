// SPDX-License-Identifier: MIT
// Misbehaves on purpose: never ends. It has no metadata note either: kernels are found by symbol.
        .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
        .text
        .globl  endless
        .p2align 8
        .type   endless,@function
endless:
        s_mov_b32 s0, 0
.Lagain:
        s_add_u32 s0, s0, 1
        s_branch .Lagain
.Lend:
        .size   endless, .Lend-endless

        .rodata
        .p2align 6
        .amdhsa_kernel endless
          .amdhsa_next_free_vgpr 1
          .amdhsa_next_free_sgpr 16
          .amdhsa_wavefront_size32 1
        .end_amdhsa_kernel
