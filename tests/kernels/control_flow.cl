// SPDX-License-Identifier: MIT
// Divergent control flow: switches, nested loops with break and continue, early returns.
static uint global_id(void) {
  return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
         __builtin_amdgcn_workitem_id_x();
}

// Steps of the Collatz sequence: every lane leaves the loop on its own.
kernel void collatz(global const uint* in, global uint* out, uint n) {
  const uint i = global_id();
  if (i >= n) return;
  uint steps = 0;
  for (uint x = in[i]; x > 1 && steps < 1000; ++steps) x = x & 1 ? 3 * x + 1 : x / 2;
  out[i] = steps;
}

// A switch in a loop: each lane interprets its own program of 8 nibbles.
kernel void interpreter(global const uint* programs, global int* out, uint n) {
  const uint i = global_id();
  if (i >= n) return;
  const uint program = programs[i];
  int a = (int)i, b = 1;
  for (int k = 0; k < 8; ++k) {
    switch ((program >> (4 * k)) & 15) {
      case 0:
        a += b;
        break;
      case 1:
        a -= b;
        break;
      case 2:
        b += a;
        break;
      case 3:
        a *= 3;
        break;
      case 4:
        b ^= a;
        break;
      case 5:
        a = -a;
        break;
      case 6:
        a >>= 1;
        break;
      case 7:
        b <<= 2;
        continue;
      case 8:
        if (a < 0) a = 0;
        break;
      case 9:
        k += 1;
        break;
      case 10:
        for (int j = 0; j < (b & 7); ++j) a += j;
        break;
      case 11:
        out[i] = a - b;
        return;
      default:
        b += k;
        break;
    }
    if (a > 1000000 || b > 1000000) break;
  }
  out[i] = a * 31 + b;
}

// Nested loops with different trip counts a lane.
kernel void nested(global const uint* in, global uint* out, uint n) {
  const uint i = global_id();
  if (i >= n) return;
  uint sum = 0;
  for (uint j = 0; j < in[i] % 13; ++j) {
    for (uint k = j; k < 20; ++k) {
      if ((k * j + in[i]) % 7 == 3) continue;
      if (k * j > 100) break;
      sum += k ^ j;
    }
    if (sum > 500) sum -= 250;
  }
  out[i] = sum;
}
