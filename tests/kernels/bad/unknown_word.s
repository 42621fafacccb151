// SPDX-License-Identifier: MIT
// Misbehaves on purpose: runs into a word that is no instruction of gfx1100.
        .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
        .text
        .globl  unknown_word
        .p2align 8
        .type   unknown_word,@function
unknown_word:
        v_mov_b32_e32 v1, 1
        .long   0xdeadbeef
        s_endpgm
.Lend:
        .size   unknown_word, .Lend-unknown_word

        .rodata
        .p2align 6
        .amdhsa_kernel unknown_word
          .amdhsa_next_free_vgpr 2
          .amdhsa_next_free_sgpr 16
          .amdhsa_wavefront_size32 1
        .end_amdhsa_kernel

        .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: unknown_word
    .symbol: unknown_word.kd
    .args: []
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 16
    .vgpr_count: 2
    .max_flat_workgroup_size: 1024
        .end_amdgpu_metadata
