// SPDX-License-Identifier: MIT
// What ran, for people: a table of kernels, and the JSON of results and faults.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "emu/dispatch.h"

namespace lockstep::cli {

/// A table of the report that the driver wrote (mockgpu::Report's JSON): kernels of all processes
/// and devices, heaviest first, and what else is worth knowing.
std::string summary_table(const nlohmann::json& report);

/// "1.5 M", "734.8 k": three or four significant digits with a unit.
std::string short_count(double value);
std::string short_time(double seconds);
/// "1 wave", "2 waves".
std::string counted(uint64_t count, const char* thing);

nlohmann::json stats_json(const emu::DispatchStats& stats);
nlohmann::json fault_json(const emu::Fault& fault);

}  // namespace lockstep::cli
