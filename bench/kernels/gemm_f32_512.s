// SPDX-License-Identifier: MIT
// f32 matrix product, 512x512x512, as tinygrad 0.14 compiles (a @ b).realize() for gfx1100.
// Disassembled with `lockstep disasm`; padding and metadata left out.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 6
	.globl r_16_8_8_16_4_4_128_4
	.type r_16_8_8_16_4_4_128_4,@function
	.size r_16_8_8_16_4_4_128_4, 840
	.globl r_16_8_8_16_4_4_128_4.kd
	.type r_16_8_8_16_4_4_128_4.kd,@object
	.size r_16_8_8_16_4_4_128_4.kd, 64

	.text
	.p2align 8

r_16_8_8_16_4_4_128_4:
  s_load_b128 s[4:7], s[0:1], null
  v_lshrrev_b32_e32 v7, 8, v0
  s_lshl_b32 s2, s15, 14
  s_load_b64 s[0:1], s[0:1], 0x10
  s_ashr_i32 s3, s2, 31
  v_dual_mov_b32 v1, 0 :: v_dual_mov_b32 v2, 0
  v_and_b32_e32 v7, 0xffc, v7
  s_lshl_b64 s[8:9], s[2:3], 2
  v_dual_mov_b32 v3, 0 :: v_dual_mov_b32 v4, 0
  v_dual_mov_b32 v5, 0 :: v_dual_mov_b32 v6, 0
  s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_2) | instid1(VALU_DEP_3)
  v_lshl_add_u32 v21, s14, 6, v7
  v_dual_mov_b32 v13, 0 :: v_dual_and_b32 v0, 0x3ff, v0
  v_dual_mov_b32 v14, 0 :: v_dual_mov_b32 v15, 0
  v_dual_mov_b32 v16, 0 :: v_dual_mov_b32 v17, v21
  s_delay_alu instid0(VALU_DEP_3)
  v_lshlrev_b32_e32 v8, 13, v0
  s_waitcnt lgkmcnt(0)
  s_add_u32 s3, s6, s8
  s_addc_u32 s6, s7, s9
  v_dual_mov_b32 v9, 0 :: v_dual_mov_b32 v10, 0
  v_add_co_u32 v7, s3, s3, v8
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_3)
  v_add_co_ci_u32_e64 v8, null, s6, 0, s3
  v_dual_mov_b32 v11, 0 :: v_dual_mov_b32 v12, 0
  v_add_co_u32 v19, vcc_lo, 0x1000, v7
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_ci_u32_e64 v20, null, 0, v8, vcc_lo
  v_dual_mov_b32 v7, 0 :: v_dual_mov_b32 v8, 0
  s_mov_b32 s3, -1
