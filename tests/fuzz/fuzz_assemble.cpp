// SPDX-License-Identifier: MIT
// Any text as one line of assembler: an instruction that decodes as itself, or an error with words.
#include "asm/assemble.h"
#include "asm/print.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;
  using fuzz::require;
  constexpr size_t kMost = 512;
  if (size == 0 || size > kMost) return 0;
  const fuzz::Options o = fuzz::options_of(data[0]);
  const isa::Isa isa = isa::target_info(o.target).isa;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto result = asm_::assemble_line(text, {isa, o.wave_size, o.real_true16});
  if (!result) {
    require(!result.error().message.empty(), "an error without words", text);
    require(result.error().column <= text.size(), "an error behind the line", text);
    return 0;
  }
  const isa::Inst& inst = result.inst();
  isa::Inst again;
  const auto error =
      isa::decode(isa, {reinterpret_cast<const uint8_t*>(inst.words), inst.size}, again);
  require(error == isa::DecodeError::kNone, "what was assembled does not decode", text);
  require(again.size == inst.size, "what was assembled decodes with another size", text);
  require(!asm_::print(inst, {.wave_size = o.wave_size}).empty(), "no text", text);
  return 0;
}
