// SPDX-License-Identifier: MIT
// 1000 times eight independent WMMAs, f32 sums of f16 products, 16x16x16, on gfx1201.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1201"
	.include "matrix_loop.inc"
	matrix_loop wmma_gfx1201, 8, 8, "v_wmma_f32_16x16x16_f16 v[register:register+7], v[0:3], v[4:7], v[register:register+7]", .amdhsa_wavefront_size32, 1
