// SPDX-License-Identifier: MIT
// First example of docs/dsl.md: sum[i] = x[i] + y[i] for i < n.
#include "tests/dsl_examples/example.h"

namespace {

using namespace lockstep::dsl;
using lockstep::isa::Target;

lockstep::Result<std::vector<uint8_t>> vector_add(Target target) {
  KernelBuilder k(target, "vector_add");
  const Argument x = k.pointer("x"), y = k.pointer("y"), sum = k.pointer("sum");
  const Argument n = k.value<uint32_t>("n");
  k.load_argument(s(6, 7), x);
  k.load_argument(s(8, 9), y);
  k.load_argument(s(10, 11), sum);
  k.load_argument(s[12], n);
  k.group_id(s[13], 0);
  k.local_id(v[1], 0);
  k.s_lshl_b32(s[13], s[13], 6);      // groups of 64 work-items
  k.v_add_nc_u32(v[1], s[13], v[1]);  // i
  k.wait_all();
  const auto body = [&] {
    k.v_lshlrev_b32(v[2], 2, v[1]);
    k.global_load_b32(v[3], v[2], s(6, 7));
    k.global_load_b32(v[4], v[2], s(8, 9));
    k.wait_all();
    k.v_add_f32(v[3], v[3], v[4]);
    k.global_store_b32(v[2], v[3], s(10, 11));
  };
  k.v_cmp_gt_u32(s[12], v[1]);  // VCC: the lanes with n > i
  if (k.wave_size() == 32)
    k.if_lanes(s[14], vcc_lo, body);
  else
    k.if_lanes(s.at<2>(14), vcc, body);
  k.s_endpgm();
  return k.code_object();
}

void check(Target target) {
  constexpr uint32_t kCount = 1000;
  std::vector<float> x(kCount), y(kCount), sum(kCount + 64, -1.0f);
  for (uint32_t i = 0; i < kCount; ++i) {
    x[i] = static_cast<float>(i);
    y[i] = 0.5f * static_cast<float>(i);
  }
  const struct {
    const float *x, *y;
    float* sum;
    uint32_t n;
  } arguments{x.data(), y.data(), sum.data(), kCount};
  example::run(vector_add(target), "vector_add", (kCount + 63) / 64, 64, arguments,
               3 * sizeof(void*) + sizeof(uint32_t));
  for (uint32_t i = 0; i < kCount; ++i) example::require(sum[i] == x[i] + y[i], "a wrong sum");
  for (uint32_t i = kCount; i < sum.size(); ++i)
    example::require(sum[i] == -1.0f, "an element too much was written");
}

}  // namespace

int main() {
  for (const auto& target : lockstep::isa::all_targets()) check(target.target);
  std::puts("vector_add: right on every target");
}
