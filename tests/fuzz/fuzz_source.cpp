// SPDX-License-Identifier: MIT
// Any text as an assembler file: an object that links or says why not, or errors with words. Nothing
// is read from the disk but what .include and .incbin name, and the corpus names nothing.
#include "asm/source.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;
  using fuzz::require;
  constexpr size_t kMost = 4096;
  if (size == 0 || size > kMost) return 0;
  const fuzz::Options o = fuzz::options_of(data[0]);
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  // Files are not what is fuzzed.
  if (text.find("inc") != std::string_view::npos) return 0;
  asm_::SourceOptions options;
  options.target = o.target;
  options.wave_size = o.wave_size;
  options.real_true16 = o.real_true16;
  options.max_expansion = size_t{1} << 20;
  const asm_::AssembledSource result = asm_::assemble_source(text, "fuzz.s", options);
  // The message itself may be empty: `.error ""`.
  for (const asm_::Diagnostic& d : result.diagnostics)
    require(!asm_::to_text(d).empty(), "a message without words", text);
  if (!result.ok) {
    require(!result.diagnostics.empty(), "a failure without a message");
    return 0;
  }
  require(!asm_::write_relocatable(result.object).empty(), "no object");
  const auto linked = asm_::link_shared(result.object);
  require(linked || !linked.error().empty(), "an error without words");
  return 0;
}
