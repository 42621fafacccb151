// SPDX-License-Identifier: MIT
// 1000 times eight independent WMMAs, f32 sums of f16 products, 16x16x16, on gfx1201.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1201"
	.text
	.globl wmma_gfx1201
	.p2align 8
	.type wmma_gfx1201,@function
wmma_gfx1201:
  s_load_b64 s[4:5], s[0:1], 0x0
  s_wait_kmcnt 0x0
  v_mov_b32 v0, 0x3c003c00
  v_mov_b32 v1, 0x3c003c00
  v_mov_b32 v2, 0x3c003c00
  v_mov_b32 v3, 0x3c003c00
  v_mov_b32 v4, 0x3c003c00
  v_mov_b32 v5, 0x3c003c00
  v_mov_b32 v6, 0x3c003c00
  v_mov_b32 v7, 0x3c003c00
  v_mov_b32 v8, 0x3c003c00
  v_mov_b32 v9, 0x3c003c00
  v_mov_b32 v10, 0x3c003c00
  v_mov_b32 v11, 0x3c003c00
  v_mov_b32 v12, 0x3c003c00
  v_mov_b32 v13, 0x3c003c00
  v_mov_b32 v14, 0x3c003c00
  v_mov_b32 v15, 0x3c003c00
  s_movk_i32 s2, 1000
.Lloop:
  v_wmma_f32_16x16x16_f16 v[16:23], v[0:3], v[4:7], v[16:23]
  v_wmma_f32_16x16x16_f16 v[24:31], v[0:3], v[4:7], v[24:31]
  v_wmma_f32_16x16x16_f16 v[32:39], v[0:3], v[4:7], v[32:39]
  v_wmma_f32_16x16x16_f16 v[40:47], v[0:3], v[4:7], v[40:47]
  v_wmma_f32_16x16x16_f16 v[48:55], v[0:3], v[4:7], v[48:55]
  v_wmma_f32_16x16x16_f16 v[56:63], v[0:3], v[4:7], v[56:63]
  v_wmma_f32_16x16x16_f16 v[64:71], v[0:3], v[4:7], v[64:71]
  v_wmma_f32_16x16x16_f16 v[72:79], v[0:3], v[4:7], v[72:79]
  s_sub_co_u32 s2, s2, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 .Lloop
  s_endpgm
	.rodata
	.p2align 6
	.amdhsa_kernel wmma_gfx1201
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 128
		.amdhsa_next_free_sgpr 16
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
