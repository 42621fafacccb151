// SPDX-License-Identifier: MIT
// Symbolic names of immediates: hardware registers, messages, counters, buffer formats. Both
// directions use these tables.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/target.h"

namespace lockstep::asm_ {

struct Symbol {
  uint16_t code;
  std::string_view name;
};

/// Names by code; codes may repeat for aliases, the first is the one printed.
std::span<const Symbol> hwreg_symbols(isa::Isa isa);
std::span<const Symbol> message_symbols(isa::Isa isa);
std::span<const Symbol> gs_operation_symbols();      ///< gfx9: operations of MSG_GS and MSG_GS_DONE
std::span<const Symbol> system_operation_symbols();  ///< gfx9: operations of MSG_SYSMSG
std::span<const Symbol> buffer_format_symbols();     ///< gfx11 and later: unified formats
std::span<const Symbol> data_format_symbols();       ///< gfx9: dfmt
std::span<const Symbol> number_format_symbols();     ///< gfx9: nfmt
std::span<const Symbol> version_symbols();           ///< s_version
/// Name of a code, or empty.
std::string_view find_symbol(std::span<const Symbol> table, unsigned code);
std::optional<uint16_t> find_code(std::span<const Symbol> table, std::string_view name);

/// A counter inside a 16-bit immediate.
struct CounterField {
  std::string_view name;
  uint8_t low, width;
  uint8_t low2 = 0, width2 = 0;  ///< upper bits that lie elsewhere
  unsigned mask() const { return (1u << (width + width2)) - 1; }
  unsigned get(unsigned value) const;
  unsigned place(unsigned count) const;
};
std::span<const CounterField> waitcnt_fields(isa::Isa isa);
std::span<const CounterField> depctr_fields(isa::Isa isa);

inline constexpr std::string_view kDelayInstIds[] = {
    "NO_DEP",        "VALU_DEP_1",    "VALU_DEP_2",    "VALU_DEP_3",        "VALU_DEP_4",
    "TRANS32_DEP_1", "TRANS32_DEP_2", "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1", "SALU_CYCLE_1",
    "SALU_CYCLE_2",  "SALU_CYCLE_3"};
inline constexpr std::string_view kDelaySkips[] = {"SAME",   "NEXT",   "SKIP_1",
                                                   "SKIP_2", "SKIP_3", "SKIP_4"};

std::string hwreg_text(isa::Isa isa, unsigned immediate);
std::string sendmsg_text(isa::Isa isa, unsigned immediate);
std::string waitcnt_text(isa::Isa isa, unsigned immediate);
std::string depctr_text(isa::Isa isa, unsigned immediate);
std::string delay_text(unsigned immediate);
std::string version_text(unsigned immediate);
std::string swizzle_text(isa::Isa isa, unsigned offset);
std::string dpp_ctrl_text(isa::Isa isa, unsigned ctrl);
std::string export_target_text(unsigned target);

}  // namespace lockstep::asm_
