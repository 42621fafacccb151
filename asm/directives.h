// SPDX-License-Identifier: MIT
// The directives, one function each, grouped by file. Internal to the source assembler.
#pragma once
#include <string>
#include <string_view>

#include "asm/arguments.h"

namespace lockstep::asm_ {

/// Runs a directive or macro. False: `word` is neither.
bool run_directive(Assembly& assembly, std::string_view word, std::string_view rest,
                   Location rest_at, Location word_at);
/// "", or ", did you mean: .rept?"
std::string suggest_directive(std::string_view word);

/// Directives that choose or make text (.if, .rept, ..), which may also stand inside of
/// .amdhsa_kernel.
bool is_text_directive(std::string_view word);

using Handler = void (*)(Arguments& a, int parameter);
struct Directive {
  std::string_view name;
  Handler run;
  int parameter = 0;         ///< what the functions that serve several names make of it
  bool conditional = false;  ///< also looked at where code is skipped
};

// directives_data.cpp
void directive_data(Arguments& a, int size);
void directive_octa(Arguments& a, int);
/// Parameters: bytes of an element.
void directive_repeated(Arguments& a, int size);
void directive_reserve(Arguments& a, int size);
void directive_ascii(Arguments& a, int zero);
void directive_fill(Arguments& a, int);
void directive_space(Arguments& a, int);
void directive_zero(Arguments& a, int);
void directive_org(Arguments& a, int);
/// Parameter: bytes of the fill value; +8: the alignment is given as a power of two.
void directive_align(Arguments& a, int kind);
void directive_real(Arguments& a, int size);
void directive_leb128(Arguments& a, int is_signed);
void directive_incbin(Arguments& a, int);

// directives_section.cpp
void directive_section(Arguments& a, int push);
void directive_plain_section(Arguments& a, int which);
void directive_pop_section(Arguments& a, int);
void directive_previous(Arguments& a, int);
void directive_ident(Arguments& a, int);

// directives_symbol.cpp
void directive_set(Arguments& a, int redefinable);
void directive_binding(Arguments& a, int binding);
void directive_visibility(Arguments& a, int visibility);
void directive_type(Arguments& a, int);
void directive_size(Arguments& a, int);
void directive_common(Arguments& a, int local);
void directive_extern(Arguments& a, int);
void directive_addrsig(Arguments& a, int has_symbol);
void directive_message(Arguments& a, int severity);
void directive_print(Arguments& a, int);
void directive_end(Arguments& a, int);

// directives_debug.cpp
void directive_file(Arguments& a, int);
void directive_loc(Arguments& a, int);
void directive_cfi_sections(Arguments& a, int);
void directive_cfi_procedure(Arguments& a, int is_end);
void directive_cfi_rule(Arguments& a, int);

// directives_conditional.cpp
enum ConditionKind : int {
  kIfNotZero,
  kIfZero,
  kIfGreater,
  kIfGreaterEqual,
  kIfLess,
  kIfLessEqual,
  kIfDefined,
  kIfNotDefined,
  kIfBlank,
  kIfNotBlank,
  kIfSame,
  kIfNotSame,
  kIfEqualStrings,
  kIfNotEqualStrings,
};
void directive_if(Arguments& a, int condition);
void directive_elseif(Arguments& a, int);
void directive_else(Arguments& a, int);
void directive_endif(Arguments& a, int);

// macros.cpp
void directive_macro(Arguments& a, int);
void directive_purge(Arguments& a, int);
void directive_exit_macro(Arguments& a, int);
void directive_repeat(Arguments& a, int);
void directive_for_each(Arguments& a, int characters);
void directive_stray_end(Arguments& a, int);
void directive_include(Arguments& a, int);
void run_macro(Assembly& assembly, const Macro& macro, std::string_view rest, Location rest_at,
               Location word_at);

// amdhsa.cpp, metadata.cpp
void directive_target(Arguments& a, int);
void directive_code_object_version(Arguments& a, int);
void directive_kernel(Arguments& a, int);
void directive_metadata(Arguments& a, int);

/// The contents of an included file, looked for beside the including one and in the include paths.
std::optional<std::string> read_beside(const Assembly& assembly, const std::string& name,
                                       std::string& path);

/// Whether the field of such a value holds a distance from itself, as LLVM decides by the shape of
/// the expression.
bool counts_from_place(const Expr* expr);

}  // namespace lockstep::asm_
