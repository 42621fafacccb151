// SPDX-License-Identifier: MIT
// The table of directives.
#include "asm/directives.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "asm/names.h"

namespace lockstep::asm_ {
namespace {

constexpr int kPower = 8;

constexpr Directive kDirectives[] = {
    {".byte", directive_data, 1},
    {".short", directive_data, 2},
    {".value", directive_data, 2},
    {".2byte", directive_data, 2},
    {".hword", directive_data, 2},
    {".half", directive_data, 2},
    {".long", directive_data, 4},
    {".int", directive_data, 4},
    {".4byte", directive_data, 4},
    {".word", directive_data, 4},
    {".quad", directive_data, 8},
    {".8byte", directive_data, 8},
    {".float", directive_real, 4},
    {".single", directive_real, 4},
    {".double", directive_real, 8},
    {".ascii", directive_ascii, 0},
    {".asciz", directive_ascii, 1},
    {".string", directive_ascii, 1},
    {".uleb128", directive_leb128, 0},
    {".sleb128", directive_leb128, 1},
    {".octa", directive_octa},
    {".dc", directive_data, 2},
    {".dc.a", directive_data, 8},
    {".dc.b", directive_data, 1},
    {".dc.l", directive_data, 4},
    {".dc.w", directive_data, 2},
    {".dc.s", directive_real, 4},
    {".dc.d", directive_real, 8},
    {".dcb", directive_repeated, 2},
    {".dcb.b", directive_repeated, 1},
    {".dcb.l", directive_repeated, 4},
    {".dcb.w", directive_repeated, 2},
    {".ds", directive_reserve, 2},
    {".ds.b", directive_reserve, 1},
    {".ds.d", directive_reserve, 8},
    {".ds.l", directive_reserve, 4},
    {".ds.p", directive_reserve, 12},
    {".ds.s", directive_reserve, 4},
    {".ds.w", directive_reserve, 2},
    {".ds.x", directive_reserve, 12},
    {".incbin", directive_incbin},
    {".fill", directive_fill},
    {".space", directive_space},
    {".skip", directive_space},
    {".zero", directive_zero},
    {".org", directive_org},
    {".align", directive_align, 1},
    {".balign", directive_align, 1},
    {".balignw", directive_align, 2},
    {".balignl", directive_align, 4},
    {".p2align", directive_align, 1 + kPower},
    {".p2alignw", directive_align, 2 + kPower},
    {".p2alignl", directive_align, 4 + kPower},
    {".section", directive_section, 0},
    {".pushsection", directive_section, 1},
    {".popsection", directive_pop_section},
    {".previous", directive_previous},
    {".text", directive_plain_section, 0},
    {".data", directive_plain_section, 1},
    {".bss", directive_plain_section, 2},
    {".rodata", directive_plain_section, 3},
    {".ident", directive_ident},
    {".set", directive_set, 1},
    {".equ", directive_set, 1},
    {".equiv", directive_set, 0},
    {".globl", directive_binding, STB_GLOBAL},
    {".global", directive_binding, STB_GLOBAL},
    {".extern", directive_extern},
    {".weak", directive_binding, STB_WEAK},
    {".local", directive_binding, STB_LOCAL},
    {".hidden", directive_visibility, STV_HIDDEN},
    {".internal", directive_visibility, STV_INTERNAL},
    {".protected", directive_visibility, STV_PROTECTED},
    {".type", directive_type},
    {".size", directive_size},
    {".comm", directive_common, 0},
    {".common", directive_common, 0},
    {".lcomm", directive_common, 1},
    {".file", directive_file},
    {".addrsig", directive_addrsig, 0},
    {".addrsig_sym", directive_addrsig, 1},
    {".loc", directive_loc},
    {".cfi_sections", directive_cfi_sections},
    {".cfi_startproc", directive_cfi_procedure, 0},
    {".cfi_endproc", directive_cfi_procedure, 1},
    {".cfi_def_cfa", directive_cfi_rule},
    {".cfi_def_cfa_offset", directive_cfi_rule},
    {".cfi_def_cfa_register", directive_cfi_rule},
    {".cfi_adjust_cfa_offset", directive_cfi_rule},
    {".cfi_offset", directive_cfi_rule},
    {".cfi_rel_offset", directive_cfi_rule},
    {".cfi_register", directive_cfi_rule},
    {".cfi_restore", directive_cfi_rule},
    {".cfi_undefined", directive_cfi_rule},
    {".cfi_same_value", directive_cfi_rule},
    {".cfi_remember_state", directive_cfi_rule},
    {".cfi_restore_state", directive_cfi_rule},
    {".cfi_escape", directive_cfi_rule},
    {".cfi_return_column", directive_cfi_rule},
    {".cfi_signal_frame", directive_cfi_rule},
    {".cfi_personality", directive_cfi_rule},
    {".cfi_lsda", directive_cfi_rule},
    {".error", directive_message, 0},
    {".err", directive_message, 0},
    {".warning", directive_message, 1},
    {".print", directive_print},
    {".end", directive_end},
    {".if", directive_if, kIfNotZero, true},
    {".ifne", directive_if, kIfNotZero, true},
    {".ifeq", directive_if, kIfZero, true},
    {".ifgt", directive_if, kIfGreater, true},
    {".ifge", directive_if, kIfGreaterEqual, true},
    {".iflt", directive_if, kIfLess, true},
    {".ifle", directive_if, kIfLessEqual, true},
    {".ifdef", directive_if, kIfDefined, true},
    {".ifndef", directive_if, kIfNotDefined, true},
    {".ifnotdef", directive_if, kIfNotDefined, true},
    {".ifb", directive_if, kIfBlank, true},
    {".ifnb", directive_if, kIfNotBlank, true},
    {".ifc", directive_if, kIfSame, true},
    {".ifnc", directive_if, kIfNotSame, true},
    {".ifeqs", directive_if, kIfEqualStrings, true},
    {".ifnes", directive_if, kIfNotEqualStrings, true},
    {".elseif", directive_elseif, 0, true},
    {".else", directive_else, 0, true},
    {".endif", directive_endif, 0, true},
    {".macro", directive_macro},
    {".endm", directive_stray_end},
    {".endmacro", directive_stray_end},
    {".endr", directive_stray_end},
    {".exitm", directive_exit_macro},
    {".purgem", directive_purge},
    {".rept", directive_repeat},
    {".rep", directive_repeat},
    {".irp", directive_for_each, 0},
    {".irpc", directive_for_each, 1},
    {".include", directive_include},
    {".amdgcn_target", directive_target},
    {".amdhsa_code_object_version", directive_code_object_version},
    {".amdhsa_kernel", directive_kernel},
    {".amdgpu_metadata", directive_metadata},
};

std::string lower(std::string_view s) {
  std::string out(s);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

const Directive* find_directive(std::string_view word) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const Directive*> map;
    for (const Directive& d : kDirectives) map.emplace(d.name, &d);
    return map;
  }();
  auto it = table.find(word);
  if (it == table.end()) it = table.find(lower(word));
  return it == table.end() ? nullptr : it->second;
}

}  // namespace

