// SPDX-License-Identifier: MIT
// Directives about symbols, and those that only say something.
#include <elf.h>
#include <fmt/format.h>

#include <cstdio>

#include "asm/directives.h"

namespace lockstep::asm_ {
namespace {

/// Runs `act` on each symbol of a comma list.
template <class Act>
void for_each_symbol(Arguments& a, Act act) {
  do {
    const Location where = a.here();
    const auto name = a.name();
    if (!name) return;
    act(a.assembly.mention(*name, where), where);
  } while (a.take(","));
}

}  // namespace

void directive_set(Arguments& a, int redefinable) {
  const Location where = a.here();
  const auto name = a.name();
  if (!name || !a.expect(",")) return;
  const Expr* value = a.expression();
  if (value && a.finish()) a.assembly.assign(*name, value, redefinable != 0, where);
}

void directive_binding(Arguments& a, int binding) {
  for_each_symbol(a, [&](Symbol& s, Location where) {
    if (s.binding_set && s.binding != binding && !(s.binding == STB_GLOBAL && binding == STB_WEAK))
      a.assembly.error(where, fmt::format("{} changed binding", s.name));
    s.binding = static_cast<uint8_t>(binding);
    s.binding_set = true;
  });
}

void directive_visibility(Arguments& a, int visibility) {
  for_each_symbol(a, [&](Symbol& s, Location) { s.visibility = static_cast<uint8_t>(visibility); });
}

void directive_type(Arguments& a, int) {
  const Location where = a.here();
  const auto name = a.name();
  if (!name) return;
  a.take(",");
  std::string type;
  if (a.peek().kind == TokenKind::kString) {
    type = a.string().value_or("");
  } else {
    if (!a.take("@") && !a.take("%")) a.take("#");
    type = a.name("STT_<TYPE>, '@<type>', '%<type>' or \"<type>\"").value_or("");
  }
  if (a.failed()) return;
  struct Named {
    std::string_view name, constant;
    uint8_t type;
  };
  static constexpr Named kTypes[] = {
      {"function", "STT_FUNC", STT_FUNC},
      {"object", "STT_OBJECT", STT_OBJECT},
      {"notype", "STT_NOTYPE", STT_NOTYPE},
      {"common", "STT_COMMON", STT_COMMON},
      {"amdgpu_hsa_kernel", "STT_AMDGPU_HSA_KERNEL", STT_LOOS},
  };
  for (const Named& n : kTypes)
    if (n.name == type || n.constant == type) {
      a.assembly.mention(*name, where).type = n.type;
      return;
    }
  a.error(fmt::format("unsupported attribute '{}'", type));
}

void directive_size(Arguments& a, int) {
  const Location where = a.here();
  const auto name = a.name();
  if (!name || !a.expect(",")) return;
  const Expr* size = a.expression();
  if (size && a.finish()) a.assembly.mention(*name, where).size = size;
}

void directive_common(Arguments& a, int local) {
  const Location where = a.here();
  const auto name = a.name();
  if (!name || !a.expect(",")) return;
  const auto size = a.absolute();
  int64_t power = 0;  // this target counts alignments of common symbols as powers of two
  if (size && a.take(",")) power = a.absolute().value_or(-1);
  if (a.failed()) return;
  if (*size < 0) {
    a.assembly.error(where, "size must be non-negative");
    return;
  }
  constexpr int64_t kMostPower = 32;
  if (power < 0 || power > kMostPower) {
    a.assembly.error(where, "invalid alignment value");
    return;
  }
  const uint64_t alignment = uint64_t{1} << power;
  Symbol& s = a.assembly.mention(*name, where);
  if (s.defined()) {
    a.assembly.error(where, fmt::format("invalid symbol redefinition: {}", *name));
    return;
  }
  s.type = STT_OBJECT;
  s.size = a.assembly.constant(*size);
  if (local || s.binding_set == (s.binding == STB_LOCAL)) {
    if (local || s.binding_set) {  // room in .bss
      Section* current = &a.assembly.section();
      Section* previous = a.assembly.previous_section();
      a.assembly.switch_section(
          a.assembly.section_named(".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE));
      a.assembly.align(alignment, std::nullopt, 1, 0, where);
      a.assembly.define_label(s, where);
      a.assembly.emit_fill(static_cast<uint64_t>(*size), 1, 0, where);
      a.assembly.set_sections(current, previous);
      return;
    }
  }
  s.state = SymbolState::kCommon;
  s.offset = static_cast<uint64_t>(*size);
  s.alignment = alignment;
  if (!s.binding_set) s.binding = STB_GLOBAL;
}

void directive_extern(Arguments& a, int) { a.skip_rest(); }  // says nothing that a use does not

void directive_addrsig(Arguments& a, int has_symbol) {
  Assembly& as = a.assembly;
  if (!has_symbol) {
    as.wants_addrsig = true;
    return;
  }
  const Location where = a.here();
  const auto name = a.name();
  if (name) as.addrsig.push_back(&as.mention(*name, where));
}

void directive_message(Arguments& a, int severity) {
  std::string text = severity ? ".warning directive invoked in source file"
                              : ".error directive invoked in source file";
  if (!a.done()) {
    const auto given = a.string();
    if (!given) return;
    text = *given;
  }
  a.assembly.report(severity ? Severity::kWarning : Severity::kError, a.directive, text);
}

void directive_print(Arguments& a, int) {
  const auto text = a.string();
  if (text && a.finish()) a.assembly.report(Severity::kNote, a.directive, *text);
}

void directive_end(Arguments& a, int) { a.assembly.input.stop(); }

}  // namespace lockstep::asm_
