// SPDX-License-Identifier: MIT
// 256 partial sums of 4 Mi f32 numbers, as tinygrad 0.14 compiles (4096x1024).sum() for gfx1100.
// Disassembled with `lockstep disasm`; padding and metadata left out.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 6
	.globl r_256_16_1024
	.type r_256_16_1024,@function
	.size r_256_16_1024, 504
	.globl r_256_16_1024.kd
	.type r_256_16_1024.kd,@object
	.size r_256_16_1024.kd, 64

	.text
	.p2align 8

r_256_16_1024:
  v_lshlrev_b32_e32 v1, 10, v0
  s_load_b128 s[0:3], s[0:1], null
  s_mov_b32 s4, s15
  v_mov_b32_e32 v3, 0
  s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_lshl_or_b32 v1, s4, 14, v1
  v_ashrrev_i32_e32 v2, 31, v1
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_lshlrev_b64 v[1:2], 2, v[1:2]
  s_waitcnt lgkmcnt(0)
  v_add_co_u32 v1, vcc_lo, s2, v1
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_2) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v2, null, s3, v2, vcc_lo
  s_mov_b32 s2, -1
  v_add_co_u32 v1, vcc_lo, v1, 32
  v_add_co_ci_u32_e64 v2, null, 0, v2, vcc_lo
  s_nop 0
  s_nop 0
  s_nop 0
  s_nop 0
  s_nop 0
  s_nop 0
  s_nop 0
  s_nop 0
  s_nop 0
.L2_80:
  s_clause 0x3
  global_load_b128 v[4:7], v[1:2], off offset:-32
  global_load_b128 v[8:11], v[1:2], off offset:-16
  global_load_b128 v[12:15], v[1:2], off
  global_load_b128 v[16:19], v[1:2], off offset:16
  v_add_co_u32 v1, vcc_lo, v1, 64
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(SALU_CYCLE_1)
  v_add_co_ci_u32_e64 v2, null, 0, v2, vcc_lo
  s_add_i32 s2, s2, 16
  s_cmpk_lt_u32 s2, 0x3ff
  s_waitcnt vmcnt(3)
  v_add_f32_e32 v3, v3, v4
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_f32_e32 v3, v3, v5
  v_add_f32_e32 v3, v3, v6
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_f32_e32 v3, v3, v7
  s_waitcnt vmcnt(2)
  v_add_f32_e32 v3, v3, v8
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_f32_e32 v3, v3, v9
  v_add_f32_e32 v3, v3, v10
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_f32_e32 v3, v3, v11
  s_waitcnt vmcnt(1)
  v_add_f32_e32 v3, v3, v12
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_f32_e32 v3, v3, v13
  v_add_f32_e32 v3, v3, v14
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_f32_e32 v3, v3, v15
  s_waitcnt vmcnt(0)
  v_add_f32_e32 v3, v3, v16
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_f32_e32 v3, v3, v17
  v_add_f32_e32 v3, v3, v18
  s_delay_alu instid0(VALU_DEP_1)
  v_add_f32_e32 v3, v3, v19
  s_cbranch_scc1 .L2_80
  v_lshlrev_b32_e32 v1, 2, v0
  s_mov_b32 s2, exec_lo
  ds_store_b32 v1, v3
  s_waitcnt lgkmcnt(0)
  v_cmpx_eq_u32_e32 0, v0
  s_cbranch_execz .L2_1f4
  v_mov_b32_e32 v8, 0
  s_ashr_i32 s5, s4, 31
  ds_load_b128 v[0:3], v8
  ds_load_b128 v[4:7], v8 offset:16
  s_lshl_b64 s[2:3], s[4:5], 2
  s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_3) | instid1(VALU_DEP_1)
  s_add_u32 s0, s0, s2
  s_addc_u32 s1, s1, s3
  s_waitcnt lgkmcnt(1)
  v_add_f32_e32 v0, v0, v1
  v_add_f32_e32 v0, v0, v2
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_3) | instid1(VALU_DEP_1)
  v_add_f32_e32 v9, v0, v3
  ds_load_b128 v[0:3], v8 offset:32
  s_waitcnt lgkmcnt(1)
  v_add_f32_e32 v4, v9, v4
  v_add_f32_e32 v4, v4, v5
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_f32_e32 v4, v4, v6
  v_add_f32_e32 v9, v4, v7
  ds_load_b128 v[4:7], v8 offset:48
  s_waitcnt lgkmcnt(1)
  v_add_f32_e32 v0, v9, v0
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_f32_e32 v0, v0, v1
  v_add_f32_e32 v0, v0, v2
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_f32_e32 v0, v0, v3
  s_waitcnt lgkmcnt(0)
  v_add_f32_e32 v0, v0, v4
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_f32_e32 v0, v0, v5
  v_add_f32_e32 v0, v0, v6
  s_delay_alu instid0(VALU_DEP_1)
  v_add_f32_e32 v0, v0, v7
  global_store_b32 v8, v0, s[0:1]
.L2_1f4:
  s_endpgm

	.section .rodata,"a",@progbits
	.p2align 6

	.amdhsa_kernel r_256_16_1024
		.amdhsa_group_segment_fixed_size 64
		.amdhsa_kernarg_size 16
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
		.amdhsa_inst_pref_size 4
		.amdhsa_next_free_vgpr 24
		.amdhsa_next_free_sgpr 0
	.end_amdhsa_kernel

