// SPDX-License-Identifier: MIT
// 1000 times 16 LDS loads of neighbouring words.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl lds_load_contiguous
	.p2align 8
	.type lds_load_contiguous,@function
lds_load_contiguous:
  s_load_b64 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_and_b32 v0, 0x3ff, v0
  v_lshlrev_b32 v1, 2, v0
  s_movk_i32 s2, 1000
.Lloop:
  ds_load_b32 v2, v1 offset:0
  ds_load_b32 v3, v1 offset:128
  ds_load_b32 v4, v1 offset:256
  ds_load_b32 v5, v1 offset:384
  ds_load_b32 v6, v1 offset:512
  ds_load_b32 v7, v1 offset:640
  ds_load_b32 v8, v1 offset:768
  ds_load_b32 v9, v1 offset:896
  ds_load_b32 v10, v1 offset:1024
  ds_load_b32 v11, v1 offset:1152
  ds_load_b32 v12, v1 offset:1280
  ds_load_b32 v13, v1 offset:1408
  ds_load_b32 v14, v1 offset:1536
  ds_load_b32 v15, v1 offset:1664
  ds_load_b32 v16, v1 offset:1792
  ds_load_b32 v17, v1 offset:1920
  s_sub_u32 s2, s2, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 .Lloop
  s_endpgm
	.rodata
	.p2align 6
	.amdhsa_kernel lds_load_contiguous
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 128
		.amdhsa_next_free_sgpr 16
		.amdhsa_wavefront_size32 1
		.amdhsa_group_segment_fixed_size 32768
	.end_amdhsa_kernel
