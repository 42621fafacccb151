// SPDX-License-Identifier: MIT
// `lockstep isa`: which instructions a target has, and which of them are executed.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/app.h"
#include "cli/isa_jit.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "emu/coverage.h"
#include "isa/names.h"
#include "isa/op.h"
#include "isa/op_class.h"

namespace lockstep::cli {
namespace {

using nlohmann::json;

struct IsaOptions {
  std::string engine, mcpu, match;
  bool coverage = false, json_output = false;
};

struct Row {
  isa::Op op;
  std::string name;
  isa::Format format;
  int opcode;
  std::string_view excluded;  ///< why it is not executed; empty if it is
  bool executed() const { return excluded.empty(); }
};

std::vector<Row> rows_of(isa::Isa isa) {
  std::vector<Row> rows;
  for (int i = 0; i < isa::kOpCount; ++i) {
    const auto op = static_cast<isa::Op>(i);
    if (!isa::exists_on(op, isa)) continue;
    const isa::Format format = isa::op_info(op).format;
    rows.push_back({op, std::string(isa::op_name(op, isa)), format, isa::opcode_in(op, isa, format),
                    emu::why_not_executed(op, isa)});
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(a.format, a.opcode, a.name) < std::tie(b.format, b.opcode, b.name);
  });
  return rows;
}

int executed_in(const std::vector<Row>& rows) {
  return static_cast<int>(
      std::count_if(rows.begin(), rows.end(), [](const Row& r) { return r.executed(); }));
}

/// Names of the rows that are not executed, by reason.
std::map<std::string_view, std::vector<std::string>> exclusions(const std::vector<Row>& rows) {
  std::map<std::string_view, std::vector<std::string>> out;
  for (const Row& row : rows)
    if (!row.executed()) out[row.excluded].push_back(row.name);
  return out;
}

/// Operands as the row says: results, then sources.
json signature(const isa::OpInfo& row) {
  const isa::OpInfo& info = isa::op_info(row.base);  // VOPD rows have those of the single operation
  const auto list = [](const isa::Opnd* o, int n) {
    static constexpr const char* kPlaces[] = {"any", "vgpr", "sgpr", "scalar source", "literal"};
    json out = json::array();
    for (int i = 0; i < n; ++i)
      out.push_back({{"type", isa::type_name(o[i].type)},
                     {"registers", o[i].dwords},
                     {"place", kPlaces[static_cast<size_t>(o[i].place)]}});
    return out;
  };
  json out = {{"results", list(info.dsts, info.n_dsts)}, {"sources", list(info.srcs, info.n_srcs)}};
  if (info.flags & isa::ACC) out["result_is_source"] = true;
  if (info.mem.type != isa::Type::kNone) out["memory_type"] = isa::type_name(info.mem.type);
  return out;
}

std::string signature_text(const isa::OpInfo& row) {
  const isa::OpInfo& info = isa::op_info(row.base);
  const auto list = [](const isa::Opnd* o, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) {
      if (i) out += ", ";
      out += isa::type_name(o[i].type);
      if (o[i].dwords != isa::dwords_of(o[i].type)) out += fmt::format("x{}", o[i].dwords);
    }
    return out;
  };
  if (info.mem.type != isa::Type::kNone)
    return fmt::format("memory {}", isa::type_name(info.mem.type));
  if (info.n_dsts + info.n_srcs == 0) return "";
  return fmt::format("({}) <- ({})", list(info.dsts, info.n_dsts), list(info.srcs, info.n_srcs));
}

/// Encodings beside the plain one.
json forms(isa::Op op, isa::Isa isa) {
  using isa::Format;
  const Format native = isa::op_info(op).format;
  const bool is_short = native == Format::VOP1 || native == Format::VOP2 || native == Format::VOPC;
  json out = json::array({isa::format_name(native)});
  if (is_short && isa::opcode_in(op, isa, Format::VOP3) >= 0) out.push_back("VOP3");
  return out;
}

