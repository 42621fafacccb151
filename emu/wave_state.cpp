// SPDX-License-Identifier: MIT
// Register file allocation.
#include "emu/wave_state.h"

#include <new>

namespace lockstep::emu {
namespace {

RegisterFile make_registers(size_t words) {
  if (words == 0) return nullptr;
  auto* p =
      static_cast<uint32_t*>(::operator new[](words * sizeof(uint32_t), std::align_val_t{64}));
  std::memset(p, 0, words * sizeof(uint32_t));
  return RegisterFile(p);
}

}  // namespace

void WaveState::allocate(uint32_t lanes, uint32_t vgpr_count, uint32_t agpr_count,
                         uint32_t sgpr_count) {
  *this = WaveState{};
  wave_size = lanes;
  num_vgprs = vgpr_count;
  num_agprs = agpr_count;
  num_sgprs = sgpr_count;
  vgprs = make_registers(size_t{vgpr_count} * lanes);
  agprs = make_registers(size_t{agpr_count} * lanes);
}

}  // namespace lockstep::emu
