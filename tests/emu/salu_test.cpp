// SPDX-License-Identifier: MIT
// Scalar ALU rows: result and SCC of every row against a second formulation, over edge and random
// values.
#include <bit>
#include <functional>
#include <optional>

#include "tests/emu/wave_fixture.h"

namespace lockstep::emu::testing {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;
using i64 = int64_t;
using Wide = __int128;

/// What a row should give: result bits, and SCC if the row writes it.
struct Expected {
  u64 value = 0;
  std::optional<bool> scc;
};
struct In {
  u64 a, b, d;
  bool scc;
};
using Model = std::function<Expected(const In&)>;
struct Case {
  const char* id;
  unsigned a_bits, b_bits, d_bits;  ///< widths of sources (0: no source) and of the result
  Model model;
};

i64 s32(u64 v) { return static_cast<int32_t>(v); }
bool bit(u64 v, unsigned i) { return v >> i & 1; }
Expected nz(u64 v, unsigned bits) {
  if (bits == 32) v &= 0xffffffff;
  return {v, v != 0};
}
Expected plain(u64 v) { return {v, std::nullopt}; }
Expected overflow32(Wide exact) {
  return {static_cast<u32>(exact), exact != static_cast<int32_t>(static_cast<u32>(exact))};
}
Expected carry32(Wide exact) { return {static_cast<u32>(exact), exact < 0 || exact > 0xffffffff}; }

u64 by_bits(unsigned bits, const std::function<bool(unsigned)>& f) {
  u64 out = 0;
  for (unsigned i = 0; i < bits; ++i) out |= static_cast<u64>(f(i)) << i;
  return out;
}
/// First i in [0, bits) with f(i), else -1 as 32 bits.
u64 first(unsigned bits, const std::function<bool(unsigned)>& f) {
  for (unsigned i = 0; i < bits; ++i)
    if (f(i)) return i;
  return 0xffffffff;
}
u64 field(u64 a, u64 spec, unsigned bits, bool is_signed) {
  const unsigned offset = spec & (bits - 1), width = spec >> 16 & 127;
  return by_bits(bits, [&](unsigned i) {
    const unsigned source = width == 0 ? 0 : i < width ? i : width - 1;
    if (i >= width && (!is_signed || width == 0)) return false;
    if (offset + source < bits) return bit(a, offset + source);
    return is_signed && bit(a, bits - 1);
  });
}

std::vector<Case> cases() {
  std::vector<Case> list;
  const auto add = [&](const char* id, unsigned a, unsigned b, unsigned d, Model m) {
    list.push_back({id, a, b, d, std::move(m)});
  };
  for (unsigned w : {32u, 64u}) {
    const auto name = [&](const char* with32, const char* with64) {
      return w == 32 ? with32 : with64;
    };
    const u64 all = w == 32 ? 0xffffffff : ~u64{0};
    add(name("s_mov_b32", "s_mov_b64"), w, 0, w, [](const In& x) { return plain(x.a); });
    add(name("s_cmov_b32", "s_cmov_b64"), w, 0, w,
        [](const In& x) { return plain(x.scc ? x.a : x.d); });
    add(name("s_brev_b32", "s_brev_b64"), w, 0, w, [w](const In& x) {
      return plain(by_bits(w, [&](unsigned i) { return bit(x.a, w - 1 - i); }));
    });
    add(name("s_ctz_i32_b32", "s_ctz_i32_b64"), w, 0, 32,
        [w](const In& x) { return plain(first(w, [&](unsigned i) { return bit(x.a, i); })); });
    add(name("s_clz_i32_u32", "s_clz_i32_u64"), w, 0, 32, [w](const In& x) {
      return plain(first(w, [&](unsigned i) { return bit(x.a, w - 1 - i); }));
    });
    add(name("s_cls_i32", "s_cls_i32_i64"), w, 0, 32, [w](const In& x) {
      return plain(first(w, [&](unsigned i) { return bit(x.a, w - 1 - i) != bit(x.a, w - 1); }));
    });
    add(name("s_bitset0_b32", "s_bitset0_b64"), 32, 0, w,
        [w](const In& x) { return plain(x.d & ~(u64{1} << x.a % w)); });
    add(name("s_bitset1_b32", "s_bitset1_b64"), 32, 0, w,
        [w](const In& x) { return plain(x.d | u64{1} << x.a % w); });
    add(name("s_bcnt0_i32_b32", "s_bcnt0_i32_b64"), w, 0, 32,
        [w](const In& x) { return nz(w - std::popcount(x.a), 32); });
    add(name("s_bcnt1_i32_b32", "s_bcnt1_i32_b64"), w, 0, 32,
        [](const In& x) { return nz(std::popcount(x.a), 32); });
    add(name("s_quadmask_b32", "s_quadmask_b64"), w, 0, w, [w](const In& x) {
      return nz(by_bits(w / 4,
                        [&](unsigned i) {
                          return bit(x.a, 4 * i) || bit(x.a, 4 * i + 1) || bit(x.a, 4 * i + 2) ||
                                 bit(x.a, 4 * i + 3);
                        }),
                64);
    });
    add(name("s_wqm_b32", "s_wqm_b64"), w, 0, w, [w](const In& x) {
      return nz(by_bits(w, [&](unsigned i) { return (x.a >> i / 4 * 4) % 16 != 0; }), 64);
    });
    add(name("s_not_b32", "s_not_b64"), w, 0, w, [all](const In& x) { return nz(x.a ^ all, 64); });
    add(name("s_and_b32", "s_and_b64"), w, w, w, [](const In& x) { return nz(x.a & x.b, 64); });
    add(name("s_or_b32", "s_or_b64"), w, w, w, [](const In& x) { return nz(x.a | x.b, 64); });
    add(name("s_xor_b32", "s_xor_b64"), w, w, w, [](const In& x) { return nz(x.a ^ x.b, 64); });
    add(name("s_nand_b32", "s_nand_b64"), w, w, w,
        [all](const In& x) { return nz((x.a & x.b) ^ all, 64); });
    add(name("s_nor_b32", "s_nor_b64"), w, w, w,
        [all](const In& x) { return nz((x.a | x.b) ^ all, 64); });
    add(name("s_xnor_b32", "s_xnor_b64"), w, w, w,
        [all](const In& x) { return nz(x.a ^ x.b ^ all, 64); });
    add(name("s_and_not1_b32", "s_and_not1_b64"), w, w, w,
        [all](const In& x) { return nz(x.a & (x.b ^ all), 64); });
    add(name("s_or_not1_b32", "s_or_not1_b64"), w, w, w,
        [all](const In& x) { return nz(x.a | (x.b ^ all), 64); });
    add(name("s_lshl_b32", "s_lshl_b64"), w, 32, w,
        [w, all](const In& x) { return nz((x.a << x.b % w) & all, 64); });
    add(name("s_lshr_b32", "s_lshr_b64"), w, 32, w,
        [w](const In& x) { return nz(x.a >> x.b % w, 64); });
    add(name("s_ashr_i32", "s_ashr_i64"), w, 32, w, [w](const In& x) {
      return nz(
          by_bits(w, [&](unsigned i) { return bit(x.a, std::min<unsigned>(i + x.b % w, w - 1)); }),
          64);
    });
    add(name("s_bfe_u32", "s_bfe_u64"), w, 32, w,
        [w](const In& x) { return nz(field(x.a, x.b, w, false), 64); });
    add(name("s_bfe_i32", "s_bfe_i64"), w, 32, w,
        [w](const In& x) { return nz(field(x.a, x.b, w, true), 64); });
    add(name("s_bfm_b32", "s_bfm_b64"), 32, 32, w, [w](const In& x) {
      return plain(by_bits(w, [&](unsigned i) { return i >= x.b % w && i < x.b % w + x.a % w; }));
    });
    add(name("s_cselect_b32", "s_cselect_b64"), w, w, w,
        [](const In& x) { return plain(x.scc ? x.a : x.b); });
    add(name("s_bitcmp0_b32", "s_bitcmp0_b64"), w, 32, 0,
        [w](const In& x) { return Expected{0, !bit(x.a, x.b % w)}; });
    add(name("s_bitcmp1_b32", "s_bitcmp1_b64"), w, 32, 0,
        [w](const In& x) { return Expected{0, bit(x.a, x.b % w)}; });
  }
  add("s_sext_i32_i8", 32, 0, 32, [](const In& x) {
    return plain(static_cast<u32>((s32(x.a) & 255) - (x.a & 128 ? 256 : 0)));
  });
  add("s_sext_i32_i16", 32, 0, 32, [](const In& x) {
    return plain(static_cast<u32>((s32(x.a) & 65535) - (x.a & 32768 ? 65536 : 0)));
  });
  add("s_bitreplicate_b64_b32", 32, 0, 64,
      [](const In& x) { return plain(by_bits(64, [&](unsigned i) { return bit(x.a, i / 2); })); });
  add("s_abs_i32", 32, 0, 32,
      [](const In& x) { return nz(static_cast<u32>(std::abs(s32(x.a))), 32); });
  add("s_absdiff_i32", 32, 32, 32,
      [](const In& x) { return nz(static_cast<u32>(std::abs(s32(x.a - x.b))), 32); });
  add("s_add_u32", 32, 32, 32, [](const In& x) { return carry32(Wide{x.a} + x.b); });
  add("s_sub_u32", 32, 32, 32, [](const In& x) { return carry32(Wide{x.a} - x.b); });
  add("s_addc_u32", 32, 32, 32, [](const In& x) { return carry32(Wide{x.a} + x.b + x.scc); });
  add("s_subb_u32", 32, 32, 32, [](const In& x) { return carry32(Wide{x.a} - x.b - x.scc); });
  add("s_add_i32", 32, 32, 32, [](const In& x) { return overflow32(Wide{s32(x.a)} + s32(x.b)); });
  add("s_sub_i32", 32, 32, 32, [](const In& x) { return overflow32(Wide{s32(x.a)} - s32(x.b)); });
  add("s_lshl1_add_u32", 32, 32, 32, [](const In& x) { return carry32(Wide{x.a} * 2 + x.b); });
  add("s_lshl2_add_u32", 32, 32, 32, [](const In& x) { return carry32(Wide{x.a} * 4 + x.b); });
  add("s_lshl3_add_u32", 32, 32, 32, [](const In& x) { return carry32(Wide{x.a} * 8 + x.b); });
  add("s_lshl4_add_u32", 32, 32, 32, [](const In& x) { return carry32(Wide{x.a} * 16 + x.b); });
  add("s_min_i32", 32, 32, 32,
      [](const In& x) { return Expected{s32(x.a) < s32(x.b) ? x.a : x.b, s32(x.a) < s32(x.b)}; });
  add("s_min_u32", 32, 32, 32, [](const In& x) { return Expected{std::min(x.a, x.b), x.a < x.b}; });
  add("s_max_i32", 32, 32, 32,
      [](const In& x) { return Expected{s32(x.a) < s32(x.b) ? x.b : x.a, s32(x.a) >= s32(x.b)}; });
  add("s_max_u32", 32, 32, 32,
      [](const In& x) { return Expected{std::max(x.a, x.b), x.a >= x.b}; });
  add("s_mul_i32", 32, 32, 32, [](const In& x) { return plain(static_cast<u32>(x.a * x.b)); });
  add("s_mul_hi_u32", 32, 32, 32, [](const In& x) { return plain(x.a * x.b >> 32); });
  add("s_mul_hi_i32", 32, 32, 32,
      [](const In& x) { return plain(static_cast<u32>(Wide{s32(x.a)} * s32(x.b) >> 32)); });
  add("s_pack_ll_b32_b16", 32, 32, 32,
      [](const In& x) { return plain(x.a % 65536 + x.b % 65536 * 65536); });
  add("s_pack_lh_b32_b16", 32, 32, 32,
      [](const In& x) { return plain(x.a % 65536 + x.b / 65536 * 65536); });
  add("s_pack_hh_b32_b16", 32, 32, 32,
      [](const In& x) { return plain(x.a / 65536 + x.b / 65536 * 65536); });
  add("s_pack_hl_b32_b16", 32, 32, 32,
      [](const In& x) { return plain(x.a / 65536 + x.b % 65536 * 65536); });
  const auto compare = [&](const char* id, unsigned w, std::function<bool(const In&)> f) {
    add(id, w, w, 0, [f](const In& x) { return Expected{0, f(x)}; });
  };
  compare("s_cmp_eq_i32", 32, [](const In& x) { return s32(x.a) == s32(x.b); });
  compare("s_cmp_lg_i32", 32, [](const In& x) { return s32(x.a) != s32(x.b); });
  compare("s_cmp_gt_i32", 32, [](const In& x) { return s32(x.a) > s32(x.b); });
  compare("s_cmp_ge_i32", 32, [](const In& x) { return s32(x.a) >= s32(x.b); });
  compare("s_cmp_lt_i32", 32, [](const In& x) { return s32(x.a) < s32(x.b); });
  compare("s_cmp_le_i32", 32, [](const In& x) { return s32(x.a) <= s32(x.b); });
  compare("s_cmp_eq_u32", 32, [](const In& x) { return x.a == x.b; });
  compare("s_cmp_lg_u32", 32, [](const In& x) { return x.a != x.b; });
  compare("s_cmp_gt_u32", 32, [](const In& x) { return x.a > x.b; });
  compare("s_cmp_ge_u32", 32, [](const In& x) { return x.a >= x.b; });
  compare("s_cmp_lt_u32", 32, [](const In& x) { return x.a < x.b; });
  compare("s_cmp_le_u32", 32, [](const In& x) { return x.a <= x.b; });
  compare("s_cmp_eq_u64", 64, [](const In& x) { return x.a == x.b; });
  compare("s_cmp_lg_u64", 64, [](const In& x) { return x.a != x.b; });
  return list;
}

class SaluTest : public WaveTest {
 protected:
  static constexpr unsigned kA = 10, kB = 14, kD = 20;