/// One entry a target, or a comma-joined one for targets that share every opcode.
int print_coverage(const std::vector<isa::Target>& targets, bool as_json) {
  json out = json::array();
  if (!as_json)
    fmt::print("{:<36} {:>12} {:>10} {:>8}\n", "targets", "instructions", "executed", "share");
  for (size_t i = 0; i < targets.size(); ++i) {
    const isa::Isa isa = isa::target_info(targets[i]).isa;
    std::string names(isa::target_info(targets[i]).name);
    json list = {isa::target_info(targets[i]).name};
    while (i + 1 < targets.size() && isa::target_info(targets[i + 1]).isa == isa) {
      names += " " + std::string(isa::target_info(targets[++i]).name);
      list.push_back(isa::target_info(targets[i]).name);
    }
    const auto rows = rows_of(isa);
    const int executed = executed_in(rows);
    if (as_json) {
      json formats = json::object();
      for (const Row& row : rows) {
        json& f = formats[isa::format_name(row.format)];
        if (f.is_null()) f = {{"instructions", 0}, {"executed", 0}};
        f["instructions"] = f["instructions"].get<int>() + 1;
        f["executed"] = f["executed"].get<int>() + (row.executed() ? 1 : 0);
      }
      json excluded = json::array();
      for (const auto& [reason, names_of] : exclusions(rows))
        excluded.push_back({{"reason", reason}, {"instructions", names_of}});
      out.push_back({{"targets", list},
                     {"instructions", rows.size()},
                     {"executed", executed},
                     {"excluded", excluded},
                     {"formats", formats}});
    } else {
      const double share = rows.empty() ? 0 : 100.0 * executed / static_cast<double>(rows.size());
      fmt::print("{:<36} {:>12} {:>10} {:>7.1f}%\n", names, rows.size(), executed, share);
      for (const auto& [reason, names_of] : exclusions(rows))
        fmt::print("  {:>5} excluded: {}\n", names_of.size(), reason);
    }
  }
  if (as_json) fmt::print("{}\n", out.dump(2));
  return kExitOk;
}

int print_rows(isa::Target target, const IsaOptions& o) {
  auto rows = rows_of(isa::target_info(target).isa);
  std::erase_if(rows, [&](const Row& r) { return r.name.find(o.match) == std::string::npos; });
  if (o.json_output) {
    json list = json::array();
    for (const Row& r : rows) {
      list.push_back({{"name", r.name},
                      {"row", isa::op_info(r.op).id},
                      {"format", isa::format_name(r.format)},
                      {"opcode", r.opcode},
                      {"forms", forms(r.op, isa::target_info(target).isa)},
                      {"operands", signature(isa::op_info(r.op))},
                      {"class", isa::to_string(isa::class_of(r.op))},
                      {"executed", r.executed()}});
      if (r.executed())
        list.back()["fidelity"] = isa::to_string(isa::fidelity_of(r.op));
      else
        list.back()["excluded"] = r.excluded;
    }
    const json out = {{"target", isa::target_info(target).name},
                      {"instructions", rows.size()},
                      {"executed", executed_in(rows)},
                      {"rows", list}};
    fmt::print("{}\n", out.dump(2));
    return kExitOk;
  }
  for (const Row& r : rows) {
    fmt::print("{:<40} {:<8} {:>#6x}  {:<44} {}\n", r.name, isa::format_name(r.format), r.opcode,
               signature_text(isa::op_info(r.op)),
               r.executed() ? "executed" : fmt::format("decoded only: {}", r.excluded));
  }
  fmt::print("{} instructions, {} executed\n", rows.size(), executed_in(rows));
  return kExitOk;
}

int run_isa(const IsaOptions& o) {
  std::vector<isa::Target> targets;
  if (!o.mcpu.empty()) {
    const auto target = parse_target(o.mcpu);
    if (!target) return bad_input("isa", "--mcpu: {}", target.error());
    targets.push_back(*target);
  } else if (o.coverage) {
    for (const isa::TargetInfo& info : isa::all_targets()) targets.push_back(info.target);
  } else {
    return bad_input("isa", "--mcpu=TARGET is needed; there are: {}", target_list());
  }
  if (!o.engine.empty()) {
    if (o.engine != "jit" || !o.coverage)
      return bad_input("isa", "--engine takes \"jit\", together with --coverage, not \"{}\"",
                       o.engine);
    return print_jit_coverage(targets, o.json_output);
  }
  return o.coverage ? print_coverage(targets, o.json_output) : print_rows(targets.front(), o);
}

}  // namespace

void add_isa(CLI::App& app, Action& action) {
  auto o = std::make_shared<IsaOptions>();
  CLI::App* sub =
      app.add_subcommand("isa", "List the instructions of a target and which are executed");
  sub->add_option("--mcpu", o->mcpu, "Target: " + target_list())->option_text("TARGET");
  sub->add_option("--match", o->match, "Only names that contain this text")->option_text("TEXT");
  sub->add_flag("--coverage", o->coverage, "Only counts; of all targets if --mcpu is not given");
  sub->add_option("--engine", o->engine,
                  "jit, with --coverage: which rows it compiles, and which by name it does not")
      ->option_text("jit");
  sub->add_flag("--json", o->json_output, "Print JSON");
  sub->footer(
      "\nExamples:\n"
      "  lockstep isa --mcpu=gfx1100 --match=wmma\n"
      "  lockstep isa --coverage --json");
  sub->callback([&action, o] { action = [o] { return run_isa(*o); }; });
}

}  // namespace lockstep::cli
