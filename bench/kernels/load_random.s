// SPDX-License-Identifier: MIT
// 1000 times 16 loads of words anywhere in 16 KiB.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl load_random
	.p2align 8
	.type load_random,@function
load_random:
  s_load_b64 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_and_b32 v0, 0x3ff, v0
  v_mul_lo_u32 v1, v0, 0x9e3779b1
  v_lshrrev_b32 v1, 18, v1
  v_and_b32 v1, 0x3ffc, v1
  s_movk_i32 s2, 1000
.Lloop:
  global_load_b32 v2, v1, s[4:5] offset:0
  global_load_b32 v3, v1, s[4:5] offset:128
  global_load_b32 v4, v1, s[4:5] offset:256
  global_load_b32 v5, v1, s[4:5] offset:384
  global_load_b32 v6, v1, s[4:5] offset:512
  global_load_b32 v7, v1, s[4:5] offset:640
  global_load_b32 v8, v1, s[4:5] offset:768
  global_load_b32 v9, v1, s[4:5] offset:896
  global_load_b32 v10, v1, s[4:5] offset:1024
  global_load_b32 v11, v1, s[4:5] offset:1152
  global_load_b32 v12, v1, s[4:5] offset:1280
  global_load_b32 v13, v1, s[4:5] offset:1408
  global_load_b32 v14, v1, s[4:5] offset:1536
  global_load_b32 v15, v1, s[4:5] offset:1664
  global_load_b32 v16, v1, s[4:5] offset:1792
  global_load_b32 v17, v1, s[4:5] offset:1920
  s_sub_u32 s2, s2, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 .Lloop
  s_endpgm
	.rodata
	.p2align 6
	.amdhsa_kernel load_random
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 128
		.amdhsa_next_free_sgpr 16
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
