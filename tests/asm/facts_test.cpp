// SPDX-License-Identifier: MIT
// Rows against facts of other provenance, line by line: how many registers of which type each
// operand takes, and how its codes are spelt.
#include "tests/support/facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "asm/assemble.h"
#include "asm/describe.h"
#include "isa/op.h"
#include "isa/types.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Format;
using isa::Inst;
using isa::Isa;
using isa::Operand;
using isa::Type;
using test::Shape;
using test::split;

/// Formats in which an opcode of this encoding may stand.
std::vector<Format> formats_of(const Shape& shape) {
  if (shape.format == Format::VOP3) return {Format::VOP3, Format::VOP3SD};
  if (shape.format == Format::VOP3P) return {Format::VOP3P, Format::MAI};
  if (shape.format == Format::MUBUF) return {Format::MUBUF, Format::MTBUF};
  return {shape.format};
}

/// The fullest form of an operation: every address part is there, atomics return, four components.
std::optional<Inst> full_instruction(Isa isa, const Shape& shape, unsigned opcode) {
  for (const Format format : formats_of(shape)) {
    const std::optional<isa::Op> op = isa::op_at(isa, format, opcode);
    if (!op) continue;
    Result<Inst> made = format == Format::VOPD ? isa::make_vopd(isa, isa::Op::v_dual_mov_b32, *op)
                                               : isa::make_inst(isa, *op, format, shape.suffix);
    if (!made) continue;
    for (const Field f : {Field::offen, Field::idxen, Field::glc, Field::sc0, Field::soffset_en,
                          Field::sve, Field::th})
      made->set(f, 1);
    for (const Field f : {Field::dmask, Field::en}) made->set(f, 15);
    return *made;
  }
  return {};
}

bool is_resource(std::string_view field) {
  return field == "srsrc" || field == "rsrc" || field == "ssamp" || field == "samp";
}
bool is_image(Format f) { return f == Format::MIMG || f == Format::VIMAGE || f == Format::VSAMPLE; }
bool is_memory(Format f) { return f == Format::SMEM || f >= Format::DS; }

/// What the disassembler calls the operand in a field of an instruction; several where it depends
/// on the row whether the field is read or written.
std::vector<std::string_view> roles_of(Format f, std::string_view field) {
  static const std::map<std::string_view, std::vector<std::string_view>> kRoles = {
      {"ssrc0", {"src0"}},        {"ssrc1", {"src1"}},        {"src0", {"src0"}},
      {"src1", {"src1"}},         {"vsrc1", {"src1"}},        {"src2", {"src2"}},
      {"srcy0", {"src0"}},        {"vsrc0", {"src0"}},        {"vsrcy1", {"src1"}},
      {"vsrc2", {"src2"}},        {"vsrc3", {"src3"}},        {"scale_src0", {"src3"}},
      {"scale_src1", {"src4"}},   {"vdst", {"dst"}},          {"vdsty", {"dst"}},
      {"addr", {"address"}},      {"vaddr", {"address"}},     {"saddr", {"scalar_address"}},
      {"data", {"data"}},         {"vsrc", {"data"}},         {"data0", {"data"}},
      {"data1", {"data1"}},       {"srsrc", {"resource"}},    {"rsrc", {"resource"}},
      {"ssamp", {"sampler"}},     {"samp", {"sampler"}},      {"sbase", {"base"}},
      {"vdata", {"data", "dst"}}, {"sdata", {"data", "dst"}},
  };
  if (field == "sdst") {
    if (f == Format::VOP3SD) return {"dst1"};
    return {"dst", "src0"};  // s_cmpk and s_setreg read it
  }
  if (field == "soffset") return {f == Format::SMEM ? "offset" : "soffset"};
  if (field == "simm16") return {"src1", "src0"};
  const auto at = kRoles.find(field);
  return at == kRoles.end() ? std::vector<std::string_view>{} : at->second;
}

const OperandDetail* find(const std::vector<OperandDetail>& list, Format f, std::string_view field,
                          bool second_half) {
  const OperandDetail* found = nullptr;
  for (const std::string_view role : roles_of(f, field))
    for (const OperandDetail& d : list)
      if (d.role == role && (!found || (second_half && d.role == found->role))) found = &d;
  return found;
}

/// The element type: vectors and packed values of both vocabularies are their elements.
std::string element(std::string_view type) {
  if (type == "MASK" || type == "EXEC_MASK" || type == "M64" || type == "B64") return "mask";
  if (type == "MIX") return "B32";
  if (const size_t at = type.rfind('_'); at != std::string_view::npos) type.remove_prefix(at + 1);
  return std::string(type.substr(0, type.find('X')));
}

bool same_type(std::string_view theirs, const Operand& o, Format f) {
  if (theirs == "ANY" || (is_memory(f) && o.type == Type::B32)) return true;
  if (isa::is_immediate(o.type)) return true;
  return element(theirs) == element(isa::type_name(o.type));
}

