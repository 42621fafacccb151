// SPDX-License-Identifier: MIT
// Code of an object as text that assembles to the same bytes.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "asm/assemble.h"
#include "asm/disassemble.h"
#include "cli/object_text.h"
#include "isa/relocation.h"

namespace lockstep::cli {
namespace {

constexpr int kTextColumn = 56;
constexpr uint32_t kNop = 0xbf800000;     // s_nop 0: instructions, if only to fill
constexpr uint32_t kMarker = 0x5a3c96e1;  // stands in for a literal until its text is known
constexpr std::string_view kMarkerText = "0x5a3c96e1";

uint32_t word_at(std::span<const uint8_t> bytes, uint64_t offset) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + offset, std::min<uint64_t>(sizeof word, bytes.size() - offset));
  return word;
}

std::string_view specifier_of(uint32_t type) {
  switch (type) {
    case isa::kRelocGotPcRel:
      return "@gotpcrel";
    case isa::kRelocGotPcRel32Lo:
      return "@gotpcrel32@lo";
    case isa::kRelocGotPcRel32Hi:
      return "@gotpcrel32@hi";
    case isa::kRelocRel32Lo:
      return "@rel32@lo";
    case isa::kRelocRel32Hi:
      return "@rel32@hi";
    case isa::kRelocAbs32Lo:
      return "@abs32@lo";
    case isa::kRelocAbs32Hi:
      return "@abs32@hi";
    default:
      return "";
  }
}

}  // namespace

void ObjectText::line(const std::string& text, uint32_t index, uint64_t offset, uint64_t size) {
  const loader::ElfSection& s = elf_.sections[index];
  std::string hex;
  for (const uint8_t b : s.bytes.subspan(offset, size)) hex += fmt::format("{:02x}", b);
  out_ += fmt::format("  {:<{}} ; {:06x}: {}\n", text, kTextColumn, s.header.sh_addr + offset, hex);
}

void ObjectText::raw_code(uint32_t index, uint64_t offset, uint64_t size) {
  const std::span<const uint8_t> code = elf_.sections[index].bytes;
  constexpr uint64_t kWord = 4;
  while (size > 0) {
    const uint64_t n = size >= kWord ? kWord : 1;
    const uint32_t word = word_at(code.subspan(offset, n), 0);
    line(fmt::format("{} {:#x}", n == kWord ? ".long" : ".byte", word), index, offset, n);
    offset += n;
    size -= n;
  }
}

bool ObjectText::assembles_to(const std::string& text, const isa::Inst& inst, bool halves) const {
  const asm_::AsmOptions options{
      .isa = inst.isa, .wave_size = syntax_.lanes(), .real_true16 = halves};
  const asm_::AsmResult again = asm_::assemble_line(text, options);
  return again && again.inst().size == inst.size &&
         std::memcmp(again.inst().words, inst.words, inst.size) == 0;
}

std::string ObjectText::got_symbol(uint64_t slot) const {
  const auto place = place_of(slot);
  if (!place || elf_.sections[place->section].name != ".got") return {};
  const auto r = references_.find(*place);
  if (r == references_.end()) return {};
  if (r->second.type == isa::kRelocAbs64 && r->second.symbol != 0 && r->second.addend == 0)
    return names_[r->second.symbol].text;
  if (r->second.type != isa::kRelocRelative64) return {};
  const auto target = place_of(static_cast<uint64_t>(r->second.addend));
  return target ? const_cast<ObjectText*>(this)->label(*target) : std::string();
}

/// s_getpc_b64 followed by additions: what the linker computed gets its names back.
std::optional<std::string> ObjectText::address_text(uint32_t index, uint64_t offset,
                                                    const isa::Inst& inst) {
  const std::string_view name = inst.info().id;
  if (name == "s_getpc_b64") {
    pc_ = ProgramCounter{inst.get(isa::Field::sdst), offset + inst.size, {}};
    return std::nullopt;
  }
  if (!pc_ || inst.suffix != isa::Suffix::kLiteral) return std::nullopt;
  const unsigned dst = inst.get(isa::Field::sdst);
  const bool low = name == "s_add_u32" && dst == pc_->reg,
             high = name == "s_addc_u32" && dst == pc_->reg + 1;
  if (!low && !high) return std::nullopt;
  const Elf64_Shdr& h = elf_.sections[index].header;
  const uint64_t place = offset + inst.size - sizeof(uint32_t);
  const uint64_t distance = place - pc_->value;
  if (low) {
    // The high half, 0 or -1, follows from where the sections are.
    const auto literal = static_cast<int64_t>(static_cast<int32_t>(inst.literal()));
    const uint64_t target = h.sh_addr + pc_->value + static_cast<uint64_t>(literal);
    if (const std::string symbol = got_symbol(target); !symbol.empty()) {
      pc_->target = symbol + "@gotpcrel32";
    } else if (const auto to = place_of(target); to && is_written(to->section)) {
      pc_->target = label(*to) + "@rel32";
    } else {
      pc_.reset();
      return std::nullopt;
    }
    return fmt::format("{}@lo+{}", pc_->target, distance);
  }
  if (pc_->target.empty()) return std::nullopt;
  const std::string text = fmt::format("{}@hi+{}", pc_->target, distance);
  pc_.reset();
  return text;
}

