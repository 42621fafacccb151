// SPDX-License-Identifier: MIT
// Work across the lanes of a wave: DPP, permutes, swizzle, ballots, lane reads.
static uint lane_id(void) {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}

static uint global_id(void) {
  return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
         __builtin_amdgcn_workitem_id_x();
}

// Inclusive sum within rows of 16 lanes by DPP row_shr 1, 2, 4, 8 (0x110 + distance).
kernel void dpp_scan(global const int* in, global int* out) {
  const uint i = global_id();
  int x = in[i];
  x += __builtin_amdgcn_update_dpp(0, x, 0x111, 0xf, 0xf, false);
  x += __builtin_amdgcn_update_dpp(0, x, 0x112, 0xf, 0xf, false);
  x += __builtin_amdgcn_update_dpp(0, x, 0x114, 0xf, 0xf, false);
  x += __builtin_amdgcn_update_dpp(0, x, 0x118, 0xf, 0xf, false);
  out[i] = x;
}

// quad_perm reverses each quad, row_mirror each row; masked rows and banks keep the old value.
kernel void dpp_moves(global const int* in, global int* out, uint n) {
  const uint i = global_id();
  const int x = in[i];
  out[i + 0 * n] = __builtin_amdgcn_update_dpp(0, x, 0x1b, 0xf, 0xf, false);
  out[i + 1 * n] = __builtin_amdgcn_update_dpp(0, x, 0x140, 0xf, 0xf, false);
  out[i + 2 * n] = __builtin_amdgcn_update_dpp(-1, x, 0x140, 0x5, 0xf, false);
  out[i + 3 * n] = __builtin_amdgcn_update_dpp(-1, x, 0x1b, 0xf, 0x3, false);
  out[i + 4 * n] = __builtin_amdgcn_update_dpp(-1, x, 0x111, 0xf, 0xf, true);
}

// Inclusive sum over the whole wave: ds_bpermute within 32 lanes (RDNA3's reaches no further in
// wave64), then the lower half's total goes to the upper half.
kernel void wave_scan(global const int* in, global int* out) {
  const uint i = global_id();
  const uint lane = lane_id();
  int x = in[i];
  for (uint distance = 1; distance < 32; distance *= 2) {
    const int other = __builtin_amdgcn_ds_bpermute((int)(lane - distance) * 4, x);
    if ((lane & 31) >= distance) x += other;
  }
  const int lower = __builtin_amdgcn_readlane(x, 31);
  if (lane >= 32) x += lower;
  out[i] = x;
}

// Rotation of 32 lanes by ds_permute, xor-swap by ds_swizzle, the first lane's and lane 5's value.
kernel void permutes(global const int* in, global int* out, uint n) {
  const uint i = global_id();
  const uint lane = lane_id();
  const int x = in[i];
  const uint to = (lane & 32) | ((lane + 7) & 31);
  out[i + 0 * n] = __builtin_amdgcn_ds_permute((int)to * 4, x);
  out[i + 1 * n] = __builtin_amdgcn_ds_swizzle(x, 0x041f);  // lane ^ 1
  out[i + 2 * n] = __builtin_amdgcn_readfirstlane(x);
  out[i + 3 * n] = __builtin_amdgcn_readlane(x, 5);
}

// Rank of each lane among those with an odd value in its wave, and how many there are.
kernel void ballots(global const int* in, global int* out, uint n) {
  const uint i = global_id();
  const bool odd = in[i] & 1;
  const ulong votes = __builtin_amdgcn_ballot_w64(odd);
  out[i] = odd ? (int)__builtin_amdgcn_mbcnt_hi((uint)(votes >> 32),
                                                __builtin_amdgcn_mbcnt_lo((uint)votes, 0))
               : -1;
  out[i + n] = __builtin_popcountl(votes);
}
