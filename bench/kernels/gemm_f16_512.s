// SPDX-License-Identifier: MIT
// f16 matrix product with f32 sums, 512x512x512, as tinygrad 0.14 compiles it for gfx1100 (WMMA).
// Disassembled with `lockstep disasm`; padding and metadata left out.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 6
	.globl r_8_2_32_4_2_2_2_4_4_32_2
	.type r_8_2_32_4_2_2_2_4_4_32_2,@function
	.size r_8_2_32_4_2_2_2_4_4_32_2, 3788
	.globl r_8_2_32_4_2_2_2_4_4_32_2.kd
	.type r_8_2_32_4_2_2_2_4_4_32_2.kd,@object
	.size r_8_2_32_4_2_2_2_4_4_32_2.kd, 64

	.text
	.p2align 8

r_8_2_32_4_2_2_2_4_4_32_2:
  v_dual_mov_b32 v1, 0 :: v_dual_and_b32 v4, 15, v0
  s_load_b128 s[4:7], s[0:1], null
  s_lshl_b32 s2, s15, 15
  v_lshrrev_b32_e32 v5, 4, v0
  s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_2) | instid1(VALU_DEP_3)
  v_lshl_or_b32 v2, v4, 9, s2
  s_load_b64 s[0:1], s[0:1], 0x10
  v_lshl_or_b32 v6, s14, 8, v4
  v_dual_mov_b32 v18, v1 :: v_dual_and_b32 v5, 0xffc0, v5
  s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_1) | instid1(VALU_DEP_3)
  v_ashrrev_i32_e32 v3, 31, v2
  v_dual_mov_b32 v9, 0 :: v_dual_and_b32 v0, 0x3ff, v0
  v_dual_mov_b32 v17, 0 :: v_dual_add_nc_u32 v170, v6, v5
  s_delay_alu instid0(VALU_DEP_3)
  v_lshlrev_b64 v[3:4], 1, v[2:3]
  v_dual_mov_b32 v25, 0 :: v_dual_mov_b32 v10, v1
  v_mov_b32_e32 v2, v1
  v_mov_b32_e32 v11, v1
  v_mov_b32_e32 v19, v1
  v_mov_b32_e32 v27, v1
  s_waitcnt lgkmcnt(0)
  v_add_co_u32 v161, vcc_lo, s6, v3
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_ci_u32_e64 v162, null, s7, v4, vcc_lo
  v_mov_b32_e32 v3, v1
  v_dual_mov_b32 v26, v1 :: v_dual_mov_b32 v163, v170
  v_mov_b32_e32 v4, v1
  v_mov_b32_e32 v12, v1
  v_mov_b32_e32 v20, v1
  v_mov_b32_e32 v28, v1
  v_mov_b32_e32 v5, v1
  v_mov_b32_e32 v13, v1
  v_mov_b32_e32 v21, v1
  v_mov_b32_e32 v29, v1
  v_mov_b32_e32 v6, v1
  v_mov_b32_e32 v14, v1
  v_mov_b32_e32 v22, v1
  v_mov_b32_e32 v30, v1
  v_mov_b32_e32 v7, v1
  v_mov_b32_e32 v15, v1
  v_mov_b32_e32 v23, v1
  v_mov_b32_e32 v31, v1
  v_mov_b32_e32 v8, v1
  v_mov_b32_e32 v16, v1
  v_mov_b32_e32 v24, v1
  v_mov_b32_e32 v32, v1
  v_mov_b32_e32 v81, v1
  v_mov_b32_e32 v113, v1
  v_mov_b32_e32 v121, v1
  v_mov_b32_e32 v105, v1
  v_mov_b32_e32 v82, v1
  v_mov_b32_e32 v114, v1
  v_mov_b32_e32 v122, v1
  v_mov_b32_e32 v106, v1
  v_mov_b32_e32 v83, v1
  v_mov_b32_e32 v115, v1
  v_mov_b32_e32 v123, v1
  v_mov_b32_e32 v107, v1
  v_mov_b32_e32 v84, v1
  v_mov_b32_e32 v116, v1
  v_mov_b32_e32 v124, v1
  v_mov_b32_e32 v108, v1
  v_mov_b32_e32 v85, v1
  v_mov_b32_e32 v117, v1
  v_mov_b32_e32 v125, v1
  v_mov_b32_e32 v109, v1
  v_mov_b32_e32 v86, v1
  v_mov_b32_e32 v118, v1
  v_mov_b32_e32 v126, v1
  v_mov_b32_e32 v110, v1
  v_mov_b32_e32 v87, v1
  v_mov_b32_e32 v119, v1
  v_mov_b32_e32 v127, v1
  v_mov_b32_e32 v111, v1
  v_mov_b32_e32 v88, v1
  v_mov_b32_e32 v120, v1
  v_mov_b32_e32 v128, v1
  v_mov_b32_e32 v112, v1
  v_mov_b32_e32 v33, v1
  v_mov_b32_e32 v89, v1
  v_mov_b32_e32 v97, v1
  v_mov_b32_e32 v34, v1
  v_mov_b32_e32 v90, v1
  v_mov_b32_e32 v98, v1
  v_mov_b32_e32 v73, v1
  v_mov_b32_e32 v74, v1
  v_mov_b32_e32 v35, v1
  v_mov_b32_e32 v91, v1
  v_mov_b32_e32 v99, v1
  v_mov_b32_e32 v75, v1
  v_mov_b32_e32 v36, v1
  v_mov_b32_e32 v92, v1
  v_mov_b32_e32 v100, v1
  v_mov_b32_e32 v76, v1
  v_mov_b32_e32 v37, v1
  v_mov_b32_e32 v93, v1
  v_mov_b32_e32 v101, v1
  v_mov_b32_e32 v77, v1
  v_mov_b32_e32 v38, v1
  v_mov_b32_e32 v94, v1
  v_mov_b32_e32 v102, v1
  v_mov_b32_e32 v78, v1
  v_mov_b32_e32 v39, v1
  v_mov_b32_e32 v95, v1
  v_mov_b32_e32 v103, v1
  v_mov_b32_e32 v79, v1
  v_mov_b32_e32 v40, v1
  v_mov_b32_e32 v96, v1
  v_mov_b32_e32 v104, v1
  v_mov_b32_e32 v80, v1
  v_mov_b32_e32 v41, v1
  v_mov_b32_e32 v42, v1
  v_mov_b32_e32 v57, v1
  v_mov_b32_e32 v58, v1
  v_mov_b32_e32 v65, v1
  v_mov_b32_e32 v66, v1
  v_mov_b32_e32 v49, v1
  v_mov_b32_e32 v50, v1
  v_mov_b32_e32 v43, v1
  v_mov_b32_e32 v59, v1
  v_mov_b32_e32 v67, v1
  v_mov_b32_e32 v51, v1
  v_mov_b32_e32 v44, v1
  v_mov_b32_e32 v60, v1
  v_mov_b32_e32 v68, v1
  v_mov_b32_e32 v52, v1
  v_mov_b32_e32 v45, v1
  v_mov_b32_e32 v61, v1
  v_mov_b32_e32 v69, v1
  v_mov_b32_e32 v53, v1
  v_mov_b32_e32 v46, v1
  v_mov_b32_e32 v62, v1
  v_mov_b32_e32 v70, v1
  v_mov_b32_e32 v54, v1
  v_mov_b32_e32 v47, v1
  v_mov_b32_e32 v63, v1
  v_mov_b32_e32 v71, v1
  v_mov_b32_e32 v55, v1
  v_mov_b32_e32 v48, v1
  v_mov_b32_e32 v64, v1
  v_mov_b32_e32 v72, v1
  v_mov_b32_e32 v56, v1
  s_mov_b32 s3, -1
