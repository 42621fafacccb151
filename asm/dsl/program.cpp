// SPDX-License-Identifier: MIT
// Writes each instruction as a line of assembler text and has the line assembler encode it, so that
// forms, literals and their rules are those of the assembler.
#include "asm/dsl/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "asm/assemble.h"
#include "asm/describe.h"
#include "asm/names.h"
#include "asm/printer.h"

namespace lockstep::dsl {
namespace {

constexpr uint32_t kNop = 0xbf800000;
constexpr unsigned kWord = 4;

std::string base_name(const char* path) {
  const std::string_view text(path);
  return std::string(text.substr(text.rfind('/') + 1));
}

std::string register_text(const Value& x, isa::Isa isa) {
  const auto first = static_cast<unsigned>(x.code), count = static_cast<unsigned>(x.count);
  if (first >= unsigned{kOnlyGfx9})
    return asm_::scalar_register(isa::Isa::kGfx90a, first - kOnlyGfx9, count);
  if (x.bank != Bank::kScalar || first < isa::kVccLo || first >= unsigned{kNoSuchRegister}) {
    const char bank = x.bank == Bank::kVgpr ? 'v' : x.bank == Bank::kAgpr ? 'a' : 's';
    const bool exists = first < unsigned{kNoSuchRegister};
    return asm_::vector_register(bank, exists ? first : first - kNoSuchRegister, count);
  }
  return asm_::scalar_register(isa, first, count);
}

std::string real_text(double value) {
  std::string text = fmt::format("{:.17g}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string special_text(int32_t code, isa::Isa isa) {
  isa::Inst inst;
  inst.isa = isa;
  const asm_::PrintOptions options;
  isa::Operand o;
  o.kind = isa::OperandKind::kSpecial;
  o.code = static_cast<uint16_t>(code);
  return asm_::Printer(inst, options).plain(o);
}

std::string with_signs(const Value& x, std::string text) {
  if (x.abs) text = "|" + text + "|";
  if (x.sext) text = "sext(" + text + ")";
  return x.neg ? "-" + text : text;
}

std::string value_text(const Value& x, isa::Isa isa) {
  switch (x.kind) {
    case Value::Kind::kNone:
      return "";
    case Value::Kind::kRegister: {
      std::string text = register_text(x, isa);
      if (x.half) text += fmt::format(".{}", x.half);
      return with_signs(x, std::move(text));
    }
    case Value::Kind::kInteger:
      return fmt::format("{}", x.integer);
    case Value::Kind::kReal:
      return real_text(x.real);
    case Value::Kind::kOff:
      return "off";
    case Value::Kind::kSpecial:
      return with_signs(x, special_text(x.code, isa));
  }
  return "";
}

}  // namespace

Instruction& Instruction::with(std::string_view modifier) {
  modifiers_ += ' ';
  modifiers_ += modifier;
  return *this;
}
Instruction& Instruction::encoding(std::string_view suffix) {
  mnemonic_ += suffix;
  return *this;
}
Instruction& Instruction::number(std::string_view name, int64_t value) {
  return with(fmt::format("{}:{}", name, value));
}
Instruction& Instruction::name(std::string_view name, std::string_view value) {
  return with(fmt::format("{}:{}", name, value));
}
Instruction& Instruction::list(std::string_view name, std::initializer_list<int> values) {
  return with(fmt::format("{}:[{}]", name, fmt::join(values, ",")));
}

ProgramBase::ProgramBase(isa::Target target, unsigned wave_size) : target_(target) {
  const bool has_wave32 = isa::target_info(target).has_wave32;
  wave_size_ = wave_size ? wave_size : has_wave32 ? 32 : 64;
}

Label ProgramBase::label() {
  labels_.emplace_back();
  return Label(static_cast<uint32_t>(labels_.size() - 1));
}
void ProgramBase::bind(Label label) { labels_.at(label.id()) = list_.size(); }
Label ProgramBase::here() {
  const Label l = label();
  bind(l);
  return l;
}
void ProgramBase::word(uint32_t data) { list_.emplace_back().data_ = data; }
void ProgramBase::align(unsigned bytes) {
  Instruction& i = list_.emplace_back();
  i.align_ = std::bit_ceil(std::max(bytes, kWord));
}

std::string ProgramBase::operand_text(const AnyOperand& o) const {
  if (o.text) return *o.text;
  if (o.attribute) return fmt::format("attr{}.{}", o.attribute->number, o.attribute->channel);
  const isa::Isa isa = isa::target_info(target_).isa;
  if (o.count == 1) return value_text(*o.values, isa);
  std::string list;
  for (int i = 0; i < o.count; ++i) list += (i ? ", " : "") + value_text(o.values[i], isa);
  return "[" + list + "]";
}

Instruction& ProgramBase::add(isa::Op op, std::initializer_list<AnyOperand> operands, Where where) {
  const isa::TargetInfo& target = isa::target_info(target_);
  const isa::OpInfo& info = isa::op_info(op);
  const bool second_half =
      info.format == isa::Format::VOPD && !list_.empty() && list_.back().waits_for_second_;
  Instruction& i = second_half ? list_.back() : list_.emplace_back();
  if (second_half) {
    i.first_half_ = i.mnemonic_ + i.operands_ + i.modifiers_ + " :: ";
    i.operands_.clear();
    i.modifiers_.clear();
  }
  i.waits_for_second_ = info.format == isa::Format::VOPD && !second_half;
  i.where_ = where;
  // A row that a target lacks may be another row there: v_add_f64 is VOP2 on gfx12.
  if (isa::exists_on(op, target.isa)) {
    i.mnemonic_ = isa::op_name(op, target.isa);
  } else {
    i.mnemonic_ = info.id;
    if (asm_::ops_named(info.id, target.isa).empty())
      i.problem_ = fmt::format("{} has no such instruction", target.name);
  }
  const auto append = [&](const std::string& text) {
    i.operands_ += (i.operands_.empty() ? " " : ", ") + text;
  };
  // A compare without result writes VCC; v_cmpx of gfx9 does so too.
  const bool no_result = info.format == isa::Format::VOPC && operands.size() == info.n_srcs;
  const bool gfx9 = target.generation == isa::Generation::kGfx9;
  if (no_result && (info.dsts[0].type == isa::Type::MASK || gfx9))
    append(wave_size_ == 64 ? "vcc" : "vcc_lo");
  for (const AnyOperand& o : operands) {
    if (o.label >= 0)
      i.label_ = o.label;
    else
      append(operand_text(o));
    if (o.count == 1 && o.values->kind == Value::Kind::kReal && !std::isfinite(o.values->real))
      i.problem_ = "infinities and NaNs are written as their bits";
  }
  return i;
}

Instruction& ProgramBase::line(std::string_view text, Where where) {
  Instruction& i = list_.emplace_back();
  i.mnemonic_ = text;
  i.where_ = where;
  return i;
}

Instruction& ProgramBase::add_export(std::string_view target,
                                     std::initializer_list<AnyOperand> operands, Where where) {
  Instruction& i = add(isa::Op::exp, operands, where);
  i.operands_ = fmt::format(" {}{}", target, i.operands_);
  return i;
}

std::string ProgramBase::text_of(const Instruction& i) const {
  if (i.align_) return fmt::format(".p2align {}", std::countr_zero(i.align_));
  if (i.mnemonic_.empty()) return fmt::format(".long 0x{:08x}", i.data_);
  std::string text = i.first_half_ + i.mnemonic_ + i.operands_;
  if (i.label_ >= 0) text += fmt::format("{} L{}", i.operands_.empty() ? "" : ",", i.label_);
  return text + i.modifiers_;
}

struct ProgramBase::Encoded {
  struct Item {
    isa::Inst inst;  ///< size 0: data or padding
    uint64_t address = 0;
    uint64_t size = 0;
  };
  std::vector<Item> items;
  std::vector<std::pair<size_t, std::string>> problems;
  uint64_t size = 0;
};

void ProgramBase::encode(Encoded& out) const {
  const asm_::AsmOptions options{isa::target_info(target_).isa, wave_size_, real_true16_};
  if (wave_size_ != 64 && !(wave_size_ == 32 && isa::target_info(target_).has_wave32))
    out.problems.emplace_back(
        0, fmt::format("{} has no waves of {} lanes", isa::target_info(target_).name, wave_size_));
  for (size_t n = 0; n < list_.size(); ++n) {
    const Instruction& i = list_[n];
    Encoded::Item item;
    item.address = out.size;
    if (i.align_) {
      item.size = -out.size & (i.align_ - 1);
    } else if (i.mnemonic_.empty()) {
      item.size = kWord;
    } else if (!i.problem_.empty()) {
      out.problems.emplace_back(n, i.problem_);
    } else if (i.waits_for_second_) {
      out.problems.emplace_back(n, "the second half of the pair is missing");
    } else {
      // Branches get their distance below.
      std::string text = i.first_half_ + i.mnemonic_ + i.operands_;
      if (i.label_ >= 0) text += i.operands_.empty() ? " 0" : ", 0";
      const auto result = asm_::assemble_line(text + i.modifiers_, options);
      if (result) {
        item.inst = result.inst();
        item.size = item.inst.size;
      } else {
        out.problems.emplace_back(n, result.error().message);
      }
    }
    out.size += item.size;
    out.items.push_back(item);
  }
  for (size_t n = 0; n < list_.size(); ++n) {
    Encoded::Item& item = out.items[n];
    const int64_t id = list_[n].label_;
    if (id < 0 || item.inst.size == 0) continue;
    const auto place = static_cast<size_t>(id) < labels_.size() ? labels_[id] : std::nullopt;
    if (!place) {
      out.problems.emplace_back(n, fmt::format("label L{} is bound nowhere", id));
      continue;
    }
    const uint64_t to = *place < out.items.size() ? out.items[*place].address : out.size;
    const int64_t words =
        (static_cast<int64_t>(to) - static_cast<int64_t>(item.address + item.inst.size)) /
        int64_t{kWord};
    if (words < INT16_MIN || words > INT16_MAX)
      out.problems.emplace_back(
          n, fmt::format("label L{} is {} words away; a branch reaches 32767", id, words));
    else
      item.inst.set(isa::Field::simm16, static_cast<uint16_t>(words));
  }
}

std::vector<std::string> ProgramBase::problems() const {
  Encoded code;
  encode(code);
  std::vector<std::string> list;
  for (const auto& [n, message] : code.problems) {
    if (n >= list_.size()) {
      list.push_back(message);
      continue;
    }
    const Instruction& i = list_[n];
    list.push_back(fmt::format("{}:{}: {}: {}", base_name(i.where_.file_name()), i.where_.line(),
                               text_of(i), message));
  }
  return list;
}

Result<std::vector<uint8_t>> ProgramBase::assemble() const {
  Encoded code;
  encode(code);
  if (!code.problems.empty()) {
    const auto list = problems();
    std::string text = list.front();
    if (list.size() > 1) text += fmt::format(" (and {} more)", list.size() - 1);
    return Error{text};
  }
  std::vector<uint8_t> bytes;
  const auto put = [&](uint32_t word) {
    for (unsigned i = 0; i < kWord; ++i) bytes.push_back(static_cast<uint8_t>(word >> 8 * i));
  };
  for (size_t n = 0; n < list_.size(); ++n) {
    const Encoded::Item& item = code.items[n];
    for (unsigned w = 0; w < item.size / kWord; ++w)
      put(list_[n].align_ ? kNop : item.inst.size ? item.inst.words[w] : list_[n].data_);
  }
  return bytes;
}

std::string ProgramBase::text() const {
  std::string out;
  const auto add_labels = [&](size_t n) {
    for (size_t id = 0; id < labels_.size(); ++id)
      if (labels_[id] == n) out += fmt::format("L{}:\n", id);
  };
  for (size_t n = 0; n < list_.size(); ++n) {
    add_labels(n);
    out += "  " + text_of(list_[n]) + "\n";
  }
  add_labels(list_.size());
  return out;
}

RegisterUse ProgramBase::register_use() const {
  Encoded code;
  encode(code);
  RegisterUse use;
  const auto widen = [](unsigned& most, const isa::Operand& o) {
    most = std::max(most, static_cast<unsigned>(o.code) + o.dwords);
  };
  for (const Encoded::Item& item : code.items) {
    if (item.inst.size == 0) continue;
    for (const asm_::OperandDetail& d :
         asm_::operand_details(item.inst, {.wave_size = wave_size_})) {
      use.vcc |= d.state == asm_::State::kVcc;
      use.flat_scratch |= d.state == asm_::State::kFlatScratch;
      if (d.operand.kind == isa::OperandKind::kVgpr) widen(use.vgprs, d.operand);
      if (d.operand.kind == isa::OperandKind::kAgpr) widen(use.agprs, d.operand);
      if (d.operand.kind != isa::OperandKind::kScalar) continue;
      if (d.operand.code < isa::kVccLo) widen(use.sgprs, d.operand);
      use.vcc |= d.operand.code == isa::kVccLo || d.operand.code == isa::kVccHi;
    }
  }
  return use;
}

}  // namespace lockstep::dsl
