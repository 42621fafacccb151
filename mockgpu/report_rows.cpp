// SPDX-License-Identifier: MIT
// Sorts and names what RowCounts has.
#include "mockgpu/report_rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "isa/op_class.h"
#include "isa/target.h"

namespace lockstep::mockgpu {
namespace {

std::string first_target(isa::Isa isa) {
  for (const isa::TargetInfo& info : isa::all_targets())
    if (info.isa == isa) return std::string(info.name);
  return "?";
}

}  // namespace

nlohmann::json rows_json(const emu::RowCounts& counts) {
  using nlohmann::json;
  std::vector<std::tuple<uint64_t, isa::Isa, isa::Op>> ran;
  json classes = json::object();
  for (const auto& [isa, by_op] : counts.all())
    for (size_t i = 0; i < by_op.size(); ++i) {
      if (!by_op[i]) continue;
      const auto op = static_cast<isa::Op>(i);
      ran.emplace_back(by_op[i], isa, op);
      json& sum = classes[std::string(isa::to_string(isa::class_of(op)))];
      sum = (sum.is_null() ? 0 : sum.get<uint64_t>()) + by_op[i];
    }
  std::stable_sort(ran.begin(), ran.end(),
                   [](const auto& a, const auto& b) { return std::get<0>(a) > std::get<0>(b); });
  json rows = json::array();
  for (const auto& [count, isa, op] : ran)
    rows.push_back({{"name", isa::op_name(op, isa)},
                    {"target", first_target(isa)},
                    {"class", isa::to_string(isa::class_of(op))},
                    {"count", count},
                    {"fidelity", isa::to_string(isa::fidelity_of(op))}});
  return {{"classes", classes}, {"rows", rows}};
}

}  // namespace lockstep::mockgpu