bool run_directive(Assembly& assembly, std::string_view word, std::string_view rest,
                   Location rest_at, Location word_at) {
  const Directive* d = word[0] == '.' ? find_directive(word) : nullptr;
  if (assembly.skipping() && !(d && d->conditional)) return d != nullptr;
  if (!d || !d->conditional) {
    const auto macro = assembly.macros.find(lower(word));
    if (macro != assembly.macros.end()) {
      run_macro(assembly, macro->second, rest, rest_at, word_at);
      return true;
    }
  }
  if (!d) return false;
  Arguments a(assembly, rest, rest_at, word_at);
  d->run(a, d->parameter);
  a.finish();
  return true;
}

bool is_text_directive(std::string_view word) {
  const Directive* d = find_directive(word);
  return d && (d->conditional || d->run == directive_repeat || d->run == directive_for_each ||
               d->run == directive_include || d->run == directive_set);
}

std::string suggest_directive(std::string_view word) {
  constexpr size_t kMostLetters = 2;
  size_t nearest = kMostLetters + 1;
  std::string_view found;
  for (const Directive& d : kDirectives)
    if (const size_t n = edit_distance(word, d.name, kMostLetters); n < nearest) {
      nearest = n;
      found = d.name;
    }
  return found.empty() ? "" : fmt::format(", did you mean: {}?", found);
}

}  // namespace lockstep::asm_
