// SPDX-License-Identifier: MIT
// Which lanes act and where their sources come from: EXEC, DPP, lane reads and writes, permutes,
// swaps, masks, VOPD.
#include "tests/emu/row_fixture.h"

namespace lockstep::emu::testing {
namespace {

constexpr int kOutside = -1;

class Lanes : public RowTest {
 protected:
  /// Different values in every lane of the registers that prepare() uses.
  void fill() {
    for (unsigned r = 0; r < 32; ++r)
      for (unsigned lane = 0; lane < wave.wave_size; ++lane)
        v(r, lane) = 0x01000000u * r + 0x10101u * lane + 7;
  }
  void set_exec(uint64_t mask) { wave.write64(isa::kExecLo, mask); }
  std::vector<uint64_t> exec_masks() const {
    std::vector<uint64_t> list = {~uint64_t{0},      0, 1, 0x80000000, 0x0f0f3355a5a5c3d2,
                                  0xfffffffe7ffffffe};
    for (uint64_t& m : list) m &= wave.lane_mask();
    return list;
  }
  Form dpp16(uint32_t control, uint32_t row_mask = 15, uint32_t bank_mask = 15, uint32_t bound = 0,
             uint32_t fetch = 0) const {
    Form f{.long_form = false, .suffix = isa::Suffix::kDpp16};
    f.suffix_fields = {{Field::dpp_ctrl, control},
                       {Field::row_mask, row_mask},
                       {Field::bank_mask, bank_mask},
                       {Field::bc, bound}};
    if (isa_ != isa::Isa::kGfx90a) f.suffix_fields.push_back({Field::fi, fetch});
    return f;
  }
  /// Runs v_mov_b32 with DPP and compares every lane with `source`.
  void check_dpp(const Form& form, const std::function<int(int)>& source, bool bound_zero,
                 bool fetch_inactive, const std::string& what) {
    for (const uint64_t exec : exec_masks()) {
      for (const bool in_place : {false, true}) {  // the destination is also the source
        fill();
        set_exec(exec);
        Uop u = prepare("v_mov_b32", form);
        const unsigned dest = in_place ? kRegA : kRegD;
        ASSERT_TRUE(u.inst.set(Field::vdst, dest));
        std::vector<uint32_t> from(wave.wave_size), old(wave.wave_size);
        for (unsigned l = 0; l < wave.wave_size; ++l) from[l] = v(kRegA, l), old[l] = v(dest, l);
        ASSERT_EQ(execute(u), Step::kNext);
        uint32_t row_mask = 15, bank_mask = 15;
        for (const auto& [field, value] : form.suffix_fields) {
          if (field == Field::row_mask) row_mask = value;
          if (field == Field::bank_mask) bank_mask = value;
        }
        for (unsigned l = 0; l < wave.wave_size; ++l) {
          const int s = source(static_cast<int>(l));
          const bool valid = s != kOutside && (fetch_inactive || (exec >> s & 1));
          bool writes =
              (exec >> l & 1) && (row_mask >> (l / 16) & 1) && (bank_mask >> (l % 16 / 4) & 1);
          if (!valid && !bound_zero) writes = false;
          const uint32_t want = !writes ? old[l] : valid ? from[static_cast<size_t>(s)] : 0;
          ASSERT_EQ(v(dest, l), want) << what << " lane " << l << " exec " << std::hex << exec
                                      << (in_place ? " in place" : "");
        }
      }
    }
  }
  void check_all_controls(bool gfx9) {
    const int lanes = static_cast<int>(wave.wave_size);
    struct Control {
      uint32_t code;
      std::string name;
      std::function<int(int)> source;
    };
    std::vector<Control> list;
    for (uint32_t p : {0xe4u, 0x1bu, 0x00u, 0xffu, 0xb1u, 0x4eu})
      list.push_back({p, "quad_perm",
                      [p](int l) { return l / 4 * 4 + static_cast<int>(p >> (l % 4 * 2) & 3); }});
    for (int n = 1; n < 16; ++n) {
      const auto code = static_cast<uint32_t>(n);
      list.push_back(
          {0x100 | code, "row_shl", [n](int l) { return l % 16 + n < 16 ? l + n : kOutside; }});
      list.push_back(
          {0x110 | code, "row_shr", [n](int l) { return l % 16 - n >= 0 ? l - n : kOutside; }});
      list.push_back(
          {0x120 | code, "row_ror", [n](int l) { return l / 16 * 16 + (l % 16 + 16 - n) % 16; }});
    }
    list.push_back({0x140, "row_mirror", [](int l) { return l / 16 * 16 + 15 - l % 16; }});
    list.push_back({0x141, "row_half_mirror", [](int l) { return l / 8 * 8 + 7 - l % 8; }});
    if (gfx9) {
      list.push_back({0x130, "wave_shl", [=](int l) { return l + 1 < lanes ? l + 1 : kOutside; }});
      list.push_back({0x134, "wave_rol", [=](int l) { return (l + 1) % lanes; }});
      list.push_back({0x138, "wave_shr", [](int l) { return l - 1; }});
      list.push_back({0x13c, "wave_ror", [=](int l) { return (l + lanes - 1) % lanes; }});
      list.push_back(
          {0x142, "row_bcast15", [](int l) { return l < 16 ? kOutside : l / 16 * 16 - 1; }});
      list.push_back({0x143, "row_bcast31", [](int l) { return l < 32 ? kOutside : 31; }});
    } else {
      for (int n = 0; n < 16; ++n) {
        list.push_back({0x150u | static_cast<uint32_t>(n), "row_share",
                        [n](int l) { return l / 16 * 16 + n; }});
        list.push_back(
            {0x160u | static_cast<uint32_t>(n), "row_xmask", [n](int l) { return l ^ n; }});
      }
    }
    for (const Control& control : list) {
      for (uint32_t bound : {0u, 1u})
        for (uint32_t fetch : gfx9 ? std::vector<uint32_t>{0} : std::vector<uint32_t>{0, 1})
          check_dpp(dpp16(control.code, 15, 15, bound, fetch), control.source, bound, fetch,
                    control.name + " " + std::to_string(control.code & 15));
      check_dpp(dpp16(control.code, 0xa, 0x6, 1), control.source, true, false,
                control.name + " masked");
    }
    for (uint32_t masks = 0; masks < 256; ++masks)
      for (const size_t i : {size_t{1}, size_t{7}})  // a quad_perm, a row_shr
        check_dpp(dpp16(list[i].code, masks >> 4, masks & 15, i == 1), list[i].source, i == 1,
                  false, list[i].name + " masks " + std::to_string(masks));
  }
  void check_dpp8() {
    for (uint32_t selectors : {0xfac688u, 0x053977u, 0x000000u, 0x2ca1b7u}) {
      for (const bool fetch : {false, true}) {
        Form f{.long_form = false, .suffix = isa::Suffix::kDpp8};
        f.suffix_fields = {{Field::lane_sel, selectors},
                           {Field::src0, fetch ? isa::kSrcDpp8Fi : isa::kSrcDpp8}};
        check_dpp(
            f, [&](int l) { return l / 8 * 8 + static_cast<int>(selectors >> (l % 8 * 3) & 7); },
            true, fetch, "dpp8");
      }
    }
  }
  void check_lane_moves() {
    const unsigned lanes = wave.wave_size;
    for (const uint64_t exec : exec_masks()) {
      fill();
      set_exec(exec);
      Uop first = prepare("v_readfirstlane_b32");
      ASSERT_EQ(execute(first), Step::kNext);
      unsigned lowest = 0;
      while (exec && !(exec >> lowest & 1)) ++lowest;
      EXPECT_EQ(wave.scalar[kMaskOut], v(kRegA, lowest)) << std::hex << exec;
      for (unsigned n : {0u, 1u, 13u, lanes - 1, lanes, lanes + 5, 0xffffffe3u}) {
        Uop read = prepare("v_readlane_b32");
        ASSERT_TRUE(read.inst.set(Field::src1, 30));  // s30
        wave.scalar[30] = n;
        ASSERT_EQ(execute(read), Step::kNext);
        EXPECT_EQ(wave.scalar[kMaskOut], v(kRegA, n % lanes)) << n;
        fill();
        Uop write = prepare("v_writelane_b32");
        ASSERT_TRUE(write.inst.set(Field::src0, 29) && write.inst.set(Field::src1, 30));
        wave.scalar[29] = 0xfeedbeef;
        const uint32_t other = v(kRegD, (n + 1) % lanes);
        ASSERT_EQ(execute(write), Step::kNext);
        EXPECT_EQ(v(kRegD, n % lanes), 0xfeedbeefu) << "whatever EXEC says";
        EXPECT_EQ(v(kRegD, (n + 1) % lanes), other);
      }
    }
  }
  void check_permlane16() {
    const unsigned lanes = wave.wave_size;
    wave.scalar[29] = 0x3121fedc;
    wave.scalar[30] = 0x89abcdef;
    const uint64_t selectors = uint64_t{wave.scalar[30]} << 32 | wave.scalar[29];
    for (const bool other : {false, true}) {
      for (uint32_t op_sel = 0; op_sel < 4; ++op_sel) {
        for (const uint64_t exec : exec_masks()) {
          for (const bool in_place : {false, true}) {
            fill();
            set_exec(exec);
            Uop u = prepare(other ? "v_permlanex16_b32" : "v_permlane16_b32", {.opsel = op_sel});
            const unsigned dest = in_place ? kRegA : kRegD;
            ASSERT_TRUE(u.inst.set(Field::src1, 29) && u.inst.set(Field::src2, 30) &&
                        u.inst.set(Field::vdst, dest));
            std::vector<uint32_t> from(lanes), old(lanes);
            for (unsigned l = 0; l < lanes; ++l) from[l] = v(kRegA, l), old[l] = v(dest, l);
            ASSERT_EQ(execute(u), Step::kNext);
            for (unsigned l = 0; l < lanes; ++l) {
              const unsigned row = other ? (l / 16) ^ 1 : l / 16;
              const unsigned s = row * 16 + static_cast<unsigned>(selectors >> (4 * (l % 16)) & 15);
              uint32_t want = from[s];
              if (!(exec >> s & 1) && !(op_sel & 1)) want = op_sel & 2 ? 0 : old[l];
              if (!(exec >> l & 1)) want = old[l];
              ASSERT_EQ(v(dest, l), want)
                  << "lane " << l << " op_sel " << op_sel << std::hex << " exec " << exec;
            }
          }
        }
      }
    }
  }
  void check_bit_counts() {
    fill();
    set_exec(wave.lane_mask());
    for (const bool high : {false, true}) {
      Uop u = prepare(high ? "v_mbcnt_hi_u32_b32" : "v_mbcnt_lo_u32_b32");
      for (unsigned l = 0; l < wave.wave_size; ++l) v(kRegA, l) = 0xdeadbeef;
      ASSERT_EQ(execute(u), Step::kNext);
      for (unsigned l = 0; l < wave.wave_size; ++l) {
        uint32_t count = v(kRegB, l);
        for (unsigned i = 0; i < 32; ++i)
          count += (0xdeadbeefu >> i & 1) && i + (high ? 32 : 0) < l;
        ASSERT_EQ(v(kRegD, l), count) << l << high;
      }
    }
  }
};

class LanesWave64 : public Lanes {
 protected:
  LanesWave64() {
    restart(64);
    wave.mode = kModeDefault;
  }
};

TEST_F(Lanes, InactiveLanesKeepTheirDestination) {
  for (const char* id : {"v_add_f32", "v_lshlrev_b64", "v_add_f16", "v_mad_u64_u32",
                         "v_cvt_f64_f32", "v_mqsad_u32_u8"}) {
    for (const uint64_t exec : exec_masks()) {
      fill();
      set_exec(exec);
      Uop u = prepare(id);
      std::vector<uint32_t> old;
      for (unsigned r = 0; r < 32; ++r)
        for (unsigned l = 0; l < 32; ++l) old.push_back(v(r, l));
      ASSERT_EQ(execute(u), Step::kNext);
      for (unsigned r = 0; r < 32; ++r) {
        const bool written = r >= kRegD && r < kRegD + u.ops.dst[0].dwords;
        for (unsigned l = 0; l < 32; ++l) {
          if (written && (exec >> l & 1)) continue;
          ASSERT_EQ(v(r, l), old[r * 32 + l]) << id << " v" << r << " lane " << l;
        }
      }
    }
  }
}

TEST_F(Lanes, MasksAreZeroWhereLanesAreOff) {
  fill();
  set_exec(0x00ff00f0);
  wave.scalar[kMaskOut] = 0xffffffff;
  wave.scalar[kMaskOut + 1] = 0x12345678;
  Uop u = prepare("v_cmp_t_u32");
  ASSERT_EQ(execute(u), Step::kNext);
  EXPECT_EQ(wave.scalar[kMaskOut], 0x00ff00f0u);
  EXPECT_EQ(wave.scalar[kMaskOut + 1], 0x12345678u) << "wave32 masks are one register";
  wave.scalar[isa::kVccLo] = 0xffffffff;
  Uop x = prepare("v_cmpx_ne_u32");
  for (unsigned l = 0; l < 32; ++l) v(kRegB, l) = v(kRegA, l) + l % 2;
  ASSERT_EQ(execute(x), Step::kNext);
  EXPECT_EQ(wave.scalar[isa::kExecLo], 0x00aa00a0u);
  EXPECT_EQ(wave.scalar[isa::kVccLo], 0xffffffffu) << "v_cmpx writes EXEC alone";
  set_exec(0xffff);
  for (unsigned l = 0; l < 32; ++l) v(kRegA, l) = ~0u, v(kRegB, l) = 1;
  Uop carry = prepare("v_add_co_u32");
  ASSERT_EQ(execute(carry), Step::kNext);
  EXPECT_EQ(wave.scalar[kMaskOut], 0xffffu);
}

TEST_F(LanesWave64, MasksTakeTwoRegisters) {
  fill();
  set_exec(0xff00ff00ff00ff0f);
  Uop u = prepare("v_cmp_t_u32");
  ASSERT_EQ(execute(u), Step::kNext);
  EXPECT_EQ(wave.read64(kMaskOut), 0xff00ff00ff00ff0f);
  wave.write64(kMaskIn, 0x5a5a000012345678);
  set_exec(~uint64_t{0});
  Uop select = prepare("v_cndmask_b32");
  ASSERT_EQ(execute(select), Step::kNext);
  for (unsigned l = 0; l < 64; ++l)
    EXPECT_EQ(v(kRegD, l), v(0x5a5a000012345678 >> l & 1 ? kRegB : kRegA, l));
}

TEST_F(Lanes, SelectTakesModifiers) {
  const auto got =
      evaluate("v_cndmask_b32", {{0x3f800000, 0xc0000000, 0, 0}, {0x3f800000, 0xc0000000, 1, 0}},
               {.neg = 1, .abs = 2});
  EXPECT_EQ(got[0].value, 0xbf800000u);
  EXPECT_EQ(got[1].value, 0x40000000u);
  const auto half =
      evaluate("v_cndmask_b16", {{0x3c00, 0xc000, 0, 0xaaaa0000}, {0x3c00, 0xc000, 1, 0xaaaa0000}});
  EXPECT_EQ(half[0].value, 0xaaaa3c00u);
  EXPECT_EQ(half[1].value, 0xaaaac000u);
}

TEST_F(Lanes, MoveTakesModifiers) {
  EXPECT_EQ(one("v_mov_b32", 0x3f800000, 0, 0, {.neg = 1}), 0xbf800000u);
  EXPECT_EQ(one("v_mov_b32", 0xbf800000, 0, 0, {.abs = 1}), 0x3f800000u);
  EXPECT_EQ(one("v_mov_b32", 0x3f800000, 0, 0, {.neg = 1, .abs = 1}), 0xbf800000u);
  EXPECT_EQ(one("v_not_b32", 1, 0, 0, {.neg = 1}), 0xfffffffeu) << "integers have no sign bit";
}

TEST_F(Lanes, HalvesOfRegisters) {
  for (uint32_t op_sel = 0; op_sel < 16; ++op_sel) {
    const auto pick = [&](uint32_t bit, uint32_t value) {
      return op_sel & bit ? value >> 16 : value & 0xffff;
    };
    const uint32_t a = 0x00030100, b = 0x00070020, c3 = 0x00050003;
    const uint32_t r = (pick(1, a) * pick(2, b) + pick(4, c3)) & 0xffff;
    const auto got = evaluate("v_mad_u16", {{a, b, c3, 0xabcd1234}}, {.opsel = op_sel});
    EXPECT_EQ(got[0].value, op_sel & 8 ? r << 16 | 0x1234 : r | 0xabcd0000) << op_sel;
  }
}

TEST_F(Lanes, Dpp16) { check_all_controls(false); }
TEST_F(LanesWave64, Dpp16) { check_all_controls(false); }
TEST_F(Lanes, Dpp8) { check_dpp8(); }
TEST_F(LanesWave64, Dpp8) { check_dpp8(); }
TEST_F(Lanes, ReadAndWriteLane) { check_lane_moves(); }
TEST_F(LanesWave64, ReadAndWriteLane) { check_lane_moves(); }
TEST_F(Lanes, Permlane16) { check_permlane16(); }
TEST_F(LanesWave64, Permlane16) { check_permlane16(); }
TEST_F(Lanes, CountsOfLowerLanes) { check_bit_counts(); }
TEST_F(LanesWave64, CountsOfLowerLanes) { check_bit_counts(); }

class LanesGfx9 : public Lanes {
 protected:
  LanesGfx9() {
    isa_ = isa::Isa::kGfx90a;
    restart(64);
  }
};
TEST_F(LanesGfx9, Dpp16) { check_all_controls(true); }

TEST_F(LanesGfx9, PackedMovePicksWordsByOpSel) {
  constexpr uint64_t kA = 0xa1a1a1a1a0a0a0a0, kB = 0xb1b1b1b1b0b0b0b0;
  for (const uint32_t op_sel : {0u, 1u, 2u, 3u}) {
    const uint64_t low = op_sel & 1 ? kA >> 32 : kA & 0xffffffff,
                   high = op_sel & 2 ? kB >> 32 : kB & 0xffffffff;
    for (const uint32_t op_sel_hi : {0u, 3u}) {
      const Form form{.opsel = op_sel, .suffix_fields = {{Field::opsel_hi, op_sel_hi}}};
      EXPECT_EQ(one("v_pk_mov_b32", kA, kB, 0, form), high << 32 | low) << op_sel << op_sel_hi;
    }
  }
}

TEST_F(LanesGfx9, HalfResultsThatKeepTheOtherHalf) {
  for (const char* id : {"v_min3_i16", "v_max3_u16", "v_med3_i16", "v_mad_u16"}) {
    EXPECT_EQ(evaluate(id, {{1, 1, 1, 0xabcd1234}})[0].value >> 16, 0xabcdu) << id;
    EXPECT_EQ(evaluate(id, {{1, 1, 1, 0xabcd1234}}, {.opsel = 8})[0].value & 0xffff, 0x1234u) << id;
  }
  EXPECT_EQ(evaluate("v_add_nc_i16", {{3, 4, 0, 0xabcd1234}}, {.opsel = 8})[0].value, 0x00071234u);
  EXPECT_EQ(evaluate("v_add_f16", {{0x3c00, 0x3c00, 0, 0xabcd1234}})[0].value, 0x4000u);
}

TEST_F(Lanes, DppWithArithmeticComparesAndCarry) {
  fill();
  set_exec(0xffffffff);
  Uop add = prepare("v_add_nc_u32", dpp16(0x111, 15, 15, 1));  // row_shr:1, bound_ctrl
  ASSERT_EQ(execute(add), Step::kNext);
  for (unsigned l = 0; l < 32; ++l)
    EXPECT_EQ(v(kRegD, l), (l % 16 ? v(kRegA, l - 1) : 0) + v(kRegB, l));
  // A lane that DPP switches off gives 0 in a mask; EXEC itself is not changed by v_cmp.
  Uop compare = prepare("v_cmp_t_u32", dpp16(0x111, 0x1, 15, 0));
  ASSERT_EQ(execute(compare), Step::kNext);
  EXPECT_EQ(wave.scalar[isa::kVccLo], 0x0000fffeu);
  EXPECT_EQ(wave.scalar[isa::kExecLo], 0xffffffffu);
  Form long_dpp = dpp16(0x150 | 3);  // row_share:3
  long_dpp.long_form = true;
  long_dpp.neg = 1;
  Uop f = prepare("v_add_f32", long_dpp);
  for (unsigned l = 0; l < 32; ++l)
    v(kRegA, l) = std::bit_cast<uint32_t>(static_cast<float>(l)),
             v(kRegB, l) = std::bit_cast<uint32_t>(100.0f);
  ASSERT_EQ(execute(f), Step::kNext);
  for (unsigned l = 0; l < 32; ++l)
    EXPECT_EQ(std::bit_cast<float>(v(kRegD, l)), 100.0f - static_cast<float>(l / 16 * 16 + 3));
}

TEST_F(LanesWave64, Permlane64ExchangesHalves) {
  for (const uint64_t exec : exec_masks()) {
    fill();
    set_exec(exec);
    Uop u = prepare("v_permlane64_b32");
    ASSERT_TRUE(u.inst.set(Field::vdst, kRegA));
    std::vector<uint32_t> old;
    for (unsigned l = 0; l < 64; ++l) old.push_back(v(kRegA, l));
    ASSERT_EQ(execute(u), Step::kNext);
    for (unsigned l = 0; l < 64; ++l)
      EXPECT_EQ(v(kRegA, l), old[exec >> l & 1 ? (l + 32) % 64 : l]);
  }
}
TEST_F(Lanes, Permlane64DoesNothingInWave32) {
  fill();
  Uop u = prepare("v_permlane64_b32");
  const uint32_t old = v(kRegD, 3);
  ASSERT_EQ(execute(u), Step::kNext);
  EXPECT_EQ(v(kRegD, 3), old);
}

TEST_F(Lanes, Swaps) {
  fill();
  set_exec(0x0000ff0f);
  Uop u = prepare("v_swap_b32");
  std::vector<uint32_t> a, d;
  for (unsigned l = 0; l < 32; ++l) a.push_back(v(kRegA, l)), d.push_back(v(kRegD, l));
  ASSERT_EQ(execute(u), Step::kNext);
  for (unsigned l = 0; l < 32; ++l) {
    const bool on = 0x0000ff0f >> l & 1;
    EXPECT_EQ(v(kRegA, l), on ? d[l] : a[l]);
    EXPECT_EQ(v(kRegD, l), on ? a[l] : d[l]);
  }
  Uop half = prepare("v_swap_b16");
  ASSERT_TRUE(half.inst.set(Field::vdst, 128 + kRegD));  // v16.h with v4.l
  v(kRegA, 0) = 0x11112222;
  v(kRegD, 0) = 0x33334444;
  ASSERT_EQ(execute(half), Step::kNext);
  EXPECT_EQ(v(kRegA, 0), 0x11113333u);
  EXPECT_EQ(v(kRegD, 0), 0x22224444u);
}

TEST_F(Lanes, RelativeRegisters) {
  fill();
  set_exec(0x3);
  wave.scalar[isa::kM0] = 2;
  Uop from = prepare("v_movrels_b32", {.long_form = false});
  ASSERT_EQ(execute(from), Step::kNext);
  EXPECT_EQ(v(kRegD, 1), v(kRegA + 2, 1));
  Uop to = prepare("v_movreld_b32", {.long_form = false});
  const uint32_t untouched = v(kRegD + 2, 2);
  ASSERT_EQ(execute(to), Step::kNext);
  EXPECT_EQ(v(kRegD + 2, 1), v(kRegA, 1));
  EXPECT_EQ(v(kRegD + 2, 2), untouched);
  wave.scalar[isa::kM0] = 1 | 5 << 16;
  Uop both = prepare("v_movrelsd_2_b32", {.long_form = false});
  ASSERT_EQ(execute(both), Step::kNext);
  EXPECT_EQ(v(kRegD + 5, 0), v(kRegA + 1, 0));
  fill();
  Uop swap = prepare("v_swaprel_b32", {.long_form = false});
  const uint32_t a = v(kRegA + 1, 0), d = v(kRegD + 5, 0);
  ASSERT_EQ(execute(swap), Step::kNext);
  EXPECT_EQ(v(kRegA + 1, 0), d);
  EXPECT_EQ(v(kRegD + 5, 0), a);
  wave.scalar[isa::kM0] = 1000;
  for (const char* id : {"v_movrels_b32", "v_movreld_b32", "v_movrelsd_b32"}) {
    Uop beyond = prepare(id, {.long_form = false});
    EXPECT_EQ(execute(beyond), Step::kExit) << id;
    EXPECT_EQ(c.fault.kind, FaultKind::kRegisterOutOfRange) << id;
  }
}

TEST_F(Lanes, EveryRowOfGfx11HasSemantics) {
  for (const isa::Isa isa : {isa::Isa::kGfx11, isa::Isa::kGfx115}) {
    for (int i = 0; i < isa::kOpCount; ++i) {
      const Op op = static_cast<Op>(i);
      const isa::OpInfo& info = isa::op_info(op);
      const bool vector = info.format == Format::VOP1 || info.format == Format::VOP2 ||
                          info.format == Format::VOPC || info.format == Format::VOP3 ||
                          info.format == Format::VOP3SD || info.format == Format::VOPD;
      if (!vector || !isa::exists_on(op, isa)) continue;
      EXPECT_NE(handlers()[static_cast<size_t>(i)], nullptr) << info.id;
    }
  }
}

}  // namespace
}  // namespace lockstep::emu::testing
