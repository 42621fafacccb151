// SPDX-License-Identifier: MIT
// Second example of docs/dsl.md: the sum of 256 values in every workgroup, through LDS.
#include "tests/dsl_examples/example.h"

namespace {

using namespace lockstep::dsl;
using lockstep::isa::Target;

lockstep::Result<std::vector<uint8_t>> lds_reduction() {
  KernelBuilder k(Target::kGfx1100, "lds_reduction");
  const Argument in = k.pointer("in"), out = k.pointer("out");
  const uint32_t values = k.lds(256 * sizeof(float));
  k.load_argument(s(6, 7), in);
  k.load_argument(s(8, 9), out);
  k.group_id(s[10], 0);
  k.local_id(v[1], 0);
  k.v_lshlrev_b32(v[2], 2, v[1]);  // the place of this work-item in LDS
  k.s_lshl_b32(s[11], s[10], 10);  // of its workgroup in the input
  k.v_add_nc_u32(v[3], s[11], v[2]);
  k.wait_all();
  k.global_load_b32(v[4], v[3], s(6, 7));
  k.wait_all();
  k.ds_store_b32(v[2], v[4]).offset(values);

  k.s_mov_b32(s[12], 512);  // distance of the values that are added, in bytes: 512, 256, .. 4
  k.do_while_scc1([&] {
    k.barrier();
    k.v_cmp_gt_u32(s[12], v[2]);
    k.if_lanes(s[13], vcc_lo, [&] {
      k.v_add_nc_u32(v[5], s[12], v[2]);
      k.ds_load_b32(v[6], v[2]).offset(values);
      k.ds_load_b32(v[7], v[5]).offset(values);
      k.wait_all();
      k.v_add_f32(v[6], v[6], v[7]);
      k.ds_store_b32(v[2], v[6]).offset(values);
    });
    k.s_lshr_b32(s[12], s[12], 1);
    k.s_cmp_ge_u32(s[12], 4);
  });

  k.v_cmp_eq_u32(0, v[1]);
  k.if_lanes(s[13], vcc_lo, [&] {  // v6 still holds the sum there
    k.s_lshl_b32(s[10], s[10], 2);
    k.v_mov_b32(v[3], s[10]);
    k.global_store_b32(v[3], v[6], s(8, 9));
  });
  k.s_endpgm();
  return k.code_object();
}

}  // namespace

int main() {
  constexpr uint32_t kGroups = 5, kItems = 256;
  std::vector<float> in(kGroups * kItems), out(kGroups, -1.0f);
  for (uint32_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 97);
  const struct {
    const float* in;
    float* out;
  } arguments{in.data(), out.data()};
  example::run(lds_reduction(), "lds_reduction", kGroups, kItems, arguments);
  for (uint32_t g = 0; g < kGroups; ++g) {
    float want = 0;  // small whole numbers: exact in any order
    for (uint32_t i = 0; i < kItems; ++i) want += in[g * kItems + i];
    example::require(out[g] == want, "a wrong sum");
  }
  std::puts("lds_reduction: right");
}
