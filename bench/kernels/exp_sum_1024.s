// SPDX-License-Identifier: MIT
// Sums of exponentials of the rows of a 1024x1024 f32 matrix: a kernel of the softmax of tinygrad 0.14 for gfx1100.
// Disassembled with `lockstep disasm`; padding and metadata left out.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 6
	.globl r_1024_16_64
	.type r_1024_16_64,@function
	.size r_1024_16_64, 920
	.globl r_1024_16_64.kd
	.type r_1024_16_64.kd,@object
	.size r_1024_16_64.kd, 64

	.text
	.p2align 8

r_1024_16_64:
  s_clause 0x1
  s_load_b64 s[4:5], s[0:1], 0x10
  s_load_b128 s[8:11], s[0:1], null
  v_lshlrev_b32_e32 v1, 6, v0
  s_mov_b32 s2, s15
  s_ashr_i32 s3, s15, 31
  v_mov_b32_e32 v3, 0
  s_lshl_b64 s[12:13], s[2:3], 2
  v_lshl_or_b32 v1, s2, 10, v1
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_ashrrev_i32_e32 v2, 31, v1
  v_lshlrev_b64 v[1:2], 2, v[1:2]
  s_waitcnt lgkmcnt(0)
  s_add_u32 s0, s4, s12
  s_addc_u32 s1, s5, s13
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_u32 v1, vcc_lo, s10, v1
  s_load_b32 s7, s[0:1], null
  v_add_co_ci_u32_e64 v2, null, s11, v2, vcc_lo
  v_add_co_u32 v1, vcc_lo, v1, 16
  s_mov_b32 s10, -1
  v_add_co_ci_u32_e64 v2, null, 0, v2, vcc_lo
