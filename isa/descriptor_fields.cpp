// SPDX-License-Identifier: MIT
// The table of descriptor fields. Bit positions: the amdhsa ABI.
#include "isa/descriptor_fields.h"

#include <cstring>

namespace lockstep::isa {
namespace {

constexpr uint8_t kCdna = kOn90a | kOn94x, kRdna = kOn11 | kOn12;

constexpr DescriptorField kFields[] = {
    {"group_segment_fixed_size", kGroupSegmentSize, 0, 32, kOnAll},
    {"private_segment_fixed_size", kPrivateSegmentSize, 0, 32, kOnAll},
    {"kernarg_size", kKernargSize, 0, 32, kOnAll},
    {"user_sgpr_count", kPgmRsrc2, 1, 5, kOnAll},
    {"user_sgpr_private_segment_buffer", kCodeProperties, 0, 1, kOn90a, 4},
    {"user_sgpr_dispatch_ptr", kCodeProperties, 1, 1, kOnAll, 2},
    {"user_sgpr_queue_ptr", kCodeProperties, 2, 1, kOnAll, 2},
    {"user_sgpr_kernarg_segment_ptr", kCodeProperties, 3, 1, kOnAll, 2},
    {"user_sgpr_dispatch_id", kCodeProperties, 4, 1, kOnAll, 2},
    {"user_sgpr_flat_scratch_init", kCodeProperties, 5, 1, kOn90a, 2},
    {"user_sgpr_kernarg_preload_length", kKernargPreload, 0, 7, kCdna},
    {"user_sgpr_kernarg_preload_offset", kKernargPreload, 7, 9, kCdna},
    {"user_sgpr_private_segment_size", kCodeProperties, 6, 1, kOnAll, 1},
    {"wavefront_size32", kCodeProperties, 10, 1, kRdna},
    {"uses_dynamic_stack", kCodeProperties, 11, 1, kOnAll},
    {"system_sgpr_private_segment_wavefront_offset", kPgmRsrc2, 0, 1, kOn90a},
    {"enable_private_segment", kPgmRsrc2, 0, 1, kOn94x | kRdna},
    {"system_sgpr_workgroup_id_x", kPgmRsrc2, 7, 1, kOnAll},
    {"system_sgpr_workgroup_id_y", kPgmRsrc2, 8, 1, kOnAll},
    {"system_sgpr_workgroup_id_z", kPgmRsrc2, 9, 1, kOnAll},
    {"system_sgpr_workgroup_info", kPgmRsrc2, 10, 1, kOnAll},
    {"system_vgpr_workitem_id", kPgmRsrc2, 11, 2, kOnAll},
    {"float_round_mode_32", kPgmRsrc1, 12, 2, kOnAll},
    {"float_round_mode_16_64", kPgmRsrc1, 14, 2, kOnAll},
    {"float_denorm_mode_32", kPgmRsrc1, 16, 2, kOnAll},
    {"float_denorm_mode_16_64", kPgmRsrc1, 18, 2, kOnAll},
    {"dx10_clamp", kPgmRsrc1, 21, 1, kCdna | kOn11},
    {"ieee_mode", kPgmRsrc1, 23, 1, kCdna | kOn11},
    {"fp16_overflow", kPgmRsrc1, 26, 1, kOnAll},
    {"tg_split", kPgmRsrc3, 16, 1, kCdna},
    {"workgroup_processor_mode", kPgmRsrc1, 29, 1, kRdna},
    {"memory_ordered", kPgmRsrc1, 30, 1, kRdna},
    {"forward_progress", kPgmRsrc1, 31, 1, kRdna},
    {"shared_vgpr_count", kPgmRsrc3, 0, 4, kOn11},
    {"inst_pref_size", kPgmRsrc3, 4, 6, kOn11},
    {"inst_pref_size", kPgmRsrc3, 4, 8, kOn12},
    {"round_robin_scheduling", kPgmRsrc1, 21, 1, kOn12},
    {"exception_fp_ieee_invalid_op", kPgmRsrc2, 24, 1, kOnAll},
    {"exception_fp_denorm_src", kPgmRsrc2, 25, 1, kOnAll},
    {"exception_fp_ieee_div_zero", kPgmRsrc2, 26, 1, kOnAll},
    {"exception_fp_ieee_overflow", kPgmRsrc2, 27, 1, kOnAll},
    {"exception_fp_ieee_underflow", kPgmRsrc2, 28, 1, kOnAll},
    {"exception_fp_ieee_inexact", kPgmRsrc2, 29, 1, kOnAll},
    {"exception_int_div_zero", kPgmRsrc2, 30, 1, kOnAll},
};

constexpr uint32_t mask_of(const DescriptorField& f) {
  return f.width == 32 ? UINT32_MAX : (1u << f.width) - 1;
}
constexpr size_t size_of(DescriptorWord word) {
  return word == kCodeProperties || word == kKernargPreload ? 2 : 4;
}

}  // namespace

DescriptorTargets descriptor_targets(Target target) {
  switch (target_info(target).generation) {
    case Generation::kGfx9:
      return target == Target::kGfx90a ? kOn90a : kOn94x;
    case Generation::kGfx11:
      return kOn11;
    case Generation::kGfx12:
      break;
  }
  return kOn12;
}

std::span<const DescriptorField> descriptor_fields() { return kFields; }

const DescriptorField* find_descriptor_field(std::string_view name, Target target) {
  const uint8_t set = descriptor_targets(target);
  const DescriptorField* elsewhere = nullptr;
  for (const DescriptorField& f : kFields) {
    if (f.name != name) continue;
    if (f.targets & set) return &f;
    elsewhere = &f;
  }
  return elsewhere;
}

uint32_t descriptor_word(std::span<const uint8_t> descriptor, DescriptorWord word) {
  uint32_t value = 0;
  std::memcpy(&value, descriptor.data() + word, size_of(word));
  return value;
}

uint32_t get_descriptor_field(std::span<const uint8_t> descriptor, const DescriptorField& f) {
  return (descriptor_word(descriptor, f.word) >> f.low) & mask_of(f);
}

void set_descriptor_field(std::span<uint8_t> descriptor, const DescriptorField& f, uint32_t value) {
  uint32_t word = descriptor_word(descriptor, f.word);
  word = (word & ~(mask_of(f) << f.low)) | (value & mask_of(f)) << f.low;
  std::memcpy(descriptor.data() + f.word, &word, size_of(f.word));
}

unsigned vgpr_granule(Target target, bool wave32) {
  return target_info(target).generation == Generation::kGfx9 || wave32 ? 8 : 4;
}

bool has_architected_flat_scratch(Target target) { return target != Target::kGfx90a; }

unsigned extra_sgprs(Target target, bool vcc, bool flat_scratch, bool xnack) {
  unsigned extra = vcc ? 2 : 0;
  if (target_info(target).generation != Generation::kGfx9) return extra;
  if (xnack) extra = 4;
  if (flat_scratch || has_architected_flat_scratch(target)) extra = 6;
  return extra;
}

}  // namespace lockstep::isa
