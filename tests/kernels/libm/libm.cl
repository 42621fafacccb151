// SPDX-License-Identifier: MIT
// The device library's mathematics: one kernel a function and type, so that results can be compared with the host's.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define INDEX (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())

#define UNARY_OF(name, T, suffix)                                                \
  T __ocml_##name##_##suffix(T);                                                 \
  kernel void name##_##suffix(global const T* x, global T* out, uint n) {        \
    uint i = INDEX;                                                              \
    if (i < n) out[i] = __ocml_##name##_##suffix(x[i]);                          \
  }
#define BINARY_OF(name, T, suffix)                                                               \
  T __ocml_##name##_##suffix(T, T);                                                              \
  kernel void name##_##suffix(global const T* x, global const T* y, global T* out, uint n) {     \
    uint i = INDEX;                                                                              \
    if (i < n) out[i] = __ocml_##name##_##suffix(x[i], y[i]);                                    \
  }
#define UNARY(name) UNARY_OF(name, float, f32) UNARY_OF(name, double, f64)
#define HALF(name) UNARY_OF(name, half, f16)
#define BINARY(name) BINARY_OF(name, float, f32) BINARY_OF(name, double, f64)

UNARY(acos)
UNARY(acosh)
UNARY(asin)
UNARY(asinh)
UNARY(atan)
UNARY(atanh)
UNARY(cbrt)
UNARY(ceil)
UNARY(cos)
UNARY(cosh)
UNARY(erf)
UNARY(erfc)
UNARY(exp)
UNARY(exp10)
UNARY(exp2)
UNARY(expm1)
UNARY(floor)
UNARY(lgamma)
UNARY(log)
UNARY(log10)
UNARY(log1p)
UNARY(log2)
UNARY(rint)
UNARY(round)
UNARY(rsqrt)
UNARY(sin)
UNARY(sinh)
UNARY(sqrt)
UNARY(tan)
UNARY(tanh)
UNARY(tgamma)
UNARY(trunc)
BINARY(atan2)
BINARY(fdim)
BINARY(fmax)
BINARY(fmin)
BINARY(fmod)
BINARY(hypot)
BINARY(nextafter)
BINARY(pow)
BINARY(remainder)
HALF(cos)
HALF(exp)
HALF(log)
HALF(rsqrt)
HALF(sqrt)
HALF(tanh)
