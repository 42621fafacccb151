// SPDX-License-Identifier: MIT
// Text of the test kernels in the spelling of each generation.
#include "tests/runtime/kernels.h"

#include "asm/object.h"
#include "asm/source.h"

namespace lockstep::runtime::testing {
namespace {

struct Spelling {
  const char *load64, *load, *store, *wait, *add, *lds_store, *lds_load, *group;
};

Spelling spelling_of(isa::Generation generation) {
  switch (generation) {
    case isa::Generation::kGfx9:
      return {"s_load_dwordx2", "global_load_dword", "global_store_dword", "s_waitcnt 0",
              "v_add_u32_e32",  "ds_write_b32",      "ds_read_b32",        "s_mov_b32 s8, s2"};
    case isa::Generation::kGfx11:
      return {"s_load_b64",       "global_load_b32", "global_store_b32", "s_waitcnt 0",
              "v_add_nc_u32_e32", "ds_store_b32",    "ds_load_b32",      "s_mov_b32 s8, s2"};
    case isa::Generation::kGfx12:
      break;
  }
  return {"s_load_b64",       "global_load_b32",
          "global_store_b32", "s_wait_loadcnt 0\n s_wait_kmcnt 0\n s_wait_dscnt 0",
          "v_add_nc_u32_e32", "ds_store_b32",
          "ds_load_b32",      "s_mov_b32 s8, ttmp9"};
}

std::string kernel(isa::Target target, const std::string& name, const std::string& body, int lds) {
  const bool gfx9 = isa::target_info(target).generation == isa::Generation::kGfx9;
  return ".globl " + name + "\n.p2align 8\n.type " + name + ",@function\n" + name + ":\n" + body +
         "s_endpgm\n.size " + name + ", .-" + name + "\n.rodata\n.p2align 6\n.amdhsa_kernel " +
         name +
         "\n.amdhsa_next_free_vgpr 8\n.amdhsa_next_free_sgpr 16\n"
         ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_system_sgpr_workgroup_id_x 1\n"
         ".amdhsa_group_segment_fixed_size " +
         std::to_string(lds) + "\n" + (gfx9 ? ".amdhsa_accum_offset 8\n" : "") +
         ".end_amdhsa_kernel\n.text\n";
}

}  // namespace

std::string test_source(isa::Target target) {
  const Spelling s = spelling_of(isa::target_info(target).generation);
  const std::string wait = std::string(s.wait) + "\n", load64 = s.load64;
  const std::string prologue = std::string(s.group) + "\n" + load64 + " s[4:5], s[0:1], 0x0\n" +
                               load64 + " s[6:7], s[0:1], 0x8\ns_lshl_b32 s8, s8, 8\n" +
                               "v_and_b32_e32 v0, 0x3ff, v0\nv_lshlrev_b32_e32 v1, 2, v0\n" +
                               s.add + " v2, s8, v1\n" + wait;
  const std::string store = std::string(s.store) + " v2, v3, s[6:7]\n";
  const std::string load = std::string(s.load) + " v3, v2, s[4:5]\n" + wait;
  return ".amdgcn_target \"amdgcn-amd-amdhsa--" + std::string(isa::target_info(target).name) +
         "\"\n.text\n" +
         kernel(target, "add", prologue + load + s.add + " v3, 5, v3\n" + store, 0) +
         kernel(target, "spin", "again:\ns_nop 0\ns_branch again\n", 0) +
         kernel(target, "stray", prologue + "v_mov_b32_e32 v3, 1\n" + store + wait, 0) +
         kernel(target, "lds",
                prologue + load + s.lds_store + " v1, v3\n" + wait +
                    "v_xor_b32_e32 v4, 0xfc, v1\n" + s.lds_load + " v3, v4\n" + wait + store,
                256);
}

Result<loader::CodeObject> test_kernels(isa::Target target) {
  asm_::SourceOptions options;
  options.target = target;
  if (isa::target_info(target).has_wave32) options.wave_size = 64;
  const asm_::AssembledSource source =
      asm_::assemble_source(test_source(target), "kernels.s", options);
  std::string problems;
  for (const asm_::Diagnostic& d : source.diagnostics) problems += asm_::to_text(d);
  if (!source.ok) return Error{problems};
  const auto file = asm_::link_shared(source.object);
  if (!file) return Error{file.error()};
  return loader::parse_code_object(*file);
}

}  // namespace lockstep::runtime::testing
