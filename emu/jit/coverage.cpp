// SPDX-License-Identifier: MIT
// Asks the emitter itself what it would do with a row.
#include "emu/jit/coverage.h"

#include <array>

#include "emu/jit/block_emitter.h"

namespace lockstep::emu::jit {
namespace {

constexpr uint32_t kUsualMode = 0xf << ModeBits::kDenorm32 | ModeBits::kIeee;
constexpr size_t kScratchBytes = 4096;
constexpr unsigned kInlineZero = 128;

/// An instruction of this row with `first` as source 0 and `other` as the others; false if there is
/// none.
bool plain_form(isa::Op op, isa::Isa isa, unsigned first, unsigned other, isa::Inst& out) {
  using isa::Field;
  auto inst = isa::make_inst(isa, op, isa::op_info(op).format);
  if (!inst) return false;
  if (inst->has(Field::src0)) inst->set(Field::src0, first);
  for (const Field f : {Field::src1, Field::src2})
    if (inst->has(f)) inst->set(f, other);
  if (inst->has(Field::saddr)) inst->set(Field::saddr, isa::kNull);
  if (inst->has(Field::soffset)) inst->set(Field::soffset, isa::kNull);
  if (inst->has(Field::offen)) inst->set(Field::offen, 1);
  std::array<uint32_t, 4> words{};  // a literal of 0 may follow
  std::copy_n(inst->words, inst->size / 4, words.begin());
  const std::span bytes(reinterpret_cast<const uint8_t*>(words.data()), sizeof words);
  return isa::decode(isa, bytes, out) == isa::DecodeError::kNone;
}

bool compiles(const isa::Inst& inst, isa::Isa isa, Tier tier) {
  const bool gfx9 = isa::generation_of(isa) == isa::Generation::kGfx9;
  const CodeKey key{isa, gfx9 ? 64u : 32u, 256, gfx9 ? 256u : 0u};
  std::deque<Uop> storage;
  const Uop& u = prepare_uop(inst, key, storage);
  alignas(64) uint8_t scratch[kScratchBytes];
  const Mode mode{tier, isa, key.wave_size, kUsualMode, false, false};
  Host host(scratch, sizeof scratch, mode);
  return BlockEmitter(host, mode).route(u) != Route::kCall;
}

}  // namespace

bool compiles(isa::Op op, isa::Isa isa, Tier tier) {
  // A half of a pair is compiled as the single operation is.
  if (isa::op_info(op).format == isa::Format::VOPD) op = isa::op_info(op).base;
  for (const unsigned first : {unsigned{isa::kSrcVgpr0}, kInlineZero})
    for (const unsigned other : {unsigned{isa::kSrcVgpr0}, kInlineZero, unsigned{isa::kVccLo}}) {
      isa::Inst inst;
      if (plain_form(op, isa, first, other, inst) && compiles(inst, isa, tier)) return true;
    }
  const auto bare = isa::make_inst(isa, op, isa::op_info(op).format);
  isa::Inst inst;
  return bare &&
         isa::decode(isa, {reinterpret_cast<const uint8_t*>(bare->words), size_t{bare->size}},
                     inst) == isa::DecodeError::kNone &&
         compiles(inst, isa, tier);
}

}  // namespace lockstep::emu::jit
