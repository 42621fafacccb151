// SPDX-License-Identifier: MIT
// Names, masks and comparison of captured state.
#include "diff/state.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace lockstep::diff {
namespace {

constexpr uint64_t kMemoryBase = 0x2203'0000'0000;
constexpr uint32_t kUsualMode = 0xf0 | 1u << 8 | 1u << 9;  // keep denormals; DX10_CLAMP; IEEE
constexpr uint32_t kSgprsOfGfx9 = 102;

}  // namespace

uint32_t mode_mask(isa::Generation generation) {
  const uint32_t everywhere = 0xff | 1u << 23;  // rounding and denormals; FP16_OVFL
  return generation == isa::Generation::kGfx12 ? everywhere : everywhere | 3u << 8;
}

std::string Layout::name_of(uint32_t word) const {
  static constexpr const char* kNames[] = {"vcc_lo",  "vcc_hi", "m0",  "exec_lo",
                                           "exec_hi", "scc",    "mode"};
  if (word < kVccLo) return fmt::format("s{}", word);
  if (word <= kMode) return kNames[word - kVccLo];
  if (word < kScalarWords) return fmt::format("unused {}", word);
  if (word < lds_at()) {
    const uint32_t r = (word - kScalarWords) / wave_size, lane = (word - kScalarWords) % wave_size;
    return r < vgprs ? fmt::format("v{} lane {}", r, lane)
                     : fmt::format("a{} lane {}", r - vgprs, lane);
  }
  if (word < memory_at()) return fmt::format("lds[{:#x}]", (word - lds_at()) * 4);
  return fmt::format("memory[{:#x}]", (word - memory_at()) * 4);
}

uint32_t Layout::compared_bits(uint32_t word) const {
  const isa::Generation generation = isa::target_info(target).generation;
  if (word >= kScalarWords) return ~0u;
  if (word > kMode) return 0;
  if (word == kMode) return mode_mask(generation);
  if (word == kScc) return 1;
  if (word == kExecHi && wave_size == 32) return 0;
  // gfx9 has FLAT_SCRATCH and XNACK_MASK there.
  if (word >= kSgprsOfGfx9 && word < kVccLo && generation == isa::Generation::kGfx9) return 0;
  return ~0u;
}

Result<void> check_layout(const Layout& l) {
  const isa::TargetInfo& info = isa::target_info(l.target);
  const auto bad = [](const char* what, uint32_t value, const char* rule) {
    return Error{fmt::format("{} {}: {}", value, what, rule)};
  };
  if (l.wave_size != 64 && (l.wave_size != 32 || !info.has_wave32))
    return Error{fmt::format("{} has no waves of {} lanes", info.name, l.wave_size)};
  if (l.vgprs == 0 || l.vgprs % 8 || l.vgprs > kMostVgprs)
    return bad("VGPRs", l.vgprs, "a multiple of 8 up to 248; the capture kernel uses those above");
  if (l.agprs % 8 || l.agprs > kMostAgprs)
    return bad("ACCVGPRs", l.agprs, "a multiple of 8 up to 128");
  if (l.agprs && info.generation != isa::Generation::kGfx9)
    return bad("ACCVGPRs", l.agprs, "only CDNA has them");
  if (l.lds_bytes % 256 || l.lds_bytes > kMostLdsBytes)
    return bad("bytes of LDS", l.lds_bytes, "a multiple of 256 up to 32768");
  if (l.slot >= kMostSlots) return bad("as slot", l.slot, "below 64");
  if (l.memory_bytes % 256 || l.memory_bytes > kMostMemoryBytes)
    return bad("bytes of memory", l.memory_bytes, "a multiple of 256 up to 1048576");
  return {};
}

State background(const Layout& layout) {
  State state(layout.words());
  for (uint32_t i = 0; i < kVccLo; ++i) state[i] = 0x5a000000 | i;
  for (uint32_t r = 0; r < layout.vgprs + layout.agprs; ++r)
    for (uint32_t lane = 0; lane < layout.wave_size; ++lane)
      state[layout.vgpr_at(r, lane)] = 0xa5000000 | r << 8 | lane;
  for (uint32_t i = layout.lds_at(); i < layout.words(); ++i) state[i] = 0xc3000000 | i;
  const uint64_t exec = layout.lane_mask();
  state[kExecLo] = static_cast<uint32_t>(exec);
  state[kExecHi] = static_cast<uint32_t>(exec >> 32);
  state[kMode] = kUsualMode & mode_mask(isa::target_info(layout.target).generation);
  for (uint32_t i = 0; i < kScalarWords; ++i)
    if (layout.compared_bits(i) == 0) state[i] = 0;
  return state;
}

uint64_t memory_address(const Layout& layout, uint32_t index) {
  return kMemoryBase + uint64_t{layout.memory_bytes} * (layout.slot + index);
}

std::vector<Difference> differences(const Layout& layout, const State& a, const State& b,
                                    size_t limit) {
  std::vector<Difference> list;
  for (uint32_t i = 0; i < layout.words() && list.size() < limit; ++i)
    if (a[i] != b[i] && ((a[i] ^ b[i]) & layout.compared_bits(i))) list.push_back({i, a[i], b[i]});
  return list;
}

std::string describe(const Layout& layout, const Difference& d) {
  const std::string name = layout.name_of(d.word);
  if (d.word < kScalarWords || d.word >= layout.lds_at())
    return fmt::format("{}: {:#x} against {:#x}", name, d.a, d.b);
  return fmt::format("{}: {:#010x} ({:.9g}) against {:#010x} ({:.9g})", name, d.a,
                     std::bit_cast<float>(d.a), d.b, std::bit_cast<float>(d.b));
}

}  // namespace lockstep::diff
