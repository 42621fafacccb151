// SPDX-License-Identifier: MIT
// Lane: all primitives of the scalar machine.
#pragma once
#include "emu/lane/cross.h"

namespace lockstep::emu {

class Lane : public LaneCross {
 public:
  using LaneCross::LaneCross;
};

}  // namespace lockstep::emu
