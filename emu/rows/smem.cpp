// SPDX-License-Identifier: MIT
// SMEM rows on the executing machine.
#include "emu/mem_element.h"
#include "emu/mem_rows.h"
#include "emu/scalar_memory.h"

namespace lockstep::emu {
namespace {

using namespace isa::rows;
using namespace isa;

template <MemParams P>
Step smem_load(Context& c, const Uop& u) {
  return SmemLane(c, u).load(element_bytes(P.type), P.type == Type::I8 || P.type == Type::I16);
}
template <MemParams P>
Step smem_store(Context& c, const Uop& u) {
  return SmemLane(c, u).store(element_bytes(P.type));
}
template <class Row>
Step smem_atomic(Context& c, const Uop& u) {
  using T = typename Row::T;
  AtomicLane m;
  return SmemLane(c, u).update<T>(
      [&](T seen, T data, T cmp) -> T { return Row::eval(m, seen, data, cmp); });
}
template <class Row>
Step smem_other(Context& c, const Uop& u) {
  SmemLane m(c, u);
  return Row::eval(m);
}

template <class Row>
void add_row(HandlerTable& table) {
  ExecFn& slot = table[static_cast<size_t>(Row::kOp)];
  if constexpr (Row::kMem.kind == MemKind::kLoad) {
    if (has_semantics(Row::kOp)) slot = &smem_load<Row::kMem>;
  } else if constexpr (Row::kMem.kind == MemKind::kStore) {
    if (has_semantics(Row::kOp)) slot = &smem_store<Row::kMem>;
  } else if constexpr (Row::kMem.kind == MemKind::kAtomic) {
    if constexpr (atomic_has_semantics<Row>()) slot = &smem_atomic<Row>;
  } else if constexpr (Row::kMem.kind == MemKind::kOther) {
    if constexpr (other_has_semantics<Row, SmemLane>()) slot = &smem_other<Row>;
  }
}

#define MEM(format, id, g9, g11, g12, params, ...) LOCKSTEP_MEM_ROW(format, id, params, __VA_ARGS__)
#define MEM_ATOMIC(format, id, g9, g11, g12, type, ...) \
  LOCKSTEP_ATOMIC_ROW(format, id, type, __VA_ARGS__)
#include "isa/ops/smem.def"

}  // namespace

void add_smem_handlers(HandlerTable& table) {
#define MEM(format, id, ...) add_row<Mem_##id>(table);
#define MEM_ATOMIC(format, id, ...) add_row<Mem_##id>(table);
#include "isa/ops/smem.def"
}

}  // namespace lockstep::emu
