// SPDX-License-Identifier: MIT
// Directives that choose sections.
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>

#include "asm/directives.h"

namespace lockstep::asm_ {
namespace {

struct Kind {
  uint32_t type = SHT_PROGBITS;
  uint64_t flags = 0;
};

/// What a section of that name is if nothing is said.
Kind usual_kind(std::string_view name) {
  const auto is = [&](std::string_view prefix) {
    return name == prefix || (name.starts_with(prefix) && name[prefix.size()] == '.');
  };
  if (is(".text") || is(".init") || is(".fini")) return {SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR};
  if (is(".rodata") || name == ".rodata1") return {SHT_PROGBITS, SHF_ALLOC};
  if (is(".data") || name == ".data1") return {SHT_PROGBITS, SHF_ALLOC | SHF_WRITE};
  if (is(".bss")) return {SHT_NOBITS, SHF_ALLOC | SHF_WRITE};
  if (is(".init_array")) return {SHT_INIT_ARRAY, SHF_ALLOC | SHF_WRITE};
  if (is(".fini_array")) return {SHT_FINI_ARRAY, SHF_ALLOC | SHF_WRITE};
  if (is(".note")) return {SHT_NOTE, 0};
  return {};
}

constexpr uint64_t kShfRetain = 0x200000;
constexpr uint32_t kShtUnwind = 0x70000001;

std::optional<uint64_t> read_flags(Arguments& a, std::string_view text) {
  uint64_t flags = 0;
  for (const char c : text) {
    switch (c) {
      case 'a':
        flags |= SHF_ALLOC;
        break;
      case 'w':
        flags |= SHF_WRITE;
        break;
      case 'x':
        flags |= SHF_EXECINSTR;
        break;
      case 'M':
        flags |= SHF_MERGE;
        break;
      case 'S':
        flags |= SHF_STRINGS;
        break;
      case 'G':
        flags |= SHF_GROUP;
        break;
      case 'o':
        flags |= SHF_LINK_ORDER;
        break;
      case 'e':
        flags |= kShfExclude;
        break;
      case 'R':
        flags |= kShfRetain;
        break;
      case 'T':
        a.error("thread-local sections do not exist on this target");
        return std::nullopt;
      default:
        a.error(fmt::format("unknown flag '{}'", c));
        return std::nullopt;
    }
  }
  return flags;
}

std::optional<uint32_t> read_type(Arguments& a) {
  if (!a.take("@") && !a.take("%") && a.peek().kind != TokenKind::kString) {
    a.error("expected '@<type>', '%<type>' or \"<type>\"");
    return std::nullopt;
  }
  if (a.peek().kind == TokenKind::kInteger) {
    const auto type = a.absolute();
    return type ? std::optional(static_cast<uint32_t>(*type)) : std::nullopt;
  }
  struct Named {
    std::string_view name;
    uint32_t type;
  };
  static constexpr Named kTypes[] = {
      {"progbits", SHT_PROGBITS},
      {"nobits", SHT_NOBITS},
      {"note", SHT_NOTE},
      {"init_array", SHT_INIT_ARRAY},
      {"fini_array", SHT_FINI_ARRAY},
      {"preinit_array", SHT_PREINIT_ARRAY},
      {"unwind", kShtUnwind},
  };
  const Token& t = a.peek();
  for (const Named& n : kTypes)
    if (n.name == t.text) {
      a.advance();
      return n.type;
    }
  a.error("unknown section type");
  return std::nullopt;
}

/// The name, which may hold any character but blanks and commas.
std::string section_name(Arguments& a) {
  if (a.peek().kind == TokenKind::kString) return a.string().value_or("");
  const std::string name(a.raw_until(","));
  const size_t end = name.find_last_not_of(" \t");
  return name.substr(0, end + 1);
}

}  // namespace

void directive_section(Arguments& a, int push) {
  Assembly& as = a.assembly;
  const Location where = a.here();
  const std::string name = section_name(a);
  if (name.empty() && !a.failed()) a.error("expected a section name");
  if (a.failed()) return;
  const Section* known = as.find_section(name);
  Kind kind = known ? Kind{known->type, known->flags} : usual_kind(name);
  bool flags_given = false, type_given = false;
  std::string link;
  int64_t entry_size = 0;
  if (a.take(",")) {
    if (push && a.peek().kind != TokenKind::kString) {  // .pushsection NAME, SUBSECTION
      const auto subsection = a.absolute();
      if (subsection && *subsection != 0) a.error("subsections are not supported");
      if (a.failed()) return;
    } else {
      const auto text = a.string();
      const auto flags = text ? read_flags(a, *text) : std::nullopt;
      if (!flags) return;
      kind.flags = known ? *flags : (usual_kind(name).flags | *flags);
      flags_given = true;
      if (a.take(",")) {
        const auto type = read_type(a);
        if (!type) return;
        kind.type = *type;
        type_given = true;
        if (*flags & SHF_MERGE) {
          if (!a.expect(",")) return;
          entry_size = a.absolute().value_or(0);
          if (!a.failed() && entry_size <= 0) a.error("entry size must be positive");
        }
        if ((*flags & SHF_GROUP) && a.expect(",")) {
          a.name("a group name");
          if (a.take(",") && a.name().value_or("comdat") != "comdat") a.error("invalid linkage");
          kind.flags &= ~uint64_t{SHF_GROUP};
        }
        if ((*flags & SHF_LINK_ORDER) && a.expect(",")) {
          const auto symbol = a.name();
          const Symbol* s = symbol ? as.find_symbol(*symbol) : nullptr;
          if (s && s->section)
            link = s->section->name;
          else if (!a.failed())
            a.error("linked-to symbol is not in a section");
        }
      } else if (*flags & SHF_MERGE) {
        a.error("Mergeable section must specify the type");
      }
    }
  }
  if (a.failed()) return;
  if (known && flags_given && known->flags != kind.flags) {
    as.error(where,
             fmt::format("changed section flags for {}, expected: {:#x}", name, known->flags));
    return;
  }
  if (known && type_given && known->type != kind.type) {
    as.error(where, fmt::format("changed section type for {}, expected: {:#x}", name, known->type));
    return;
  }
  if (known && entry_size != 0 && known->entry_size != static_cast<uint64_t>(entry_size)) {
    as.error(where,
             fmt::format("changed section entsize for {}, expected: {}", name, known->entry_size));
    return;
  }
  if (push) as.section_stack.push_back({&as.section(), as.previous_section()});
  Section& s = as.section_named(name, kind.type, kind.flags, static_cast<uint64_t>(entry_size));
  s.link_section = link;
  as.switch_section(s);
}

void directive_plain_section(Arguments& a, int which) {
  static constexpr std::string_view kNames[] = {".text", ".data", ".bss", ".rodata"};
  if (!a.done()) {
    const auto subsection = a.absolute();
    if (subsection && *subsection != 0) a.error("subsections are not supported");
    if (a.failed()) return;
  }
  const std::string_view name = kNames[which];
  const Kind kind = usual_kind(name);
  a.assembly.switch_section(a.assembly.section_named(name, kind.type, kind.flags));
}

void directive_pop_section(Arguments& a, int) {
  auto& stack = a.assembly.section_stack;
  if (stack.empty()) {
    a.assembly.error(a.directive, ".popsection without corresponding .pushsection");
    return;
  }
  a.assembly.set_sections(stack.back()[0], stack.back()[1]);
  stack.pop_back();
}

void directive_previous(Arguments& a, int) {
  Section* previous = a.assembly.previous_section();
  if (!previous) {
    a.assembly.error(a.directive, ".previous without corresponding .section");
    return;
  }
  a.assembly.switch_section(*previous);
}

void directive_ident(Arguments& a, int) {
  const auto text = a.string();
  if (!text) return;
  Assembly& as = a.assembly;
  Section* current = &as.section();
  Section* previous = as.previous_section();
  Section& comment = as.section_named(".comment", SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, 1);
  as.switch_section(comment);
  if (comment.bytes.empty()) as.emit("", 1);  // the list starts with an empty string
  as.emit(text->c_str(), text->size() + 1);
  as.set_sections(current, previous);
}

}  // namespace lockstep::asm_
