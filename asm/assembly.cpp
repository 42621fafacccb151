// SPDX-License-Identifier: MIT
// Statements of a source file: labels, assignments, directives, instructions.
#include "asm/assembly.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>

#include "asm/arguments.h"
#include "asm/directives.h"
#include "isa/operand.h"

namespace lockstep::asm_ {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Skips blanks and block comments.
size_t skip_blanks(std::string_view s, size_t i) {
  for (;;) {
    while (i < s.size() && is_blank(s[i])) ++i;
    if (s.substr(i, 2) != "/*") return i;
    const size_t close = s.find("*/", i + 2);
    if (close == std::string_view::npos) return s.size();
    i = close + 2;
  }
}

}  // namespace

void Assembly::report(Severity severity, Location where, const std::string& message) {
  if (severity == Severity::kError && ++errors_ > options.max_errors) return;
  for (Diagnostic& d : input.describe(severity, where, message))
    diagnostics_.push_back(std::move(d));
  if (severity == Severity::kError && errors_ == options.max_errors) {
    diagnostics_.push_back({Severity::kNote, diagnostics_.back().file, diagnostics_.back().line, 1,
                            "too many errors; the rest is left out", ""});
    input.stop();
  }
}

AssembledSource Assembly::run(std::string_view text, const std::string& name) {
  AssembledSource result;
  input.set_limit(options.max_expansion);
  input.push(Input::Kind::kFile, name, std::string(text), {});
  // Kernels of 64 lanes say so at their ends, but their code is read before.
  if (options.wave_size == 0 && text.find(".amdhsa_wavefront_size32 0") != std::string_view::npos &&
      text.find(".amdhsa_wavefront_size32 1") == std::string_view::npos)
    options.wave_size = 64;
  if (options.target) set_target(*options.target);
  tracks_registers_ = text.find(".amdgcn.next_free_") != std::string_view::npos ||
                      text.find(".include") != std::string_view::npos;
  line_options.symbols = this;
  Section& code = section_named(".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR);
  code.alignment = 4;
  switch_section(code);
  for (const auto& [symbol_name, value] : options.defines)
    assign(symbol_name, constant(value), true, {});
  std::string_view line;
  Location where;
  while (input.next(line, where)) statement(line, where);
  for (const Conditional& c : conditionals) error(c.where, "unmatched .ifs or .elses");
  if (!target && errors_ == 0)
    error({}, "the target is not known: give --mcpu=TARGET, or write .amdgcn_target");
  if (target && errors_ == 0) finish_descriptors();
  finish_lebs();
  if (target && errors_ == 0 && settled) {
    frames.write(*this, lines.version());
    lines.write(*this);
  }
  if (target && errors_ == 0 && settled) build_object(result.object);
  result.ok = errors_ == 0;
  result.diagnostics = std::move(diagnostics_);
  return result;
}

void Assembly::statement(std::string_view line, Location where) {
  size_t i = skip_blanks(line, 0);
  for (;;) {
    if (i >= line.size() || line[i] == ';' || line[i] == '#' || line.substr(i, 2) == "//") return;
    if (is_digit(line[i])) {
      size_t n = i;
      while (n < line.size() && is_digit(line[n])) ++n;
      const size_t after = skip_blanks(line, n);
      if (after >= line.size() || line[after] != ':' || skipping()) break;
      uint64_t number = 0;
      for (size_t k = i; k < n; ++k) number = number * 10 + static_cast<uint64_t>(line[k] - '0');
      define_local(number, where + i);
      i = skip_blanks(line, after + 1);
      continue;
    }
    size_t n = i;
    std::string_view word;
    if (line[i] == '"') {
      n = line.find('"', i + 1);
      if (n == std::string_view::npos) break;
      word = line.substr(i + 1, n++ - i - 1);
    } else {
      if (!is_name_start(line[i])) break;
      while (n < line.size() && (is_name_start(line[n]) || is_digit(line[n]) || line[n] == '@'))
        ++n;
      word = line.substr(i, n - i);
    }
    const size_t after = skip_blanks(line, n);
    const char next = after < line.size() ? line[after] : '\0';
    if (next == ':' && line.substr(after, 2) != "::") {
      if (!skipping()) define_label(mention(word, where + i), where + i);
      i = skip_blanks(line, after + 1);
      continue;
    }
    if (next == '=' && line.substr(after, 2) != "==" && word[0] != '"') {
      if (skipping()) return;
      Arguments a(*this, line.substr(after + 1), where + after + 1, where + i);
      const bool twice = a.take("=");
      const Expr* value = a.expression();
      if (value && a.finish()) assign(word, value, !twice, where + i);
      return;
    }
    if (word[0] == '.' || !macros.empty()) {
      if (run_directive(*this, word, line.substr(n), where + n, where + i)) return;
      if (word[0] == '.') {
        if (skipping()) return;
        error(where + i, fmt::format("unknown directive{}", suggest_directive(word)));
        return;
      }
    }
    if (!skipping()) instruction(line.substr(i), where + i);
    return;
  }
  if (!skipping()) error(where + i, "unexpected token at start of statement");
}

AsmResult Assembly::assemble(std::string_view line) {
  if (const isa::Inst* known = known_lines_.find(line)) return *known;
  const uint64_t queries = symbol_queries_;
  AsmResult result = assemble_line(line, line_options);
  if (!result && !options.real_true16 && !has_features()) {
    line_options.real_true16 = !line_options.real_true16;  // if it helps, the next lines are alike
    AsmResult other = assemble_line(line, line_options);
    if (other) {
      known_lines_.clear();
      result = std::move(other);
    } else {
      line_options.real_true16 = !line_options.real_true16;
    }
  }
  if (result && symbol_queries_ == queries && result.fixup().kind == Fixup::Kind::kNone)
    known_lines_.insert(line, result.inst());
  return result;
}

void Assembly::instruction(std::string_view line, Location where) {
  if (!need_target(where)) return;
  const AsmResult result = assemble(line);
  if (!result) {
    const AsmError& e = result.error();
    error(where + std::min(e.column, line.size()), e.message);
    return;
  }
  if (!can_emit(where)) return;
  const isa::Inst& inst = result.inst();
  lines.mark(section());
  const uint64_t start = section().bytes.size();
  emit(inst.words, inst.size);
  if (tracks_registers_) track_registers(inst);
  const Fixup& fixup = result.fixup();
  if (fixup.kind == Fixup::Kind::kNone) return;
  Arguments a(*this, fixup.text, where + fixup.at, where);
  const Expr* e = a.expression();
  if (!e || !a.finish()) return;
  if (fixup.kind == Fixup::Kind::kBranch) {
    section().fixups.push_back({start, FixupKind::kBranch, e, where + fixup.at});
    return;
  }
  constexpr uint64_t kLiteralSize = 4;
  section().fixups.push_back({start + inst.size - kLiteralSize,
                              counts_from_place(e) ? FixupKind::kRel4 : FixupKind::kData4, e,
                              where + fixup.at});
}

void Assembly::track_registers(const isa::Inst& inst) {
  const auto use = [&](const isa::Operand& o) {
    const int64_t end = o.code + std::max<int64_t>(o.dwords, 1);
    if (o.kind == isa::OperandKind::kVgpr) next_vgpr_ = std::max(next_vgpr_, end);
    if (o.kind == isa::OperandKind::kScalar && o.code < isa::target_info(*target).max_sgprs)
      next_sgpr_ = std::max(next_sgpr_, end);
  };
  const auto use_all = [&](const isa::Operands& list) {
    for (int i = 0; i < list.n_dst; ++i) use(list.dst[i]);
    for (int i = 0; i < list.n_src; ++i) use(list.src[i]);
  };
  if (inst.op_y == isa::Op::kCount) {
    use_all(isa::operands_of(inst, line_options.wave_size));
  } else {
    for (int half : {0, 1}) use_all(isa::operands_of_half(inst, half, line_options.wave_size));
  }
  set_number(".amdgcn.next_free_vgpr", next_vgpr_);
  set_number(".amdgcn.next_free_sgpr", next_sgpr_);
}

void Assembly::set_number(std::string_view name, int64_t value) {
  Symbol& s = symbol(name);
  s.state = SymbolState::kVariable;
  s.redefinable = true;
  if (!s.value || s.value->constant != value) s.value = constant(value);
}

bool Assembly::need_target(Location where) {
  target_used_ = true;
  if (target) return true;
  error(where, "the target is not known: give --mcpu=TARGET, or write .amdgcn_target first");
  input.stop();
  return false;
}

void Assembly::set_target(isa::Target t) {
  target = t;
  known_lines_.clear();
  const isa::TargetInfo& info = isa::target_info(t);
  line_options.isa = info.isa;
  line_options.real_true16 = options.real_true16.value_or(false);
  line_options.wave_size = options.wave_size ? options.wave_size : info.has_wave32 ? 32 : 64;
  constexpr uint32_t kMajor = 10000, kMinor = 100;
  set_number(".amdgcn.gfx_generation_number", info.gfx_target_version / kMajor);
  set_number(".amdgcn.gfx_generation_minor", info.gfx_target_version / kMinor % kMinor);
  set_number(".amdgcn.gfx_generation_stepping", info.gfx_target_version % kMinor);
  set_number(".amdgcn.next_free_vgpr", 0);
  set_number(".amdgcn.next_free_sgpr", 0);
}

bool Assembly::has_features() const {
  return isa::target_info(*target).generation == isa::Generation::kGfx9;
}

std::string Assembly::target_id() const {
  std::string id = "amdgcn-amd-amdhsa--" + std::string(isa::target_info(*target).name);
  if (!has_features()) return id;
  if (options.sramecc) id += *options.sramecc ? ":sramecc+" : ":sramecc-";
  if (options.xnack) id += *options.xnack ? ":xnack+" : ":xnack-";
  return id;
}

AssembledSource assemble_source(std::string_view text, const std::string& name,
                                const SourceOptions& options) {
  // A number of variable length may depend on labels behind it. It moves them, so the text is
  // assembled again with more room for it, until there is enough.
  std::vector<size_t> leb_sizes;
  constexpr int kMostPasses = 32;
  for (int pass = 0;; ++pass) {
    Assembly assembly(options);
    assembly.leb_sizes = leb_sizes;
    AssembledSource result = assembly.run(text, name);
    if (assembly.settled || !result.ok) return result;
    if (pass == kMostPasses) {
      result.ok = false;
      result.diagnostics.push_back({Severity::kError, name, 1, 1,
                                    "numbers of .uleb128 or .sleb128 depend on their own sizes in "
                                    "a way that does not settle",
                                    ""});
      return result;
    }
    leb_sizes = std::move(assembly.leb_sizes);
  }
}

}  // namespace lockstep::asm_
