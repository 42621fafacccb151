// SPDX-License-Identifier: MIT
// MUBUF and MTBUF rows on the executing machine.
#include "emu/mem_rows.h"

namespace lockstep::emu {
namespace {

using namespace isa::rows;
using namespace isa;

/// Cache control has nothing to do: memory is coherent.
struct BufferOther {
  Step nothing() const { return Step::kNext; }
};
template <class Row>
Step buffer_other(Context&, const Uop&) {
  BufferOther m;
  return Row::eval(m);
}

template <class Row>
void add_row(HandlerTable& table) {
  if constexpr (Row::kMem.kind == MemKind::kOther) {
    if constexpr (other_has_semantics<Row, BufferOther>())
      table[static_cast<size_t>(Row::kOp)] = &buffer_other<Row>;
  }
}

#define MEM(format, id, g9, g11, g12, params, ...) LOCKSTEP_MEM_ROW(format, id, params, __VA_ARGS__)
#include "isa/ops/buffer.def"

}  // namespace

void add_buffer_handlers(HandlerTable& table) {
#define MEM(format, id, ...) add_row<Mem_##id>(table);
#include "isa/ops/buffer.def"
}

}  // namespace lockstep::emu
