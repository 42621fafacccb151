// SPDX-License-Identifier: MIT
// Pairs of operations: both read before either writes, and each half equals its single operation.
#include "tests/emu/row_fixture.h"

namespace lockstep::emu::testing {
namespace {

class Pairs : public RowTest {
 protected:
  /// X: vdst = v10, sources v4, v8. Y: vdst = v11, sources v5, v9.
  Step run(Op x, Op y, FieldValues changes = {}, std::optional<uint32_t> literal = {}) {
    const auto made =
        isa::make_vopd(isa_, x, y, literal ? isa::Suffix::kLiteral : isa::Suffix::kNone);
    EXPECT_TRUE(bool(made)) << isa::op_info(x).id << " " << isa::op_info(y).id;
    if (!made) return Step::kExit;
    Uop u;
    u.inst = *made;
    const auto set = [&](Field f, uint32_t value) { EXPECT_TRUE(u.inst.set(f, value)); };
    set(Field::vdstx, 10);
    set(Field::vdsty, 11 / 2);
    set(Field::srcx0, 256 + 4);
    set(Field::vsrcx1, 8);
    set(Field::srcy0, 256 + 5);
    set(Field::vsrcy1, 9);
    if (literal) set(Field::literal, *literal);
    for (const auto& [f, value] : changes) set(f, value);
    Uop halves[2];
    for (int i = 0; i < 2; ++i) {
      halves[i].inst = u.inst;
      halves[i].inst.op = isa::op_info(i ? y : x).base;
      halves[i].ops = isa::operands_of_half(u.inst, i, wave.wave_size);
      halves[i].exec = handlers()[static_cast<size_t>(halves[i].inst.op)];
      u.half[i] = &halves[i];
    }
    u.exec = handlers()[static_cast<size_t>(x)];
    EXPECT_NE(u.exec, nullptr);
    return u.exec ? u.exec(c, u) : Step::kExit;
  }
  void fill() {
    for (unsigned r = 0; r < 32; ++r)
      for (unsigned l = 0; l < wave.wave_size; ++l)
        v(r, l) = std::bit_cast<uint32_t>(static_cast<float>(r * 100 + l));
    wave.write64(isa::kExecLo, 0xff0fff0f);
    wave.scalar[isa::kVccLo] = 0x5555aaaa;
  }
  std::vector<uint32_t> column(unsigned r) {
    std::vector<uint32_t> out;
    for (unsigned l = 0; l < 32; ++l) out.push_back(v(r, l));
    return out;
  }
};

TEST_F(Pairs, ReadBeforeEitherWrites) {
  fill();
  const auto a = column(10), b = column(11);
  // v10 = v11 and v11 = v10: an exchange.
  ASSERT_EQ(run(Op::v_dual_mov_b32, Op::v_dual_mov_b32,
                {{Field::srcx0, 256 + 11}, {Field::srcy0, 256 + 10}}),
            Step::kNext);
  for (unsigned l = 0; l < 32; ++l) {
    const bool on = 0xff0fff0f >> l & 1;
    EXPECT_EQ(v(10, l), on ? b[l] : a[l]);
    EXPECT_EQ(v(11, l), on ? a[l] : b[l]);
  }
}

TEST_F(Pairs, EachHalfEqualsItsSingleOperation) {
  const std::vector<std::pair<Op, std::string>> ops = {
      {Op::v_dual_fmac_f32, "v_fmac_f32"},
      {Op::v_dual_mul_f32, "v_mul_f32"},
      {Op::v_dual_add_f32, "v_add_f32"},
      {Op::v_dual_sub_f32, "v_sub_f32"},
      {Op::v_dual_subrev_f32, "v_subrev_f32"},
      {Op::v_dual_mul_dx9_zero_f32, "v_mul_dx9_zero_f32"},
      {Op::v_dual_mov_b32, "v_mov_b32"},
      {Op::v_dual_cndmask_b32, "v_cndmask_b32"},
      {Op::v_dual_max_f32, "v_max_f32"},
      {Op::v_dual_min_f32, "v_min_f32"},
      {Op::v_dual_dot2acc_f32_f16, "v_dot2acc_f32_f16"},
      {Op::v_dual_add_nc_u32, "v_add_nc_u32"},
      {Op::v_dual_lshlrev_b32, "v_lshlrev_b32"},
      {Op::v_dual_and_b32, "v_and_b32"}};
  const auto single = [&](const std::string& id, unsigned dst, unsigned src0, unsigned src1) {
    Uop u = prepare(id, {.long_form = false});
    EXPECT_TRUE(u.inst.set(Field::vdst, dst) && u.inst.set(Field::src0, 256 + src0));
    if (u.inst.has(Field::vsrc1)) u.inst.set(Field::vsrc1, src1);
    EXPECT_EQ(execute(u), Step::kNext) << id;
  };
  for (const auto& [x, x_name] : ops) {
    for (const auto& [y, y_name] : ops) {
      if (!isa::make_vopd(isa_, x, y)) continue;  // integer operations stand in Y only
      fill();
      single(x_name, 10, 4, 8);
      single(y_name, 11, 5, 9);
      const auto want_x = column(10), want_y = column(11);
      fill();
      ASSERT_EQ(run(x, y), Step::kNext);
      ASSERT_EQ(column(10), want_x) << x_name << " " << y_name;
      ASSERT_EQ(column(11), want_y) << x_name << " " << y_name;
    }
  }
}

TEST_F(Pairs, HalvesShareOneLiteral) {
  fill();
  const uint32_t k = std::bit_cast<uint32_t>(0.5f);
  ASSERT_EQ(run(Op::v_dual_fmaak_f32, Op::v_dual_fmamk_f32, {}, k), Step::kNext);
  const auto f = [&](unsigned r, unsigned l) { return static_cast<float>(r * 100 + l); };
  for (unsigned l = 0; l < 4; ++l) {
    EXPECT_EQ(v(10, l), std::bit_cast<uint32_t>(f(4, l) * f(8, l) + 0.5f));
    EXPECT_EQ(v(11, l), std::bit_cast<uint32_t>(f(5, l) * 0.5f + f(9, l)));
  }
}

TEST_F(Pairs, AreIllegalInWave64) {
  restart(64);
  EXPECT_EQ(run(Op::v_dual_mov_b32, Op::v_dual_mov_b32), Step::kExit);
  EXPECT_EQ(c.fault.kind, FaultKind::kIllegalInstruction);
}

TEST_F(Pairs, Bf16DotProductAccumulates) {
  fill();
  for (unsigned l = 0; l < 32; ++l)
    v(4, l) = 0x40403f80, v(8, l) = 0x40004040,
         v(10, l) = std::bit_cast<uint32_t>(10.0f);  // (1, 3) . (3, 2)
  ASSERT_EQ(run(Op::v_dual_dot2acc_f32_bf16, Op::v_dual_mov_b32), Step::kNext);
  EXPECT_EQ(v(10, 0), std::bit_cast<uint32_t>(19.0f));
}

}  // namespace
}  // namespace lockstep::emu::testing
