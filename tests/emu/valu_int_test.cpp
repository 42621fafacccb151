// SPDX-License-Identifier: MIT
// Integer rows against independent formulations in 128-bit arithmetic and bit loops.
#include "tests/emu/row_fixture.h"

namespace lockstep::emu::testing {
namespace {

using S = __int128;
using Reference = std::function<uint64_t(uint64_t a, uint64_t b, uint64_t c)>;

int32_t i32(uint64_t x) { return static_cast<int32_t>(x); }
uint32_t u32(uint64_t x) { return static_cast<uint32_t>(x); }
int16_t i16(uint64_t x) { return static_cast<int16_t>(x); }
uint16_t u16(uint64_t x) { return static_cast<uint16_t>(x); }
S i24(uint64_t x) { return static_cast<S>((x & 0xffffff) ^ 0x800000) - 0x800000; }
S u24(uint64_t x) { return static_cast<S>(x & 0xffffff); }
S limit(S x, S low, S high) { return x < low ? low : x > high ? high : x; }
S clamp_i32(S x) { return limit(x, INT32_MIN, INT32_MAX); }
S clamp_u32(S x) { return limit(x, 0, UINT32_MAX); }
S clamp_i16(S x) { return limit(x, -32768, 32767); }
S clamp_u16(S x) { return limit(x, 0, 65535); }
uint64_t bits(S x) { return static_cast<uint64_t>(x); }
/// Multiplies by a power of two, in place of a shift.
S times_power(S x, unsigned n) {
  for (unsigned i = 0; i < n; ++i) x *= 2;
  return x;
}
/// Divides by a power of two toward minus infinity.
S over_power(S x, unsigned n) {
  for (unsigned i = 0; i < n; ++i) x = (x - (((x % 2) + 2) % 2)) / 2;
  return x;
}
unsigned ones(uint64_t x) {
  unsigned n = 0;
  for (; x; x /= 2) n += x % 2;
  return n;
}
uint32_t reversed(uint32_t x) {
  uint32_t r = 0;
  for (int i = 0; i < 32; ++i) r = r * 2 + (x >> i & 1);
  return r;
}
int first_one_from_top(uint32_t x) {
  for (int i = 0; i < 32; ++i)
    if (x >> (31 - i) & 1) return i;
  return -1;
}
int first_one_from_bottom(uint32_t x) {
  for (int i = 0; i < 32; ++i)
    if (x >> i & 1) return i;
  return -1;
}
int equal_sign_bits(uint32_t x) {
  for (int i = 1; i < 32; ++i)
    if ((x >> (31 - i) & 1) != x >> 31) return i;
  return -1;
}
unsigned byte_of(uint64_t x, unsigned n) { return x >> (8 * n) & 0xff; }
unsigned byte_distance(unsigned a, unsigned b) { return a < b ? b - a : a - b; }
S sad4(uint64_t a, uint64_t b, bool masked) {
  S sum = 0;
  for (unsigned i = 0; i < 4; ++i)
    if (!masked || byte_of(b, i)) sum += byte_distance(byte_of(a, i), byte_of(b, i));
  return sum;
}
uint64_t middle(S a, S b, S c) {
  S v[] = {a, b, c};
  std::sort(v, v + 3);
  return bits(v[1]);
}
uint32_t permuted(uint64_t a, uint64_t b, uint64_t c) {
  uint8_t in[8];
  for (unsigned i = 0; i < 4; ++i) in[i] = byte_of(b, i), in[4 + i] = byte_of(a, i);
  uint32_t r = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned s = byte_of(c, i);
    const unsigned v = s >= 13   ? 255
                       : s == 12 ? 0
                       : s >= 8  ? (in[2 * (s - 8) + 1] >= 128 ? 255 : 0)
                                 : in[s];
    r += v << (8 * i);
  }
  return r;
}
uint64_t quad_sad(uint64_t a, uint64_t b, uint64_t c, bool masked) {
  uint64_t r = 0;
  for (unsigned i = 0; i < 4; ++i)
    r |= uint64_t{u16(bits(sad4(a >> (8 * i), b, masked)) + (c >> (16 * i)))} << (16 * i);
  return r;
}

struct IntRow {
  const char* id;
  unsigned width;  ///< of the result
  unsigned sources;
  Reference plain;    ///< without the clamp bit
  Reference clamped;  ///< with it; absent: the row ignores it or has none
};
#define FN(expression)                                 \
  [](uint64_t a, uint64_t b, uint64_t c) -> uint64_t { \
    (void)a;                                           \
    (void)b;                                           \
    (void)c;                                           \
    return bits(expression);                           \
  }

const IntRow kRows[] = {
    {"v_mov_b32", 32, 1, FN(S{u32(a)}), {}},
    {"v_not_b32", 32, 1, FN(-1 - S{u32(a)}), {}},
    {"v_not_b16", 16, 1, FN(-1 - S{u16(a)}), {}},
    {"v_mov_b16", 16, 1, FN(S{u16(a)}), {}},
    {"v_bfrev_b32", 32, 1, FN(S{reversed(u32(a))}), {}},
    {"v_clz_i32_u32", 32, 1, FN(S{first_one_from_top(u32(a))}), {}},
    {"v_ctz_i32_b32", 32, 1, FN(S{first_one_from_bottom(u32(a))}), {}},
    {"v_cls_i32", 32, 1, FN(S{equal_sign_bits(u32(a))}), {}},
    {"v_cvt_i32_i16", 32, 1, FN(S{i16(a)}), {}},
    {"v_cvt_u32_u16", 32, 1, FN(S{u16(a)}), {}},
    {"v_sat_pk_u8_i16", 16, 1, FN(limit(i16(a), 0, 255) + 256 * limit(i16(a >> 16), 0, 255)), {}},
    {"v_mul_i32_i24", 32, 2, FN(i24(a) * i24(b)), {}},
    {"v_mul_hi_i32_i24", 32, 2, FN(over_power(i24(a) * i24(b), 32)), {}},
    {"v_mul_u32_u24", 32, 2, FN(u24(a) * u24(b)), {}},
    {"v_mul_hi_u32_u24", 32, 2, FN(over_power(u24(a) * u24(b), 32)), {}},
    {"v_min_i32", 32, 2, FN(std::min<S>(i32(a), i32(b))), {}},
    {"v_max_i32", 32, 2, FN(std::max<S>(i32(a), i32(b))), {}},
    {"v_min_u32", 32, 2, FN(std::min<S>(u32(a), u32(b))), {}},
    {"v_max_u32", 32, 2, FN(std::max<S>(u32(a), u32(b))), {}},
    {"v_min_i16", 16, 2, FN(std::min<S>(i16(a), i16(b))), {}},
    {"v_max_i16", 16, 2, FN(std::max<S>(i16(a), i16(b))), {}},
    {"v_min_u16", 16, 2, FN(std::min<S>(u16(a), u16(b))), {}},
    {"v_max_u16", 16, 2, FN(std::max<S>(u16(a), u16(b))), {}},
    {"v_lshlrev_b32", 32, 2, FN(times_power(u32(b), a % 32)), {}},
    {"v_lshrrev_b32", 32, 2, FN(over_power(u32(b), a % 32)), {}},
    {"v_ashrrev_i32", 32, 2, FN(over_power(i32(b), a % 32)), {}},
    {"v_lshlrev_b16", 16, 2, FN(times_power(u16(b), a % 16)), {}},
    {"v_lshrrev_b16", 16, 2, FN(over_power(u16(b), a % 16)), {}},
    {"v_ashrrev_i16", 16, 2, FN(over_power(i16(b), a % 16)), {}},
    {"v_lshlrev_b64", 64, 2, FN(times_power(S{b} & ~uint64_t{0}, a % 64)), {}},
    {"v_lshrrev_b64", 64, 2, FN(over_power(S{b}, a % 64)), {}},
    {"v_ashrrev_i64", 64, 2, FN(over_power(static_cast<int64_t>(b), a % 64)), {}},
    {"v_and_b32", 32, 2, FN(S{u32(a & b)}), {}},
    {"v_or_b32", 32, 2, FN(S{u32(a | b)}), {}},
    {"v_xor_b32", 32, 2, FN(S{u32(a ^ b)}), {}},
    {"v_xnor_b32", 32, 2, FN(S{u32(a ^ ~b)}), {}},
    {"v_and_b16", 16, 2, FN(S{u16(a & b)}), {}},
    {"v_or_b16", 16, 2, FN(S{u16(a | b)}), {}},
    {"v_xor_b16", 16, 2, FN(S{u16(a ^ b)}), {}},
    {"v_add_nc_u32", 32, 2, FN(S{u32(a)} + u32(b)), FN(clamp_u32(S{u32(a)} + u32(b)))},
    {"v_sub_nc_u32", 32, 2, FN(S{u32(a)} - u32(b)), FN(clamp_u32(S{u32(a)} - u32(b)))},
    {"v_subrev_nc_u32", 32, 2, FN(S{u32(b)} - u32(a)), FN(clamp_u32(S{u32(b)} - u32(a)))},
    {"v_add_nc_i32", 32, 2, FN(S{i32(a)} + i32(b)), FN(clamp_i32(S{i32(a)} + i32(b)))},
    {"v_sub_nc_i32", 32, 2, FN(S{i32(a)} - i32(b)), FN(clamp_i32(S{i32(a)} - i32(b)))},
    {"v_add_nc_u16", 16, 2, FN(S{u16(a)} + u16(b)), FN(clamp_u16(S{u16(a)} + u16(b)))},
    {"v_sub_nc_u16", 16, 2, FN(S{u16(a)} - u16(b)), FN(clamp_u16(S{u16(a)} - u16(b)))},
    {"v_add_nc_i16", 16, 2, FN(S{i16(a)} + i16(b)), FN(clamp_i16(S{i16(a)} + i16(b)))},
    {"v_sub_nc_i16", 16, 2, FN(S{i16(a)} - i16(b)), FN(clamp_i16(S{i16(a)} - i16(b)))},
    {"v_mul_lo_u16", 16, 2, FN(S{u16(a)} * u16(b)), {}},
    {"v_mul_lo_u32", 32, 2, FN(S{u32(a)} * u32(b)), {}},
    {"v_mul_hi_u32", 32, 2, FN(over_power(S{u32(a)} * u32(b), 32)), {}},
    {"v_mul_hi_i32", 32, 2, FN(over_power(S{i32(a)} * i32(b), 32)), {}},
    {"v_bfm_b32", 32, 2, FN(times_power(times_power(1, a % 32) - 1, b % 32)), {}},
    {"v_bcnt_u32_b32", 32, 2, FN(S{ones(u32(a))} + u32(b)), {}},
    {"v_cvt_pk_u16_u32", 32, 2, FN(clamp_u16(u32(a)) + 65536 * clamp_u16(u32(b))), {}},
    {"v_cvt_pk_i16_i32",
     32,
     2,
     FN(S{u16(bits(clamp_i16(i32(a))))} + S{65536} * u16(bits(clamp_i16(i32(b))))),
     {}},
    {"v_pack_b32_f16", 32, 2, FN(S{u16(a)} + S{65536} * u16(b)), {}},
    {"v_bfe_u32", 32, 3, FN(over_power(u32(a), b % 32) % times_power(1, c % 32)), {}},
    {"v_bfi_b32", 32, 3, FN(S{u32((a & b) | (~a & c))}), {}},
    {"v_alignbit_b32", 32, 3, FN(over_power(S{u32(a)} * (S{1} << 32) + u32(b), c % 32)), {}},
    {"v_alignbyte_b32", 32, 3, FN(over_power(S{u32(a)} * (S{1} << 32) + u32(b), c % 4 * 8)), {}},
    {"v_perm_b32", 32, 3, FN(S{permuted(a, b, c)}), {}},
    {"v_min3_i32", 32, 3, FN(std::min<S>({i32(a), i32(b), i32(c)})), {}},
    {"v_max3_i32", 32, 3, FN(std::max<S>({i32(a), i32(b), i32(c)})), {}},
    {"v_med3_i32", 32, 3, FN(S{middle(i32(a), i32(b), i32(c))}), {}},
    {"v_min3_u32", 32, 3, FN(std::min<S>({u32(a), u32(b), u32(c)})), {}},
    {"v_max3_u32", 32, 3, FN(std::max<S>({u32(a), u32(b), u32(c)})), {}},
    {"v_med3_u32", 32, 3, FN(S{middle(u32(a), u32(b), u32(c))}), {}},
    {"v_min3_i16", 16, 3, FN(std::min<S>({i16(a), i16(b), i16(c)})), {}},
    {"v_max3_i16", 16, 3, FN(std::max<S>({i16(a), i16(b), i16(c)})), {}},
    {"v_med3_i16", 16, 3, FN(S{middle(i16(a), i16(b), i16(c))}), {}},
    {"v_min3_u16", 16, 3, FN(std::min<S>({u16(a), u16(b), u16(c)})), {}},
    {"v_max3_u16", 16, 3, FN(std::max<S>({u16(a), u16(b), u16(c)})), {}},
    {"v_med3_u16", 16, 3, FN(S{middle(u16(a), u16(b), u16(c))}), {}},
    {"v_maxmin_u32", 32, 3, FN(std::min<S>(std::max(u32(a), u32(b)), u32(c))), {}},
    {"v_minmax_u32", 32, 3, FN(std::max<S>(std::min(u32(a), u32(b)), u32(c))), {}},
    {"v_maxmin_i32", 32, 3, FN(std::min<S>(std::max(i32(a), i32(b)), i32(c))), {}},
    {"v_minmax_i32", 32, 3, FN(std::max<S>(std::min(i32(a), i32(b)), i32(c))), {}},
    {"v_xor3_b32", 32, 3, FN(S{u32(a ^ b ^ c)}), {}},
    {"v_or3_b32", 32, 3, FN(S{u32(a | b | c)}), {}},
    {"v_and_or_b32", 32, 3, FN(S{u32((a & b) | c)}), {}},
    {"v_lshl_or_b32", 32, 3, FN(S{u32(bits(times_power(u32(a), b % 32))) | u32(c)}), {}},
    {"v_add3_u32", 32, 3, FN(S{u32(a)} + u32(b) + u32(c)), {}},
    {"v_lshl_add_u32", 32, 3, FN(times_power(u32(a), b % 32) + u32(c)), {}},
    {"v_add_lshl_u32", 32, 3, FN(times_power(S{u32(a)} + u32(b), c % 32)), {}},
    {"v_xad_u32", 32, 3, FN(S{u32(a ^ b)} + u32(c)), {}},
    {"v_mad_i32_i24", 32, 3, FN(i24(a) * i24(b) + i32(c)), FN(clamp_i32(i24(a) * i24(b) + i32(c)))},
    {"v_mad_u32_u24", 32, 3, FN(u24(a) * u24(b) + u32(c)), FN(clamp_u32(u24(a) * u24(b) + u32(c)))},
    {"v_mad_u16", 16, 3, FN(S{u16(a)} * u16(b) + u16(c)),
     FN(clamp_u16(S{u16(a)} * u16(b) + u16(c)))},
    {"v_mad_i16", 16, 3, FN(S{i16(a)} * i16(b) + i16(c)),
     FN(clamp_i16(S{i16(a)} * i16(b) + i16(c)))},
    {"v_mad_u32_u16", 32, 3, FN(S{u16(a)} * u16(b) + u32(c)),
     FN(clamp_u32(S{u16(a)} * u16(b) + u32(c)))},
    {"v_mad_i32_i16", 32, 3, FN(S{i16(a)} * i16(b) + i32(c)),
     FN(clamp_i32(S{i16(a)} * i16(b) + i32(c)))},
    {"v_sad_u8", 32, 3, FN(sad4(a, b, false) + u32(c)), FN(clamp_u32(sad4(a, b, false) + u32(c)))},
    {"v_sad_hi_u8", 32, 3, FN(sad4(a, b, false) * 65536 + u32(c)),
     FN(clamp_u32(sad4(a, b, false) * 65536 + u32(c)))},
    {"v_sad_u16",
     32,
     3,
     FN(S{std::abs(u16(a) - u16(b))} + std::abs(u16(a >> 16) - u16(b >> 16)) + u32(c)),
     {}},
    {"v_sad_u32", 32, 3, FN(std::max<S>(S{u32(a)} - u32(b), S{u32(b)} - u32(a)) + u32(c)), {}},
    {"v_msad_u8", 32, 3, FN(sad4(a, b, true) + u32(c)), FN(clamp_u32(sad4(a, b, true) + u32(c)))},
    {"v_qsad_pk_u16_u8", 64, 3, FN(S{quad_sad(a, u32(b), c, false)}), {}},
    {"v_mqsad_pk_u16_u8", 64, 3, FN(S{quad_sad(a, u32(b), c, true)}), {}},
};

const std::vector<uint64_t> kSpecial = {
    0,           1,          2,          7,          31,
    32,          33,         0x7f,       0x80,       0x7fff,
    0x8000,      0xffff,     0x10000,    0x7fffff,   0x800000,
    0xffffff,    0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
    0x0c0d0a0b,  0x00010203, 0x80007fff, 0x08090a0b, uint64_t{1} << 63,
    ~uint64_t{0}};

class IntRows : public RowTest {
 protected:
  void check(const IntRow& row, const Form& form, const Reference& reference) {
    auto cases = mixed_cases(
        row.sources > 2 ? std::vector<uint64_t>(kSpecial.begin() + 10, kSpecial.end()) : kSpecial,
        3000, row.sources);
    const auto got = evaluate(row.id, cases, form);
    ASSERT_EQ(got.size(), cases.size());
    const uint64_t mask = row.width == 64 ? ~uint64_t{0} : (uint64_t{1} << row.width) - 1;
    for (size_t i = 0; i < cases.size(); ++i) {
      const Case& k = cases[i];
      uint64_t want = reference(k.a, k.b, k.c) & mask;
      if (row.width == 16) want |= k.old & 0xffff0000;  // the other half of the register stays
      ASSERT_EQ(got[i].value, want)
          << row.id << std::hex << " a=" << k.a << " b=" << k.b << " c=" << k.c
          << (form.clamp ? " clamp" : "") << (form.long_form ? "" : " short form");
    }
  }
};

TEST_F(IntRows, AgreeWithWideArithmetic) {
  for (const IntRow& row : kRows) {
    check(row, {}, row.plain);
    if (row.clamped) check(row, {.clamp = true}, row.clamped);
    if (isa::op_info(this->row(row.id)).format != Format::VOP3)
      check(row, {.long_form = false}, row.plain);
  }
}

TEST_F(IntRows, SignedFieldExtract) {
  for (uint32_t width = 0; width < 32; ++width) {
    for (uint32_t offset : {0u, 1u, 5u, 16u, 31u}) {
      const uint32_t a = 0xb4d25a9c;
      S want = 0;
      for (uint32_t i = 0; i < width; ++i) {
        const bool bit =
            i32(a) >> std::min(offset + i, 31u) & 1;  // beyond the top the sign repeats
        want += bit ? (i + 1 == width ? -times_power(1, i) : times_power(1, i)) : 0;
      }
      EXPECT_EQ(one("v_bfe_i32", a, offset, width), u32(bits(want))) << offset << " " << width;
    }
  }
}

TEST_F(IntRows, LerpAveragesBytes) {
  for (const Case& k : mixed_cases(kSpecial, 500, 3)) {
    uint32_t want = 0;
    for (unsigned i = 0; i < 4; ++i)
      want |= ((byte_of(k.a, i) + byte_of(k.b, i) + byte_of(k.c, i) % 2) / 2) << (8 * i);
    ASSERT_EQ(one("v_lerp_u8", k.a, k.b, k.c), want);
  }
}

TEST_F(IntRows, EveryPermSelectorInEveryPlace) {
  std::vector<Case> cases;
  for (uint64_t selector = 0; selector < 256; ++selector)
    for (unsigned place = 0; place < 32; place += 8)
      for (const uint64_t sign : {uint64_t{0}, uint64_t{0x80808080}}) {  // of the bytes picked from
        const uint64_t rest = 0x00070c0du >> place | uint64_t{0x00070c0du} << (32 - place);
        const uint64_t c = (rest & 0xffffffff & ~(uint64_t{255} << place)) | selector << place;
        cases.push_back({0x47362514 ^ sign, 0x01524376 ^ sign >> 8, c, 0});
      }
  const auto got = evaluate("v_perm_b32", cases);
  for (size_t i = 0; i < cases.size(); ++i)
    ASSERT_EQ(got[i].value, permuted(cases[i].a, cases[i].b, cases[i].c)) << std::hex << cases[i].c;
}

TEST_F(IntRows, CarryAndBorrow) {
  struct Carry {
    const char* id;
    bool carry_in;
    std::function<S(S, S, S)> exact;
  };
  const Carry rows[] = {
      {"v_add_co_ci_u32", true, [](S a, S b, S c) { return a + b + c; }},
      {"v_sub_co_ci_u32", true, [](S a, S b, S c) { return a - b - c; }},
      {"v_subrev_co_ci_u32", true, [](S a, S b, S c) { return b - a - c; }},
      {"v_add_co_u32", false, [](S a, S b, S) { return a + b; }},
      {"v_sub_co_u32", false, [](S a, S b, S) { return a - b; }},
      {"v_subrev_co_u32", false, [](S a, S b, S) { return b - a; }},
  };
  const auto cases = mixed_cases(kSpecial, 3000, 3);
  for (const Carry& row : rows) {
    for (const bool clamp : {false, true}) {
      const auto got = evaluate(row.id, cases, {.clamp = clamp});
      for (size_t i = 0; i < cases.size(); ++i) {
        const S exact =
            row.exact(u32(cases[i].a), u32(cases[i].b), row.carry_in ? cases[i].c & 1 : 0);
        const bool out = exact < 0 || exact > UINT32_MAX;
        ASSERT_EQ(got[i].value, u32(bits(clamp ? clamp_u32(exact) : exact))) << row.id;
        ASSERT_EQ(got[i].mask, out) << row.id;
      }
    }
    if (row.carry_in) {  // short form: VCC in and out
      const auto got = evaluate(row.id, cases, {.long_form = false});
      for (size_t i = 0; i < cases.size(); ++i) {
        const S exact = row.exact(u32(cases[i].a), u32(cases[i].b), cases[i].c & 1);
        ASSERT_EQ(got[i].value, u32(bits(exact))) << row.id;
        ASSERT_EQ(got[i].mask, exact < 0 || exact > UINT32_MAX) << row.id;
      }
    }
  }
}

TEST_F(IntRows, WideMultiplyAdd) {
  const auto cases = mixed_cases(kSpecial, 3000, 3);
  const auto u = evaluate("v_mad_u64_u32", cases);
  const auto s = evaluate("v_mad_i64_i32", cases);
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case& k = cases[i];
    const S unsigned_sum = S{u32(k.a)} * u32(k.b) + S{k.c};
    ASSERT_EQ(u[i].value, bits(unsigned_sum));
    ASSERT_EQ(u[i].mask, unsigned_sum > S{~uint64_t{0}});
    const S signed_sum = S{i32(k.a)} * i32(k.b) + static_cast<int64_t>(k.c);
    ASSERT_EQ(s[i].value, bits(signed_sum));
    ASSERT_EQ(s[i].mask, signed_sum < 0);
  }
}

