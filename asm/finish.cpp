// SPDX-License-Identifier: MIT
// The end of a file: fixups become bytes or relocations, symbols and sections become an object.
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "asm/assembly.h"
#include "asm/debug_bytes.h"
#include "asm/directives.h"
#include "isa/relocation.h"

namespace lockstep::asm_ {
namespace {

unsigned fixup_size(FixupKind kind) {
  switch (kind) {
    case FixupKind::kData1:
      return 1;
    case FixupKind::kData2:
    case FixupKind::kBranch:
      return 2;
    case FixupKind::kData4:
    case FixupKind::kRel4:
      return 4;
    case FixupKind::kData8:
    case FixupKind::kRel8:
      break;
  }
  return 8;
}

std::optional<uint32_t> specifier_relocation(Specifier s) {
  switch (s) {
    case Specifier::kNone:
      break;
    case Specifier::kGotPcRel:
      return isa::kRelocGotPcRel;
    case Specifier::kGotPcRel32Lo:
      return isa::kRelocGotPcRel32Lo;
    case Specifier::kGotPcRel32Hi:
      return isa::kRelocGotPcRel32Hi;
    case Specifier::kRel32Lo:
      return isa::kRelocRel32Lo;
    case Specifier::kRel32Hi:
      return isa::kRelocRel32Hi;
    case Specifier::kRel64:
      return isa::kRelocRel64;
    case Specifier::kAbs32Lo:
      return isa::kRelocAbs32Lo;
    case Specifier::kAbs32Hi:
      return isa::kRelocAbs32Hi;
    case Specifier::kAbs64:
      return isa::kRelocAbs64;
  }
  return std::nullopt;
}

class Finisher {
 public:
  Finisher(Assembly& assembly, Object& object) : as_(assembly), object_(object) {}

  void run() {
    name_sections();
    for (Section& s : as_.sections()) {
      pending_.emplace_back();
      for (const SectionFixup& f : s.fixups) resolve(s, f);
    }
    if (as_.error_count() != 0) return;
    symbols();
    sections();
    object_.target = *as_.target;
    object_.abi_version = static_cast<uint8_t>(as_.code_object_version - 2);
    object_.elf_flags = isa::target_info(*as_.target).elf_mach;
    if (as_.has_features())
      object_.elf_flags |= setting(as_.options.xnack, 8) | setting(as_.options.sramecc, 10);
  }

 private:
  struct Pending {
    uint64_t offset;
    uint32_t type;
    Symbol* symbol;    ///< or
    Section* section;  ///< the section's own symbol
    int64_t addend;
  };

  static uint32_t setting(std::optional<bool> feature, unsigned shift) {
    return (!feature ? 1u : *feature ? 3u : 2u) << shift;
  }

  /// The name of a section means its start, unless a label has that name.
  void name_sections() {
    for (Section& s : as_.sections()) {
      Symbol* symbol = as_.find_symbol(s.name);
      if (!symbol || symbol->defined()) continue;
      symbol->state = SymbolState::kLabel;
      symbol->section = &s;
      symbol->name.insert(0, 1, '\1');  // the symbol table has symbols of sections without names
    }
  }

  void write(Section& s, const SectionFixup& f, int64_t value) {
    const unsigned size = fixup_size(f.kind), bits = size * 8;
    constexpr unsigned kLongest = 64;
    if (f.kind == FixupKind::kBranch) {
      constexpr int64_t kDword = 4;
      const int64_t distance = value - kDword;
      if (distance % kDword != 0) {
        as_.error(f.where,
                  fmt::format("the branch target is {} bytes away, no multiple of 4", distance));
        return;
      }
      value = distance / kDword;
      if (value != static_cast<int16_t>(value)) {
        as_.error(f.where, "branch size exceeds simm16");
        return;
      }
    } else if (bits < kLongest &&
               (value < -(int64_t{1} << (bits - 1)) || value >= int64_t{1} << bits)) {
      as_.error(f.where, fmt::format("value {} does not fit in {} bytes", value, size));
      return;
    }
    std::memcpy(s.bytes.data() + f.offset, &value, size);
  }

