// SPDX-License-Identifier: MIT
// Third example of docs/dsl.md: D = A * B for tiles of 16 by 16, f16 in and f32 out.
#include "tests/dsl_examples/example.h"

namespace {

using namespace lockstep::dsl;
using lockstep::isa::Target;

/// A is stored by rows, B by columns, D by rows. gfx11 keeps row (column) l % 16 of A (B) in lane l,
/// and row 2 * i + l / 16, column l % 16 of D in register i of lane l.
lockstep::Result<std::vector<uint8_t>> wmma_tile() {
  KernelBuilder k(Target::kGfx1100, "wmma_tile");
  const Argument a = k.pointer("a"), b = k.pointer("b"), d = k.pointer("d");
  k.load_argument(s(6, 7), a);
  k.load_argument(s(8, 9), b);
  k.load_argument(s(10, 11), d);
  k.local_id(v[1], 0);
  k.v_and_b32(v[2], 15, v[1]);
  k.v_lshlrev_b32(v[2], 5, v[2]);  // 32 bytes a row
  k.wait_all();
  for (int half = 0; half < 2; ++half) {
    k.global_load_b128(v.at<4>(8 + 4 * half), v[2], s(6, 7)).offset(16 * half);
    k.global_load_b128(v.at<4>(16 + 4 * half), v[2], s(8, 9)).offset(16 * half);
  }
  for (int i = 0; i < 8; ++i) k.v_mov_b32(v[24 + i], 0);
  k.wait_all();
  k.v_wmma_f32_16x16x16_f16(v(24, 31), v(8, 15), v(16, 23), v(24, 31));
  k.v_lshlrev_b32(v[3], 2, v[1]);
  for (int i = 0; i < 8; ++i) k.global_store_b32(v[3], v[24 + i], s(10, 11)).offset(128 * i);
  k.s_endpgm();
  return k.code_object();
}

/// Small whole numbers as f16.
uint16_t half(int value) {
  static constexpr uint16_t kHalves[] = {0x0000, 0x3c00, 0x4000, 0x4200, 0x4400};
  return kHalves[value];
}

}  // namespace

int main() {
  constexpr int kSize = 16;
  std::vector<uint16_t> a(kSize * kSize), b(kSize * kSize);
  std::vector<float> d(kSize * kSize, -1.0f);
  const auto a_at = [](int row, int k) { return (3 * row + k) % 5; };
  const auto b_at = [](int k, int column) { return (k + 2 * column) % 4; };
  for (int i = 0; i < kSize; ++i) {
    for (int k = 0; k < kSize; ++k) {
      a[i * kSize + k] = half(a_at(i, k));
      b[i * kSize + k] = half(b_at(k, i));
    }
  }
  const struct {
    const uint16_t *a, *b;
    float* d;
  } arguments{a.data(), b.data(), d.data()};
  example::run(wmma_tile(), "wmma_tile", 1, 32, arguments);
  for (int row = 0; row < kSize; ++row) {
    for (int column = 0; column < kSize; ++column) {
      int want = 0;
      for (int k = 0; k < kSize; ++k) want += a_at(row, k) * b_at(k, column);
      example::require(d[row * kSize + column] == static_cast<float>(want), "a wrong element");
    }
  }
  std::puts("wmma_tile: right");
}
