// SPDX-License-Identifier: MIT
// Copies 16 bytes a work-item: kernarg = destination, source; workgroups of 256.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl copy
	.p2align 8
	.type copy,@function
copy:
  s_load_b128 s[4:7], s[0:1], 0x0
  s_lshl_b32 s2, s15, 8
  v_and_b32 v0, 0x3ff, v0
  v_add_nc_u32 v0, s2, v0
  v_lshlrev_b32 v0, 4, v0
  s_waitcnt lgkmcnt(0)
  global_load_b128 v[2:5], v0, s[6:7]
  s_waitcnt vmcnt(0)
  global_store_b128 v0, v[2:5], s[4:5]
  s_endpgm
	.rodata
	.p2align 6
	.amdhsa_kernel copy
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 15
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 16
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
