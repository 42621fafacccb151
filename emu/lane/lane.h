// SPDX-License-Identifier: MIT
// Lane: all primitives of the scalar machine.
#pragma once
#include "emu/lane/float.h"

namespace lockstep::emu {

class Lane : public LaneFloat {
 public:
  using LaneFloat::LaneFloat;
};

}  // namespace lockstep::emu
