// SPDX-License-Identifier: MIT
// Each CASE but 0 must not compile: see CMakeLists.txt, which also says what the compiler must say.
#include "asm/dsl/program.h"

using namespace lockstep::dsl;

void build(Program& p, [[maybe_unused]] int n) {
#if CASE == 0
  p.v_add_f32(v[1], v[2], s[3]);
  p.s_load_b64(s(4, 5), s(0, 1), 0);
  p.v_add_f64(v.at<2>(n), v(2, 3), s.at<2>(n + 2));
#if __cplusplus > 202002L
  p.s_load_b64(s[4, 5], s[0, 1], 0);
#endif
#elif CASE == 1
  p.v_add_f32(s[1], v[2], v[3]);  // a scalar result
#elif CASE == 2
  p.s_load_b64(s(4, 6), s(0, 1), 0);  // three registers for two
#elif CASE == 3
  p.s_load_b64(s[4], s(0, 1), 0);  // one register for two
#elif CASE == 4
  p.v_fmamk_f32(v[0], v[1], 0x1234, s[2]);  // only a VGPR can stand there
#elif CASE == 5
  p.s_add_u32(s[0], v[1], 1);  // a vector source of a scalar operation
#elif CASE == 6
  p.global_load_b32(v[0], v(2, 3), s(4, 5));  // 64-bit address and scalar base
#elif CASE == 7
  p.ds_add_rtn_u32(v[0], v[1]);  // the returning form has a result
#elif CASE == 8
  p.s_branch(4);  // a branch goes to a label
#elif CASE == 9
  p.v_add_f64(v(n, n + 1), v(2, 3), v(4, 5));  // a run of registers is constant; else v.at<2>(n)
#elif CASE == 10
  p.s_load_b64(s[4, 5], s(0, 1), 0);  // in C++20 that is s[5]
#elif CASE == 11
  p.v_wmma_f32_16x16x16_f16(v(0, 7), v(8, 14), v(16, 23), v(0, 7));  // seven registers
#endif
}
