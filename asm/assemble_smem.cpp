// SPDX-License-Identifier: MIT
// Scalar memory: the inverse of read_smem in isa/operand_memory.cpp.
#include "asm/assembler.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::OperandKind;
using isa::Operands;

bool present(const Operands& list, unsigned i) {
  return i < list.n_src && list.src[i].kind != OperandKind::kNone;
}

/// The offset as a number: signed, but buffers count from their start.
bool number(Assembler& a, int64_t value, size_t at) {
  const bool buffer = a.name_has("s_buffer") || a.name_has("probe_buffer");
  const unsigned bits = a.gfx12() ? 24 : 21;
  const int64_t half = int64_t{1} << (bits - 1);
  if (value < (buffer && !a.gfx12() ? 0 : -half) || value >= half)
    return a.fail(at, "the offset does not fit");
  return a.set(Field::offset, static_cast<uint32_t>(value) & ((1u << bits) - 1));
}

bool offset_modifier(Assembler& a, bool& seen) {
  const Modifier* m = a.take("offset");
  if (!m) return true;
  if (!m->integer) return a.fail(m->at, "offset takes a number");
  seen = true;
  return number(a, *m->integer, m->at);
}

/// LLVM also takes SCC here, of whose code only seven bits fit (it becomes that of M0).
bool offset_register(Assembler& a, Field field, const ParsedOperand& o) {
  if (o.is_register(OperandKind::kSpecial) && o.code == isa::kScc)
    return a.set(field, isa::kScc & 127);
  return a.scalar(field, o, 1);
}

bool offset(Assembler& a, const ParsedOperand& o) {
  if (!a.no_operand_modifiers(o)) return false;
  if (o.kind == ParsedKind::kInteger) {
    if (a.gfx9()) a.set(Field::imm, 1);
    return number(a, o.integer, o.at);
  }
  bool has_number = false;
  if (!a.gfx9()) return offset_register(a, Field::soffset, o) && offset_modifier(a, has_number);
  if (!offset_modifier(a, has_number)) return false;
  if (!has_number) return offset_register(a, Field::offset, o);
  return a.set(Field::imm, 1) && a.set(Field::soffset_en, 1) &&
         offset_register(a, Field::soffset, o);
}

}  // namespace

bool assemble_smem(Assembler& a) {
  const auto cache = [&] {
    if (a.gfx12()) return assemble_cache(a);
    for (const auto& [name, field] : {std::pair{"glc", Field::glc}, {"dlc", Field::dlc}})
      if (a.inst.has(field) && !a.flag(name, field)) return false;
    return true;
  };
  if (!cache()) return false;
  if (!a.gfx9()) a.set(Field::soffset, isa::kNull);
  if (a.gfx9()) a.set(Field::imm, 1);  // so that the list below has every operand
  const Operands want = isa::operands_of(a.inst, a.options.wave_size);
  if (a.gfx9()) a.set(Field::imm, 0);
  const bool prefetch = a.name_has("prefetch"), probe = a.name_has("atc_probe");
  const bool has_data = want.n_dst > 0 || present(want, isa::kSmemData) || probe,
             has_base = present(want, isa::kSmemBase), has_offset = present(want, isa::kSmemOffset);
  const size_t count = static_cast<size_t>(has_data) + has_base + (prefetch ? 3 : has_offset);
  if (!a.operand_count(count)) return false;
  if (count == 0) {
    if (!a.gfx9()) a.set(Field::soffset, 0);
    return a.all_modifiers_used();
  }
  size_t next = 0;
  if (has_data) {
    const ParsedOperand& o = a.line.operands[next++];
    if (probe) {
      constexpr unsigned kWidth = 7;
      const auto value = a.immediate(o, kWidth);
      if (!value || !a.set(Field::sdata, *value)) return false;
    } else {
      const auto& w = present(want, isa::kSmemData) ? want.src[isa::kSmemData] : want.dst[0];
      const bool reserved =
          o.is_register(OperandKind::kScalar) &&
          (o.code == isa::kM0 || o.code == isa::kExecLo || o.code == isa::kExecHi);
      if (reserved) return a.fail(o.at, "m0 and exec cannot stand here");
      if (!a.scalar(Field::sdata, o, w.dwords)) return false;
    }
  }
  if (has_base &&
      !a.scalar(Field::sbase, a.line.operands[next++], want.src[isa::kSmemBase].dwords, 2))
    return false;
  if (prefetch) {
    const ParsedOperand &o = a.line.operands[next], &length = a.line.operands[next + 2];
    if (o.kind != ParsedKind::kInteger || !a.no_operand_modifiers(o))
      return a.fail(o.at, "a whole number is needed here");
    constexpr int64_t kMostLength = 31;
    if (length.kind != ParsedKind::kInteger || length.integer < 0 || length.integer > kMostLength)
      return a.fail(length.at, "the length must be in 0..31");
    return number(a, o.integer, o.at) &&
           offset_register(a, Field::soffset, a.line.operands[next + 1]) &&
           a.set(Field::sdata, static_cast<uint32_t>(length.integer)) && a.all_modifiers_used();
  }
  if (has_offset && !offset(a, a.line.operands[next])) return false;
  return a.all_modifiers_used();
}

}  // namespace lockstep::asm_