TEST(Facts, OperandsHaveTheirSizeAndType) {
  test::Exceptions exceptions("operand");
  for (const std::string& line : test::data_lines("facts_operands.txt.gz")) {
    const auto parts = split(line, ' ');
    const std::optional<Shape> shape = test::shape_named(parts[1]);
    ASSERT_TRUE(shape) << line;
    const std::string place = fmt::format("{} {} {}", parts[0], parts[1], parts[3]);
    const std::optional<Inst> inst =
        full_instruction(test::isa_named(parts[0]), *shape, test::number(parts[2]));
    exceptions.check(place, inst ? "" : "no such row");
    if (!inst) continue;
    PrintOptions options;
    options.wave_size = line.find(":M64") != std::string::npos ? 64 : 32;
    const std::vector<OperandDetail> with_saddr = operand_details(*inst, options);
    Inst without = *inst;
    without.set(Field::saddr, isa::generation_of(inst->isa) == isa::Generation::kGfx9 ? 127 : 124);
    const std::vector<OperandDetail> no_saddr = operand_details(without, options);
    for (size_t i = 4; i < parts.size(); ++i) {
      const auto fact = split(parts[i], ':');
      // Their size follows from dim; the vectors have all of them.
      if (is_image(inst->format) && fact[0].starts_with("vaddr")) continue;
      const auto& list = fact[0] == "saddr" ? with_saddr : no_saddr;
      const OperandDetail* d = find(list, inst->format, fact[0], inst->format == Format::VOPD);
      std::string ours;
      if (!d)
        ours = "absent";
      else if (d->operand.dwords != (test::number(fact[1]) + 31) / 32)
        ours = fmt::format("{} registers", d->operand.dwords);
      else if (!is_resource(fact[0]) && !same_type(fact[2], d->operand, inst->format))
        ours = isa::type_name(d->operand.type);
      exceptions.check(fmt::format("{} {}:{}:{}", place, fact[0], fact[1], fact[2]), ours);
    }
  }
  exceptions.finish(13000);
}

/// How the codes of one kind get into an instruction, and what is then in its text.
struct Spelling {
  std::string_view kind, line;
  Field field;
  unsigned shift;
  std::string_view before, after;  ///< of the symbol
};
constexpr Spelling kSpellings[] = {
    {"ssrc32", "s_mov_b32 s0, s0", Field::ssrc0, 0, "s_mov_b32 s0, ", ""},
    {"ssrc64", "s_mov_b64 s[0:1], s[0:1]", Field::ssrc0, 0, "s_mov_b64 s[0:1], ", ""},
    {"sdst32", "s_mov_b32 s0, s0", Field::sdst, 0, "s_mov_b32 ", ", s0"},
    {"sdst64", "s_mov_b64 s[0:1], s[0:1]", Field::sdst, 0, "s_mov_b64 ", ", s[0:1]"},
    {"hwreg", "s_getreg_b32 s0, 0", Field::simm16, 0, "s_getreg_b32 s0, hwreg(", ", 0, 1)"},
    {"sendmsg", "s_sendmsg 0", Field::simm16, 0, "s_sendmsg sendmsg(", ")"},
    {"sendmsg_rtn", "s_sendmsg_rtn_b32 s0, 0", Field::ssrc0, 0, "s0, sendmsg(", ")"},
    {"dpp_ctrl", "v_mov_b32_dpp v0, v0 quad_perm:[0,0,0,0] row_mask:0x0 bank_mask:0x0",
     Field::dpp_ctrl, 0, "v0, v0 ", " row_mask:0x0 bank_mask:0x0"},
    {"mtbuf_format", "tbuffer_load_format_x v0, off, s[0:3], s0 format:1", Field::format, 0,
     "format:", ""},
    {"mtbuf_dfmt", "tbuffer_load_format_x v0, off, s[0:3], 0 format:1", Field::dfmt, 0, "format:[",
     "]"},
    {"mtbuf_nfmt", "tbuffer_load_format_x v0, off, s[0:3], 0 format:1", Field::nfmt, 0, "format:[",
     "]"},
    {"exp_target", "exp mrt0 off, off, off, off", Field::target, 0, " ", " off, off, off, off"},
    {"delay_alu_instid0", "s_delay_alu 0", Field::simm16, 0, "instid0(", ")"},
    {"delay_alu_instskip", "s_delay_alu 0x81", Field::simm16, 4, "instskip(", ")"},
    {"th_load", "global_load_b32 v0, v[0:1], off", Field::scope, 0, "off", ""},
    {"th_store", "global_store_b32 v[0:1], v0, off", Field::scope, 0, "off", ""},
    {"th_atomic", "global_atomic_add_u32 v[0:1], v0, off", Field::scope, 0, "off", ""},
};

