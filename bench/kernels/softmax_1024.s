// SPDX-License-Identifier: MIT
// The last kernel of a softmax over the rows of a 1024x1024 f32 matrix, as tinygrad 0.14 compiles it for gfx1100.
// Disassembled with `lockstep disasm`; padding and metadata left out.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 6
	.globl E_128_16_8_16_4
	.type E_128_16_8_16_4,@function
	.size E_128_16_8_16_4, 536
	.globl E_128_16_8_16_4.kd
	.type E_128_16_8_16_4.kd,@object
	.size E_128_16_8_16_4.kd, 64

	.text
	.p2align 8

E_128_16_8_16_4:
  v_lshrrev_b32_e32 v1, 8, v0
  v_and_b32_e32 v0, 0x3ff, v0
  s_load_b256 s[4:11], s[0:1], null
  s_lshl_b32 s0, s15, 13
  s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
  v_and_b32_e32 v1, 0xffc, v1
  v_lshlrev_b32_e32 v2, 10, v0
  v_lshl_add_u32 v0, s15, 3, v0
  s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_lshl_add_u32 v1, s14, 6, v1
  v_add3_u32 v2, v1, v2, s0
  s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_2)
  v_ashrrev_i32_e32 v1, 31, v0
  v_ashrrev_i32_e32 v3, 31, v2
  s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
  v_lshlrev_b64 v[4:5], 2, v[0:1]
  v_lshlrev_b64 v[6:7], 2, v[2:3]
  s_waitcnt lgkmcnt(0)
  s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_co_u32 v0, vcc_lo, s8, v4
  v_add_co_ci_u32_e64 v1, null, s9, v5, vcc_lo
  s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_co_u32 v2, vcc_lo, s6, v6
  v_add_co_ci_u32_e64 v3, null, s7, v7, vcc_lo
  v_add_co_u32 v4, vcc_lo, s10, v4
  global_load_b32 v8, v[0:1], off
  global_load_b128 v[0:3], v[2:3], off
  v_add_co_ci_u32_e64 v5, null, s11, v5, vcc_lo
  global_load_b32 v4, v[4:5], off
  s_waitcnt vmcnt(1)
  v_sub_f32_e32 v0, v0, v8
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_2) | instid1(VALU_DEP_1)
  v_mul_f32_e32 v0, 0x3fb8aa3b, v0
  s_waitcnt vmcnt(0)
  v_rcp_f32_e32 v4, v4
  v_cmp_gt_f32_e32 vcc_lo, 0xc2fc0000, v0
  v_cndmask_b32_e64 v5, 0, 0x42800000, vcc_lo
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_dual_sub_f32 v3, v3, v8 :: v_dual_add_f32 v0, v0, v5
  v_dual_sub_f32 v2, v2, v8 :: v_dual_mul_f32 v3, 0x3fb8aa3b, v3
  v_sub_f32_e32 v1, v1, v8
  v_cndmask_b32_e64 v5, 0, 0xffffffc0, vcc_lo
  s_delay_alu instid0(VALU_DEP_4) | instskip(NEXT) | instid1(VALU_DEP_3)
  v_exp_f32_e32 v0, v0
  v_mul_f32_e32 v2, 0x3fb8aa3b, v2
  v_cmp_gt_f32_e64 s2, 0xc2fc0000, v3
  v_mul_f32_e32 v1, 0x3fb8aa3b, v1
  s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_3)
  v_cmp_gt_f32_e64 s1, 0xc2fc0000, v2
  v_cndmask_b32_e64 v10, 0, 0x42800000, s2
  s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(TRANS32_DEP_1)
  v_cmp_gt_f32_e64 s0, 0xc2fc0000, v1
  v_ldexp_f32 v0, v0, v5
  s_delay_alu instid0(VALU_DEP_4) | instskip(NEXT) | instid1(VALU_DEP_4)
  v_cndmask_b32_e64 v9, 0, 0x42800000, s1
  v_add_f32_e32 v3, v3, v10
  s_delay_alu instid0(VALU_DEP_4)
  v_cndmask_b32_e64 v8, 0, 0x42800000, s0
  v_cndmask_b32_e64 v10, 0, 0xffffffc0, s2
  v_mul_f32_e32 v0, v0, v4
  v_add_f32_e32 v2, v2, v9
  v_exp_f32_e32 v3, v3
  v_add_f32_e32 v1, v1, v8
  v_cndmask_b32_e64 v8, 0, 0xffffffc0, s0
  v_cndmask_b32_e64 v9, 0, 0xffffffc0, s1
  v_exp_f32_e32 v2, v2
  s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(TRANS32_DEP_3)
  v_exp_f32_e32 v1, v1
  v_ldexp_f32 v3, v3, v10
  s_waitcnt_depctr depctr_va_vdst(0)
  v_ldexp_f32 v2, v2, v9
  v_mul_f32_e32 v3, v3, v4
  v_ldexp_f32 v1, v1, v8
  s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_2)
  v_mul_f32_e32 v2, v2, v4
  v_mul_f32_e32 v1, v1, v4
  v_add_co_u32 v4, vcc_lo, s4, v6
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_ci_u32_e64 v5, null, s5, v7, vcc_lo
  global_store_b128 v[4:5], v[0:3], off
  s_endpgm

	.section .rodata,"a",@progbits
	.p2align 6

	.amdhsa_kernel E_128_16_8_16_4
		.amdhsa_kernarg_size 32
		.amdhsa_user_sgpr_count 14
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_wavefront_size32 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_vgpr_workitem_id 1
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_inst_pref_size 5
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 0
	.end_amdhsa_kernel

