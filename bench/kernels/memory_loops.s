// SPDX-License-Identifier: MIT
// 1000 times 16 accesses of one word a lane: neighbouring words, or words anywhere in 16 KiB.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"

	.macro memory_loop name, random, lds, access, operands
	.text
	.globl \name
	.p2align 8
	.type \name,@function
\name:
  s_load_b64 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_and_b32 v0, 0x3ff, v0
	.if \random
  v_mul_lo_u32 v1, v0, 0x9e3779b1
  v_lshrrev_b32 v1, 18, v1
  v_and_b32 v1, 0x3ffc, v1
	.else
  v_lshlrev_b32 v1, 2, v0
	.endif
  s_movk_i32 s2, 1000
1:
	.set data, 2
	.set bytes, 0
	.rept 16
  \access \operands offset:bytes
	.set data, data+1
	.set bytes, bytes+128
	.endr
  s_sub_u32 s2, s2, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 1b
  s_endpgm
	.rodata
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 128
		.amdhsa_next_free_sgpr 16
		.amdhsa_wavefront_size32 1
		.amdhsa_group_segment_fixed_size \lds
	.end_amdhsa_kernel
	.endm

	memory_loop load_contiguous, 0, 0, global_load_b32, "v[data], v1, s[4:5]"
	memory_loop load_random, 1, 0, global_load_b32, "v[data], v1, s[4:5]"
	memory_loop store_contiguous, 0, 0, global_store_b32, "v1, v0, s[4:5]"
	memory_loop store_random, 1, 0, global_store_b32, "v1, v0, s[4:5]"
	memory_loop lds_load_contiguous, 0, 32768, ds_load_b32, "v[data], v1"
	memory_loop lds_load_random, 1, 32768, ds_load_b32, "v[data], v1"
