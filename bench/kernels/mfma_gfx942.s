// SPDX-License-Identifier: MIT
// 1000 times four independent MFMAs, f32 sums of f16 products, 32x32x8, on gfx942.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.text
	.globl mfma_gfx942
	.p2align 8
	.type mfma_gfx942,@function
mfma_gfx942:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
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
  v_mfma_f32_32x32x8_f16 v[16:31], v[0:1], v[2:3], v[16:31]
  v_mfma_f32_32x32x8_f16 v[32:47], v[0:1], v[2:3], v[32:47]
  v_mfma_f32_32x32x8_f16 v[48:63], v[0:1], v[2:3], v[48:63]
  v_mfma_f32_32x32x8_f16 v[64:79], v[0:1], v[2:3], v[64:79]
  s_sub_u32 s2, s2, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 .Lloop
  s_endpgm
	.rodata
	.p2align 6
	.amdhsa_kernel mfma_gfx942
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 128
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 128
	.end_amdhsa_kernel
