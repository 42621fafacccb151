// SPDX-License-Identifier: MIT
// Matrix products in vectors of 16 columns. Operands are unpacked to planes: for each k, the rows
// of A and the columns of B side by side. f32 sums take one fused multiply-add a step in order of
// k, as the plain loops do; integer products of neighbouring k are added in pairs, exactly.
#include "emu/matrix/wide.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "isa/target.h"

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl")

namespace lockstep::emu {
namespace {

constexpr unsigned kWidth = 16, kMaxElements = 2048;

/// Elements as they are multiplied: floats, or pairs of 16-bit integers.
struct alignas(64) Planes {
  uint32_t word[kMaxElements];
};

/// 16 words of one register; `shift` brings the element to the low bits.
inline __m512i words_at(const uint32_t* at, unsigned shift) {
  return _mm512_srl_epi32(_mm512_loadu_si512(at), _mm_cvtsi32_si128(static_cast<int>(shift)));
}

/// Zeroes the low bits of what has none of `exponent`'s bits.
inline __m512i without_denormals(__m512i bits, uint32_t exponent, uint32_t sign) {
  const __mmask16 small =
      _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(static_cast<int>(exponent)));
  return _mm512_mask_and_epi32(bits, small, bits, _mm512_set1_epi32(static_cast<int>(sign)));
}

/// The 16-bit float that stands at bit `shift` of each word, widened.
template <Element kind>
inline __m512i half_element(__m512i word, bool high, bool flush, uint32_t flip) {
  if constexpr (kind == Element::kF16) {
    __m512i half = high ? _mm512_srli_epi32(word, 16) : word;
    if (flush) {
      half = _mm512_and_si512(half, _mm512_set1_epi32(0xffff));
      half = without_denormals(half, 0x7c00, 0x8000);
    }
    half = _mm512_xor_si512(half, _mm512_set1_epi32(static_cast<int>(flip)));
    return _mm512_castps_si512(_mm512_cvtph_ps(_mm512_cvtepi32_epi16(half)));
  } else {
    __m512i wide = high ? _mm512_and_si512(word, _mm512_set1_epi32(static_cast<int>(0xffff0000)))
                        : _mm512_slli_epi32(word, 16);
    if (flush) wide = without_denormals(wide, 0x7f800000, 0x80000000);
    return _mm512_xor_si512(wide, _mm512_set1_epi32(static_cast<int>(flip << 16)));
  }
}

/// Elements k and k + 1 of an integer type as two 16-bit numbers.
template <Element kind>
inline __m512i integer_pair(const uint32_t* at, unsigned shift) {
  const __m512i word = words_at(at, shift);
  constexpr int kBits = kind == Element::kI8 || kind == Element::kU8 ? 8 : 4;
  const __m512i low = _mm512_slli_epi32(word, 32 - kBits);
  const __m512i high = _mm512_slli_epi32(word, 32 - 2 * kBits);
  if constexpr (kind == Element::kI8 || kind == Element::kI4)
    return _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srai_epi32(low, 32 - kBits),
                                   _mm512_slli_epi32(_mm512_srai_epi32(high, 32 - kBits), 16));
  else
    return _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(low, 32 - kBits),
                                   _mm512_slli_epi32(_mm512_srli_epi32(high, 32 - kBits), 16));
}

constexpr bool is_integer(Element kind) {
  return kind == Element::kI8 || kind == Element::kU8 || kind == Element::kI4 ||
         kind == Element::kU4;
}

/// What unpacking one operand needs to know.
struct Fragment {
  const uint32_t* base;
  unsigned source;  ///< 0: A, 1: B
  bool flush;
};

