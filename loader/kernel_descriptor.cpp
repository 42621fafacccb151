// SPDX-License-Identifier: MIT
// Kernel descriptor decoding. Bit positions: the amdhsa ABI, found by assembling one directive at a
// time.
#include "loader/kernel_descriptor.h"

#include <fmt/format.h>

#include <cstring>

namespace lockstep::loader {
namespace {

template <class T>
T read(std::span<const uint8_t, kKernelDescriptorSize> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset,
              sizeof value);  // code objects and hosts are little endian
  return value;
}

constexpr uint32_t bits(uint32_t word, int high, int low) {
  return (word >> low) & ((1u << (high - low + 1)) - 1);
}
constexpr bool bit(uint32_t word, int position) { return (word >> position) & 1; }

PgmRsrc1 decode_rsrc1(uint32_t w) {
  PgmRsrc1 r;
  r.granulated_vgpr_count = bits(w, 5, 0);
  r.granulated_sgpr_count = bits(w, 9, 6);
  r.priority = bits(w, 11, 10);
  r.float_round_mode_32 = bits(w, 13, 12);
  r.float_round_mode_16_64 = bits(w, 15, 14);
  r.float_denorm_mode_32 = bits(w, 17, 16);
  r.float_denorm_mode_16_64 = bits(w, 19, 18);
  r.priv = bit(w, 20);
  r.dx10_clamp = r.wg_rr_en = bit(w, 21);
  r.debug_mode = bit(w, 22);
  r.ieee_mode = bit(w, 23);
  r.bulky = bit(w, 24);
  r.cdbg_user = bit(w, 25);
  r.fp16_ovfl = bit(w, 26);
  r.wgp_mode = bit(w, 29);
  r.mem_ordered = bit(w, 30);
  r.fwd_progress = bit(w, 31);
  return r;
}

PgmRsrc2 decode_rsrc2(uint32_t w) {
  PgmRsrc2 r;
  r.enable_private_segment = bit(w, 0);
  r.user_sgpr_count = bits(w, 5, 1);
  r.enable_trap_handler = bit(w, 6);
  r.workgroup_id_x = bit(w, 7);
  r.workgroup_id_y = bit(w, 8);
  r.workgroup_id_z = bit(w, 9);
  r.workgroup_info = bit(w, 10);
  r.vgpr_workitem_id = bits(w, 12, 11);
  r.exception_address_watch = bit(w, 13);
  r.exception_memory = bit(w, 14);
  r.lds_size = bits(w, 23, 15);
  r.exception_fp_ieee_invalid_op = bit(w, 24);
  r.exception_fp_denorm_src = bit(w, 25);
  r.exception_fp_ieee_div_zero = bit(w, 26);
  r.exception_fp_ieee_overflow = bit(w, 27);
  r.exception_fp_ieee_underflow = bit(w, 28);
  r.exception_fp_ieee_inexact = bit(w, 29);
  r.exception_int_div_zero = bit(w, 30);
  return r;
}

PgmRsrc3 decode_rsrc3(uint32_t w) {
  PgmRsrc3 r;
  r.accum_offset = (bits(w, 5, 0) + 1) * 4;
  r.tg_split = bit(w, 16);
  r.shared_vgpr_count = bits(w, 3, 0);
  r.inst_pref_size = bits(w, 9, 4);
  r.trap_on_start = bit(w, 10);
  r.trap_on_end = bit(w, 11);
  r.inst_pref_size_gfx12 = bits(w, 11, 4);
  r.glg_en = bit(w, 13);
  r.image_op = bit(w, 31);
  return r;
}

CodeProperties decode_properties(uint16_t w) {
  CodeProperties p;
  p.private_segment_buffer = bit(w, 0);
  p.dispatch_ptr = bit(w, 1);
  p.queue_ptr = bit(w, 2);
  p.kernarg_segment_ptr = bit(w, 3);
  p.dispatch_id = bit(w, 4);
  p.flat_scratch_init = bit(w, 5);
  p.private_segment_size = bit(w, 6);
  p.wavefront_size32 = bit(w, 10);
  p.uses_dynamic_stack = bit(w, 11);
  return p;
}

bool is_cdna(isa::Target target) {
  return isa::target_info(target).generation == isa::Generation::kGfx9;
}
// gfx940 and later have architected flat scratch: no buffer descriptor and no FLAT_SCRATCH_INIT in
// user SGPRs.
bool has_scratch_setup_sgprs(isa::Target target) { return target == isa::Target::kGfx90a; }

}  // namespace

