// SPDX-License-Identifier: MIT
// Decoding and encoding against lists made with llvm-mc.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "isa/inst.h"
#include "tests/support/vectors.h"

namespace lockstep::isa {
namespace {

using test::from_hex;

/// Our formats for an encoding name of the opcode list (gfx12's names differ).
std::vector<Format> formats_named(std::string_view name) {
  static const std::pair<std::string_view, std::vector<Format>> kNames[] = {
      {"SOP1", {Format::SOP1}},
      {"SOP2", {Format::SOP2}},
      {"SOPC", {Format::SOPC}},
      {"SOPK", {Format::SOPK}},
      {"SOPP", {Format::SOPP}},
      {"SMEM", {Format::SMEM}},
      {"VOP1", {Format::VOP1}},
      {"VOP2", {Format::VOP2}},
      {"VOPC", {Format::VOPC}},
      {"VOP3", {Format::VOP3}},
      {"VOP3SD", {Format::VOP3}},
      {"VOP3P", {Format::VOP3P}},
      {"VINTERP", {Format::VINTERP}},
      {"LDSDIR", {Format::LDSDIR}},
      {"VDSDIR", {Format::LDSDIR}},
      {"DS", {Format::DS}},
      {"FLAT", {Format::FLAT}},
      {"GLOBAL", {Format::GLOBAL}},
      {"SCRATCH", {Format::SCRATCH}},
      {"VFLAT", {Format::FLAT}},
      {"VGLOBAL", {Format::GLOBAL}},
      {"VSCRATCH", {Format::SCRATCH}},
      {"MUBUF", {Format::MUBUF}},
      {"MTBUF", {Format::MTBUF}},
      {"VBUFFER", {Format::MUBUF, Format::MTBUF}},
      {"MIMG", {Format::MIMG}},
      {"VIMAGE", {Format::VIMAGE}},
      {"VSAMPLE", {Format::VSAMPLE}},
  };
  for (const auto& [known, formats] : kNames)
    if (known == name) return formats;
  ADD_FAILURE() << "unknown encoding " << name;
  return {};
}

TEST(Decode, OpcodeTable) {
  int checked = 0;
  for (const std::string& line : test::data_lines("opcodes.txt.gz")) {
    const auto parts = test::split(line, ' ');
    const unsigned opcode = static_cast<unsigned>(std::stoi(std::string(parts[2])));
    for (const std::string_view target : test::split(parts[0], ',')) {
      const Isa isa = test::isa_named(target);
      std::optional<Op> op;
      for (const Format format : formats_named(parts[1]))
        if (!op) op = op_at(isa, format, opcode);
      ++checked;
      if (!op)
        ADD_FAILURE() << target << " " << parts[1] << " " << opcode << " " << parts[3]
                      << ": no row";
      else
        EXPECT_EQ(op_name(*op, isa), parts[3]) << target << " " << parts[1] << " " << opcode;
    }
  }
  EXPECT_GT(checked, 8000);
}

const char* const kTargets[] = {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1150", "gfx1200"};

class DecodeTarget : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Targets, DecodeTarget, testing::ValuesIn(kTargets),
                         [](const auto& i) { return i.param; });

/// Builds the same instruction from nothing: operation, form, and every field.
Result<Inst> rebuild(const Inst& inst) {
  Result<Inst> built = inst.format == Format::VOPD
                           ? make_vopd(inst.isa, inst.op, inst.op_y, inst.suffix)
                           : make_inst(inst.isa, inst.op, inst.format, inst.suffix);
  if (!built) return built;
  // Image operations get their extra address dword by the field that announces it.
  if (inst.format == Format::MIMG) built->size = inst.size;
  for (int f = 0; f < kFieldCount; ++f) {
    const Field field = static_cast<Field>(f);
    if (inst.has(field) && !built->set(field, inst.get(field)))
      return Error{"a field does not take its own value"};
  }
  return built;
}

TEST_P(DecodeTarget, VectorsDecodeAndEncodeToTheSameBytes) {
  // Vectors with bits set that belong to no field.
  const std::set<std::string> kStrayBits = {"000080cd01050e1c",
                                            "0000e0cd01050e1c",
                                            "662599c0706825db",
                                            "c4019fc064008000",
                                            "340099c003002000",
                                            "fa040a6603026600",
                                            "0000acd3220b8308dc88aed3a6bd6bcf"};
  const Isa isa = test::isa_named(GetParam());
  int failures = 0;
  for (const test::Vector& v : test::vectors_of(GetParam())) {
    const std::vector<uint8_t> bytes = from_hex(v.hex);
    Inst inst;
    const DecodeError error = decode(isa, bytes, inst);
    std::string problem;
    if (error != DecodeError::kNone)
      problem = to_string(error);
    else if (inst.size != bytes.size())
      problem = "wrong size";
    else if (inst.hex() != v.hex)
      problem = "bytes lost";
    else if (!kStrayBits.contains(v.hex)) {
      const Result<Inst> built = rebuild(inst);
      if (!built)
        problem = built.error();
      else if (!(*built == inst))
        problem = "rebuilt as " + built->hex();
    }
    if (!problem.empty() && ++failures <= 20)
      ADD_FAILURE() << v.hex << " " << v.text << ": " << problem;
  }
  EXPECT_EQ(failures, 0);
}

TEST_P(DecodeTarget, CutOffInstructionsSayTruncated) {
  const Isa isa = test::isa_named(GetParam());
  std::set<std::pair<Format, Suffix>> seen;
  for (const test::Vector& v : test::vectors_of(GetParam())) {
    const std::vector<uint8_t> bytes = from_hex(v.hex);
    Inst inst;
    ASSERT_EQ(decode(isa, bytes, inst), DecodeError::kNone) << v.hex;
    seen.insert({inst.format, inst.suffix});
    // The first half of a scaled matrix operation is an instruction by itself.
    const size_t first_half = inst.format == Format::VOP3PX2 ? 8 : 0;
    for (size_t n = 0; n < bytes.size(); ++n) {
      if (first_half && n >= first_half) continue;
      const std::vector<uint8_t> prefix(
          bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(n));  // exact, for the sanitizer
      Inst untouched = inst;
      ASSERT_EQ(decode(isa, prefix, untouched), DecodeError::kTruncated)
          << v.hex << " cut to " << n;
      ASSERT_EQ(untouched, inst);
    }
  }
  EXPECT_GT(seen.size(), 10u) << "few encodings: gfx1150 lists only what differs from gfx1100";
}

TEST_P(DecodeTarget, RandomBytesNeverCrash) {
  const Isa isa = test::isa_named(GetParam());
  std::mt19937 random(12345);
  int decoded = 0;
  for (int i = 0; i < 200000; ++i) {
    uint32_t words[5];
    for (uint32_t& w : words) w = random();
    const size_t size = random() % (sizeof words + 1);
    const auto* first = reinterpret_cast<const uint8_t*>(words);
    const std::vector<uint8_t> bytes(first, first + size);
    Inst inst;
    if (decode(isa, bytes, inst) != DecodeError::kNone) continue;
    ++decoded;
    ASSERT_LE(inst.size, size);
    ASSERT_EQ(inst.size % 4, 0);
    ASSERT_TRUE(exists_on(inst.op, isa));
    for (int f = 0; f < kFieldCount; ++f) inst.get_signed(static_cast<Field>(f));
  }
  EXPECT_GT(decoded, 20000);
}

TEST_P(DecodeTarget, EveryOpcodeOfEveryRowIsFoundAgain) {
  const Isa isa = test::isa_named(GetParam());
  const Format kFormats[] = {Format::SOP1,  Format::SOP2, Format::VOP1,   Format::VOP2,
                             Format::VOPC,  Format::VOP3, Format::VOP3P,  Format::SMEM,
                             Format::DS,    Format::FLAT, Format::GLOBAL, Format::SCRATCH,
                             Format::MUBUF, Format::MTBUF};
  int forms = 0;
  for (int o = 0; o < kOpCount; ++o) {
    const Op op = static_cast<Op>(o);
    if (!exists_on(op, isa)) continue;
    for (const Format format : kFormats) {
      const int opcode = opcode_in(op, isa, format);
      if (opcode < 0) continue;
      ++forms;
      EXPECT_EQ(op_at(isa, format, static_cast<unsigned>(opcode)), op) << op_info(op).id;
    }
  }
  EXPECT_GT(forms, 1000);
}

TEST(Encode, SetRefusesWhatDoesNotFit) {
  Result<Inst> inst = make_inst(Isa::kGfx11, Op::s_add_u32, Format::SOP2);
  ASSERT_TRUE(inst);
  const Inst before = *inst;
  EXPECT_FALSE(inst->set(Field::sdst, 128));
  EXPECT_FALSE(inst->set(Field::ssrc0, 256));
  EXPECT_FALSE(inst->set(Field::simm16, 0)) << "no such field in SOP2";
  EXPECT_EQ(*inst, before);
  EXPECT_TRUE(inst->set(Field::sdst, 127));
  EXPECT_EQ(inst->get(Field::sdst), 127u);
  EXPECT_EQ(inst->get(Field::simm16), 0u);
}

TEST(Encode, SetTouchesOnlyItsField) {
  for (const Format format : {Format::VOP3, Format::VOP2}) {
    Result<Inst> inst = make_inst(Isa::kGfx11, Op::v_add_f32, format);
    ASSERT_TRUE(inst);
    for (int f = 0; f < kFieldCount; ++f) {
      const Field field = static_cast<Field>(f);
      if (!inst->has(field)) continue;
      Inst changed = *inst;
      ASSERT_TRUE(changed.set(field, 1));
      for (int g = 0; g < kFieldCount; ++g)
        if (g != f) {
          EXPECT_EQ(changed.get(static_cast<Field>(g)), inst->get(static_cast<Field>(g)));
        }
    }
  }
}

TEST(Encode, FieldsAcrossWordBoundaries) {
  Result<Inst> inst = make_inst(Isa::kGfx12, Op::global_load_b32, Format::GLOBAL);
  ASSERT_TRUE(inst);
  ASSERT_EQ(inst->size, 12);
  ASSERT_TRUE(inst->set(Field::offset, 0xffffff));
  ASSERT_TRUE(inst->set(Field::data, 0xa5));
  EXPECT_EQ(inst->get_signed(Field::offset), -1);
  EXPECT_EQ(inst->get(Field::data), 0xa5u);
  ASSERT_TRUE(inst->set(Field::offset, 0x123456));
  EXPECT_EQ(inst->get(Field::offset), 0x123456u);
  EXPECT_EQ(inst->get(Field::data), 0xa5u);
}

TEST(Encode, FormsThatDoNotExistAreErrors) {
  EXPECT_FALSE(make_inst(Isa::kGfx11, Op::v_fmamk_f32, Format::VOP3));
  EXPECT_FALSE(make_inst(Isa::kGfx90a, Op::v_dual_mov_b32, Format::VOPD));
  EXPECT_FALSE(make_inst(Isa::kGfx11, Op::v_accvgpr_read_b32, Format::MAI));
  EXPECT_FALSE(make_vopd(Isa::kGfx90a, Op::v_dual_mov_b32, Op::v_dual_mov_b32));
  EXPECT_FALSE(make_vopd(Isa::kGfx11, Op::v_dual_add_nc_u32, Op::v_dual_mov_b32))
      << "v_dual_add_nc_u32 only fits the second half";
  const auto error = make_inst(Isa::kGfx11, Op::v_fmamk_f32, Format::VOP3);
  EXPECT_NE(error.error().find("v_fmamk_f32"), std::string::npos);
}

TEST(Decode, OperandsThatDoNotExistAreErrors) {
  const auto error_of = [](Isa isa, std::string_view hex) {
    Inst inst;
    return decode(isa, from_hex(hex), inst);
  };
  // s_mov_b32 s0, <code 209>
  EXPECT_EQ(error_of(Isa::kGfx11, "d10080be"), DecodeError::kBadOperand);
  // s_load_b512 into s[92:107]
  EXPECT_EQ(error_of(Isa::kGfx11, "001710f4000000f8"), DecodeError::kBadOperand);
  // global_load_b128 into v[254:257]
  EXPECT_EQ(error_of(Isa::kGfx11, "00005edc00007cfe"), DecodeError::kBadOperand);
  // s_mov_b64 from the pair that would start at M0
  EXPECT_EQ(error_of(Isa::kGfx11, "7d0180be"), DecodeError::kBadOperand);
  // gfx9 has no code 125
  EXPECT_EQ(error_of(Isa::kGfx90a, "7d0080be"), DecodeError::kBadOperand);
  EXPECT_EQ(error_of(Isa::kGfx11, "7d0080be"), DecodeError::kNone);
}

}  // namespace
}  // namespace lockstep::isa
