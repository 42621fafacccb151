// SPDX-License-Identifier: MIT
// Allocation, copies and comparison of wave states.
#include "emu/wave_state.h"

#include <fmt/format.h>

#include <new>
#include <tuple>

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

void WaveState::copy_from(const WaveState& o) {
  const bool same_sizes = wave_size == o.wave_size && num_vgprs == o.num_vgprs &&
                          num_agprs == o.num_agprs && (vgprs || num_vgprs == 0);
  if (!same_sizes) allocate(o.wave_size, o.num_vgprs, o.num_agprs, o.num_sgprs);
  if (num_vgprs) std::memcpy(vgprs.get(), o.vgprs.get(), size_t{num_vgprs} * wave_size * 4);
  if (num_agprs) std::memcpy(agprs.get(), o.agprs.get(), size_t{num_agprs} * wave_size * 4);
  std::memcpy(scalar, o.scalar, sizeof scalar);
  pc = o.pc;
  scc = o.scc;
  mode = o.mode;
  status = o.status;
  trapsts = o.trapsts;
  hw_id = o.hw_id;
  flat_scratch = o.flat_scratch;
  barrier_done = o.barrier_done;
  joined_barrier = o.joined_barrier;
  num_sgprs = o.num_sgprs;
}

std::string first_difference(const WaveState& a, const WaveState& b) {
  const auto values = [](std::string_view what, uint64_t x, uint64_t y) {
    return fmt::format("{}: {:#x} against {:#x}", what, x, y);
  };
  const std::tuple<const char*, uint64_t, uint64_t> words[] = {
      {"pc", a.pc, b.pc},
      {"SCC", a.scc, b.scc},
      {"MODE", a.mode, b.mode},
      {"STATUS", a.status, b.status},
      {"TRAPSTS", a.trapsts, b.trapsts},
      {"completed barriers", a.barrier_done, b.barrier_done},
      {"joined barrier", a.joined_barrier, b.joined_barrier},
  };
  for (const auto& [name, x, y] : words)
    if (x != y) return values(name, x, y);
  for (unsigned i = 0; i < std::size(a.scalar); ++i)
    if (a.scalar[i] != b.scalar[i])
      return values(fmt::format("scalar register {}", i), a.scalar[i], b.scalar[i]);
  const auto registers = [&](char bank, const RegisterFile& x, const RegisterFile& y,
                             unsigned count) -> std::string {
    for (unsigned i = 0; i < count * a.wave_size; ++i)
      if (x[i] != y[i])
        return values(fmt::format("{}{} lane {}", bank, i / a.wave_size, i % a.wave_size), x[i],
                      y[i]);
    return "";
  };
  const std::string vector = registers('v', a.vgprs, b.vgprs, a.num_vgprs);
  return vector.empty() ? registers('a', a.agprs, b.agprs, a.num_agprs) : vector;
}

}  // namespace lockstep::emu
