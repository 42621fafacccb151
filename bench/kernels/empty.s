// SPDX-License-Identifier: MIT
// Nothing: what a dispatch costs.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl empty
	.p2align 8
	.type empty,@function
empty:
  s_endpgm
	.rodata
	.p2align 6
	.amdhsa_kernel empty
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 16
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