KernelDescriptor parse_kernel_descriptor(std::span<const uint8_t, kKernelDescriptorSize> bytes) {
  KernelDescriptor d;
  d.group_segment_fixed_size = read<uint32_t>(bytes, 0);
  d.private_segment_fixed_size = read<uint32_t>(bytes, 4);
  d.kernarg_size = read<uint32_t>(bytes, 8);
  d.kernel_code_entry_byte_offset = read<int64_t>(bytes, 16);
  d.compute_pgm_rsrc3 = read<uint32_t>(bytes, 44);
  d.compute_pgm_rsrc1 = read<uint32_t>(bytes, 48);
  d.compute_pgm_rsrc2 = read<uint32_t>(bytes, 52);
  d.kernel_code_properties = read<uint16_t>(bytes, 56);
  const uint16_t preload = read<uint16_t>(bytes, 58);
  d.kernarg_preload_length = preload & 0x7f;
  d.kernarg_preload_offset = preload >> 7;
  for (const auto& [begin, end] : {std::pair{12, 16}, std::pair{24, 44}, std::pair{60, 64}})
    for (int i = begin; i < end; ++i) d.reserved_bytes_zero &= bytes[i] == 0;
  d.rsrc1 = decode_rsrc1(d.compute_pgm_rsrc1);
  d.rsrc2 = decode_rsrc2(d.compute_pgm_rsrc2);
  d.rsrc3 = decode_rsrc3(d.compute_pgm_rsrc3);
  d.properties = decode_properties(d.kernel_code_properties);
  return d;
}

Result<void> check_kernel_descriptor(const KernelDescriptor& d, isa::Target target) {
  const isa::TargetInfo& info = isa::target_info(target);
  const auto fail = [&](const std::string& what) {
    return Error{fmt::format("kernel descriptor for {}: {}", info.name, what)};
  };
  if (!d.reserved_bytes_zero)
    return fail(
        "reserved bytes (12..15, 24..43 or 60..63) are not 0; is this a kernel descriptor?");
  // Descriptors lie on 64-byte and entries on 256-byte boundaries, so the difference is a multiple
  // of 64.
  if (d.kernel_code_entry_byte_offset % 64 != 0)
    return fail(fmt::format("KERNEL_CODE_ENTRY_BYTE_OFFSET {} is not a multiple of 64",
                            d.kernel_code_entry_byte_offset));
  const uint16_t known_properties =
      has_scratch_setup_sgprs(target) ? 0x87f : (is_cdna(target) ? 0x85e : 0xc5e);
  if (const uint16_t extra = d.kernel_code_properties & ~known_properties)
    return fail(
        fmt::format("kernel code properties {:#06x} set bits {:#06x} that do not exist there",
                    d.kernel_code_properties, extra));
  if (d.rsrc2.vgpr_workitem_id == 3) return fail("ENABLE_VGPR_WORKITEM_ID is 3 (0, 1 or 2 exist)");
  if (d.kernarg_preload_length != 0 && !is_cdna(target))
    return fail("KERNARG_PRELOAD is set, but only gfx90a, gfx942 and gfx950 have it");
  const UserSgprLayout layout = user_sgpr_layout(d, target);
  if (layout.used > 16)
    return fail(fmt::format("{} user SGPRs are enabled (at most 16 exist)", layout.used));
  if (layout.used > d.rsrc2.user_sgpr_count)
    return fail(fmt::format("{} user SGPRs are enabled, but USER_SGPR_COUNT is {}", layout.used,
                            d.rsrc2.user_sgpr_count));
  if (is_cdna(target) && d.rsrc3.accum_offset > vgpr_count(d, target))
    return fail(fmt::format("ACCUM_OFFSET {} is past the {} VGPRs that are granted",
                            d.rsrc3.accum_offset, vgpr_count(d, target)));
  return {};
}

uint32_t wave_size(const KernelDescriptor& d, isa::Target target) {
  return isa::target_info(target).has_wave32 && d.properties.wavefront_size32 ? 32 : 64;
}

uint32_t vgpr_count(const KernelDescriptor& d, isa::Target target) {
  const uint32_t granule = !is_cdna(target) && wave_size(d, target) == 64 ? 4 : 8;
  return (d.rsrc1.granulated_vgpr_count + 1u) * granule;
}

uint32_t accvgpr_count(const KernelDescriptor& d, isa::Target target) {
  if (!is_cdna(target)) return 0;
  const uint32_t total = vgpr_count(d, target);
  return total > d.rsrc3.accum_offset ? total - d.rsrc3.accum_offset : 0;
}

UserSgprLayout user_sgpr_layout(const KernelDescriptor& d, isa::Target target) {
  UserSgprLayout layout;
  const auto take = [&](bool enabled, int& first, int count) {
    if (!enabled) return;
    first = layout.used;
    layout.used += count;
  };
  const CodeProperties& p = d.properties;
  const bool scratch_setup = has_scratch_setup_sgprs(target);
  take(p.private_segment_buffer && scratch_setup, layout.private_segment_buffer, 4);
  take(p.dispatch_ptr, layout.dispatch_ptr, 2);
  take(p.queue_ptr, layout.queue_ptr, 2);
  take(p.kernarg_segment_ptr, layout.kernarg_segment_ptr, 2);
  take(p.dispatch_id, layout.dispatch_id, 2);
  take(p.flat_scratch_init && scratch_setup, layout.flat_scratch_init, 2);
  take(d.kernarg_preload_length != 0 && is_cdna(target), layout.kernarg_preload,
       d.kernarg_preload_length);
  take(p.private_segment_size, layout.private_segment_size, 1);
  return layout;
}

}  // namespace lockstep::loader
