// SPDX-License-Identifier: MIT
// Asks the emitter itself what it would do with a row.
#include "emu/jit/coverage.h"

#include "emu/jit/block_emitter.h"

namespace lockstep::emu::jit {
namespace {

constexpr uint32_t kUsualMode = 0xf << ModeBits::kDenorm32 | ModeBits::kIeee;
constexpr size_t kScratchBytes = 4096;

/// An instruction of this row that decodes, with fields as they come.
bool plain_form(isa::Op op, isa::Isa isa, isa::Inst& out) {
  using isa::Field;
  auto inst = isa::make_inst(isa, op, isa::op_info(op).format);
  if (!inst) return false;
  for (const Field f : {Field::src0, Field::src1, Field::src2})
    if (inst->has(f)) inst->set(f, isa::kSrcVgpr0);
  if (inst->has(Field::saddr)) inst->set(Field::saddr, isa::kNull);
  if (inst->has(Field::soffset)) inst->set(Field::soffset, isa::kNull);
  const auto decodes = [&] {
    const std::span bytes(reinterpret_cast<const uint8_t*>(inst->words), size_t{inst->size});
    return isa::decode(isa, bytes, out) == isa::DecodeError::kNone;
  };
  if (decodes()) return true;
  inst = isa::make_inst(isa, op, isa::op_info(op).format);
  return decodes();
}

}  // namespace

bool compiles(isa::Op op, isa::Isa isa) {
  isa::Inst inst;
  if (!plain_form(op, isa, inst)) return false;
  const bool gfx9 = isa::generation_of(isa) == isa::Generation::kGfx9;
  const CodeKey key{isa, gfx9 ? 64u : 32u, 256, gfx9 ? 256u : 0u};
  std::deque<Uop> storage;
  const Uop& u = prepare_uop(inst, key, storage);
  alignas(64) uint8_t scratch[kScratchBytes];
  Host host(scratch, sizeof scratch);
  const Mode mode{isa, key.wave_size, kUsualMode, false};
  return BlockEmitter(host, mode).route(u) != Route::kCall;
}

}  // namespace lockstep::emu::jit
