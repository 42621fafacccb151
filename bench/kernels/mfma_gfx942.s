// SPDX-License-Identifier: MIT
// 1000 times four independent MFMAs, f32 sums of f16 products, 32x32x8, on gfx942.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.include "matrix_loop.inc"
	matrix_loop mfma_gfx942, 4, 16, "v_mfma_f32_32x32x8_f16 v[register:register+15], v[0:1], v[2:3], v[register:register+15]", .amdhsa_accum_offset, 128
