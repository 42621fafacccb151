// SPDX-License-Identifier: MIT
// Real function calls: not inlined, with results and arguments in registers and on the stack.
typedef struct {
  float sum;
  float product;
  int count;
} Summary;

static __attribute__((noinline)) float polynomial(float x, int degree) {
  float y = 1.0f;
  for (int i = 0; i < degree; ++i) y = y * x + (float)i;
  return y;
}

static __attribute__((noinline)) Summary summarise(const float* values, int count) {
  Summary s = {0.0f, 1.0f, count};
  for (int i = 0; i < count; ++i) {
    s.sum += values[i];
    s.product *= values[i];
  }
  return s;
}

static __attribute__((noinline)) float twice(float x, int degree) {
  return polynomial(x, degree) + polynomial(-x, degree + 1);
}

kernel void calls(global const float* in, global float* out, uint n) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i >= n) return;
  float values[5];
  for (int k = 0; k < 5; ++k) values[k] = twice(in[i], k);
  const Summary s = summarise(values, 3 + (int)(i % 3));  // the count differs from lane to lane
  out[i] = s.sum;
  out[i + n] = s.product;
  out[i + 2 * n] = (float)s.count;
}
