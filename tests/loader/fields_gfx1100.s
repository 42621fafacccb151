// SPDX-License-Identifier: MIT
// A descriptor with every field of gfx1100 set to something unusual, which the test reads here.
        .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
        .text
        .globl  fields
        .p2align 8
        .type   fields,@function
fields:
        s_endpgm
        .rodata
        .p2align 6
        .amdhsa_kernel fields
          .amdhsa_group_segment_fixed_size 0x1234
          .amdhsa_private_segment_fixed_size 0x567
          .amdhsa_kernarg_size 0x89
          .amdhsa_user_sgpr_count 14
          .amdhsa_user_sgpr_dispatch_ptr 1
          .amdhsa_user_sgpr_queue_ptr 0
          .amdhsa_user_sgpr_kernarg_segment_ptr 1
          .amdhsa_user_sgpr_dispatch_id 1
          .amdhsa_user_sgpr_private_segment_size 1
          .amdhsa_uses_dynamic_stack 1
          .amdhsa_system_sgpr_workgroup_id_x 0
          .amdhsa_system_sgpr_workgroup_id_y 1
          .amdhsa_system_sgpr_workgroup_id_z 1
          .amdhsa_system_sgpr_workgroup_info 1
          .amdhsa_system_vgpr_workitem_id 2
          .amdhsa_next_free_vgpr 77
          .amdhsa_next_free_sgpr 40
          .amdhsa_float_round_mode_32 1
          .amdhsa_float_round_mode_16_64 2
          .amdhsa_float_denorm_mode_32 2
          .amdhsa_float_denorm_mode_16_64 1
          .amdhsa_fp16_overflow 1
          .amdhsa_exception_fp_ieee_invalid_op 1
          .amdhsa_exception_fp_denorm_src 0
          .amdhsa_exception_fp_ieee_div_zero 1
          .amdhsa_exception_fp_ieee_overflow 1
          .amdhsa_exception_fp_ieee_underflow 0
          .amdhsa_exception_fp_ieee_inexact 0
          .amdhsa_exception_int_div_zero 1
          .amdhsa_wavefront_size32 0
          .amdhsa_enable_private_segment 1
          .amdhsa_dx10_clamp 0
          .amdhsa_ieee_mode 0
          .amdhsa_workgroup_processor_mode 0
          .amdhsa_memory_ordered 0
          .amdhsa_forward_progress 1
          .amdhsa_shared_vgpr_count 4
          .amdhsa_inst_pref_size 37
        .end_amdhsa_kernel
