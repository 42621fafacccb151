// SPDX-License-Identifier: MIT
// Decodes and prints stretches of code.
#include "cli/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "asm/disassemble.h"
#include "asm/print.h"
#include "asm/strict.h"
#include "cli/explain.h"
#include "isa/inst.h"

namespace lockstep::cli {
namespace {

constexpr uint64_t kWord = 4;
constexpr int kTextColumn = 56;
constexpr unsigned kExplainIndent = 6;

uint32_t word_at(std::span<const uint8_t> code, uint64_t offset) {
  uint32_t word = 0;
  std::memcpy(&word, code.data() + offset, std::min<uint64_t>(kWord, code.size() - offset));
  return word;
}

std::string hex(std::span<const uint8_t> bytes) {
  std::string text;
  for (const uint8_t b : bytes) text += fmt::format("{:02x}", b);
  return text;
}

/// What compilers and linkers put between functions: zeros, s_nop 0, s_code_end.
bool is_padding(uint32_t word) { return word == 0 || word == 0xbf800000 || word == 0xbf9f0000; }

asm_::PrintOptions print_options(const Syntax& syntax, uint64_t address) {
  asm_::PrintOptions options;
  options.wave_size = syntax.lanes();
  options.real_true16 = syntax.real_true16;
  options.address = address;
  return options;
}

}  // namespace

Result<void> Syntax::apply_features(std::string_view mattr) {
  const std::string whole(mattr);
  while (!mattr.empty()) {
    const size_t comma = mattr.find(',');
    const std::string_view feature = mattr.substr(0, comma);
    mattr.remove_prefix(comma == std::string_view::npos ? mattr.size() : comma + 1);
    const bool on = feature.starts_with('+');
    const std::string_view name = feature.empty() ? feature : feature.substr(1);
    if (feature.empty() || (!on && feature[0] != '-')) {
      return Error{fmt::format("--mattr={}: write +FEATURE or -FEATURE", whole)};
    }
    if (name == "wavefrontsize64" || name == "wavefrontsize32") {
      const unsigned size = name.ends_with("64") == on ? 64 : 32;
      if (size == 32 && !isa::target_info(target).has_wave32) {
        return Error{fmt::format("--mattr={}: {} has waves of 64 only", whole,
                                 isa::target_info(target).name)};
      }
      wave_size = size;
    } else if (name == "real-true16") {
      real_true16 = on;
    } else if (name != "xnack" && name != "sramecc" && name != "cumode" &&
               name != "tgsplit") {  // these change no instruction
      return Error{
          fmt::format("--mattr={}: there is no feature \"{}\"; there are: wavefrontsize32 "
                      "wavefrontsize64 real-true16 xnack sramecc cumode tgsplit",
                      whole, name)};
    }
  }
  return {};
}

unsigned Syntax::lanes() const {
  if (wave_size != 0) return wave_size;
  return isa::target_info(target).has_wave32 ? 32 : 64;
}

uint64_t Listing::errors() const {
  uint64_t count = 0;
  for (const ListedInstruction& line : instructions) count += line.error.empty() ? 0 : line.repeat;
  return count;
}

Result<std::vector<uint8_t>> parse_hex(std::string_view text) {
  std::vector<uint8_t> bytes;
  int high = -1;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool between = high < 0;
    if (between &&
        (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == '[' || c == ']')) {
      continue;
    }
    if (between && c == '0' && i + 1 < text.size() && (text[i + 1] == 'x' || text[i + 1] == 'X')) {
      ++i;
      continue;
    }
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return Error{fmt::format("'{}' is no hex digit", c)};
    if (between) {
      high = digit;
    } else {
      bytes.push_back(static_cast<uint8_t>(high << 4 | digit));
      high = -1;
    }
  }
  if (high >= 0) return Error{"an odd number of hex digits"};
  return bytes;
}

std::string disassemble_line(std::string_view text, const Syntax& syntax) {
  const auto bytes = parse_hex(text);
  if (!bytes) return "error: " + bytes.error();
  if (bytes->empty()) return "error: no bytes";
  const isa::Isa isa = isa::target_info(syntax.target).isa;
  asm_::PrintOptions options = print_options(syntax, 0);
  // Where the spelling is that of LLVM 20 or later.
  options.mark_literals = syntax.real_true16 || isa == isa::Isa::kGfx950;
  const asm_::Reading reading = asm_::read_like_llvm(isa, *bytes, options);
  const isa::Inst& inst = reading.inst;
  if (inst.size && inst.size != bytes->size()) {
    return fmt::format("error: the instruction has {} bytes, the line has {}", inst.size,
                       bytes->size());
  }
  if (!reading.refused.empty()) return "error: " + reading.refused;
  options.real_true16 = reading.real_true16;
  return asm_::print(inst, options);
}

Listing list_code(std::span<const uint8_t> code, uint64_t address, const std::string& name,
                  const Syntax& syntax) {
  const isa::Isa isa = isa::target_info(syntax.target).isa;
  Listing out{name, address, syntax, {}, {}};
  asm_::DisassembleOptions options{.print = print_options(syntax, address)};
  // The first round only tells where branches go, so that the second can name the places.
  std::set<uint64_t> starts;
  std::set<uint64_t> targets;
  asm_::disassemble(isa, code, address, options, [&](const asm_::Line& line) {
    starts.insert(line.address);
    if (line.target) targets.insert(*line.target);
  });
  for (const uint64_t target : targets) {
    // A target between two instructions has no line for a label; its branches show a number.
    if (target != address && starts.contains(target)) {
      out.labels[target] = fmt::format("L{:x}", target - address);
    }
  }
  options.print.symbol = [&](uint64_t target) {
    if (target == address) return name;
    const auto label = out.labels.find(target);
    return label == out.labels.end() ? std::string() : label->second;
  };
  asm_::disassemble(isa, code, address, options, [&](const asm_::Line& line) {
    out.instructions.push_back(
        {line.address, hex(line.bytes), line.text, line.problem, line.repeat});
  });
  return out;
}

