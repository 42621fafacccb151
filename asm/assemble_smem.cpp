// SPDX-License-Identifier: MIT
// Scalar memory: the inverse of read_smem in isa/operand_memory.cpp.
#include <bit>

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

/// LLVM cuts these numbers, reals by their bits as doubles.
constexpr uint32_t kDataMask = 127, kLengthMask = 31;
bool cut_number(Assembler& a, Field field, const ParsedOperand& o, uint32_t mask) {
  if (!o.is_number() || !a.no_operand_modifiers(o)) return a.fail(o.at, "a number is needed here");
  const auto bits = o.kind == ParsedKind::kReal ? std::bit_cast<uint64_t>(o.real)
                                                : static_cast<uint64_t>(o.integer);
  return a.set(field, static_cast<uint32_t>(bits) & mask);
}

bool offset_modifier(Assembler& a, bool& seen) {
  const Modifier* m = a.take("offset");
  if (!m) return true;
  if (!m->integer) return a.fail(m->at, "offset takes a number");
  seen = true;
  return number(a, *m->integer, m->at);
}

bool offset(Assembler& a, const ParsedOperand& o) {
  if (!a.no_operand_modifiers(o)) return false;
  if (o.kind == ParsedKind::kInteger) {
    if (a.gfx9()) a.set(Field::imm, 1);
    return number(a, o.integer, o.at);
  }
  bool has_number = false;
  // Where operations have a cache policy, LLVM takes the word for a part of it.
  const bool has_policy = !a.gfx12() && !a.name_has("s_dcache_discard") && !a.name_has("atc_probe");
  if (has_policy && o.is_register(OperandKind::kSpecial) && o.text == "scc")
    return a.fail(o.at, "scc cannot be an offset; write src_scc");
  if (!a.gfx9()) return a.scalar(Field::soffset, o, 1) && offset_modifier(a, has_number);
  if (!offset_modifier(a, has_number)) return false;
  if (!has_number) {
    // The code of SCC and its like is cut to that of a register, though the field is wider.
    if (!a.scalar(Field::offset, o, 1)) return false;
    return a.set(Field::offset, a.inst.get(Field::offset) & 127);
  }
  return a.set(Field::imm, 1) && a.set(Field::soffset_en, 1) && a.scalar(Field::soffset, o, 1);
}

}  // namespace

bool assemble_smem(Assembler& a) {
  const auto cache = [&] {
    if (a.name_has("atc_probe")) return true;
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
  // Without its offset an operation takes 0.
  const bool no_offset = has_offset && !prefetch && a.line.operands.size() + 1 == count;
  if (!no_offset && !a.operand_count(count)) return false;
  if (count == 0) {
    if (!a.gfx9()) a.set(Field::soffset, 0);
    return a.all_modifiers_used();
  }
  size_t next = 0;
  if (has_data) {
    const ParsedOperand& o = a.line.operands[next++];
    if (probe) {
      if (!cut_number(a, Field::sdata, o, kDataMask)) return false;
    } else {
      const auto& w = present(want, isa::kSmemData) ? want.src[isa::kSmemData] : want.dst[0];
      const bool reserved =
          o.is_register(OperandKind::kScalar) &&
          (o.code == isa::kM0 || o.code == isa::kExecLo || o.code == isa::kExecHi);
      if (reserved) return a.fail(o.at, "m0 and exec cannot stand here");
      if (!a.scalar(Field::sdata, o, w.dwords)) return false;
    }
  }
  const bool resource = has_base && want.src[isa::kSmemBase].dwords > 2;
  if (const ParsedOperand& o = a.line.operands[next];
      resource && o.is_register(OperandKind::kScalar) && o.code == isa::kNull)
    return a.fail(o.at, "null cannot be a resource");
  if (has_base &&
      !a.scalar(Field::sbase, a.line.operands[next++], want.src[isa::kSmemBase].dwords, 2))
    return false;
  if (prefetch) {
    const ParsedOperand &o = a.line.operands[next], &length = a.line.operands[next + 2];
    if (o.kind != ParsedKind::kInteger || !a.no_operand_modifiers(o))
      return a.fail(o.at, "a whole number is needed here");
    return number(a, o.integer, o.at) && a.scalar(Field::soffset, a.line.operands[next + 1], 1) &&
           cut_number(a, Field::sdata, length, kLengthMask) && a.all_modifiers_used();
  }
  if (no_offset) {
    if (a.gfx9()) a.set(Field::imm, 1);
    return a.all_modifiers_used();
  }
  if (has_offset && !offset(a, a.line.operands[next])) return false;
  return a.all_modifiers_used();
}

}  // namespace lockstep::asm_