std::optional<std::string> ObjectText::literal_text(uint32_t index, uint64_t offset,
                                                    const isa::Inst& inst) {
  if (linked_) return address_text(index, offset, inst);
  const auto it = references_.find({index, offset + inst.size - sizeof(uint32_t)});
  if (it == references_.end()) return std::nullopt;
  const Reference& r = it->second;
  const std::string_view specifier = specifier_of(r.type);
  if (specifier.empty() && r.type != isa::kRelocRel32) return std::nullopt;
  const Name& n = names_[r.symbol];
  if (n.type != STT_SECTION)
    return n.text + std::string(specifier) + (r.addend ? fmt::format("{:+d}", r.addend) : "");
  // A section and an offset: the last local name before it, so that the sum is the same.
  const Name* best = nullptr;
  for (const Name& other : names_)
    if (other.section == n.section && other.binding == STB_LOCAL && other.type != STT_SECTION &&
        spelt(other.text) == other.text && static_cast<int64_t>(other.value) <= r.addend &&
        (!best || other.value > best->value))
      best = &other;
  const uint64_t base = best ? best->value : 0;
  const std::string name = best ? best->text : label({n.section, 0});
  const int64_t rest = r.addend - static_cast<int64_t>(base);
  return name + std::string(specifier) + (rest ? fmt::format("{:+d}", rest) : "");
}

std::string ObjectText::instruction(uint32_t index, uint64_t offset, const isa::Inst& inst) {
  asm_::PrintOptions options;
  options.wave_size = syntax_.lanes();
  options.real_true16 = syntax_.real_true16;
  options.mark_literals = true;
  options.address = offset;
  options.symbol = [&](uint64_t target) {
    const Elf64_Shdr& h = elf_.sections[index].header;
    return target < h.sh_size && target % sizeof(uint32_t) == 0 ? label({index, target})
                                                                : std::string();
  };
  const auto literal = literal_text(index, offset, inst);
  if (!literal) {
    const std::string text = asm_::print(inst, options);
    if (const auto target = asm_::branch_target(inst, offset);
        target && !options.symbol(*target).empty())
      return text;
    if (references_.contains({index, offset})) return {};  // a branch to another section
    if (assembles_to(text, inst, options.real_true16)) return text;
    // A few operations have a text in the other spelling only, which the assembler finds out.
    options.real_true16 = !options.real_true16;
    const std::string other = asm_::print(inst, options);
    return assembles_to(other, inst, options.real_true16) ? other : std::string();
  }
  isa::Inst marked = inst;
  marked.set(isa::Field::literal, kMarker);
  std::string text = asm_::print(marked, options);
  if (!assembles_to(text, marked, options.real_true16)) return {};
  const size_t at = text.find(kMarkerText);
  if (at == std::string::npos) return {};
  return text.replace(at, kMarkerText.size(), *literal);
}

void ObjectText::code(uint32_t index) {
  const std::span<const uint8_t> code = elf_.sections[index].bytes;
  constexpr uint64_t kWord = 4, kPadding = 4;
  pc_.reset();
  for (uint64_t offset = 0; offset < code.size();) {
    labels_at({index, offset});
    const uint64_t stop = next_stop({index, offset}, code.size());
    // Padding: a run of equal words.
    const uint32_t word = word_at(code, offset);
    uint64_t run = 0;
    while (offset + (run + 1) * kWord <= stop && word_at(code, offset + run * kWord) == word) ++run;
    if (run >= kPadding && word != kNop) {
      line(fmt::format(".fill {}, 4, {:#x}", run, word), index, offset, kWord);
      offset += run * kWord;
      continue;
    }
    isa::Inst inst;
    const auto error =
        isa::decode(isa::target_info(object_.target).isa, code.subspan(offset), inst);
    std::string text;
    uint64_t size = std::min(kWord, stop - offset);
    if (error == isa::DecodeError::kNone && offset + inst.size <= stop) {
      size = inst.size;
      text = instruction(index, offset, inst);
    } else if (error != isa::DecodeError::kNone) {
      ++bad_words_;
    }
    const Place literal{index, offset + size - sizeof(uint32_t)};
    if (!text.empty()) {
      line(text, index, offset, size);
    } else if (references_.contains(literal) && !linked_ && size >= kWord) {
      raw_code(index, offset, size - kWord);
      line(reference_text(references_.at(literal)), index, literal.offset, kWord);
    } else {
      raw_code(index, offset, size);
    }
    offset += size;
  }
}

std::string ObjectText::summary_of(const Place& place) const {
  const auto [from, to] = defined_.equal_range(place);
  for (auto it = from; it != to; ++it)
    if (const loader::Kernel* kernel = object_.find_kernel(names_[it->second].text))
      return descriptor_text(*kernel, object_.target);
  return {};
}

}  // namespace lockstep::cli