std::vector<Listing> list_object(const loader::CodeObject& object, const Syntax& syntax) {
  std::vector<Listing> out;
  const auto add = [&](uint64_t from, uint64_t to, const std::string& name) {
    const auto code = object.bytes_at(from, to - from);
    if (code.empty()) return;
    Syntax own = syntax;
    const loader::Kernel* kernel = object.find_kernel(name);
    if (own.wave_size == 0 && kernel) {
      own.wave_size = loader::wave_size(kernel->descriptor, object.target);
    }
    out.push_back(list_code(code, from, name, own));
  };
  for (const loader::Section& section : object.sections) {
    if (!section.executable) continue;
    const uint64_t end = section.address + section.size;
    std::vector<const loader::Symbol*> functions;
    for (const loader::Symbol& symbol : object.symbols) {
      const bool inside = symbol.defined && !symbol.absolute && symbol.value >= section.address &&
                          symbol.value < end;
      const bool code =
          symbol.kind == loader::SymbolKind::kFunction || object.find_kernel(symbol.name);
      if (inside && code && (functions.empty() || functions.back()->value != symbol.value)) {
        functions.push_back(&symbol);
      }
    }
    // Code that no symbol covers is listed too, unless it is padding.
    uint64_t at = section.address;
    const auto add_gap = [&](uint64_t to) {
      while (at < to) {
        const auto word = object.bytes_at(at, std::min(kWord, to - at));
        if (!word.empty() && !is_padding(word_at(word, 0))) break;
        at += kWord;
      }
      if (at < to) add(at, to, fmt::format("code_{:x}", at));
    };
    for (size_t i = 0; i < functions.size(); ++i) {
      const uint64_t from = functions[i]->value;
      const uint64_t next = i + 1 < functions.size() ? functions[i + 1]->value : end;
      const uint64_t size = functions[i]->size;
      const uint64_t to = size != 0 && size <= next - from ? from + size : next;
      add_gap(from);
      add(from, to, functions[i]->name);
      at = to;
    }
    add_gap(end);
  }
  return out;
}

std::string listing_text(const Listing& listing, bool explain) {
  std::string text = listing.name.empty() ? "" : listing.name + ":\n";
  for (const ListedInstruction& line : listing.instructions) {
    if (const auto label = listing.labels.find(line.address); label != listing.labels.end()) {
      text += label->second + ":\n";
    }
    text += fmt::format("  {:<{}} ; {:06x}: {}", line.text, kTextColumn, line.address, line.bytes);
    if (line.repeat > 1) text += fmt::format(" ({} times)", line.repeat);
    if (!line.error.empty()) text += " (" + line.error + ")";
    text += '\n';
    const auto inst = explain ? decode_hex(line.bytes, listing.syntax) : std::nullopt;
    if (inst) text += explain_text(*inst, listing.syntax, kExplainIndent);
  }
  return text;
}

std::string descriptor_text(const loader::Kernel& kernel, isa::Target target) {
  const loader::KernelDescriptor& d = kernel.descriptor;
  std::string text = fmt::format("; kernel {}: wave{}, {} VGPRs", kernel.name,
                                 loader::wave_size(d, target), loader::vgpr_count(d, target));
  if (const uint32_t acc = loader::accvgpr_count(d, target)) text += fmt::format(", {} AGPRs", acc);
  text += fmt::format("\n;   kernarg {} bytes, LDS {} bytes, scratch {} bytes a work-item\n",
                      d.kernarg_size, d.group_segment_fixed_size, d.private_segment_fixed_size);
  const loader::UserSgprLayout layout = loader::user_sgpr_layout(d, target);
  std::string sgprs;
  const auto item = [&](const char* name, int first, int count) {
    if (first < 0 || count == 0) return;
    sgprs += sgprs.empty() ? "" : ", ";
    sgprs += count == 1 ? fmt::format("s{} {}", first, name)
                        : fmt::format("s[{}:{}] {}", first, first + count - 1, name);
  };
  item("scratch descriptor", layout.private_segment_buffer, 4);
  item("dispatch packet", layout.dispatch_ptr, 2);
  item("queue", layout.queue_ptr, 2);
  item("kernarg", layout.kernarg_segment_ptr, 2);
  item("dispatch id", layout.dispatch_id, 2);
  item("flat scratch", layout.flat_scratch_init, 2);
  item("preloaded kernarg", layout.kernarg_preload, d.kernarg_preload_length);
  item("scratch size", layout.private_segment_size, 1);
  if (isa::generation_of(isa::target_info(target).isa) == isa::Generation::kGfx12) {
    sgprs += fmt::format("{}workgroup ids in ttmp9, ttmp7", sgprs.empty() ? "" : ", ");
  } else {
    int at = d.rsrc2.user_sgpr_count;
    if (d.rsrc2.workgroup_id_x) item("workgroup id x", at++, 1);
    if (d.rsrc2.workgroup_id_y) item("workgroup id y", at++, 1);
    if (d.rsrc2.workgroup_id_z) item("workgroup id z", at++, 1);
  }
  return text + ";   at entry: " + sgprs + "\n";
}

}  // namespace lockstep::cli
