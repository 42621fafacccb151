// SPDX-License-Identifier: MIT
// Where the elements of matrix fragments lie: one rule with a few parameters serves gfx11's and
// gfx12's WMMA and CDNA's MFMA.
//
// A is M x K, B is K x N, C and D are M x N; `blocks` independent products run side by side. A lane
// holds `per_lane` elements of one row of A (or one column of B), consecutive in k; lanes go first
// through the rows, then through the blocks, then through k. gfx11 holds all of K in every lane and
// repeats it in each group of 16 lanes. C and D: a lane holds one column; registers hold `run`
// consecutive rows before the next group of lanes continues (lane groups are blocks where a block
// is narrower than the wave and all its rows fit a lane).
#pragma once
#include <cstdint>

namespace lockstep::emu {

struct MatrixShape {
  uint16_t m, n, k;
  uint16_t blocks = 1;
};

/// A place in a fragment: the lane, and the element's number in that lane's registers.
struct Place {
  unsigned lane, element;
};

struct MatrixLayout {
  MatrixShape shape;
  unsigned lanes;         ///< wave size
  unsigned run;           ///< consecutive rows of D in one lane
  bool repeated = false;  ///< gfx11: every group of 16 lanes holds A and B whole
  unsigned split = 1;     ///< a lane's elements of A and B come from that many parts of K

  unsigned k_groups(unsigned rows) const { return repeated ? 1 : lanes / (rows * shape.blocks); }
  /// Place of row (or column) `index` of block `block` at position `k`, of a fragment that has
  /// `depth` positions (A of a sparse product has half of K).
  Place source(unsigned rows, unsigned depth, unsigned block, unsigned index, unsigned k) const {
    const unsigned groups = k_groups(rows);
    const unsigned part = depth / split, each = part / groups;
    const unsigned group = k % part / each;
    return {index + rows * (block + shape.blocks * group), k / part * each + k % each};
  }
  /// Elements of C or D in one lane: all blocks together.
  unsigned results_per_lane() const { return shape.m * shape.n * shape.blocks / lanes; }
  Place result(unsigned block, unsigned row, unsigned column) const {
    const unsigned n = shape.n;
    // Blocks narrower than 16 columns lie side by side in the lanes, others one after the other.
    const unsigned side = n < 16 ? shape.blocks : 1;
    const unsigned groups = lanes / (n * side);
    const unsigned group = row / run % groups;
    const unsigned element = row % run + run * (row / (run * groups));
    const unsigned in_lanes = side == 1 ? 0 : block, in_registers = side == 1 ? block : 0;
    const unsigned per_block = shape.m / groups;
    return {column + n * (in_lanes + side * group), element + in_registers * per_block};
  }
};

}  // namespace lockstep::emu
