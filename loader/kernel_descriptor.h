// SPDX-License-Identifier: MIT
// The 64-byte amdhsa kernel descriptor, decoded field by field, and what follows from it at kernel
// entry.
#pragma once
#include <cstdint>
#include <span>

#include "isa/result.h"
#include "isa/target.h"

namespace lockstep::loader {

inline constexpr uint64_t kKernelDescriptorSize = 64;

/// COMPUTE_PGM_RSRC1. Some bits mean different things on different generations: both readings are
/// decoded, and the comment says where each one counts.
struct PgmRsrc1 {
  uint8_t granulated_vgpr_count = 0;  ///< 5:0, see vgpr_count()
  uint8_t granulated_sgpr_count = 0;  ///< 9:6, gfx9 only
  uint8_t priority = 0;               ///< 11:10
  uint8_t float_round_mode_32 = 0;    ///< 13:12; 0 nearest even, 1 +inf, 2 -inf, 3 zero
  uint8_t float_round_mode_16_64 = 0;
  uint8_t float_denorm_mode_32 =
      0;  ///< 17:16; 0 flush both, 1 flush result, 2 flush source, 3 keep
  uint8_t float_denorm_mode_16_64 = 0;
  bool priv = false;          ///< 20
  bool dx10_clamp = false;    ///< 21, gfx9 and gfx11
  bool wg_rr_en = false;      ///< 21, gfx12
  bool debug_mode = false;    ///< 22
  bool ieee_mode = false;     ///< 23, gfx9 and gfx11
  bool bulky = false;         ///< 24
  bool cdbg_user = false;     ///< 25
  bool fp16_ovfl = false;     ///< 26
  bool wgp_mode = false;      ///< 29, gfx11 and gfx12
  bool mem_ordered = false;   ///< 30, gfx11 and gfx12
  bool fwd_progress = false;  ///< 31, gfx11 and gfx12
};

/// COMPUTE_PGM_RSRC2.
struct PgmRsrc2 {
  bool enable_private_segment = false;  ///< 0
  uint8_t user_sgpr_count = 0;          ///< 5:1
  bool enable_trap_handler = false;     ///< 6
  bool workgroup_id_x = false;          ///< 7
  bool workgroup_id_y = false;          ///< 8
  bool workgroup_id_z = false;          ///< 9
  bool workgroup_info = false;          ///< 10
  uint8_t vgpr_workitem_id = 0;         ///< 12:11; 0 x, 1 x y, 2 x y z
  bool exception_address_watch = false;
  bool exception_memory = false;
  uint16_t lds_size = 0;  ///< 23:15; 0 in a file, the packet processor fills it in
  bool exception_fp_ieee_invalid_op = false;
  bool exception_fp_denorm_src = false;
  bool exception_fp_ieee_div_zero = false;
  bool exception_fp_ieee_overflow = false;
  bool exception_fp_ieee_underflow = false;
  bool exception_fp_ieee_inexact = false;
  bool exception_int_div_zero = false;
};

/// COMPUTE_PGM_RSRC3: three layouts, chosen by the generation.
struct PgmRsrc3 {
  uint16_t accum_offset =
      0;                  ///< gfx90a, gfx942, gfx950: first ACCVGPR in the unified file (4..256)
  bool tg_split = false;  ///< gfx90a, gfx942, gfx950
  uint8_t shared_vgpr_count = 0;     ///< gfx11, 3:0
  uint8_t inst_pref_size = 0;        ///< gfx11, 9:4
  bool trap_on_start = false;        ///< gfx11
  bool trap_on_end = false;          ///< gfx11
  uint8_t inst_pref_size_gfx12 = 0;  ///< gfx12, 11:4
  bool glg_en = false;               ///< gfx12
  bool image_op = false;             ///< gfx11 and gfx12
};

/// Kernel code properties: which user SGPRs the packet processor sets up, and the wave size.
struct CodeProperties {
  bool private_segment_buffer = false;  ///< 0, gfx90a only
  bool dispatch_ptr = false;            ///< 1
  bool queue_ptr = false;               ///< 2
  bool kernarg_segment_ptr = false;     ///< 3
  bool dispatch_id = false;             ///< 4
  bool flat_scratch_init = false;       ///< 5, gfx90a only
  bool private_segment_size = false;    ///< 6
  bool wavefront_size32 = false;        ///< 10, gfx11 and gfx12
  bool uses_dynamic_stack = false;      ///< 11
};

struct KernelDescriptor {
  uint32_t group_segment_fixed_size = 0;      ///< static LDS bytes
  uint32_t private_segment_fixed_size = 0;    ///< scratch bytes a work-item
  uint32_t kernarg_size = 0;                  ///< bytes
  int64_t kernel_code_entry_byte_offset = 0;  ///< entry address minus the descriptor's address
  uint32_t compute_pgm_rsrc1 = 0;             ///< the raw words, as a driver writes them
  uint32_t compute_pgm_rsrc2 = 0;
  uint32_t compute_pgm_rsrc3 = 0;
  uint16_t kernel_code_properties = 0;
  uint8_t kernarg_preload_length = 0;   ///< dwords; gfx90a, gfx942, gfx950
  uint16_t kernarg_preload_offset = 0;  ///< dwords
  bool reserved_bytes_zero = true;  ///< bytes 12..15, 24..43 and 60..63 are all 0, as they must be
  PgmRsrc1 rsrc1;
  PgmRsrc2 rsrc2;
  PgmRsrc3 rsrc3;
  CodeProperties properties;
};

/// Decodes 64 bytes. Every pattern decodes to something; check_kernel_descriptor() says whether it
/// makes sense.
KernelDescriptor parse_kernel_descriptor(std::span<const uint8_t, kKernelDescriptorSize> bytes);

/// Rejects what no assembler writes and no packet processor accepts: set reserved bits, an entry
/// that cannot be 256-byte aligned, user SGPRs that the target does not have or that do not fit.
Result<void> check_kernel_descriptor(const KernelDescriptor& descriptor, isa::Target target);

/// 32 or 64.
uint32_t wave_size(const KernelDescriptor& descriptor, isa::Target target);
/// VGPRs that the kernel may touch: on CDNA those of the unified file (ACCVGPRs from
/// rsrc3.accum_offset on).
uint32_t vgpr_count(const KernelDescriptor& descriptor, isa::Target target);
/// ACCVGPRs that the kernel may touch: 0 but on CDNA.
uint32_t accvgpr_count(const KernelDescriptor& descriptor, isa::Target target);

/// Where the packet processor puts what at kernel entry: number of the first SGPR of each item, -1
/// if not enabled. System SGPRs (work-group ids and so on) start at rsrc2.user_sgpr_count, whatever
/// the sum of these is.
struct UserSgprLayout {
  int private_segment_buffer = -1;  ///< 4 registers
  int dispatch_ptr = -1;            ///< 2
  int queue_ptr = -1;               ///< 2
  int kernarg_segment_ptr = -1;     ///< 2
  int dispatch_id = -1;             ///< 2
  int flat_scratch_init = -1;       ///< 2
  int kernarg_preload = -1;         ///< kernarg_preload_length registers
  int private_segment_size = -1;    ///< 1
  int used = 0;                     ///< registers that are set; may be fewer than user_sgpr_count
};
UserSgprLayout user_sgpr_layout(const KernelDescriptor& descriptor, isa::Target target);

}  // namespace lockstep::loader