  void resolve(Section& s, const SectionFixup& f) {
    const auto v = as_.evaluate(f.expr);
    if (!v) {
      as_.error(f.where, "expected relocatable expression");
      return;
    }
    const bool relative =
        f.kind == FixupKind::kRel4 || f.kind == FixupKind::kRel8 || f.kind == FixupKind::kBranch;
    if (v->absolute()) {
      if (f.kind == FixupKind::kBranch) {
        as_.error(f.where, "the branch target is a number, not a label; write the offset itself");
        return;
      }
      if (!relative) {
        write(s, f, v->constant);
        return;
      }
      pending_.back().push_back({f.offset, isa::kRelocRel32, nullptr, nullptr, v->constant});
      return;
    }
    if (!v->add) {
      as_.error(f.where, "expected relocatable expression");
      return;
    }
    int64_t addend = v->constant;
    bool from_place = relative;
    if (v->subtract) {
      const Symbol& base = *v->subtract;
      if (base.state != SymbolState::kLabel || base.section != &s || relative) {
        as_.error(f.where, base.defined() ? "Cannot represent a difference across sections"
                                          : fmt::format("symbol '{}' can not be undefined in a "
                                                        "subtraction expression",
                                                        base.name));
        return;
      }
      // add - base = (add - place) + (place - base)
      addend += static_cast<int64_t>(f.offset - base.offset);
      from_place = true;
    }
    Symbol& target = *v->add;
    if (v->specifier == Specifier::kNone && from_place && target.state == SymbolState::kLabel &&
        target.section == &s && target.binding == STB_LOCAL) {
      write(s, f, static_cast<int64_t>(target.offset - f.offset) + addend);
      return;
    }
    relocate(s, f, target, addend, v->specifier, from_place);
  }

  void relocate(Section& s, const SectionFixup& f, Symbol& target, int64_t addend,
                Specifier specifier, bool from_place) {
    const unsigned size = fixup_size(f.kind);
    uint32_t type = 0;
    if (f.kind == FixupKind::kBranch) {
      if (!target.defined()) {
        as_.error(f.where, undefined(target));
        return;
      }
      type = isa::kRelocRel16;
    } else if (const auto named = specifier_relocation(specifier)) {
      type = *named;
    } else if (size == 4) {
      type = from_place ? isa::kRelocRel32 : isa::kRelocAbs32;
    } else if (size == 8) {
      type = from_place ? isa::kRelocRel64 : isa::kRelocAbs64;
    } else {
      as_.error(f.where,
                fmt::format("there is no relocation of {} byte{}", size, size > 1 ? "s" : ""));
      return;
    }
    Pending p{f.offset, type, &target, nullptr, addend};
    // Local labels are written as their section and an offset; in a merged section only the linker
    // knows where an offset goes.
    const bool by_section =
        target.state == SymbolState::kLabel && target.binding == STB_LOCAL &&
        !((target.section->flags & SHF_MERGE) && !target.anonymous() && addend != 0);
    if (by_section) {
      p.section = target.section;
      p.symbol = nullptr;
      p.addend += static_cast<int64_t>(target.offset);
    } else if (target.temporary() && !target.defined()) {
      as_.error(f.where, undefined(target));
      return;
    }
    if (f.kind == FixupKind::kBranch)
      write(s, f, 0);  // as LLVM leaves the field; the linker fills it
    target.referenced = true;
    target.named_in_table |= p.symbol != nullptr;
    pending_.back().push_back(p);
  }

  std::string undefined(const Symbol& s) const {
    if (s.name[0] == '\1') return "directional label undefined";
    return fmt::format("undefined label '{}'", s.name);
  }

