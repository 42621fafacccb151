// SPDX-License-Identifier: MIT
// 1000 times 16 stores of neighbouring words.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl store_contiguous
	.p2align 8
	.type store_contiguous,@function
store_contiguous:
  s_load_b64 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_and_b32 v0, 0x3ff, v0
  v_lshlrev_b32 v1, 2, v0
  s_movk_i32 s2, 1000
.Lloop:
  global_store_b32 v1, v0, s[4:5] offset:0
  global_store_b32 v1, v0, s[4:5] offset:128
  global_store_b32 v1, v0, s[4:5] offset:256
  global_store_b32 v1, v0, s[4:5] offset:384
  global_store_b32 v1, v0, s[4:5] offset:512
  global_store_b32 v1, v0, s[4:5] offset:640
  global_store_b32 v1, v0, s[4:5] offset:768
  global_store_b32 v1, v0, s[4:5] offset:896
  global_store_b32 v1, v0, s[4:5] offset:1024
  global_store_b32 v1, v0, s[4:5] offset:1152
  global_store_b32 v1, v0, s[4:5] offset:1280
  global_store_b32 v1, v0, s[4:5] offset:1408
  global_store_b32 v1, v0, s[4:5] offset:1536
  global_store_b32 v1, v0, s[4:5] offset:1664
  global_store_b32 v1, v0, s[4:5] offset:1792
  global_store_b32 v1, v0, s[4:5] offset:1920
  s_sub_u32 s2, s2, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 .Lloop
  s_endpgm
	.rodata
	.p2align 6
	.amdhsa_kernel store_contiguous
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 128
		.amdhsa_next_free_sgpr 16
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
