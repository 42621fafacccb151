// SPDX-License-Identifier: MIT
// Executed instructions as JSON: by class, by row, and which of the rows are not exact.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "emu/row_counts.h"

namespace lockstep::mockgpu {

/// {"classes": {"vector": N, ...}, "rows": [{"name", "target", "class", "count", "fidelity"}, ...]},
/// most frequent first. "target" is the first target of the instruction set.
nlohmann::json rows_json(const emu::RowCounts& counts);

}  // namespace lockstep::mockgpu