.L2_c4:
  v_ashrrev_i32_e32 v18, 31, v17
  s_clause 0x3
  global_load_b128 v[22:25], v[19:20], off
  global_load_b128 v[26:29], v[19:20], off offset:2048
  global_load_b128 v[30:33], v[19:20], off offset:-2048
  global_load_b128 v[34:37], v[19:20], off offset:-4096
  s_add_i32 s3, s3, 1
  s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  s_cmpk_lt_u32 s3, 0x7f
  v_lshlrev_b64 v[38:39], 2, v[17:18]
  v_add_co_u32 v46, vcc_lo, s0, v38
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_4) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v47, null, s1, v39, vcc_lo
  s_clause 0x1
  global_load_b128 v[38:41], v[46:47], off
  global_load_b128 v[42:45], v[46:47], off offset:2048
  v_add_co_u32 v50, vcc_lo, 0x1000, v46
  v_add_co_ci_u32_e64 v51, null, 0, v47, vcc_lo
  s_clause 0x1
  global_load_b128 v[46:49], v[50:51], off
  global_load_b128 v[50:53], v[50:51], off offset:2048
  v_add_nc_u32_e32 v17, 0x800, v17
  v_add_co_u32 v19, vcc_lo, v19, 16
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_ci_u32_e64 v20, null, 0, v20, vcc_lo
  s_waitcnt vmcnt(3)
  v_mul_f32_e32 v18, v34, v38
  v_mul_f32_e32 v55, v34, v40
  v_mul_f32_e32 v57, v30, v39
  v_mul_f32_e32 v61, v22, v40
  v_mul_f32_e32 v56, v30, v38
  s_waitcnt vmcnt(2)
  v_fmac_f32_e32 v18, v35, v42
  v_dual_mul_f32 v54, v34, v39 :: v_dual_fmac_f32 v55, v35, v44
  v_mul_f32_e32 v59, v22, v38
  v_dual_mul_f32 v60, v22, v39 :: v_dual_fmac_f32 v61, v23, v44
  s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_3)
  v_fmac_f32_e32 v54, v35, v43
  v_dual_mul_f32 v58, v30, v40 :: v_dual_fmac_f32 v59, v23, v42
  v_mul_f32_e32 v39, v26, v39
  s_waitcnt vmcnt(1)
  v_dual_mul_f32 v38, v26, v38 :: v_dual_fmac_f32 v61, v24, v48
  s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_4) | instid1(VALU_DEP_3)
  v_dual_mul_f32 v40, v26, v40 :: v_dual_fmac_f32 v59, v24, v46
  v_fmac_f32_e32 v58, v31, v44
  v_dual_mul_f32 v30, v30, v41 :: v_dual_fmac_f32 v39, v27, v43
  v_dual_fmac_f32 v55, v36, v48 :: v_dual_mul_f32 v34, v34, v41
  v_dual_fmac_f32 v57, v31, v43 :: v_dual_mul_f32 v22, v22, v41
  v_dual_mul_f32 v26, v26, v41 :: v_dual_fmac_f32 v39, v28, v47
  v_fmac_f32_e32 v56, v31, v42
  s_waitcnt vmcnt(0)
  v_dual_fmac_f32 v30, v31, v45 :: v_dual_fmac_f32 v55, v37, v52
  v_dual_fmac_f32 v38, v27, v42 :: v_dual_fmac_f32 v61, v25, v52
  v_dual_fmac_f32 v40, v27, v44 :: v_dual_fmac_f32 v39, v29, v51
  s_delay_alu instid0(VALU_DEP_3)
  v_dual_fmac_f32 v18, v36, v46 :: v_dual_add_f32 v3, v3, v55
  v_fmac_f32_e32 v34, v35, v45
  v_dual_fmac_f32 v60, v23, v43 :: v_dual_fmac_f32 v59, v25, v50
  v_fmac_f32_e32 v56, v32, v46
  v_dual_fmac_f32 v57, v32, v47 :: v_dual_fmac_f32 v22, v23, v45
  v_dual_fmac_f32 v58, v32, v48 :: v_dual_add_f32 v15, v15, v61
  v_fmac_f32_e32 v38, v28, v46
  v_fmac_f32_e32 v40, v28, v48
  v_fmac_f32_e32 v18, v37, v50
  v_dual_fmac_f32 v26, v27, v45 :: v_dual_fmac_f32 v57, v33, v51
  v_fmac_f32_e32 v22, v24, v49
  v_fmac_f32_e32 v58, v33, v52
  v_fmac_f32_e32 v34, v36, v49
  v_fmac_f32_e32 v38, v29, v50
  v_fmac_f32_e32 v30, v32, v49
  v_fmac_f32_e32 v40, v29, v52
  v_dual_fmac_f32 v60, v24, v47 :: v_dual_add_f32 v1, v1, v18
  v_dual_fmac_f32 v26, v28, v49 :: v_dual_add_f32 v13, v13, v59
  v_fmac_f32_e32 v56, v33, v50
  v_fmac_f32_e32 v54, v36, v47
  v_fmac_f32_e32 v22, v25, v53
  s_delay_alu instid0(VALU_DEP_4)
  v_dual_fmac_f32 v26, v29, v53 :: v_dual_add_f32 v7, v7, v58
  v_fmac_f32_e32 v34, v37, v53
  v_add_f32_e32 v5, v5, v56
  v_fmac_f32_e32 v54, v37, v51
  v_add_f32_e32 v9, v9, v38
  v_dual_fmac_f32 v30, v33, v53 :: v_dual_add_f32 v11, v11, v40
  v_fmac_f32_e32 v60, v25, v51
  s_delay_alu instid0(VALU_DEP_4)
  v_add_f32_e32 v2, v2, v54
  v_add_f32_e32 v4, v4, v34
  v_add_f32_e32 v6, v6, v57
  v_add_f32_e32 v8, v8, v30
  v_add_f32_e32 v14, v14, v60
  v_add_f32_e32 v16, v16, v22
  v_add_f32_e32 v10, v10, v39
  v_add_f32_e32 v12, v12, v26
  s_cbranch_scc1 .L2_c4
  v_lshlrev_b32_e32 v0, 11, v0
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add3_u32 v17, s2, v0, v21
  v_ashrrev_i32_e32 v18, 31, v17
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_lshlrev_b64 v[17:18], 2, v[17:18]
  v_add_co_u32 v17, vcc_lo, s4, v17
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_2)
  v_add_co_ci_u32_e64 v18, null, s5, v18, vcc_lo
  v_add_co_u32 v19, vcc_lo, 0x1000, v17
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_ci_u32_e64 v20, null, 0, v18, vcc_lo
  s_clause 0x3
  global_store_b128 v[19:20], v[13:16], off
  global_store_b128 v[19:20], v[9:12], off offset:2048
  global_store_b128 v[17:18], v[5:8], off offset:2048
  global_store_b128 v[17:18], v[1:4], off
  s_endpgm

	.section .rodata,"a",@progbits
	.p2align 6

	.amdhsa_kernel r_16_8_8_16_4_4_128_4
		.amdhsa_kernarg_size 24
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
		.amdhsa_inst_pref_size 7
		.amdhsa_next_free_vgpr 64
		.amdhsa_next_free_sgpr 0
	.end_amdhsa_kernel