.L2_7c:
  s_clause 0x1
  global_load_b128 v[4:7], v[1:2], off offset:-16
  global_load_b128 v[8:11], v[1:2], off
  s_add_i32 s10, s10, 8
  s_delay_alu instid0(SALU_CYCLE_1)
  s_cmp_lt_u32 s10, 63
  s_waitcnt vmcnt(1) lgkmcnt(0)
  v_dual_subrev_f32 v4, s7, v4 :: v_dual_subrev_f32 v5, s7, v5
  v_dual_subrev_f32 v6, s7, v6 :: v_dual_subrev_f32 v7, s7, v7
  s_waitcnt vmcnt(0)
  v_dual_subrev_f32 v8, s7, v8 :: v_dual_subrev_f32 v9, s7, v9
  s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_3)
  v_dual_mul_f32 v4, 0x3fb8aa3b, v4 :: v_dual_mul_f32 v5, 0x3fb8aa3b, v5
  v_dual_mul_f32 v6, 0x3fb8aa3b, v6 :: v_dual_mul_f32 v7, 0x3fb8aa3b, v7
  v_dual_subrev_f32 v10, s7, v10 :: v_dual_subrev_f32 v11, s7, v11
  s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_4)
  v_cmp_gt_f32_e32 vcc_lo, 0xc2fc0000, v4
  v_cmp_gt_f32_e64 s0, 0xc2fc0000, v5
  s_delay_alu instid0(VALU_DEP_4) | instskip(SKIP_2) | instid1(VALU_DEP_4)
  v_cmp_gt_f32_e64 s1, 0xc2fc0000, v6
  v_dual_mul_f32 v8, 0x3fb8aa3b, v8 :: v_dual_mul_f32 v9, 0x3fb8aa3b, v9
  v_cndmask_b32_e64 v12, 0, 0x42800000, vcc_lo
  v_cndmask_b32_e64 v13, 0, 0x42800000, s0
  v_dual_mul_f32 v10, 0x3fb8aa3b, v10 :: v_dual_mul_f32 v11, 0x3fb8aa3b, v11
  v_cndmask_b32_e64 v14, 0, 0x42800000, s1
  s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_3) | instid1(VALU_DEP_4)
  v_dual_add_f32 v4, v4, v12 :: v_dual_add_f32 v5, v5, v13
  v_cmp_gt_f32_e64 s2, 0xc2fc0000, v7
  v_cmp_gt_f32_e64 s3, 0xc2fc0000, v8
  v_cmp_gt_f32_e64 s5, 0xc2fc0000, v10
  v_exp_f32_e32 v4, v4
  v_cndmask_b32_e64 v13, 0, 0xffffffc0, vcc_lo
  v_cndmask_b32_e64 v15, 0, 0x42800000, s2
  v_add_f32_e32 v6, v6, v14
  v_exp_f32_e32 v5, v5
  v_cndmask_b32_e64 v16, 0, 0x42800000, s3
  v_cmp_gt_f32_e64 s4, 0xc2fc0000, v9
  v_cndmask_b32_e64 v17, 0, 0x42800000, s5
  v_cndmask_b32_e64 v18, 0, 0xffffffc0, s0
  v_add_f32_e32 v7, v7, v15
  v_exp_f32_e32 v6, v6
  v_ldexp_f32 v4, v4, v13
  v_cndmask_b32_e64 v12, 0, 0x42800000, s4
  v_cndmask_b32_e64 v13, 0, 0xffffffc0, s1
  v_exp_f32_e32 v7, v7
  v_ldexp_f32 v5, v5, v18
  v_dual_add_f32 v3, v3, v4 :: v_dual_add_f32 v10, v10, v17
  v_add_f32_e32 v8, v8, v16
  v_cmp_gt_f32_e64 s6, 0xc2fc0000, v11
  v_cndmask_b32_e64 v4, 0, 0xffffffc0, s2
  v_add_f32_e32 v9, v9, v12
  v_ldexp_f32 v6, v6, v13
  v_add_f32_e32 v3, v3, v5
  v_exp_f32_e32 v8, v8
  v_cndmask_b32_e64 v14, 0, 0x42800000, s6
  v_cndmask_b32_e64 v5, 0, 0xffffffc0, s3
  v_exp_f32_e32 v9, v9
  v_ldexp_f32 v4, v7, v4
  v_add_f32_e32 v3, v3, v6
  v_cndmask_b32_e64 v6, 0, 0xffffffc0, s4
  v_add_f32_e32 v7, v11, v14
  v_exp_f32_e32 v10, v10
  v_add_co_u32 v1, vcc_lo, v1, 32
  v_ldexp_f32 v5, v8, v5
  v_add_f32_e32 v3, v3, v4
  v_cndmask_b32_e64 v4, 0, 0xffffffc0, s5
  v_exp_f32_e32 v7, v7
  v_ldexp_f32 v6, v9, v6
  v_add_co_ci_u32_e64 v2, null, 0, v2, vcc_lo
  v_add_f32_e32 v3, v3, v5
  v_cndmask_b32_e64 v5, 0, 0xffffffc0, s6
  v_ldexp_f32 v4, v10, v4
  s_delay_alu instid0(VALU_DEP_3)
  v_add_f32_e32 v3, v3, v6
  s_delay_alu instid0(TRANS32_DEP_1) | instid1(VALU_DEP_3)
  v_ldexp_f32 v5, v7, v5
  s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_f32_e32 v3, v3, v4
  v_add_f32_e32 v3, v3, v5
  s_cbranch_scc1 .L2_7c
  v_lshlrev_b32_e32 v1, 2, v0
  s_mov_b32 s0, exec_lo
  ds_store_b32 v1, v3
  s_waitcnt lgkmcnt(0)
  v_cmpx_eq_u32_e32 0, v0
  s_cbranch_execz .L2_394
  v_mov_b32_e32 v8, 0
  s_add_u32 s0, s8, s12
  s_addc_u32 s1, s9, s13
  ds_load_b128 v[0:3], v8
  ds_load_b128 v[4:7], v8 offset:16
  s_waitcnt lgkmcnt(1)
  v_add_f32_e32 v0, v0, v1
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_f32_e32 v0, v0, v2
  v_add_f32_e32 v9, v0, v3
  ds_load_b128 v[0:3], v8 offset:32
  s_waitcnt lgkmcnt(1)
  v_add_f32_e32 v4, v9, v4
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_f32_e32 v4, v4, v5
  v_add_f32_e32 v4, v4, v6
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_3) | instid1(VALU_DEP_1)
  v_add_f32_e32 v9, v4, v7
  ds_load_b128 v[4:7], v8 offset:48
  s_waitcnt lgkmcnt(1)
  v_add_f32_e32 v0, v9, v0
  v_add_f32_e32 v0, v0, v1
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_f32_e32 v0, v0, v2
  v_add_f32_e32 v0, v0, v3
  s_waitcnt lgkmcnt(0)
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_f32_e32 v0, v0, v4
  v_add_f32_e32 v0, v0, v5
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_f32_e32 v0, v0, v6
  v_add_f32_e32 v0, v0, v7
  global_store_b32 v8, v0, s[0:1]
.L2_394:
  s_endpgm

	.section .rodata,"a",@progbits
	.p2align 6

	.amdhsa_kernel r_1024_16_64
		.amdhsa_group_segment_fixed_size 64
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 15
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_wavefront_size32 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_inst_pref_size 8
		.amdhsa_next_free_vgpr 24
		.amdhsa_next_free_sgpr 0
	.end_amdhsa_kernel

