// SPDX-License-Identifier: MIT
// Any bytes as code: decoding, printing, describing, the C interface, and back through the
// assembler.
#include <array>
#include <string>

#include "asm/assemble.h"
#include "asm/describe.h"
#include "cli/capi/lockstep.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace lockstep;
using fuzz::require;

/// What is printed and can be assembled is the same operation, and is stable from there on. (Bits
/// that mean nothing may be lost on the way, and with them marks such as op_sel:[0,0].)
void round_trip(const isa::Inst& inst, const std::string& text, const asm_::AsmOptions& options) {
  const auto again = asm_::assemble_line(text, options);
  if (!again) {
    require(!again.error().message.empty(), "an error without words", text);
    return;
  }
  require(isa::op_name(inst.op, inst.isa) == isa::op_name(again.inst().op, inst.isa),
          "another operation", text);
  const asm_::PrintOptions print{.wave_size = options.wave_size,
                                 .real_true16 = options.real_true16};
  const std::string second = asm_::print(again.inst(), print);
  const auto third = asm_::assemble_line(second, options);
  require(bool(third), "what the assembler made cannot be assembled", text + " | " + second);
  require(third.inst() == again.inst(), "the encoding is not stable", text + " | " + second);
}

void describe(const isa::Inst& inst, const asm_::PrintOptions& print) {
  for (const asm_::OperandDetail& d : asm_::operand_details(inst, print)) {
    require(!d.text.empty() && !d.role.empty(), "an operand without name", inst.hex());
  }
  for (const isa::FieldValue& f : isa::fields_of(inst)) {
    require(f.width > 0 && f.low + f.width <= inst.size * 8u, "a field outside", inst.hex());
    asm_::field_meaning(inst, f, print);
  }
  asm_::modifiers_of(inst);
}

void c_interface(const fuzz::Options& o, std::span<const uint8_t> code) {
  lockstep_disasm_options options{sizeof options, o.wave_size, LOCKSTEP_DISASM_DATA, 0};
  if (o.real_true16) options.flags |= LOCKSTEP_DISASM_REAL_TRUE16;
  lockstep_disassembler* d = lockstep_disasm_open(isa::target_info(o.target).name.data(), &options);
  require(d != nullptr, "open", lockstep_last_error());
  const uint8_t* at = code.data();
  size_t left = code.size();
  uint64_t address = 0;
  lockstep_insn insn;
  int got = 0;
  while ((got = lockstep_disasm_next(d, &at, &left, &address, &insn)) == 1) {
    require(insn.size > 0 && insn.text[0] != 0, "an instruction without text");
    for (unsigned i = 0; i < insn.operand_count; ++i) {
      std::array<char, 32> text;
      const lockstep_insn_operand& operand = insn.operands[i];
      const bool is_register =
          operand.kind == LOCKSTEP_OPERAND_SCALAR || operand.kind == LOCKSTEP_OPERAND_VGPR ||
          operand.kind == LOCKSTEP_OPERAND_AGPR || operand.kind == LOCKSTEP_OPERAND_STATE;
      const int length = lockstep_register_text(d, &operand, text.data(), text.size());
      require((length > 0) == is_register, "a register without name", insn.text);
    }
  }
  require(got == 0 && left == 0 && address == code.size(), "the listing has a gap");
  lockstep_disasm_close(d);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMost = 4096;
  if (size == 0 || size > kMost) return 0;
  const fuzz::Options o = fuzz::options_of(data[0]);
  const std::span<const uint8_t> code(data + 1, size - 1);
  const isa::Isa isa = isa::target_info(o.target).isa;
  const asm_::PrintOptions print{.wave_size = o.wave_size, .real_true16 = o.real_true16};
  std::span<const uint8_t> left = code;
  while (!left.empty()) {
    isa::Inst inst;
    const isa::DecodeError error = isa::decode(isa, left, inst);
    if (error != isa::DecodeError::kNone) {
      left = left.subspan(left.size() < 4 ? left.size() : 4);
      continue;
    }
    require(inst.size >= 4 && inst.size <= left.size(), "a size that cannot be");
    describe(inst, print);
    round_trip(inst, asm_::print(inst, print), {isa, o.wave_size, o.real_true16});
    left = left.subspan(inst.size);
  }
  c_interface(o, code);
  return 0;
}
