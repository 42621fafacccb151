// SPDX-License-Identifier: MIT
// Symbolic immediates.
#include "asm/dsl/operand.h"

#include <fmt/format.h>

namespace lockstep::dsl {

Symbol vmcnt(unsigned n) { return {fmt::format("vmcnt({})", n)}; }
Symbol lgkmcnt(unsigned n) { return {fmt::format("lgkmcnt({})", n)}; }
Symbol expcnt(unsigned n) { return {fmt::format("expcnt({})", n)}; }
Symbol hwreg(std::string_view name, unsigned offset, unsigned size) {
  return {fmt::format("hwreg({}, {}, {})", name, offset, size)};
}
Symbol sendmsg(std::string_view name) { return {fmt::format("sendmsg({})", name)}; }

}  // namespace lockstep::dsl