  u64 sample(unsigned bits) {
    static constexpr u64 kEdges[] = {0,
                                     1,
                                     2,
                                     0x7f,
                                     0x80,
                                     0xff,
                                     0x7fff,
                                     0x8000,
                                     0xffff,
                                     0x10000,
                                     31,
                                     32,
                                     33,
                                     63,
                                     64,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     0xfffffffe,
                                     0x100000000,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     ~u64{0},
                                     0xf0f0f0f0f0f0f0f0,
                                     0x00100000,
                                     0x00080004,
                                     0x00200000,
                                     0x0040001f,
                                     0x007f0000};
    u64 value =
        random() % 3 ? kEdges[random() % std::size(kEdges)] : u64{random()} << 32 | random();
    if (random() % 8 == 0) value = ~value;
    return bits == 32 ? value & 0xffffffff : value;
  }
};

TEST_F(SaluTest, EveryRowGivesResultAndScc) {
  for (const Case& k : cases()) {
    const Op op = row(k.id);
    for (int round = 0; round < 400; ++round) {
      In in{sample(k.a_bits), k.b_bits ? sample(k.b_bits) : 0, sample(k.d_bits),
            bool(random() & 1)};
      if (round % 7 == 0 && k.a_bits == k.b_bits) in.b = in.a;
      for (u32& s : wave.scalar) s = random();
      u32 before[128];
      wave.write64(kA, in.a);
      wave.write64(kB, in.b);
      wave.write64(kD, in.d);
      wave.scc = in.scc;
      std::copy_n(wave.scalar, 128, before);
      Step step;
      if (k.d_bits == 0)
        step = run(op, {{Field::ssrc0, kA}, {Field::ssrc1, kB}});
      else if (k.b_bits)
        step = run(op, {{Field::sdst, kD}, {Field::ssrc0, kA}, {Field::ssrc1, kB}});
      else
        step = run(op, {{Field::sdst, kD}, {Field::ssrc0, kA}});
      ASSERT_EQ(step, Step::kNext) << k.id;
      const Expected want = k.model(in);
      std::memcpy(&before[kD], &want.value, k.d_bits / 8);
      ASSERT_EQ(wave.scc, want.scc.value_or(in.scc))
          << k.id << std::hex << " a=" << in.a << " b=" << in.b << " scc=" << in.scc;
      for (int i = 0; i < 128; ++i)
        ASSERT_EQ(wave.scalar[i], before[i]) << k.id << " s" << i << std::hex << " a=" << in.a
                                             << " b=" << in.b << " d=" << in.d << " scc=" << in.scc;
      const uint16_t touched = isa::implicit_state(op);
      ASSERT_EQ(bool(touched & isa::kWritesScc), want.scc.has_value())
          << k.id << ": implicit_state";
    }
  }
}

TEST_F(SaluTest, SaveexecAndWrexec) {
  struct Form {
    const char* name;
    u64 (*f)(u64 s, u64 exec);
  };
  static constexpr Form kForms[] = {
      {"and", [](u64 s, u64 e) { return s & e; }},
      {"or", [](u64 s, u64 e) { return s | e; }},
      {"xor", [](u64 s, u64 e) { return s ^ e; }},
      {"nand", [](u64 s, u64 e) { return ~(s & e); }},
      {"nor", [](u64 s, u64 e) { return ~(s | e); }},
      {"xnor", [](u64 s, u64 e) { return ~(s ^ e); }},
      {"and_not0", [](u64 s, u64 e) { return ~s & e; }},
      {"or_not0", [](u64 s, u64 e) { return ~s | e; }},
      {"and_not1", [](u64 s, u64 e) { return s & ~e; }},
      {"or_not1", [](u64 s, u64 e) { return s | ~e; }},
  };
  for (const Form& form : kForms) {
    for (unsigned w : {32u, 64u}) {
      for (const char* kind : {"saveexec", "wrexec"}) {
        const bool saves = std::string(kind) == "saveexec";
        if (!saves && !std::string(form.name).starts_with("and_not")) continue;
        const Op op = row(std::string("s_") + form.name + "_" + kind + "_b" + std::to_string(w));
        for (int round = 0; round < 60; ++round) {
          const u64 exec = sample(64), s = sample(w);
          wave.write64(isa::kExecLo, exec);
          wave.write64(kA, s);
          wave.write64(kD, 0x1111111122222222);
          wave.scc = random() & 1;
          ASSERT_EQ(run(op, {{Field::sdst, kD}, {Field::ssrc0, kA}}), Step::kNext);
          const u64 mask = w == 32 ? 0xffffffff : ~u64{0};
          const u64 fresh = form.f(s, exec & mask) & mask;
          EXPECT_EQ(wave.read64(isa::kExecLo), fresh | (exec & ~mask)) << op_info(op).id;
          const u64 result = saves ? exec & mask : fresh;
          EXPECT_EQ(wave.read64(kD), result | (0x1111111122222222 & ~mask)) << op_info(op).id;
          EXPECT_EQ(wave.scc, fresh != 0) << op_info(op).id;
        }
      }
    }
  }
}

TEST_F(SaluTest, SaveexecReadsItsSourceBeforeExecChanges) {
  wave.write64(isa::kExecLo, 0x0ff0);
  wave.scalar[isa::kVccLo] = 0x00ff;
  ASSERT_EQ(run(Op::s_and_saveexec_b32, {{Field::sdst, isa::kVccLo}, {Field::ssrc0, isa::kVccLo}}),
            Step::kNext);
  EXPECT_EQ(wave.scalar[isa::kExecLo], 0x00f0u);
  EXPECT_EQ(wave.scalar[isa::kVccLo], 0x0ff0u);
}

TEST_F(SaluTest, ConstantsLiteralsNullAndSpecialSources) {
  run(Op::s_mov_b64, {{Field::sdst, kD}, {Field::ssrc0, inline_int(-16)}});
  EXPECT_EQ(wave.read64(kD), static_cast<u64>(-16));
  run(Op::s_mov_b32, {{Field::sdst, kD}, {Field::ssrc0, 242}});
  EXPECT_EQ(wave.scalar[kD], 0x3f800000u);
  run(Op::s_mov_b32, {{Field::sdst, kD}, {Field::ssrc0, kSrcLit}}, 0xdeadbeef, true);
  EXPECT_EQ(wave.scalar[kD], 0xdeadbeefu);
  run(Op::s_mov_b64, {{Field::sdst, kD}, {Field::ssrc0, kSrcLit}}, 0x80000000, true);
  EXPECT_EQ(wave.read64(kD), 0x80000000u);
  run(Op::s_ashr_i64, {{Field::sdst, kD}, {Field::ssrc0, kSrcLit}, {Field::ssrc1, inline_int(4)}},
      0x80000000, true);
  EXPECT_EQ(wave.read64(kD), 0xfffffffff8000000u);
  wave.scc = true;
  run(Op::s_mov_b32, {{Field::sdst, kD}, {Field::ssrc0, isa::kScc}});
  EXPECT_EQ(wave.scalar[kD], 1u);
  wave.scalar[isa::kVccLo] = 0;
  run(Op::s_mov_b32, {{Field::sdst, kD}, {Field::ssrc0, isa::kVccz}});
  EXPECT_EQ(wave.scalar[kD], 1u);
  run(Op::s_mov_b64, {{Field::sdst, kD}, {Field::ssrc0, isa::kSharedBase}});
  EXPECT_EQ(wave.read64(kD), c.shared_base);
  wave.scalar[isa::kNull] = 7;  // storage under null must neither be read nor written
  run(Op::s_add_u32,
      {{Field::sdst, isa::kNull}, {Field::ssrc0, isa::kNull}, {Field::ssrc1, inline_int(5)}});
  EXPECT_EQ(wave.scalar[isa::kNull], 7u);
  run(Op::s_mov_b32, {{Field::sdst, kD}, {Field::ssrc0, isa::kNull}});
  EXPECT_EQ(wave.scalar[kD], 0u);
  // 16-bit integer sources see the low half of a 32-bit constant: 1.0 is 0x3f800000 here.
  run(Op::s_pack_ll_b32_b16,
      {{Field::sdst, kD}, {Field::ssrc0, 242}, {Field::ssrc1, inline_int(-1)}});
  EXPECT_EQ(wave.scalar[kD], 0xffff0000u);
  EXPECT_EQ(run(Op::s_mov_b32, {{Field::sdst, kD}, {Field::ssrc0, 225}}), Step::kExit);
  EXPECT_EQ(c.fault.kind, FaultKind::kIllegalInstruction);
}

TEST_F(SaluTest, Sopk) {
  const auto k = [](int v) { return static_cast<u32>(v) & 0xffff; };
  run(Op::s_movk_i32, {{Field::sdst, kD}, {Field::simm16, k(-2)}});
  EXPECT_EQ(wave.scalar[kD], 0xfffffffeu);
  for (bool scc : {false, true}) {
    wave.scc = scc;
    wave.scalar[kD] = 5;
    run(Op::s_cmovk_i32, {{Field::sdst, kD}, {Field::simm16, k(-7)}});
    EXPECT_EQ(wave.scalar[kD], scc ? static_cast<u32>(-7) : 5u);
    EXPECT_EQ(wave.scc, scc);
  }
  wave.scalar[kD] = 0x7fffffff;
  run(Op::s_addk_i32, {{Field::sdst, kD}, {Field::simm16, 1}});
  EXPECT_EQ(wave.scalar[kD], 0x80000000u);
  EXPECT_TRUE(wave.scc);
  run(Op::s_addk_i32, {{Field::sdst, kD}, {Field::simm16, k(-1)}});
  EXPECT_EQ(wave.scalar[kD], 0x7fffffffu);
  EXPECT_TRUE(wave.scc);
  run(Op::s_addk_i32, {{Field::sdst, kD}, {Field::simm16, k(-1)}});
  EXPECT_FALSE(wave.scc);
  wave.scc = true;
  wave.scalar[kD] = 0x10001;
  run(Op::s_mulk_i32, {{Field::sdst, kD}, {Field::simm16, k(-3)}});
  EXPECT_EQ(wave.scalar[kD], 0x10001u * static_cast<u32>(-3));
  EXPECT_TRUE(wave.scc);
}

TEST_F(SaluTest, CompareWithConstantLeavesTheRegister) {
  struct Relation {
    const char* name;
    bool (*f)(i64, i64);
  };
  static constexpr Relation kRelations[] = {
      {"eq", [](i64 a, i64 b) { return a == b; }}, {"lg", [](i64 a, i64 b) { return a != b; }},
      {"gt", [](i64 a, i64 b) { return a > b; }},  {"ge", [](i64 a, i64 b) { return a >= b; }},
      {"lt", [](i64 a, i64 b) { return a < b; }},  {"le", [](i64 a, i64 b) { return a <= b; }}};
  for (const Relation& r : kRelations) {
    for (bool is_signed : {false, true}) {
      const Op op = row(std::string("s_cmpk_") + r.name + (is_signed ? "_i32" : "_u32"));
      for (u32 value : {0u, 1u, 0x7fffu, 0x8000u, 0xffffu, 0xffff8000u, 0xffffffffu}) {
        for (u32 imm : {0u, 1u, 0x7fffu, 0x8000u, 0xffffu}) {
          wave.scalar[kD] = value;
          ASSERT_EQ(run(op, {{Field::sdst, kD}, {Field::simm16, imm}}), Step::kNext);
          const i64 a = is_signed ? s32(value) : i64{value};
          const i64 b = is_signed && imm >= 0x8000 ? i64{imm} - 0x10000 : i64{imm};
          EXPECT_EQ(wave.scc, r.f(a, b)) << isa::op_info(op).id << " " << a << " " << b;
          EXPECT_EQ(wave.scalar[kD], value);
        }
      }
    }
  }
}

TEST_F(SaluTest, RelativeMoves) {
  for (u32 i = 0; i < 106; ++i) wave.scalar[i] = 1000 + i;
  wave.scalar[isa::kM0] = 3;
  run(Op::s_movrels_b32, {{Field::sdst, kD}, {Field::ssrc0, 4}});
  EXPECT_EQ(wave.scalar[kD], 1007u);
  run(Op::s_movreld_b32, {{Field::sdst, 50}, {Field::ssrc0, inline_int(9)}});
  EXPECT_EQ(wave.scalar[53], 9u);
  EXPECT_EQ(wave.scalar[50], 1050u);
  wave.scalar[isa::kM0] = 2;
  run(Op::s_movrels_b64, {{Field::sdst, kD}, {Field::ssrc0, 60}});
  EXPECT_EQ(wave.read64(kD), u64{1063} << 32 | 1062);
  run(Op::s_movreld_b64, {{Field::sdst, 70}, {Field::ssrc0, inline_int(-1)}});
  EXPECT_EQ(wave.read64(72), ~u64{0});
  wave.scalar[isa::kM0] = 5 << 16 | 7;
  run(Op::s_movrelsd_2_b32, {{Field::sdst, 80}, {Field::ssrc0, 90}});
  EXPECT_EQ(wave.scalar[85], 1097u);
  wave.scalar[isa::kM0] = 200;
  EXPECT_EQ(run(Op::s_movrels_b32, {{Field::sdst, kD}, {Field::ssrc0, 4}}), Step::kExit);
  EXPECT_EQ(c.fault.kind, FaultKind::kRegisterOutOfRange);
}

}  // namespace
}  // namespace lockstep::emu::testing
