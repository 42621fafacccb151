// SPDX-License-Identifier: MIT
// Image operations and exports. Their operands print as LLVM groups them (isa/image_shape.h).
#include <vector>

#include "asm/printer.h"
#include "asm/symbols.h"
#include "isa/image_shape.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::ImageShape;
using isa::kDimensions;
using isa::RegisterRun;

std::string vgprs(const RegisterRun& run) { return vector_register('v', run.first, run.count); }

std::string address_text(const ImageShape& shape) {
  const std::vector<RegisterRun> runs = shape.addresses();
  if (runs.size() == 1) return vgprs(runs[0]);
  std::string list;
  for (const RegisterRun& run : runs) list += (list.empty() ? "" : ", ") + vgprs(run);
  return "[" + list + "]";
}

std::string scalars(const Printer& p, const RegisterRun& run) {
  return scalar_register(p.inst.isa, run.first, run.count);
}

}  // namespace

void print_image(Printer& p) {
  const ImageShape shape(p.inst);
  p.mnemonic();
  const RegisterRun data = shape.data();
  p.operand(vector_register(p.get(Field::acc) ? 'a' : 'v', data.first, data.count));
  p.operand(address_text(shape));
  p.operand(scalars(p, shape.resource()));
  if (shape.samples()) p.operand(scalars(p, shape.sampler()));
  if (shape.ray()) {
    p.flag(Field::a16, "a16");
    return;
  }
  if (const unsigned dmask = p.get(Field::dmask)) p.modifier(fmt::format("dmask:0x{:x}", dmask));
  if (!p.gfx9()) p.modifier(fmt::format("dim:SQ_RSRC_IMG_{}", kDimensions[p.get(Field::dim)].name));
  p.flag(Field::unrm, "unorm");
  print_cache(p);
  if (p.gfx9()) {
    p.flag(Field::a16, "a16");
    p.flag(Field::lwe, "lwe");
    p.flag(Field::da, "da");
  } else {
    p.flag(Field::r128, "r128");
    p.flag(Field::a16, "a16");
    p.flag(Field::tfe, "tfe");
    p.flag(Field::lwe, "lwe");
  }
  p.flag(Field::d16, "d16");
}

void print_export(Printer& p) {
  static constexpr Field kSources[] = {Field::vsrc0, Field::vsrc1, Field::vsrc2, Field::vsrc3};
  p.mnemonic();
  p.modifier(export_target_text(p.get(Field::target)));
  for (unsigned i = 0; i < 4; ++i)
    p.operand(p.get(Field::en) >> i & 1 ? fmt::format("v{}", p.get(kSources[i])) : "off");
  p.flag(Field::done, "done");
  p.flag(Field::row, "row_en");
}

}  // namespace lockstep::asm_
