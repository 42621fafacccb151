// SPDX-License-Identifier: MIT
// Vector instructions in a row that may run for some lanes before they run for others.
#pragma once
#include <bitset>

#include "emu/prepare.h"

namespace lockstep::emu::jit {

/// Which scalar registers a run uses and how. A mask that lanes write and read bit by bit does not
/// couple them; a value that all lanes read does, where the run writes it as a mask.
class LaneRun {
 public:
  explicit LaneRun(uint32_t wave_size) : wave_size_(wave_size) {}
  /// Takes the instruction into the run, unless lanes would see masks of other lanes too early or
  /// too late. Its own lanes must have nothing to do with each other.
  bool take(const Uop& u);

 private:
  /// Scalar registers by number.
  using Registers = std::bitset<128>;
  struct Uses {
    Registers values, results;
  };
  void collect(const Uop& u, Uses& uses) const;

  uint32_t wave_size_;
  Uses run_;
};

}  // namespace lockstep::emu::jit