.L2_278:
  v_ashrrev_i32_e32 v164, 31, v163
  v_add_co_u32 v141, vcc_lo, 0x4000, v161
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_3)
  v_add_co_ci_u32_e64 v142, null, 0, v162, vcc_lo
  v_lshlrev_b64 v[164:165], 1, v[163:164]
  v_add_co_u32 v149, vcc_lo, 0x8000, v161
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v150, null, 0, v162, vcc_lo
  v_add_co_u32 v157, vcc_lo, 0xc000, v161
  v_add_co_ci_u32_e64 v158, null, 0, v162, vcc_lo
  v_add_co_u32 v164, vcc_lo, s0, v164
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_4) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v165, null, s1, v165, vcc_lo
  s_clause 0x1
  global_load_b128 v[129:132], v[161:162], off
  global_load_b128 v[133:136], v[161:162], off offset:16
  v_add_co_u32 v166, vcc_lo, 0x1000, v164
  v_add_co_ci_u32_e64 v167, null, 0, v165, vcc_lo
  v_add_co_u32 v168, vcc_lo, 0x2000, v164
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v169, null, 0, v165, vcc_lo
  v_add_co_u32 v202, vcc_lo, v164, 0x2000
  v_add_co_ci_u32_e64 v203, null, 0, v165, vcc_lo
  v_add_co_u32 v204, vcc_lo, 0x3000, v164
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_ci_u32_e64 v205, null, 0, v165, vcc_lo
  s_clause 0x12
  global_load_d16_b16 v171, v[164:165], off offset:64
  global_load_d16_b16 v172, v[164:165], off offset:2112
  global_load_d16_b16 v182, v[202:203], off
  global_load_d16_b16 v183, v[168:169], off offset:2048
  global_load_d16_b16 v187, v[164:165], off offset:2144
  global_load_d16_b16 v193, v[204:205], off offset:2144
  global_load_d16_b16 v195, v[164:165], off offset:2080
  global_load_d16_b16 v201, v[204:205], off offset:2080
  global_load_d16_b16 v174, v[166:167], off offset:2112
  global_load_d16_b16 v175, v[168:169], off offset:64
  global_load_d16_b16 v176, v[168:169], off offset:2112
  global_load_d16_b16 v177, v[204:205], off offset:64
  global_load_d16_b16 v178, v[204:205], off offset:2112
  global_load_d16_b16 v184, v[204:205], off
  global_load_d16_b16 v173, v[166:167], off offset:64
  global_load_d16_b16 v197, v[166:167], off offset:2080
  global_load_d16_b16 v189, v[166:167], off offset:2144
  global_load_d16_b16 v196, v[166:167], off offset:32
  global_load_d16_b16 v188, v[166:167], off offset:96
  s_clause 0x5
  global_load_b128 v[137:140], v[141:142], off
  global_load_b128 v[141:144], v[141:142], off offset:16
  global_load_b128 v[145:148], v[149:150], off
  global_load_b128 v[149:152], v[149:150], off offset:16
  global_load_b128 v[153:156], v[157:158], off
  global_load_b128 v[157:160], v[157:158], off offset:16
  global_load_d16_b16 v180, v[202:203], off offset:-4096
  v_add_co_u32 v161, vcc_lo, v161, 32
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_ci_u32_e64 v162, null, 0, v162, vcc_lo
  v_add_nc_u32_e32 v163, 0x2000, v163
  s_add_i32 s3, s3, 1
  s_clause 0x15
  global_load_d16_hi_b16 v187, v[164:165], off offset:3168
  global_load_d16_b16 v179, v[164:165], off offset:2048
  global_load_d16_b16 v186, v[164:165], off offset:96
  global_load_d16_b16 v194, v[164:165], off offset:32
  global_load_d16_hi_b16 v171, v[164:165], off offset:1088
  global_load_d16_hi_b16 v182, v[168:169], off offset:1024
  global_load_d16_hi_b16 v183, v[168:169], off offset:3072
  global_load_d16_hi_b16 v193, v[204:205], off offset:3168
  global_load_d16_b16 v199, v[168:169], off offset:2080
  global_load_d16_b16 v191, v[168:169], off offset:2144
  global_load_d16_b16 v190, v[168:169], off offset:96
  global_load_d16_hi_b16 v196, v[166:167], off offset:1056
  global_load_d16_hi_b16 v188, v[166:167], off offset:1120
  global_load_d16_hi_b16 v172, v[164:165], off offset:3136
  global_load_d16_hi_b16 v173, v[166:167], off offset:1088
  global_load_d16_hi_b16 v197, v[166:167], off offset:3104
  global_load_d16_hi_b16 v189, v[166:167], off offset:3168
  global_load_d16_b16 v181, v[166:167], off offset:2048
  global_load_d16_hi_b16 v175, v[168:169], off offset:1088
  global_load_d16_hi_b16 v174, v[166:167], off offset:3136
  global_load_d16_b16 v198, v[168:169], off offset:32
  global_load_d16_hi_b16 v184, v[204:205], off offset:1024
  s_cmp_lt_u32 s3, 31
  s_clause 0xe
  global_load_d16_hi_b16 v186, v[164:165], off offset:1120
  global_load_d16_hi_b16 v194, v[164:165], off offset:1056
  global_load_d16_hi_b16 v195, v[164:165], off offset:3104
  global_load_d16_b16 v185, v[204:205], off offset:2048
  global_load_d16_hi_b16 v178, v[204:205], off offset:3136
  global_load_d16_hi_b16 v199, v[168:169], off offset:3104
  global_load_d16_hi_b16 v191, v[168:169], off offset:3168
  global_load_d16_hi_b16 v190, v[168:169], off offset:1120
  global_load_d16_b16 v192, v[204:205], off offset:96
  global_load_d16_hi_b16 v177, v[204:205], off offset:1088
  global_load_d16_hi_b16 v176, v[168:169], off offset:3136
  global_load_d16_b16 v200, v[204:205], off offset:32
  global_load_d16_hi_b16 v181, v[166:167], off offset:3072
  global_load_d16_hi_b16 v192, v[204:205], off offset:1120
  global_load_d16_hi_b16 v201, v[204:205], off offset:3104
  s_waitcnt vmcnt(4)
  v_wmma_f32_16x16x16_f16 v[121:128], v[137:144], v[171:178], v[121:128]
  v_wmma_f32_16x16x16_f16 v[97:104], v[145:152], v[171:178], v[97:104]
  v_wmma_f32_16x16x16_f16 v[65:72], v[153:160], v[171:178], v[65:72]
  v_wmma_f32_16x16x16_f16 v[17:24], v[129:136], v[171:178], v[17:24]
  s_clause 0x6
  global_load_d16_hi_b16 v180, v[166:167], off offset:1024
  global_load_d16_hi_b16 v198, v[168:169], off offset:1056
  global_load_d16_b16 v178, v[164:165], off
  global_load_d16_hi_b16 v178, v[164:165], off offset:1024
  global_load_d16_hi_b16 v179, v[164:165], off offset:3072
  global_load_d16_hi_b16 v185, v[204:205], off offset:3072
  global_load_d16_hi_b16 v200, v[204:205], off offset:1056
  s_waitcnt vmcnt(8)
  v_wmma_f32_16x16x16_f16 v[105:112], v[137:144], v[186:193], v[105:112]
  v_wmma_f32_16x16x16_f16 v[73:80], v[145:152], v[186:193], v[73:80]
  v_wmma_f32_16x16x16_f16 v[49:56], v[153:160], v[186:193], v[49:56]
  v_wmma_f32_16x16x16_f16 v[25:32], v[129:136], v[186:193], v[25:32]
  s_waitcnt vmcnt(1)
  v_wmma_f32_16x16x16_f16 v[81:88], v[137:144], v[178:185], v[81:88]
  v_wmma_f32_16x16x16_f16 v[33:40], v[145:152], v[178:185], v[33:40]
  v_wmma_f32_16x16x16_f16 v[41:48], v[153:160], v[178:185], v[41:48]
  v_wmma_f32_16x16x16_f16 v[1:8], v[129:136], v[178:185], v[1:8]
  s_waitcnt vmcnt(0)
  v_wmma_f32_16x16x16_f16 v[113:120], v[137:144], v[194:201], v[113:120]
  v_wmma_f32_16x16x16_f16 v[89:96], v[145:152], v[194:201], v[89:96]
  v_wmma_f32_16x16x16_f16 v[57:64], v[153:160], v[194:201], v[57:64]
  v_wmma_f32_16x16x16_f16 v[9:16], v[129:136], v[194:201], v[9:16]
  s_cbranch_scc1 .L2_278
  v_lshlrev_b32_e32 v0, 5, v0
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_and_or_b32 v0, 0x7e00, v0, s2
  v_add_nc_u32_e32 v129, v0, v170
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_ashrrev_i32_e32 v130, 31, v129
  v_lshlrev_b64 v[129:130], 2, v[129:130]
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_co_u32 v129, vcc_lo, s4, v129
  v_add_co_ci_u32_e64 v130, null, s5, v130, vcc_lo
  s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_1)
  v_add_co_u32 v131, vcc_lo, 0x1000, v129
  v_add_co_ci_u32_e64 v132, null, 0, v130, vcc_lo
  v_add_co_u32 v133, vcc_lo, v129, 0x2000
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v134, null, 0, v130, vcc_lo
  v_add_co_u32 v135, vcc_lo, 0x2000, v129
  v_add_co_ci_u32_e64 v136, null, 0, v130, vcc_lo
  v_add_co_u32 v137, vcc_lo, 0x3000, v129
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v138, null, 0, v130, vcc_lo
  v_add_co_u32 v139, vcc_lo, v129, 0x4000
  v_add_co_ci_u32_e64 v140, null, 0, v130, vcc_lo
  v_add_co_u32 v141, vcc_lo, 0x4000, v129
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_ci_u32_e64 v142, null, 0, v130, vcc_lo
  s_clause 0x7
  global_store_b32 v[135:136], v19, off offset:128
  global_store_b32 v[135:136], v27, off offset:192
  global_store_b32 v[137:138], v12, off offset:64
  global_store_b32 v[137:138], v20, off offset:128
  global_store_b32 v[137:138], v28, off offset:192
  global_store_b32 v[141:142], v13, off offset:64
  global_store_b32 v[141:142], v21, off offset:128
  global_store_b32 v[141:142], v29, off offset:192
  v_add_co_u32 v12, vcc_lo, 0x5000, v129
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v13, null, 0, v130, vcc_lo
  v_add_co_u32 v19, vcc_lo, v129, 0x6000
  v_add_co_ci_u32_e64 v20, null, 0, v130, vcc_lo
  v_add_co_u32 v27, vcc_lo, 0x6000, v129
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v28, null, 0, v130, vcc_lo
  v_add_co_u32 v137, vcc_lo, 0x7000, v129
  v_add_co_ci_u32_e64 v138, null, 0, v130, vcc_lo
  v_add_co_u32 v141, vcc_lo, v129, 0x8000
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_ci_u32_e64 v142, null, 0, v130, vcc_lo
  s_clause 0x7
  global_store_b32 v[12:13], v14, off offset:64
  global_store_b32 v[12:13], v22, off offset:128
  global_store_b32 v[12:13], v30, off offset:192
  global_store_b32 v[27:28], v15, off offset:64
  global_store_b32 v[27:28], v23, off offset:128
  global_store_b32 v[27:28], v31, off offset:192
  global_store_b32 v[137:138], v16, off offset:64
  global_store_b32 v[137:138], v24, off offset:128
  v_add_co_u32 v12, vcc_lo, 0x8000, v129
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v13, null, 0, v130, vcc_lo
  v_add_co_u32 v14, vcc_lo, 0x9000, v129
  v_add_co_ci_u32_e64 v15, null, 0, v130, vcc_lo
  v_add_co_u32 v21, vcc_lo, v129, 0xa000
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v22, null, 0, v130, vcc_lo
  v_add_co_u32 v23, vcc_lo, 0xa000, v129
  v_add_co_ci_u32_e64 v24, null, 0, v130, vcc_lo
  s_clause 0x7
  global_store_b32 v[137:138], v32, off offset:192
  global_store_b32 v[12:13], v113, off offset:64
  global_store_b32 v[12:13], v121, off offset:128
  global_store_b32 v[12:13], v105, off offset:192
  global_store_b32 v[14:15], v114, off offset:64
  global_store_b32 v[14:15], v122, off offset:128
  global_store_b32 v[14:15], v106, off offset:192
  global_store_b32 v[23:24], v115, off offset:64
  v_add_co_u32 v12, vcc_lo, 0xb000, v129
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v13, null, 0, v130, vcc_lo
  v_add_co_u32 v14, vcc_lo, v129, 0xc000
  v_add_co_ci_u32_e64 v15, null, 0, v130, vcc_lo
  v_add_co_u32 v27, vcc_lo, 0xc000, v129
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_ci_u32_e64 v28, null, 0, v130, vcc_lo
  s_clause 0x7
  global_store_b32 v[23:24], v123, off offset:128
  global_store_b32 v[23:24], v107, off offset:192
  global_store_b32 v[12:13], v116, off offset:64
  global_store_b32 v[12:13], v124, off offset:128
  global_store_b32 v[12:13], v108, off offset:192
  global_store_b32 v[27:28], v117, off offset:64
  global_store_b32 v[27:28], v125, off offset:128
  global_store_b32 v[27:28], v109, off offset:192
  v_add_co_u32 v12, vcc_lo, 0xd000, v129
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v13, null, 0, v130, vcc_lo
  v_add_co_u32 v23, vcc_lo, v129, 0xe000
  v_add_co_ci_u32_e64 v24, null, 0, v130, vcc_lo
  v_add_co_u32 v27, vcc_lo, 0xe000, v129
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_ci_u32_e64 v28, null, 0, v130, vcc_lo
  s_clause 0x7
  global_store_b32 v[141:142], v8, off offset:-4096
  global_store_b32 v[141:142], v81, off
  global_store_b32 v[21:22], v82, off offset:-4096
  global_store_b32 v[21:22], v83, off
  global_store_b32 v[14:15], v84, off offset:-4096
  global_store_b32 v[14:15], v85, off
  global_store_b32 v[23:24], v86, off offset:-4096
  global_store_b32 v[23:24], v87, off
  v_add_co_u32 v14, vcc_lo, 0xf000, v129
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v15, null, 0, v130, vcc_lo
  v_add_co_u32 v21, vcc_lo, v129, 0x10000
  v_add_co_ci_u32_e64 v22, null, 0, v130, vcc_lo
  s_clause 0x7
  global_store_b32 v[12:13], v118, off offset:64
  global_store_b32 v[12:13], v126, off offset:128
  global_store_b32 v[12:13], v110, off offset:192
  global_store_b32 v[27:28], v119, off offset:64
  global_store_b32 v[27:28], v127, off offset:128
  global_store_b32 v[27:28], v111, off offset:192
  global_store_b32 v[14:15], v120, off offset:64
  global_store_b32 v[14:15], v128, off offset:128
  v_add_co_u32 v12, vcc_lo, 0x10000, v129
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v13, null, 0, v130, vcc_lo
  v_add_co_u32 v23, vcc_lo, 0x11000, v129
  v_add_co_ci_u32_e64 v24, null, 0, v130, vcc_lo
  v_add_co_u32 v27, vcc_lo, v129, 0x12000
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v28, null, 0, v130, vcc_lo
  v_add_co_u32 v29, vcc_lo, 0x12000, v129
  v_add_co_ci_u32_e64 v30, null, 0, v130, vcc_lo
  s_clause 0x7
  global_store_b32 v[14:15], v112, off offset:192
  global_store_b32 v[12:13], v89, off offset:64
  global_store_b32 v[12:13], v97, off offset:128
  global_store_b32 v[12:13], v73, off offset:192
  global_store_b32 v[23:24], v90, off offset:64
  global_store_b32 v[23:24], v98, off offset:128
  global_store_b32 v[23:24], v74, off offset:192
  global_store_b32 v[29:30], v91, off offset:64
  v_add_co_u32 v12, vcc_lo, 0x13000, v129
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v13, null, 0, v130, vcc_lo
  v_add_co_u32 v14, vcc_lo, v129, 0x14000
  v_add_co_ci_u32_e64 v15, null, 0, v130, vcc_lo
  v_add_co_u32 v23, vcc_lo, 0x14000, v129
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_ci_u32_e64 v24, null, 0, v130, vcc_lo
  s_clause 0x7
  global_store_b32 v[29:30], v99, off offset:128
  global_store_b32 v[29:30], v75, off offset:192
  global_store_b32 v[12:13], v92, off offset:64
  global_store_b32 v[12:13], v100, off offset:128
  global_store_b32 v[12:13], v76, off offset:192
  global_store_b32 v[23:24], v93, off offset:64
  global_store_b32 v[23:24], v101, off offset:128
  global_store_b32 v[23:24], v77, off offset:192
  v_add_co_u32 v12, vcc_lo, 0x15000, v129
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v13, null, 0, v130, vcc_lo
  v_add_co_u32 v23, vcc_lo, v129, 0x16000
  v_add_co_ci_u32_e64 v24, null, 0, v130, vcc_lo
  v_add_co_u32 v29, vcc_lo, 0x16000, v129
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_ci_u32_e64 v30, null, 0, v130, vcc_lo
  s_clause 0x7
  global_store_b32 v[21:22], v88, off offset:-4096
  global_store_b32 v[21:22], v33, off
  global_store_b32 v[27:28], v34, off offset:-4096
  global_store_b32 v[27:28], v35, off
  global_store_b32 v[14:15], v36, off offset:-4096
  global_store_b32 v[14:15], v37, off
  global_store_b32 v[23:24], v38, off offset:-4096
  global_store_b32 v[23:24], v39, off
  v_add_co_u32 v14, vcc_lo, 0x17000, v129
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v15, null, 0, v130, vcc_lo
  v_add_co_u32 v21, vcc_lo, v129, 0x18000
  v_add_co_ci_u32_e64 v22, null, 0, v130, vcc_lo
  s_clause 0x7
  global_store_b32 v[12:13], v94, off offset:64
  global_store_b32 v[12:13], v102, off offset:128
  global_store_b32 v[12:13], v78, off offset:192
  global_store_b32 v[29:30], v95, off offset:64
  global_store_b32 v[29:30], v103, off offset:128
  global_store_b32 v[29:30], v79, off offset:192
  global_store_b32 v[14:15], v96, off offset:64
  global_store_b32 v[14:15], v104, off offset:128
  v_add_co_u32 v12, vcc_lo, 0x18000, v129
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v13, null, 0, v130, vcc_lo
  v_add_co_u32 v23, vcc_lo, 0x19000, v129
  v_add_co_ci_u32_e64 v24, null, 0, v130, vcc_lo
  v_add_co_u32 v27, vcc_lo, v129, 0x1a000
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v28, null, 0, v130, vcc_lo
  v_add_co_u32 v29, vcc_lo, 0x1a000, v129
  v_add_co_ci_u32_e64 v30, null, 0, v130, vcc_lo
  s_clause 0x7
  global_store_b32 v[14:15], v80, off offset:192
  global_store_b32 v[12:13], v57, off offset:64
  global_store_b32 v[12:13], v65, off offset:128
  global_store_b32 v[12:13], v49, off offset:192
  global_store_b32 v[23:24], v58, off offset:64
  global_store_b32 v[23:24], v66, off offset:128
  global_store_b32 v[23:24], v50, off offset:192
  global_store_b32 v[29:30], v59, off offset:64
  v_add_co_u32 v12, vcc_lo, 0x1b000, v129
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v13, null, 0, v130, vcc_lo
  v_add_co_u32 v14, vcc_lo, v129, 0x1c000
  v_add_co_ci_u32_e64 v15, null, 0, v130, vcc_lo
  v_add_co_u32 v23, vcc_lo, 0x1c000, v129
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_ci_u32_e64 v24, null, 0, v130, vcc_lo
  s_clause 0x7
  global_store_b32 v[29:30], v67, off offset:128
  global_store_b32 v[29:30], v51, off offset:192
  global_store_b32 v[12:13], v60, off offset:64
  global_store_b32 v[12:13], v68, off offset:128
  global_store_b32 v[12:13], v52, off offset:192
  global_store_b32 v[23:24], v61, off offset:64
  global_store_b32 v[23:24], v69, off offset:128
  global_store_b32 v[23:24], v53, off offset:192
  v_add_co_u32 v12, vcc_lo, 0x1d000, v129
  s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
  v_add_co_ci_u32_e64 v13, null, 0, v130, vcc_lo
  v_add_co_u32 v23, vcc_lo, v129, 0x1e000
  v_add_co_ci_u32_e64 v24, null, 0, v130, vcc_lo
  v_add_co_u32 v29, vcc_lo, 0x1e000, v129
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_ci_u32_e64 v30, null, 0, v130, vcc_lo
  s_clause 0x7
  global_store_b32 v[21:22], v40, off offset:-4096
  global_store_b32 v[21:22], v41, off
  global_store_b32 v[27:28], v42, off offset:-4096
  global_store_b32 v[27:28], v43, off
  global_store_b32 v[14:15], v44, off offset:-4096
  global_store_b32 v[14:15], v45, off
  global_store_b32 v[23:24], v46, off offset:-4096
  global_store_b32 v[23:24], v47, off
  v_add_co_u32 v14, vcc_lo, 0x1f000, v129
  s_delay_alu instid0(VALU_DEP_1)
  v_add_co_ci_u32_e64 v15, null, 0, v130, vcc_lo
  s_clause 0x17
  global_store_b32 v[12:13], v62, off offset:64
  global_store_b32 v[12:13], v70, off offset:128
  global_store_b32 v[12:13], v54, off offset:192
  global_store_b32 v[29:30], v63, off offset:64
  global_store_b32 v[29:30], v71, off offset:128
  global_store_b32 v[29:30], v55, off offset:192
  global_store_b32 v[14:15], v48, off
  global_store_b32 v[14:15], v64, off offset:64
  global_store_b32 v[14:15], v72, off offset:128
  global_store_b32 v[133:134], v2, off offset:-4096
  global_store_b32 v[133:134], v3, off
  global_store_b32 v[139:140], v4, off offset:-4096
  global_store_b32 v[139:140], v5, off
  global_store_b32 v[19:20], v6, off offset:-4096
  global_store_b32 v[19:20], v7, off
  global_store_b32 v[14:15], v56, off offset:192
  global_store_b32 v[129:130], v9, off offset:64
  global_store_b32 v[129:130], v17, off offset:128
  global_store_b32 v[129:130], v25, off offset:192
  global_store_b32 v[131:132], v10, off offset:64
  global_store_b32 v[131:132], v18, off offset:128
  global_store_b32 v[131:132], v26, off offset:192
  global_store_b32 v[135:136], v11, off offset:64
  global_store_b32 v[129:130], v1, off
  s_nop 0
  s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
  s_endpgm

	.section .rodata,"a",@progbits
	.p2align 6

	.amdhsa_kernel r_8_2_32_4_2_2_2_4_4_32_2
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
		.amdhsa_inst_pref_size 30
		.amdhsa_next_free_vgpr 208
		.amdhsa_next_free_sgpr 0
	.end_amdhsa_kernel

