// SPDX-License-Identifier: MIT
// assemble_line(): which encodings a mnemonic may mean, and the first one that holds the operands.
#include "asm/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "asm/assembler.h"
#include "asm/names.h"

namespace lockstep::asm_ {
namespace {

using isa::Format;
using isa::Inst;
using isa::Op;
using isa::Suffix;

enum class Wanted : uint8_t { kAny, kE32, kE64, kDpp, kE64Dpp, kSdwa };

struct Ending {
  std::string_view text;
  Wanted wanted;
};
constexpr Ending kEndings[] = {{"_e64_dpp", Wanted::kE64Dpp},
                               {"_e32", Wanted::kE32},
                               {"_e64", Wanted::kE64},
                               {"_dpp", Wanted::kDpp},
                               {"_sdwa", Wanted::kSdwa}};

struct Form {
  Op op;
  Format format;
  Suffix suffix;
};

bool is_short(Format f) { return f == Format::VOP1 || f == Format::VOP2 || f == Format::VOPC; }
bool is_long(Format f) { return f == Format::VOP3 || f == Format::VOP3SD || f == Format::VOP3P; }
bool is_valu(Format f) {
  return is_short(f) || is_long(f) || f == Format::MAI || f == Format::VOP3PX2 ||
         f == Format::VINTERP;
}

bool may_have_literal(Format f) {
  switch (f) {
    case Format::SOP1:
    case Format::SOP2:
    case Format::SOPC:
    case Format::SOPK:
      return true;
    default:
      return is_short(f) || is_long(f);
  }
}

bool has_dpp(const isa::OpInfo& info, Format format, isa::Isa isa) {
  const bool is_long_form = !is_short(format);
  switch (isa::generation_of(isa)) {
    case isa::Generation::kGfx9:
      return !is_long_form && format != Format::VOPC && !(info.flags & isa::DPP_9);
    case isa::Generation::kGfx11:
      return !(info.flags & (is_long_form ? isa::DPP64_11 : isa::DPP_11));
    case isa::Generation::kGfx12:
      return !(info.flags & (is_long_form ? isa::DPP64_12 : isa::DPP_12));
  }
  return false;
}

struct FormList {
  std::array<Form, 8> list;
  size_t count = 0;
  const Form* begin() const { return list.data(); }
  const Form* end() const { return list.data() + count; }
};

/// The forms of a row in LLVM's order of preference.
FormList forms_of(Op op, isa::Isa isa, Wanted wanted, bool real_true16) {
  const isa::OpInfo& info = isa::op_info(op);
  const bool gfx9 = isa::generation_of(isa) == isa::Generation::kGfx9;
  FormList forms;
  if (info.id == "v_swap_b16" && !real_true16) return forms;
  const auto add = [&](Format format, Suffix suffix) {
    forms.list[forms.count++] = {op, format, suffix};
  };
  const bool matrix = info.id.starts_with("v_wmma") || info.id.starts_with("v_swmmac");
  const auto with_dpp = [&](Format format) {
    if (matrix || info.n_srcs == 0 || !has_dpp(info, format, isa)) return;
    add(format, Suffix::kDpp16);
    if (!gfx9) add(format, Suffix::kDpp8);
  };
  const bool short_form = is_short(info.format);
  const bool any = wanted == Wanted::kAny;
  if (!is_valu(info.format)) {
    if (any || wanted == Wanted::kE32) add(info.format, Suffix::kNone);
    return forms;
  }
  // Where halves have no names, LLVM knows just the short form of this move.
  const bool half_move = info.id == "v_mov_b16" && !real_true16;
  const bool has_long =
      !half_move && short_form ? isa::opcode_in(op, isa, Format::VOP3) >= 0 : is_long(info.format);
  const Format long_format = short_form ? Format::VOP3 : info.format;
  if (short_form && (any || wanted == Wanted::kE32)) add(info.format, Suffix::kNone);
  // Moves between lanes have long encodings, but are spelt _e32.
  const bool lane_move = info.id == "v_readlane_b32" || info.id == "v_writelane_b32";
  if (!short_form && (any || wanted == (lane_move ? Wanted::kE32 : Wanted::kE64)))
    add(info.format, Suffix::kNone);
  if (short_form && has_long && (any || wanted == Wanted::kE64)) add(long_format, Suffix::kNone);
  const bool wide_source = std::any_of(info.srcs, info.srcs + info.n_srcs,
                                       [](const isa::Opnd& o) { return o.dwords > 1; });
  if (short_form && gfx9 && info.n_srcs > 0 && !wide_source && !(info.flags & isa::SDWA_9) &&
      (any || wanted == Wanted::kSdwa))
    add(info.format, Suffix::kSdwa);
  if (short_form && (any || wanted == Wanted::kDpp)) with_dpp(info.format);
  if (has_long && !gfx9 && (any || wanted == Wanted::kE64Dpp)) with_dpp(long_format);
  return forms;
}

void lower(std::string_view s, std::string& out) {
  out.resize(s.size());
  std::transform(s.begin(), s.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
}
std::string lower(std::string_view s) {
  std::string out;
  lower(s, out);
  return out;
}

bool run(Assembler& a) {
  switch (a.inst.format) {
    case Format::SOP1:
    case Format::SOP2:
    case Format::SOPC:
    case Format::SOPK:
    case Format::SOPP:
      return assemble_salu(a);
    case Format::SMEM:
      return assemble_smem(a);
    case Format::DS:
      return assemble_ds(a);
    case Format::FLAT:
    case Format::GLOBAL:
    case Format::SCRATCH:
    case Format::MUBUF:
    case Format::MTBUF:
      return assemble_memory(a);
    case Format::MIMG:
    case Format::VIMAGE:
    case Format::VSAMPLE:
      return assemble_image(a);
    case Format::EXP:
      return assemble_export(a);
    case Format::LDSDIR:
      return assemble_lds_direct(a);
    default:
      return assemble_valu(a);
  }
}

class Attempts {
 public:
  Attempts(const AsmOptions& options) : options_(options) {}

  bool attempt(const ParsedLine& line, const Form& form) {
    if (try_form(line, form.op, form.format, form.suffix)) return true;
    if (wants_literal_ && form.suffix == Suffix::kNone && may_have_literal(form.format) &&
        !(is_long(form.format) && isa::generation_of(options_.isa) == isa::Generation::kGfx9))
      return try_form(line, form.op, form.format, Suffix::kLiteral);
    return false;
  }

  AsmResult result() const { return AsmResult(inst_, fixup_); }
  AsmError error;

 private:
  bool try_form(const ParsedLine& line, Op op, Format format, Suffix suffix) {
    wants_literal_ = false;
    const auto made = isa::make_inst(options_.isa, op, format, suffix);
    if (!made) {
      if (error.message.empty()) error = {made.error(), line.at};
      return false;
    }
    Assembler a(line, options_, *made);
    if (run(a)) {
      inst_ = a.inst;
      fixup_ = a.fixup;
      return true;
    }
    wants_literal_ = a.wants_literal;
    // The attempt that got furthest says best what is wrong.
    if (error.message.empty() || a.error().column > error.column) error = a.error();
    return false;
  }

  const AsmOptions& options_;
  Inst inst_;
  Fixup fixup_;
  bool wants_literal_ = false;
};

AsmError unknown_instruction(const ParsedLine& line, std::string_view name, isa::Isa isa) {
  std::string message = fmt::format("{} is no instruction of this target", line.mnemonic);
  const std::vector<std::string_view> similar = names_like(name, isa);
  for (size_t i = 0; i < similar.size(); ++i)
    message += fmt::format("{}{}", i == 0 ? ", did you mean: " : ", ", similar[i]);
  if (!similar.empty()) message += "?";
  return {std::move(message), line.at};
}

AsmResult assemble_pair(const std::vector<ParsedLine>& lines, const AsmOptions& options) {
  std::array<Op, 2> ops{};
  for (size_t half = 0; half < 2; ++half) {
    std::string name = lower(lines[half].mnemonic);
    if (half == 0 && name.ends_with("_e32")) name.resize(name.size() - 4);  // LLVM drops it
    const auto rows = ops_named(name, options.isa);
    const auto dual = std::find_if(rows.begin(), rows.end(),
                                   [](Op op) { return isa::op_info(op).format == Format::VOPD; });
    if (dual == rows.end())
      return AsmError{fmt::format("{} is no half of a pair on this target", lines[half].mnemonic),
                      lines[half].at};
    ops[half] = *dual;
  }
  if (options.wave_size != 32) return AsmError{"pairs need wave32", lines[0].at};
  AsmError error;
  for (const Suffix suffix : {Suffix::kNone, Suffix::kLiteral}) {
    const auto made = isa::make_vopd(options.isa, ops[0], ops[1], suffix);
    if (!made) return AsmError{made.error(), lines[0].at};
    Assembler x(lines[0], options, *made), y(lines[1], options, *made);
    if (assemble_vopd(x, y))
      return AsmResult(x.inst, x.fixup.kind == Fixup::Kind::kNone ? y.fixup : x.fixup);
    error = x.error().message.empty() ? y.error() : x.error();
    if (!x.wants_literal && !y.wants_literal) break;
  }
  return error;
}

AsmResult assemble_single(const ParsedLine& line, const AsmOptions& options) {
  static thread_local std::string name;
  lower(line.mnemonic, name);
  Wanted wanted = Wanted::kAny;
  // A few names end like a suffix only by chance, so the whole name is tried first.
  auto rows = ops_named(name, options.isa);
  if (rows.empty())
    for (const Ending& ending : kEndings)
      if (name.ends_with(ending.text)) {
        name.resize(name.size() - ending.text.size());
        wanted = ending.wanted;
        rows = ops_named(name, options.isa);
        break;
      }
  // LLVM 22 no longer takes these on later targets.
  const bool gone =
      options.like_llvm_22 && isa::generation_of(options.isa) != isa::Generation::kGfx9 &&
      (name == "v_add_i16" || name == "v_sub_i16" || name.starts_with("buffer_load_lds_"));
  if (rows.empty() || gone) return unknown_instruction(line, name, options.isa);
  Attempts attempts(options);
  // All rows in the shortest form before any row in a longer one.
  for (const Op op : rows) {
    if (isa::op_info(op).format == Format::VOPD) {
      if (attempts.error.message.empty()) attempts.error = {"half of a pair stands alone", line.at};
      continue;
    }
    for (const Form& form : forms_of(op, options.isa, wanted, options.real_true16))
      if (attempts.attempt(line, form)) return attempts.result();
  }
  if (attempts.error.message.empty())
    attempts.error = {fmt::format("{} has no such encoding", line.mnemonic), line.at};
  return attempts.error;
}

}  // namespace

std::string AsmResult::hex() const {
  std::string text = inst().hex();
  constexpr size_t kOffsetDigits = 4, kLiteralDigits = 8;
  if (fixup_.kind == Fixup::Kind::kBranch) text.replace(0, kOffsetDigits, kOffsetDigits, '?');
  if (fixup_.kind == Fixup::Kind::kLiteral)
    text.replace(text.size() - kLiteralDigits, kLiteralDigits, kLiteralDigits, '?');
  return text;
}

AsmResult assemble_line(std::string_view text, const AsmOptions& given) {
  AsmOptions options = given;
  if (isa::generation_of(options.isa) == isa::Generation::kGfx9) options.wave_size = 64;
  options.like_llvm_22 |= options.real_true16 || options.isa == isa::Isa::kGfx950;
  static thread_local std::vector<ParsedLine> lines;
  if (const auto problem = parse_instruction(text, options.isa, options.symbols, lines))
    return AsmError{problem->message, problem->at};
  if (lines.size() == 2) return assemble_pair(lines, options);
  AsmResult result = assemble_single(lines[0], options);
  if (result || !options.real_true16) return result;
  // LLVM also takes lines in which no register is spelt with a half.
  options.real_true16 = false;
  AsmResult whole = assemble_single(lines[0], options);
  return whole ? whole : result;
}

}  // namespace lockstep::asm_