/// The registers of one fragment; `rows` of A, or columns of B.
template <Element kind, unsigned rows>
void unpack(const WideProduct& p, const Fragment& f, unsigned block, uint32_t* out) {
  constexpr unsigned kBits = kind == Element::kI8 || kind == Element::kU8      ? 8
                             : kind == Element::kI4 || kind == Element::kU4    ? 4
                             : kind == Element::kF16 || kind == Element::kBf16 ? 16
                                                                               : 32;
  constexpr unsigned kPerWord = 32 / kBits;
  const MatrixCall& call = p.call;
  const unsigned blocks = p.layout.shape.blocks, groups = p.layout.k_groups(rows);
  const unsigned each = p.layout.shape.k / groups;
  // neg_lo flips the even elements, neg_hi the odd ones.
  const uint32_t flip_even = call.neg >> f.source & 1 ? 0x8000 : 0;
  const uint32_t flip_odd = call.neg_hi >> f.source & 1 ? 0x8000 : 0;
  for (unsigned group = 0; group < groups; ++group) {
    unsigned lane[rows / kWidth];
    for (unsigned v = 0; v < rows / kWidth; ++v) {
      lane[v] = rows * (block + blocks * group) + v * kWidth;
      if (f.source == 1 && p.broadcast) lane[v] = pattern_lane(call.blgp, lane[v]);
    }
    const uint32_t* words = f.base;
    for (unsigned e = 0; e < each; e += kPerWord, words += call.wave_size) {
      const unsigned here = each < kPerWord ? each : kPerWord;  // elements of this register
      for (unsigned v = 0; v < rows / kWidth; ++v) {
        const uint32_t* at = words + lane[v];
        uint32_t* to = out + v * kWidth;
        const __m512i word = _mm512_loadu_si512(at);
        if constexpr (kind == Element::kF32) {
          _mm512_store_si512(to, word);
        } else if constexpr (kBits == 16) {
          _mm512_store_si512(to, half_element<kind>(word, false, f.flush, flip_even));
          _mm512_store_si512(to + rows, half_element<kind>(word, true, f.flush, flip_odd));
        } else {
          for (unsigned pair = 0; pair < here / 2; ++pair)
            _mm512_store_si512(to + pair * rows, integer_pair<kind>(at, pair * 2 * kBits));
        }
      }
      out += rows * (is_integer(kind) ? here / 2 : here);
    }
  }
}

template <unsigned rows>
void unpack(const WideProduct& p, Element kind, const Fragment& f, unsigned block, uint32_t* out) {
  switch (kind) {
    case Element::kF16:
      return unpack<Element::kF16, rows>(p, f, block, out);
    case Element::kBf16:
      return unpack<Element::kBf16, rows>(p, f, block, out);
    case Element::kI8:
      return unpack<Element::kI8, rows>(p, f, block, out);
    case Element::kU8:
      return unpack<Element::kU8, rows>(p, f, block, out);
    case Element::kI4:
      return unpack<Element::kI4, rows>(p, f, block, out);
    case Element::kU4:
      return unpack<Element::kU4, rows>(p, f, block, out);
    default:
      return unpack<Element::kF32, rows>(p, f, block, out);
  }
}

