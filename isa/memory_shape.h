// SPDX-License-Identifier: MIT
// Sizes of the data of memory rows, from their parameters and identifiers.
#pragma once
#include <string_view>

#include "isa/types.h"

namespace lockstep::isa {

constexpr bool id_has(std::string_view id, std::string_view part) {
  return id.find(part) != std::string_view::npos;
}

/// Data registers of a row without exceptions for its name.
constexpr unsigned data_dwords(const MemParams& p) {
  if (p.kind == MemKind::kLoadFormat || p.kind == MemKind::kStoreFormat)
    return p.half == MemHalf::kWhole ? p.count : (p.count + 1u) / 2;
  return p.type == Type::kNone ? 1 : dwords_of(p.type);
}

/// Compare-and-swap takes the new value and the compared one in one group.
constexpr bool is_cmpswap(std::string_view id) { return id_has(id, "cmpswap"); }
constexpr unsigned atomic_data_dwords(std::string_view id, const MemParams& p) {
  return data_dwords(p) * (is_cmpswap(id) ? 2 : 1);
}

/// SMEM: registers of the base address.
constexpr unsigned smem_base_dwords(std::string_view id) {
  return id.starts_with("s_buffer") || id == "s_atc_probe_buffer" ? 4 : 2;
}

/// DS atomics.
constexpr bool ds_returns(std::string_view id) { return id_has(id, "_rtn_"); }
constexpr unsigned ds_atomic_data_dwords(std::string_view id, const MemParams& p) {
  return id_has(id, "condxchg32") ? 2 : data_dwords(p);
}
constexpr bool ds_atomic_has_second(std::string_view id) {
  return id_has(id, "cmpst") || id_has(id, "mskor") || id_has(id, "wrap");
}

}  // namespace lockstep::isa