TEST_F(IntRows, MqsadWritesFourSums) {
  Uop u = prepare("v_mqsad_u32_u8");
  for (unsigned lane = 0; lane < 32; ++lane) {
    set_v64(kRegA, lane, 0x1122334455667788 + lane * 0x0101010101);
    v(kRegB, lane) = 0x00ff1080 + lane;
    for (unsigned i = 0; i < 4; ++i) v(kRegC + i, lane) = 1000 * i + lane;
  }
  ASSERT_EQ(execute(u), Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i)
      EXPECT_EQ(
          v(kRegD + i, lane),
          u32(bits(sad4(v64(kRegA, lane) >> (8 * i), v(kRegB, lane), true) + 1000 * i + lane)));
}

TEST_F(IntRows, Compares) {
  const struct {
    const char* relation;
    std::function<bool(S, S)> holds;
  } relations[] = {
      {"lt", [](S a, S b) { return a < b; }},  {"eq", [](S a, S b) { return a == b; }},
      {"le", [](S a, S b) { return a <= b; }}, {"gt", [](S a, S b) { return a > b; }},
      {"ne", [](S a, S b) { return a != b; }}, {"ge", [](S a, S b) { return a >= b; }}};
  const struct {
    const char* type;
    std::function<S(uint64_t)> value;
  } types[] = {{"i16", [](uint64_t x) { return S{i16(x)}; }},
               {"u16", [](uint64_t x) { return S{u16(x)}; }},
               {"i32", [](uint64_t x) { return S{i32(x)}; }},
               {"u32", [](uint64_t x) { return S{u32(x)}; }},
               {"i64", [](uint64_t x) { return S{static_cast<int64_t>(x)}; }},
               {"u64", [](uint64_t x) { return S{x}; }}};
  auto cases = mixed_cases(kSpecial, 1000, 2);
  for (const auto& type : types) {
    for (const auto& relation : relations) {
      for (const std::string prefix : {"v_cmp_", "v_cmpx_"}) {
        const std::string id = prefix + relation.relation + "_" + type.type;
        for (const bool long_form : {false, true}) {
          const auto got = evaluate(id, cases, {.long_form = long_form});
          for (size_t i = 0; i < cases.size(); ++i)
            ASSERT_EQ(got[i].mask, relation.holds(type.value(cases[i].a), type.value(cases[i].b)))
                << id << " case " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::emu::testing