/// a * b + sum. Of two NaN factors the first is the result: a compiler would exchange them at will.
inline __m512i multiply_add(__m512i a, __m512i b, __m512i sum) {
  asm("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  return sum;
}

/// sums[row][column] += the products, `rows` rows of `vectors` * 16 columns at a time.
template <unsigned rows, unsigned vectors, bool integer>
inline void multiply(const uint32_t* a, unsigned m, const uint32_t* b, unsigned steps,
                     uint32_t* sums) {
  __m512i sum[rows][vectors];
#pragma GCC unroll 16
  for (unsigned r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (unsigned v = 0; v < vectors; ++v)
      sum[r][v] = _mm512_load_si512(sums + (r * vectors + v) * kWidth);
  for (unsigned k = 0; k < steps; ++k) {
    __m512i columns[vectors];
#pragma GCC unroll 2
    for (unsigned v = 0; v < vectors; ++v)
      columns[v] = _mm512_load_si512(b + (k * vectors + v) * kWidth);
#pragma GCC unroll 16
    for (unsigned r = 0; r < rows; ++r) {
      const __m512i factor = _mm512_set1_epi32(static_cast<int>(a[k * m + r]));
#pragma GCC unroll 2
      for (unsigned v = 0; v < vectors; ++v) {
        if constexpr (integer)
          sum[r][v] = _mm512_add_epi32(sum[r][v], _mm512_madd_epi16(columns[v], factor));
        else
          sum[r][v] = multiply_add(factor, columns[v], sum[r][v]);
      }
    }
  }
#pragma GCC unroll 16
  for (unsigned r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (unsigned v = 0; v < vectors; ++v)
      _mm512_store_si512(sums + (r * vectors + v) * kWidth, sum[r][v]);
}

/// Shape of a result: `side` rows and columns; a lane holds `run` consecutive rows before the next
/// group of lanes continues.
template <unsigned side, unsigned run, unsigned groups>
struct Tile {
  static constexpr unsigned kSide = side, kWave = side * groups, kElements = side / groups;

  /// Calls visit(element number, lane of the first of 16 columns, their sums) for all results.
  template <class Visit>
  static inline void each_row(uint32_t* out, Visit visit) {
#pragma GCC unroll 32
    for (unsigned row = 0; row < side; ++row)
#pragma GCC unroll 2
      for (unsigned column = 0; column < side; column += kWidth, out += kWidth)
        visit(row % run + run * (row / (run * groups)), side * (row / run % groups) + column, out);
  }
};

template <class T, bool integer>
void multiply_block(unsigned k, const uint32_t* a, const uint32_t* b, uint32_t* sums) {
  const unsigned steps = integer ? k / 2 : k;
  if constexpr (T::kSide == 16) {
    multiply<16, 1, integer>(a, 16, b, steps, sums);
  } else {
    for (unsigned row = 0; row < 32; row += 8)
      multiply<8, 2, integer>(a + row, 32, b, steps, sums + row * 32);
  }
}

/// The register of a 16-bit result and the half of it.
struct HalfPlace {
  unsigned word;
  bool high;
};
inline HalfPlace half_place(const WideProduct& p, unsigned element) {
  if (p.layout.repeated) return {element, (p.call.opsel & 4) != 0};
  return {element / 2, element % 2 != 0};
}

template <class T>
void load_sums(const WideProduct& p, unsigned block, uint32_t* sums) {
  const MatrixCall& call = p.call;
  if (p.result == WideResult::kI32) {  // C comes last
    T::each_row(sums, [](unsigned, unsigned, uint32_t* out) {
      _mm512_store_si512(out, _mm512_setzero_si512());
    });
    return;
  }
  const __m512i absolute = _mm512_set1_epi32(call.neg_hi & 4 ? 0x7fffffff : -1);
  const __m512i flip = _mm512_set1_epi32(call.neg & 4 ? INT32_MIN : 0);
  const __m512i constant = _mm512_set1_epi32(static_cast<int>(call.c_constant));
  if (p.result == WideResult::kF32) {
    const uint32_t* c = call.c ? call.c + block * T::kElements * T::kWave : nullptr;
    const auto put = [&](uint32_t* out, __m512i bits) {
      _mm512_store_si512(out, _mm512_xor_si512(_mm512_and_si512(bits, absolute), flip));
    };
    if (c)
      T::each_row(sums, [&](unsigned element, unsigned lane, uint32_t* out) {
        put(out, _mm512_loadu_si512(c + element * T::kWave + lane));
      });
    else
      T::each_row(sums, [&](unsigned, unsigned, uint32_t* out) { put(out, constant); });
    return;
  }
  T::each_row(sums, [&](unsigned element, unsigned lane, uint32_t* out) {
    const HalfPlace half = half_place(p, block * T::kElements + element);
    __m512i word =
        call.c ? words_at(call.c + half.word * T::kWave + lane, half.high ? 16 : 0) : constant;
    word = _mm512_and_si512(word, _mm512_set1_epi32(0xffff));
    const __m512i bits = p.result == WideResult::kBf16
                             ? _mm512_slli_epi32(word, 16)
                             : _mm512_castps_si512(_mm512_cvtph_ps(_mm512_cvtepi32_epi16(word)));
    _mm512_store_si512(out, _mm512_xor_si512(_mm512_and_si512(bits, absolute), flip));
  });
}

/// To nearest even; NaNs become quiet.
inline __m512i narrow_bfloat(__m512i bits) {
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
  const __m512 value = _mm512_castsi512_ps(bits);
  const __mmask16 nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
  return _mm512_srli_epi32(_mm512_mask_or_epi32(rounded, nan, bits, _mm512_set1_epi32(0x00400000)),
                           16);
}

/// C + sum, kept in 32 bits or saturated.
inline __m512i add_integers(__m512i sum, __m512i c, bool clamp) {
  const __m512i total = _mm512_add_epi32(sum, c);
  if (!clamp) return total;
  const __m512i overflow =
      _mm512_andnot_si512(_mm512_xor_si512(sum, c), _mm512_xor_si512(total, c));
  const __m512i limit = _mm512_xor_si512(_mm512_srai_epi32(c, 31), _mm512_set1_epi32(INT32_MAX));
  return _mm512_mask_mov_epi32(total, _mm512_movepi32_mask(overflow), limit);
}

/// Integers meet C before anything is written.
template <class T>
void finish_integers(const WideProduct& p, unsigned block, uint32_t* sums) {
  const MatrixCall& call = p.call;
  T::each_row(sums, [&](unsigned element, unsigned lane, uint32_t* out) {
    const unsigned at = (block * T::kElements + element) * T::kWave + lane;
    const __m512i c = call.c ? _mm512_loadu_si512(call.c + at)
                             : _mm512_set1_epi32(static_cast<int>(call.c_constant));
    _mm512_store_si512(out, add_integers(_mm512_load_si512(out), c, call.clamp));
  });
}

template <class T>
void store_sums(const WideProduct& p, unsigned block, uint32_t* sums) {
  const MatrixCall& call = p.call;
  uint32_t* d = call.d + block * T::kElements * T::kWave;
  if (p.result == WideResult::kF32 && p.a.flush) {
    T::each_row(sums, [&](unsigned element, unsigned lane, uint32_t* out) {
      _mm512_storeu_si512(d + element * T::kWave + lane,
                          without_denormals(_mm512_load_si512(out), 0x7f800000, 0x80000000));
    });
    return;
  }
  if (p.result == WideResult::kF32 || p.result == WideResult::kI32) {
    T::each_row(sums, [&](unsigned element, unsigned lane, uint32_t* out) {
      _mm512_storeu_si512(d + element * T::kWave + lane, _mm512_load_si512(out));
    });
    return;
  }
  T::each_row(sums, [&](unsigned element, unsigned lane, uint32_t* out) {
    const __m512i bits = _mm512_load_si512(out);
    const __m512i half = p.result == WideResult::kBf16
                             ? narrow_bfloat(bits)
                             : _mm512_cvtepu16_epi32(_mm512_cvtps_ph(_mm512_castsi512_ps(bits),
                                                                     _MM_FROUND_TO_NEAREST_INT));
    const HalfPlace place = half_place(p, block * T::kElements + element);
    uint32_t* at = call.d + place.word * T::kWave + lane;
    const __m512i shifted = place.high ? _mm512_slli_epi32(half, 16) : half;
    _mm512_storeu_si512(at, _mm512_mask_blend_epi16(place.high ? 0xaaaaaaaa : 0x55555555,
                                                    _mm512_loadu_si512(at), shifted));
  });
}

template <class T>
void product(const WideProduct& p) {
  const MatrixShape& s = p.layout.shape;
  Planes a, b, sums;
  for (unsigned block = 0; block < s.blocks; ++block) {
    // CBSZ: groups of 2^cbsz blocks take the block ABID of their group.
    const unsigned group = p.broadcast ? (1u << p.call.cbsz) - 1 : 0;
    const unsigned wanted = (block & ~group) | (p.call.abid & group);
    const unsigned from = wanted < s.blocks ? wanted : s.blocks - 1u;
    unpack<T::kSide>(p, p.a.kind, {p.call.a, 0, p.a.flush}, from, a.word);
    unpack<T::kSide>(p, p.b.kind, {p.call.b, 1, p.b.flush}, block, b.word);
    uint32_t* mine = sums.word + block * T::kSide * T::kSide;
    load_sums<T>(p, block, mine);
    if (p.result == WideResult::kI32) {
      multiply_block<T, true>(s.k, a.word, b.word, mine);
      finish_integers<T>(p, block, mine);
    } else {
      multiply_block<T, false>(s.k, a.word, b.word, mine);
    }
  }
  for (unsigned block = 0; block < s.blocks; ++block)
    store_sums<T>(p, block, sums.word + block * T::kSide * T::kSide);
}

/// The function of a result's layout, nullptr if it has none.
void (*tile_of(const MatrixLayout& l))(const WideProduct&) {
  const MatrixShape& s = l.shape;
  if (s.m != s.n || s.m * s.k * s.blocks > kMaxElements || s.m * s.n * s.blocks > kMaxElements)
    return nullptr;
  if (s.n == 32) return l.run == 4 && l.lanes == 64 ? product<Tile<32, 4, 2>> : nullptr;
  if (s.n != 16) return nullptr;
  switch (l.run << 8 | l.lanes) {
    case 1 << 8 | 32:
      return product<Tile<16, 1, 2>>;
    case 1 << 8 | 64:
      return product<Tile<16, 1, 4>>;
    case 8 << 8 | 32:
      return product<Tile<16, 8, 2>>;
    case 4 << 8 | 64:
      return product<Tile<16, 4, 4>>;
    default:
      return nullptr;
  }
}

bool covered(Element kind, WideResult result) {
  switch (kind) {
    case Element::kI8:
    case Element::kU8:
    case Element::kI4:
    case Element::kU4:
      return result == WideResult::kI32;
    case Element::kF16:
    case Element::kBf16:
    case Element::kF32:
      return result != WideResult::kI32;
    default:
      return false;
  }
}

bool host_has_it() {
  static const bool yes = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return yes;
}

}  // namespace

bool multiply_wide(const WideProduct& p) {
  if (!host_has_it() || p.layout.split != 1) return false;
  if (!covered(p.a.kind, p.result) || !covered(p.b.kind, p.result)) return false;
  const auto function = tile_of(p.layout);
  if (!function) return false;
  function(p);
  return true;
}

}  // namespace lockstep::emu
#pragma GCC pop_options
#else
namespace lockstep::emu {
bool multiply_wide(const WideProduct&) { return false; }
}  // namespace lockstep::emu
#endif