/// An instruction in which the code stands at its place.
std::optional<Inst> with_code(const Spelling& how, unsigned code, const AsmOptions& options) {
  const AsmResult made = assemble_line(how.line, options);
  if (!made) {
    ADD_FAILURE() << how.line << ": " << made.error().message;
    return {};
  }
  Inst inst = made.inst();
  const bool policy = how.field == Field::scope;  // th * 4 + scope
  const unsigned keep = how.shift ? inst.get(how.field) & ((1u << how.shift) - 1) : 0;
  EXPECT_TRUE(inst.set(how.field, policy ? code & 3 : keep | code << how.shift)) << how.line;
  if (policy) {
    EXPECT_TRUE(inst.set(Field::th, code >> 2)) << how.line;
  }
  return inst;
}

TEST(Facts, SymbolsAreSpeltAsLlvmSpellsThem) {
  test::Exceptions exceptions("symbol");
  for (const std::string& line : test::data_lines("facts_symbols.txt.gz")) {
    const auto parts = split(line, '\t');
    const auto how = std::find_if(std::begin(kSpellings), std::end(kSpellings),
                                  [&](const Spelling& s) { return s.kind == parts[1]; });
    if (how == std::end(kSpellings)) continue;  // a bit and what it adds: test below
    AsmOptions options;
    options.isa = test::isa_named(parts[0]);
    const std::optional<Inst> inst = with_code(*how, test::number(parts[2]), options);
    if (!inst) continue;
    std::string symbol(parts[3]);
    if (how->field == Field::format && symbol.starts_with("BUF")) symbol = "[" + symbol + "]";
    if (how->field == Field::scope) symbol = symbol == "-" ? "" : " " + symbol;
    const std::string wanted = std::string(how->before) + symbol + std::string(how->after),
                      text = print(*inst);
    const size_t at = text.find(wanted);
    const bool same =
        at != std::string::npos && (!how->after.empty() || at + wanted.size() == text.size());
    exceptions.check(fmt::format("{} {} {} {}", parts[0], parts[1], parts[2], parts[3]),
                     same ? "" : text);
  }
  exceptions.finish(8500);
}

/// Instructions in which single bits are set, by what facts call them.
constexpr std::pair<std::string_view, std::string_view> kBitLines[] = {
    {"flag_bit:global_load", "global_load_dword v0, v[0:1], off"},
    {"flag_bit:global_store", "global_store_dword v[0:1], v0, off"},
    {"flag_bit:global_atomic_rtn", "global_atomic_add v0, v[0:1], v0, off RETURN"},
    {"flag_bit:buffer_load", "buffer_load_dword v0, off, s[0:3], s0"},
    {"flag_bit:s_load", "s_load_dword s0, s[0:1], 0x0"},
    {"flag_bit:flat_load", "flat_load_dword v0, v[0:1]"},
    {"flag_bit:scratch_load", "scratch_load_dword v0, v0, off"},
    {"waitcnt_bit_set", "s_waitcnt 0"},
    {"depctr_bit_cleared", "s_waitcnt_depctr 0xffff"},
};

TEST(Facts, SingleBitsAreSpeltAsLlvmSpellsThem) {
  test::Exceptions exceptions("bit");
  for (const std::string& line : test::data_lines("facts_symbols.txt.gz")) {
    const auto parts = split(line, '\t');
    const auto how = std::find_if(std::begin(kBitLines), std::end(kBitLines),
                                  [&](const auto& s) { return s.first == parts[1]; });
    if (how == std::end(kBitLines)) continue;
    AsmOptions options;
    options.isa = test::isa_named(parts[0]);
    const isa::Generation generation = isa::generation_of(options.isa);
    std::string text(how->second);
    if (const size_t at = text.find("RETURN"); at != std::string::npos)
      text.replace(at, std::string::npos,
                   generation == isa::Generation::kGfx12 ? "th:TH_ATOMIC_RETURN"
                   : generation == isa::Generation::kGfx9 && options.isa != Isa::kGfx90a ? "sc0"
                                                                                         : "glc");
    const AsmResult made = assemble_line(text, options);
    if (!made) {
      ADD_FAILURE() << text << ": " << made.error().message;
      continue;
    }
    const unsigned bit = test::number(parts[2]);
    std::vector<uint8_t> bytes = test::from_hex(made.hex());
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    Inst inst;
    const isa::DecodeError error = isa::decode(options.isa, bytes, inst);
    const std::string ours = error == isa::DecodeError::kNone ? print(inst) : to_string(error);
    exceptions.check(line,
                     (" " + ours + " ").find(" " + std::string(parts[3]) + " ") != std::string::npos
                         ? ""
                         : ours);
  }
  exceptions.finish(200);
}

}  // namespace
}  // namespace lockstep::asm_
