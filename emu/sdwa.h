// SPDX-License-Identifier: MIT
// Sub-dword addressing (gfx9): sources are bytes or words of registers, results go to a byte or
// word.
#pragma once
#include "emu/context.h"
#include "emu/lane/sources.h"

namespace lockstep::emu {

/// Selection: 0..3 a byte, 4, 5 a word, 6 the dword.
struct SdwaPart {
  unsigned shift = 0, width = 32;
};
SdwaPart part_of(uint32_t select);

/// What happens to the bits beside the selected part of a result.
enum SdwaUnused : uint32_t { kSdwaPadZero = 0, kSdwaSignExtend = 1, kSdwaPreserve = 2 };

/// Replaces sources by the selected part, extended with its sign where asked.
void apply_sdwa(Context& c, const Uop& u, ValuSources& s);

/// Runs `row`, which writes a whole register, and merges its result as dst_sel and dst_unused say.
Step exec_sdwa(Context& c, const Uop& u, ExecFn row);

}  // namespace lockstep::emu