  void add_symbol(const Symbol& s) {
    ObjectSymbol o{
        .name = s.name, .binding = s.binding, .type = s.type, .visibility = s.visibility};
    switch (s.state) {
      case SymbolState::kLabel:
        o.section = s.section->index + 1;
        o.value = s.offset;
        break;
      case SymbolState::kCommon:
        o.section = SHN_COMMON;
        o.value = s.alignment;
        o.size = s.offset;
        break;
      case SymbolState::kVariable: {
        const auto v = as_.evaluate(s.value);
        if (!v || v->subtract || (v->add && v->add->state != SymbolState::kLabel)) return;
        o.section = v->add ? v->add->section->index + 1 : SHN_ABS;
        o.value = static_cast<uint64_t>(v->constant) + (v->add ? v->add->offset : 0);
        if (v->add) {
          if (!o.type) o.type = v->add->type;
          if (!s.size && v->add->size) o.size = as_.absolute(v->add->size).value_or(0);
        }
        break;
      }
      case SymbolState::kUndefined:
        if (!s.binding_set) o.binding = STB_GLOBAL;
        break;
    }
    if (s.size) {
      const auto size = as_.absolute(s.size);
      if (!size) as_.error(s.where, fmt::format("the size of '{}' is not known", s.name));
      o.size = static_cast<uint64_t>(size.value_or(0));
    }
    numbers_.emplace(&s, static_cast<uint32_t>(object_.symbols.size()));
    object_.symbols.push_back(std::move(o));
  }

  void symbols() {
    object_.symbols.emplace_back();
    for (const auto& list : pending_)
      for (const Pending& p : list)
        if (p.section) section_symbols_[p.section->index] = 0;
    // Names that no one defines or refers to are left out.
    const auto is_written = [](const Symbol& s) {
      if (s.temporary()) return s.named_in_table;
      if (s.name.starts_with(".amdgcn.")) return false;
      return s.defined() || s.referenced || s.binding == STB_WEAK ||
             (s.binding_set && s.binding != STB_LOCAL);
    };
    for (auto& [section, number] : section_symbols_) {
      number = static_cast<uint32_t>(object_.symbols.size());
      object_.symbols.push_back({.type = STT_SECTION, .section = section + 1});
    }
    const auto is_local = [](const Symbol& s) {
      return s.binding == STB_LOCAL && (s.defined() || s.binding_set);
    };
    for (const bool local : {true, false})
      for (const Symbol& s : as_.symbols())
        if (is_written(s) && is_local(s) == local) add_symbol(s);
  }

  void sections() {
    for (Section& s : as_.sections()) {
      ObjectSection o{.name = s.name,
                      .type = s.type,
                      .flags = s.flags,
                      .alignment = s.alignment,
                      .entry_size = s.entry_size,
                      .link_section = s.link_section,
                      .bytes = std::move(s.bytes),
                      .size = 0};
      o.size = s.has_bytes() ? o.bytes.size() : s.size_without_bytes;
      for (const Pending& p : pending_[s.index]) {
        uint32_t number = 0;
        if (p.section)
          number = section_symbols_.at(p.section->index);
        else if (p.symbol)
          number = numbers_.at(p.symbol);
        o.relocations.push_back({p.offset, p.type, number, p.addend});
      }
      object_.sections.push_back(std::move(o));
    }
    if (!as_.wants_addrsig) return;
    ObjectSection o{.name = ".llvm_addrsig", .type = kShtLlvmAddrsig, .flags = kShfExclude};
    for (const Symbol* s : as_.addrsig)
      if (const auto number = numbers_.find(s); number != numbers_.end())
        append_uleb(o.bytes, number->second);
    o.size = o.bytes.size();
    object_.sections.push_back(std::move(o));
  }

  Assembly& as_;
  Object& object_;
  std::vector<std::vector<Pending>> pending_;  ///< by section
  std::map<uint32_t, uint32_t> section_symbols_;
  std::unordered_map<const Symbol*, uint32_t> numbers_;
};

}  // namespace

bool counts_from_place(const Expr* e) {
  switch (e->kind) {
    case ExprKind::kSymbol:
      return e->specifier != Specifier::kAbs32Lo && e->specifier != Specifier::kAbs32Hi &&
             e->specifier != Specifier::kAbs64;
    case ExprKind::kUnary:
      return counts_from_place(e->operands[0]);
    case ExprKind::kBinary:
      return e->op != "-" &&
             (counts_from_place(e->operands[0]) || counts_from_place(e->operands[1]));
    case ExprKind::kConstant:
    case ExprKind::kCall:
      break;
  }
  return false;
}

void Assembly::build_object(Object& object) { Finisher(*this, object).run(); }

}  // namespace lockstep::asm_
