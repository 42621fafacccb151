// SPDX-License-Identifier: MIT
// Every relocation that llvm-mc writes into an unlinked object; the test knows each field's offset.
        .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
        .text
        .globl  kernel
        .p2align 8
        .type   kernel,@function
kernel:
        s_getpc_b64 s[0:1]
        s_add_u32 s0, s0, target@rel32@lo+4
        s_addc_u32 s1, s1, target@rel32@hi+12
        s_getpc_b64 s[2:3]
        s_add_u32 s2, s2, target@gotpcrel32@lo+4
        s_addc_u32 s3, s3, target@gotpcrel32@hi+12
        s_getpc_b64 s[2:3]
        s_add_u32 s2, s2, external@gotpcrel32@lo+4
        s_addc_u32 s3, s3, external@gotpcrel32@hi+12
        s_mov_b32 s4, target@abs32@lo
        s_mov_b32 s5, target@abs32@hi
        s_mov_b32 s6, target
        s_branch elsewhere
        s_endpgm
.Lend:
        .size   kernel, .Lend-kernel

        .section .text.elsewhere,"ax",@progbits
        .p2align 8
        s_nop 0
elsewhere:
        s_endpgm

        .data
        .p2align 4
        .zero   48
        .globl  target, data
target: .quad   target+0x10
data:   .quad   external
        .quad   weakling
        .quad   kernel-.
        .long   kernel-.
        .long   external_low
        .reloc  ., R_AMDGPU_GOTPCREL, target
        .long   0
        .reloc  ., R_AMDGPU_RELATIVE64, 0x20
        .quad   0
        .quad   zeroed
        .quad   shared
        .weak   weakling

        .bss
        .p2align 6
        .zero   4
zeroed: .zero   128
        .comm   shared,64,5

        .rodata
        .p2align 6
        .amdhsa_kernel kernel
          .amdhsa_next_free_vgpr 8
          .amdhsa_next_free_sgpr 16
          .amdhsa_wavefront_size32 1
        .end_amdhsa_kernel
