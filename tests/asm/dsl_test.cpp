// SPDX-License-Identifier: MIT
// The builder: what it writes equals what the assembler reads, and values that do not fit are
// errors that name their line.
#include <gtest/gtest.h>

#include "asm/assemble.h"
#include "asm/dsl/program.h"

namespace {

using namespace lockstep;
using namespace lockstep::dsl;
using isa::Target;

std::string hex(std::span<const uint8_t> bytes) {
  std::string text;
  for (const uint8_t b : bytes) {
    text += "0123456789abcdef"[b >> 4];
    text += "0123456789abcdef"[b & 15];
  }
  return text;
}

std::string assembled(std::initializer_list<const char*> lines, Target target, unsigned wave) {
  std::string out;
  for (const char* line : lines) {
    const auto inst =
        asm_::assemble_line(line, {.isa = isa::target_info(target).isa, .wave_size = wave});
    EXPECT_TRUE(inst) << line << ": " << (inst ? "" : inst.error().message);
    if (inst) out += inst.inst().hex();
  }
  return out;
}

void expect_same(const Program& p, std::initializer_list<const char*> lines) {
  const auto bytes = p.assemble();
  ASSERT_TRUE(bytes) << bytes.error();
  EXPECT_EQ(hex(*bytes), assembled(lines, p.target(), p.wave_size())) << p.text();
}

std::string problem(const Program& p) {
  const auto bytes = p.assemble();
  return bytes ? "" : bytes.error();
}

TEST(Dsl, Arithmetic) {
  Program p(Target::kGfx1100);
  p.v_add_f32(v[1], v[2], s[3]);
  p.v_add_f32(v[1], v[2], v[3]);
  p.v_fma_f32(v[1], -v[2], abs(v[3]), 0.5).clamp().mul2();
  p.v_add_f64(v(4, 5), v(6, 7), s(8, 9));
  p.v_mul_f32(v[0], 0.1f, v[1]);
  p.v_add_co_ci_u32(v[1], vcc_lo, v[2], v[3], vcc_lo);
  p.v_cndmask_b32(v[1], 0, 1.0, s[4]);
  p.v_cmp_lt_i32(v[0], v[1]);
  p.v_cmp_lt_i32(s[5], v[0], v[1]);
  p.v_cmpx_eq_u32(v[0], v[1]);
  p.v_readlane_b32(s[0], v[1], 3);
  p.v_mov_b32(v[1], v[2]).quad_perm(1, 0, 3, 2).row_mask(15).bank_mask(15);
  p.v_pk_fma_f16(v[0], v[1], v[2], v[3]).op_sel({1, 0, 0}).neg_lo({0, 1, 0});
  p.v_add_f32(v[1], v[2], v[3]).e64();
  p.v_fmamk_f32(v[1], v[2], 0x12345678, v[3]);
  p.s_mov_b64(exec, -1);
  p.s_add_u32(s[0], src_scc, 100000);
  p.s_mov_b32(null, ttmp[3]);
  expect_same(p, {"v_add_f32 v1, v2, s3", "v_add_f32 v1, v2, v3",
                  "v_fma_f32 v1, -v2, |v3|, 0.5 clamp mul:2", "v_add_f64 v[4:5], v[6:7], s[8:9]",
                  "v_mul_f32 v0, 0x3dcccccd, v1", "v_add_co_ci_u32 v1, vcc_lo, v2, v3, vcc_lo",
                  "v_cndmask_b32 v1, 0, 1.0, s4", "v_cmp_lt_i32 vcc_lo, v0, v1",
                  "v_cmp_lt_i32 s5, v0, v1", "v_cmpx_eq_u32 v0, v1", "v_readlane_b32 s0, v1, 3",
                  "v_mov_b32_dpp v1, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
                  "v_pk_fma_f16 v0, v1, v2, v3 op_sel:[1,0,0] neg_lo:[0,1,0]",
                  "v_add_f32_e64 v1, v2, v3", "v_fmamk_f32 v1, v2, 0x12345678, v3",
                  "s_mov_b64 exec, -1", "s_add_u32 s0, src_scc, 100000", "s_mov_b32 null, ttmp3"});
}

TEST(Dsl, Memory) {
  Program p(Target::kGfx1100);
  p.s_load_b64(s(4, 5), s(0, 1), 8);
  p.s_buffer_load_b128(s(8, 11), s(4, 7), s[2]).offset(16).glc();
  p.global_load_b32(v[1], v(2, 3), off).offset(-16).glc().slc();
  p.global_store_b128(v[0], v(4, 7), s(2, 3));
  p.global_atomic_cmpswap_b32(v[9], v(2, 3), v(4, 5), off).glc();
  p.global_atomic_add_u32(v[1], v[2], s(2, 3));
  p.flat_load_b64(v(0, 1), v(2, 3));
  p.scratch_store_b32(v[1], v[2], off);
  p.ds_load_2addr_b32(v(0, 1), v[2]).offset0(1).offset1(255);
  p.ds_store_b64(v[0], v(2, 3)).offset(8);
  p.ds_add_rtn_u32(v[0], v[1], v[2]);
  p.ds_cmpstore_b32(v[0], v[1], v[2]);
  p.ds_bpermute_b32(v[0], v[1], v[2]);
  p.buffer_load_b32(v[1], v[2], s(8, 11), s[3]).offen().offset(4095);
  p.buffer_store_format_xyzw(v(0, 3), off, s(8, 11), 0);
  p.image_sample(v(0, 3), {v[4], v[6]}, s(8, 15), s(16, 19)).dmask(15).dim("SQ_RSRC_IMG_2D");
  p.exp("mrt0", v[0], v[1], off, off).done();
  p.s_waitcnt(vmcnt(0) & lgkmcnt(0));
  p.s_waitcnt_vscnt(null, 0);
  expect_same(
      p,
      {"s_load_b64 s[4:5], s[0:1], 8", "s_buffer_load_b128 s[8:11], s[4:7], s2 offset:16 glc",
       "global_load_b32 v1, v[2:3], off offset:-16 glc slc", "global_store_b128 v0, v[4:7], s[2:3]",
       "global_atomic_cmpswap_b32 v9, v[2:3], v[4:5], off glc",
       "global_atomic_add_u32 v1, v2, s[2:3]", "flat_load_b64 v[0:1], v[2:3]",
       "scratch_store_b32 v1, v2, off", "ds_load_2addr_b32 v[0:1], v2 offset0:1 offset1:255",
       "ds_store_b64 v0, v[2:3] offset:8", "ds_add_rtn_u32 v0, v1, v2",
       "ds_cmpstore_b32 v0, v1, v2", "ds_bpermute_b32 v0, v1, v2",
       "buffer_load_b32 v1, v2, s[8:11], s3 offen offset:4095",
       "buffer_store_format_xyzw v[0:3], off, s[8:11], 0",
       "image_sample v[0:3], [v4, v6], s[8:15], s[16:19] dmask:0xf dim:SQ_RSRC_IMG_2D",
       "exp mrt0 v0, v1, off, off done", "s_waitcnt vmcnt(0) lgkmcnt(0)",
       "s_waitcnt_vscnt null, 0x0"});
}

TEST(Dsl, OtherTargets) {
  Program cdna(Target::kGfx942);
  cdna.v_mfma_f32_32x32x8_f16(a(0, 15), v(0, 1), v(2, 3), a(0, 15)).cbsz(1);
  cdna.v_accvgpr_write_b32(a[0], v[1]);
  cdna.global_load_b128(a(4, 7), v(0, 1), off).sc1().nt();
  cdna.v_add_nc_u32(v[0], v[1], v[2]).sdwa().src0_sel("BYTE_0");
  cdna.v_cmp_gt_u32(v[0], v[1]);
  cdna.v_cmpx_gt_u32(v[0], v[1]);
  expect_same(cdna, {"v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15] cbsz:1",
                     "v_accvgpr_write_b32 a0, v1", "global_load_dwordx4 a[4:7], v[0:1], off sc1 nt",
                     "v_add_u32_sdwa v0, v1, v2 src0_sel:BYTE_0", "v_cmp_gt_u32 vcc, v0, v1",
                     "v_cmpx_gt_u32 vcc, v0, v1"});
  Program named(Target::kGfx90a);
  named.s_mov_b64(flat_scratch, 0);
  named.v_add_f32(v[0], -abs(src_scc), v[1]).e64();
  named.line("s_endpgm");
  expect_same(named, {"s_mov_b64 flat_scratch, 0", "v_add_f32_e64 v0, -|src_scc|, v1", "s_endpgm"});
  Program rdna4(Target::kGfx1201);
  rdna4.v_min_f32(v[0], v[1], v[2]);           // v_min_num_f32 there
  rdna4.v_add_f64(v(0, 1), v(2, 3), v(4, 5));  // another row there
  rdna4.v_wmma_f32_16x16x16_f16(v(0, 7), v(8, 11), v(12, 15), v(0, 7));
  rdna4.global_load_b32(v[0], v[1], s(2, 3)).th("TH_LOAD_NT").scope("SCOPE_DEV");
  expect_same(rdna4, {"v_min_num_f32 v0, v1, v2", "v_add_f64 v[0:1], v[2:3], v[4:5]",
                      "v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]",
                      "global_load_b32 v0, v1, s[2:3] th:TH_LOAD_NT scope:SCOPE_DEV"});
  Program wave64(Target::kGfx1100, 64);
  wave64.v_cmp_eq_u32(v[0], v[1]);
  wave64.v_cndmask_b32(v[0], v[1], v[2], s(4, 5));
  expect_same(wave64, {"v_cmp_eq_u32 vcc, v0, v1", "v_cndmask_b32 v0, v1, v2, s[4:5]"});
}

TEST(Dsl, PairsAndHalves) {
  Program p(Target::kGfx1100);
  p.v_dual_mul_f32(v[0], v[1], v[2]);
  p.v_dual_mov_b32(v[3], 1.0);
  expect_same(p, {"v_dual_mul_f32 v0, v1, v2 :: v_dual_mov_b32 v3, 1.0"});
  p.v_dual_mul_f32(v[0], v[1], v[2]);
  EXPECT_NE(problem(p).find("second half of the pair is missing"), std::string::npos);
  Program half(Target::kGfx1100);
  half.set_real_true16(true);
  half.v_add_f16(v[1].h(), v[2].l(), v[3].h());
  const auto bytes = half.assemble();
  ASSERT_TRUE(bytes) << bytes.error();
  const auto want =
      asm_::assemble_line("v_add_f16 v1.h, v2.l, v3.h", {.wave_size = 32, .real_true16 = true});
  EXPECT_EQ(hex(*bytes), want.inst().hex());
}

TEST(Dsl, RegistersByNumber) {
  Program p(Target::kGfx1100);
  for (int i = 0; i < 3; ++i) p.v_add_f64(v.at<2>(2 * i), v.at<2>(10), v.at<2>(12));
  expect_same(p, {"v_add_f64 v[0:1], v[10:11], v[12:13]", "v_add_f64 v[2:3], v[10:11], v[12:13]",
                  "v_add_f64 v[4:5], v[10:11], v[12:13]"});
  EXPECT_EQ(p.register_use().vgprs, 14u);
}

TEST(Dsl, BranchesReachTheirLabels) {
  Program p(Target::kGfx1100);
  const Label end = p.label();
  const Label top = p.here();
  p.s_sub_u32(s[0], s[0], 1);
  p.s_cbranch_scc0(end);
  p.v_mov_b32(v[0], 0x12345678);
  p.s_branch(top);
  p.bind(end);
  p.s_endpgm();
  expect_same(p, {"s_sub_u32 s0, s0, 1", "s_cbranch_scc0 3", "v_mov_b32 v0, 0x12345678",
                  "s_branch 65531", "s_endpgm"});
  EXPECT_EQ(p.text(),
            "L1:\n  s_sub_u32 s0, s0, 1\n  s_cbranch_scc0 L0\n  v_mov_b32 v0, 305419896\n"
            "  s_branch L1\nL0:\n  s_endpgm\n");
}

TEST(Dsl, LoopsAndConditions) {
  Program p(Target::kGfx1100);
  p.repeat(s[0], 4, [&] { p.v_nop(); });
  p.if_lanes(s[1], vcc_lo, [&] { p.v_nop(); });
  p.if_scc1([&] { p.s_nop(1); }, [&] { p.s_nop(2); });
  expect_same(
      p, {"s_mov_b32 s0, 4", "v_nop", "s_sub_u32 s0, s0, 1", "s_cmp_lg_u32 s0, 0",
          "s_cbranch_scc1 65532", "s_and_saveexec_b32 s1, vcc_lo", "s_cbranch_execz 1", "v_nop",
          "s_mov_b32 exec_lo, s1", "s_cbranch_scc0 2", "s_nop 1", "s_branch 1", "s_nop 2"});
}

TEST(Dsl, DataAndAlignment) {
  Program p(Target::kGfx1100);
  p.s_nop(0);
  p.align(16);
  p.word(0xdeadbeef);
  const auto bytes = p.assemble();
  ASSERT_TRUE(bytes);
  EXPECT_EQ(hex(*bytes), "000080bf000080bf000080bf000080bfefbeadde");
}

TEST(Dsl, ValuesThatDoNotFit) {
  const auto has = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  Program first(Target::kGfx1100);
  first.s_mov_b32(s[106], 0);
  EXPECT_TRUE(has(problem(first), "dsl_test.cpp:")) << problem(first);
  EXPECT_TRUE(has(problem(first), "s106")) << problem(first);
  Program b(Target::kGfx1100);
  b.global_load_b32(v[0], v(2, 3), off).offset(5000);
  EXPECT_TRUE(has(problem(b), "offset must be in")) << problem(b);
  Program c(Target::kGfx1100);
  c.v_mfma_f32_4x4x1_16b_f32(a(0, 3), v[0], v[1], a(0, 3));
  EXPECT_TRUE(has(problem(c), "gfx1100 has no such instruction")) << problem(c);
  Program d(Target::kGfx1100);
  d.v_fma_f32(v[0], 1.234, 5.678, v[1]);
  EXPECT_TRUE(has(problem(d), "literal")) << problem(d);
  Program e(Target::kGfx1100);
  e.s_branch(e.label());
  EXPECT_TRUE(has(problem(e), "bound nowhere")) << problem(e);
  e.s_load_b32(s[0], s.at<2>(1), 0);
  EXPECT_TRUE(has(problem(e), "(and 1 more)")) << problem(e);
  EXPECT_EQ(e.problems().size(), 2u);
  Program f(Target::kGfx942, 32);
  EXPECT_TRUE(has(problem(f), "no waves of 32 lanes")) << problem(f);
  Program g(Target::kGfx1100);
  const Label far = g.label();
  g.s_branch(far);
  for (int i = 0; i < 33000; ++i) g.word(0);
  g.bind(far);
  EXPECT_TRUE(has(problem(g), "a branch reaches 32767")) << problem(g);
}

}  // namespace
