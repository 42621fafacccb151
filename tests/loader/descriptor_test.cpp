// SPDX-License-Identifier: MIT
// Kernel descriptors: every field against the assembler's .amdhsa_ directives, and what follows
// from the fields.
#include <functional>

#include "loader/code_object.h"
#include "loader/kernel_descriptor.h"
#include "tests/loader/support.h"

namespace lockstep::loader {
namespace {

using isa::Target;

/// How each directive shows in a descriptor. Directives that have no field of their own are not
/// here.
const std::map<std::string, std::function<int64_t(const KernelDescriptor&, Target)>> kFields = {
#define FIELD(name, expression) \
  {name, [](const KernelDescriptor& d, [[maybe_unused]] Target t) -> int64_t { return expression; }}
    FIELD("group_segment_fixed_size", d.group_segment_fixed_size),
    FIELD("private_segment_fixed_size", d.private_segment_fixed_size),
    FIELD("kernarg_size", d.kernarg_size),
    FIELD("user_sgpr_count", d.rsrc2.user_sgpr_count),
    FIELD("user_sgpr_private_segment_buffer", d.properties.private_segment_buffer),
    FIELD("user_sgpr_dispatch_ptr", d.properties.dispatch_ptr),
    FIELD("user_sgpr_queue_ptr", d.properties.queue_ptr),
    FIELD("user_sgpr_kernarg_segment_ptr", d.properties.kernarg_segment_ptr),
    FIELD("user_sgpr_dispatch_id", d.properties.dispatch_id),
    FIELD("user_sgpr_flat_scratch_init", d.properties.flat_scratch_init),
    FIELD("user_sgpr_private_segment_size", d.properties.private_segment_size),
    FIELD("user_sgpr_kernarg_preload_length", d.kernarg_preload_length),
    FIELD("user_sgpr_kernarg_preload_offset", d.kernarg_preload_offset),
    FIELD("wavefront_size32", wave_size(d, t) == 32),
    FIELD("uses_dynamic_stack", d.properties.uses_dynamic_stack),
    FIELD("enable_private_segment", d.rsrc2.enable_private_segment),
    FIELD("system_sgpr_private_segment_wavefront_offset", d.rsrc2.enable_private_segment),
    FIELD("system_sgpr_workgroup_id_x", d.rsrc2.workgroup_id_x),
    FIELD("system_sgpr_workgroup_id_y", d.rsrc2.workgroup_id_y),
    FIELD("system_sgpr_workgroup_id_z", d.rsrc2.workgroup_id_z),
    FIELD("system_sgpr_workgroup_info", d.rsrc2.workgroup_info),
    FIELD("system_vgpr_workitem_id", d.rsrc2.vgpr_workitem_id),
    FIELD("accum_offset", d.rsrc3.accum_offset),
    FIELD("tg_split", d.rsrc3.tg_split),
    FIELD("float_round_mode_32", d.rsrc1.float_round_mode_32),
    FIELD("float_round_mode_16_64", d.rsrc1.float_round_mode_16_64),
    FIELD("float_denorm_mode_32", d.rsrc1.float_denorm_mode_32),
    FIELD("float_denorm_mode_16_64", d.rsrc1.float_denorm_mode_16_64),
    FIELD("dx10_clamp", d.rsrc1.dx10_clamp),
    FIELD("ieee_mode", d.rsrc1.ieee_mode),
    FIELD("fp16_overflow", d.rsrc1.fp16_ovfl),
    FIELD("workgroup_processor_mode", d.rsrc1.wgp_mode),
    FIELD("memory_ordered", d.rsrc1.mem_ordered),
    FIELD("forward_progress", d.rsrc1.fwd_progress),
    FIELD("round_robin_scheduling", d.rsrc1.wg_rr_en),
    FIELD("shared_vgpr_count", d.rsrc3.shared_vgpr_count),
    FIELD("inst_pref_size", isa::target_info(t).generation == isa::Generation::kGfx12
                                ? d.rsrc3.inst_pref_size_gfx12
                                : d.rsrc3.inst_pref_size),
    FIELD("exception_fp_ieee_invalid_op", d.rsrc2.exception_fp_ieee_invalid_op),
    FIELD("exception_fp_denorm_src", d.rsrc2.exception_fp_denorm_src),
    FIELD("exception_fp_ieee_div_zero", d.rsrc2.exception_fp_ieee_div_zero),
    FIELD("exception_fp_ieee_overflow", d.rsrc2.exception_fp_ieee_overflow),
    FIELD("exception_fp_ieee_underflow", d.rsrc2.exception_fp_ieee_underflow),
    FIELD("exception_fp_ieee_inexact", d.rsrc2.exception_fp_ieee_inexact),
    FIELD("exception_int_div_zero", d.rsrc2.exception_int_div_zero),
#undef FIELD
};

/// Directives that say what the assembler should work out; next_free_vgpr is checked on its own.
const char* const kNoField[] = {"next_free_vgpr", "next_free_sgpr", "reserve_vcc",
                                "reserve_flat_scratch", "reserve_xnack_mask"};

void expect_directives(const CodeObject& object, const Directives& kernels,
                       const std::string& what) {
  ASSERT_EQ(object.kernels.size(), kernels.size()) << what;
  for (const auto& [name, directives] : kernels) {
    const Kernel* kernel = object.find_kernel(name);
    ASSERT_TRUE(kernel) << what << ": " << name;
    EXPECT_TRUE(check_kernel_descriptor(kernel->descriptor, object.target))
        << what << ": " << check_kernel_descriptor(kernel->descriptor, object.target).error();
    EXPECT_GT(directives.size(), 30u);
    for (const auto& [directive, value] : directives) {
      if (std::ranges::find(kNoField, directive) != std::end(kNoField)) continue;
      const auto field = kFields.find(directive);
      ASSERT_NE(field, kFields.end()) << "the table lacks ." << directive;
      EXPECT_EQ(field->second(kernel->descriptor, object.target), value)
          << what << ", kernel " << name << ": .amdhsa_" << directive;
    }
    // The grant covers what the kernel uses and is less than one granule of 8 more.
    const auto used = static_cast<uint32_t>(directives.at("next_free_vgpr"));
    const uint32_t granted = vgpr_count(kernel->descriptor, object.target);
    EXPECT_GE(granted, used) << what << ", kernel " << name;
    EXPECT_LT(granted, used + 8) << what << ", kernel " << name;
  }
}

TEST(Descriptor, MatchesTheDirectivesOfCompiledKernels) {
  for (const std::string target : {"gfx1100", "gfx1201", "gfx90a", "gfx942", "gfx950"})
    for (const std::string version : {"v4", "v5", "v6"}) {
      const std::string name = "sample." + target + "." + version;
      const auto directives = read_directives(std::string(LOCKSTEP_OBJECTS) + "/" + name + ".s");
      ASSERT_EQ(directives.size(), 3u);
      for (const std::string kind : {".co", ".o"}) {
        const auto object = parse_code_object(object_bytes(name + kind));
        ASSERT_TRUE(object) << name << kind << ": " << object.error();
        expect_directives(*object, directives, name + kind);
      }
    }
}

TEST(Descriptor, MatchesUnusualValuesOfEveryField) {
  for (const std::string name : {"fields_gfx90a", "fields_gfx1100", "fields_gfx1201"}) {
    const auto object = parse_code_object(object_bytes(name + ".o"));
    ASSERT_TRUE(object) << object.error();
    expect_directives(*object, read_directives(LOCKSTEP_SOURCE_DIR "/tests/loader/" + name + ".s"),
                      name);
  }
}

TEST(Descriptor, UserSgprsAreDense) {
  const auto cdna = parse_code_object(object_bytes("fields_gfx90a.o"));
  ASSERT_TRUE(cdna) << cdna.error();
  const UserSgprLayout a = user_sgpr_layout(cdna->kernels[0].descriptor, cdna->target);
  // dispatch ptr, kernarg ptr, dispatch id, flat scratch init (2 each), 3 preloaded dwords, private
  // segment size.
  EXPECT_EQ(a.private_segment_buffer, -1);
  EXPECT_EQ(a.dispatch_ptr, 0);
  EXPECT_EQ(a.queue_ptr, -1);
  EXPECT_EQ(a.kernarg_segment_ptr, 2);
  EXPECT_EQ(a.dispatch_id, 4);
  EXPECT_EQ(a.flat_scratch_init, 6);
  EXPECT_EQ(a.kernarg_preload, 8);
  EXPECT_EQ(a.private_segment_size, 11);
  EXPECT_EQ(a.used, 12);
  const auto rdna = parse_code_object(object_bytes("fields_gfx1201.o"));
  ASSERT_TRUE(rdna) << rdna.error();
  const UserSgprLayout b = user_sgpr_layout(rdna->kernels[0].descriptor, rdna->target);
  EXPECT_EQ(b.kernarg_segment_ptr, 2);
  EXPECT_EQ(b.dispatch_id, 4);
  EXPECT_EQ(b.private_segment_size, 6);
  EXPECT_EQ(b.used, 7);
}

TEST(Descriptor, RegisterGrants) {
  const auto cdna = parse_code_object(object_bytes("fields_gfx90a.o"));
  ASSERT_TRUE(cdna) << cdna.error();
  EXPECT_EQ(vgpr_count(cdna->kernels[0].descriptor, cdna->target), 80u);     // 77 in units of 8
  EXPECT_EQ(accvgpr_count(cdna->kernels[0].descriptor, cdna->target), 32u);  // 80 - 48
  const auto wave64 = parse_code_object(object_bytes("fields_gfx1100.o"));
  ASSERT_TRUE(wave64) << wave64.error();
  EXPECT_EQ(wave_size(wave64->kernels[0].descriptor, wave64->target), 64u);
  EXPECT_EQ(accvgpr_count(wave64->kernels[0].descriptor, wave64->target), 0u);
}

TEST(Descriptor, ChecksNameWhatIsWrong) {
  std::array<uint8_t, kKernelDescriptorSize> bytes = {};
  const auto problem = [&](Target target) {
    return check_kernel_descriptor(parse_kernel_descriptor(bytes), target).error();
  };
  EXPECT_TRUE(check_kernel_descriptor(parse_kernel_descriptor(bytes), Target::kGfx1100));
  bytes[13] = 1;
  EXPECT_NE(problem(Target::kGfx1100).find("reserved"), std::string::npos);
  bytes = {};
  bytes[16] = 1;
  EXPECT_NE(problem(Target::kGfx1100).find("KERNEL_CODE_ENTRY_BYTE_OFFSET"), std::string::npos);
  bytes = {};
  bytes[57] = 4;  // wave32
  EXPECT_TRUE(check_kernel_descriptor(parse_kernel_descriptor(bytes), Target::kGfx1100));
  EXPECT_NE(problem(Target::kGfx90a).find("properties"), std::string::npos);
  bytes = {};
  bytes[58] = 1;  // one preloaded dword
  EXPECT_NE(problem(Target::kGfx1201).find("KERNARG_PRELOAD"), std::string::npos);
  bytes = {};
  bytes[56] = 8;  // kernarg pointer, but no user SGPRs counted
  EXPECT_NE(problem(Target::kGfx1201).find("USER_SGPR_COUNT"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::loader
