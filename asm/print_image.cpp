// SPDX-License-Identifier: MIT
// Graphics: image operations and exports.
#include "asm/printer.h"
#include "asm/symbols.h"

namespace lockstep::asm_ {

using isa::Field;

void print_export(Printer& p) {
  static constexpr Field kSources[] = {Field::vsrc0, Field::vsrc1, Field::vsrc2, Field::vsrc3};
  p.mnemonic();
  p.modifier(export_target_text(p.get(Field::target)));
  for (unsigned i = 0; i < 4; ++i)
    p.operand(p.get(Field::en) >> i & 1 ? fmt::format("v{}", p.get(kSources[i])) : "off");
  p.flag(Field::done, "done");
  p.flag(Field::row, "row_en");
}

void print_image(Printer& p) { p.mnemonic(); }

void print_mai(Printer& p) { p.mnemonic(); }

}  // namespace lockstep::asm_
