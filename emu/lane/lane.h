// SPDX-License-Identifier: MIT
// Lane: all primitives of the scalar machine.
#pragma once
#include "emu/lane/small.h"

namespace lockstep::emu {

class Lane : public LaneSmall {
 public:
  using LaneSmall::LaneSmall;
};

}  // namespace lockstep::emu
