// SPDX-License-Identifier: MIT
// The two clocks that a wave can read.
#pragma once
#include <chrono>
#include <cstdint>

namespace lockstep::emu {

inline uint64_t host_nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}
/// REFCLK: 100 MHz, constant.
inline uint64_t realtime_counter() { return host_nanoseconds() / 10; }
/// Shader clock: one tick a nanosecond, as if the core ran at 1 GHz.
inline uint64_t shader_clock() { return host_nanoseconds(); }

}  // namespace lockstep::emu
