// SPDX-License-Identifier: MIT
// `lockstep exec`: runs one kernel of a code object with arguments from the command line.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/app.h"
#include "cli/assemble_file.h"
#include "cli/exec_dump.h"
#include "cli/files.h"
#include "cli/input.h"
#include "cli/kernarg.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/table.h"
#include "mockgpu/options.h"
#include "mockgpu/report.h"

namespace lockstep::cli {
namespace {

using nlohmann::json;

constexpr uint64_t kPrintedElements = 256;  // larger arrays are shortened
constexpr uint64_t kJsonElements = 1000;
constexpr uint64_t kEdgeElements = 3;

struct ExecOptions {
  std::string file, kernel, grid, items, block = "1", mcpu, report;
  std::vector<std::string> args, dumps;
  EngineFlags engine;
  bool json_output = false, full = false;
};

int fail(const std::string& message) { return bad_input("exec", "{}", message); }

Result<LaunchShape> parse_shape_options(const ExecOptions& o) {
  const auto block = parse_triple("--block", o.block);
  if (!block) return Error{block.error()};
  if (o.grid.empty() == o.items.empty()) {
    return Error{
        "give the extent once: --grid=X[,Y[,Z]] in workgroups, or --items=X[,Y[,Z]] in "
        "work-items"};
  }
  if (!o.items.empty()) {
    const auto items = parse_triple("--items", o.items);
    if (!items) return Error{items.error()};
    return LaunchShape{*block, *items};
  }
  const auto grid = parse_triple("--grid", o.grid);
  if (!grid) return Error{grid.error()};
  return shape_of_groups(*grid, *block);
}

json element_json(DType type, const uint8_t* at) {
  const uint64_t bits = load_element(type, at);
  if (info_of(type).kind != DTypeClass::kFloat) return json::parse(integer_text(type, bits));
  const double value = printable_value(type, bits);
  if (std::isfinite(value)) return value;
  return element_text(type, bits);  // JSON has no inf and nan: they are text
}

json elements_json(const BoundArg& arg, uint64_t from, uint64_t to) {
  const uint64_t size = info_of(arg.spec.type).size;
  json list = json::array();
  for (uint64_t i = from; i < to; ++i) {
    list.push_back(element_json(arg.spec.type, arg.memory.data() + i * size));
  }
  return list;
}

json argument_json(size_t index, const BoundArg& arg, bool full) {
  json out = {{"index", index}, {"name", arg.name}, {"spec", arg.spec.text}};
  if (arg.spec.kind != ArgKindOf::kBuffer) return out;
  const uint64_t count = arg.memory.size() / info_of(arg.spec.type).size;
  out["type"] = info_of(arg.spec.type).name;
  out["shape"] = arg.shape;
  out["address"] = address_of(arg.memory);
  if (!arg.spec.output_file.empty()) out["file"] = arg.spec.output_file;
  if (!arg.spec.is_output) return out;
  if (full || count <= kJsonElements) {
    out["data"] = elements_json(arg, 0, count);
  } else {
    out["first"] = elements_json(arg, 0, kEdgeElements);
    out["last"] = elements_json(arg, count - kEdgeElements, count);
  }
  return out;
}

void print_buffer(size_t index, const BoundArg& arg, bool full) {
  const std::string name = arg.name.empty() ? "" : " " + arg.name;
  fmt::print(
      "argument {}{}, {} {}:\n{}\n", index, name, info_of(arg.spec.type).name,
      shape_text(arg.shape),
      array_text(arg.spec.type, arg.shape, arg.memory, full ? UINT64_MAX : kPrintedElements));
}

/// Writes files and prints what is to be printed.
int show_outputs(const Kernarg& kernarg, const ExecOptions& o, bool dump_all) {
  for (size_t i = 0; i < kernarg.args.size(); ++i) {
    const BoundArg& arg = kernarg.args[i];
    if (arg.spec.kind != ArgKindOf::kBuffer) continue;
    if (!arg.spec.output_file.empty()) {
      const auto done = write_npy(arg.spec.output_file, arg.spec.type, arg.shape, arg.memory);
      if (!done) return fail(fmt::format("argument {}: {}", i, done.error()));
      if (!o.json_output) {
        fmt::print("argument {} written to {}\n", i, arg.spec.output_file);
      }
    }
    const bool print = dump_all || (arg.spec.is_output && arg.spec.output_file.empty());
    if (print && !o.json_output) print_buffer(i, arg, o.full);
  }
  return kExitOk;
}

Result<void> write_report(const ExecOptions& o, const emu::DispatchRequest& request,
                          const emu::DispatchResult& result,
                          const std::shared_ptr<emu::RowCounts>& counts) {
  if (o.report.empty()) return {};
  mockgpu::Report report;
  const std::string target(isa::target_info(request.target).name);
  report.set_devices({{"lockstep exec", target}});
  report.share_row_counts(counts);
  report.dispatch(0, request.kernel_name, result.stats);
  if (!result.ok) {
    report.fault(0, emu::to_string(result.fault.kind), result.fault.describe());
  }
  // A session of its own: whatever the file held before is replaced.
  return report.write(o.report, fmt::format("exec-{}-{}", getpid(), time(nullptr)));
}

int finish(const ExecOptions& o, const Dumps& dumps, const emu::DispatchRequest& request,
           const emu::DispatchResult& result, const Kernarg& kernarg) {
  int status = kExitOk;
  if (result.ok) {
    status = show_outputs(kernarg, o, dumps.args);
  } else {
    // An impossible request is the caller's mistake, anything else the kernel's.
    status = result.fault.kind == emu::FaultKind::kBadDispatch ? kExitUsage : kExitFailed;
    std::fflush(stdout);
    fmt::print(stderr, "{}\n", result.fault.describe());
  }
  if (o.json_output) {
    json out = {
        {"kernel", request.kernel_name},    {"target", isa::target_info(request.target).name},
        {"wave_size", request.wave_size},   {"items", request.grid},
        {"block", request.block},           {"ok", result.ok},
        {"stats", stats_json(result.stats)}};
    if (result.ok) {
      out["arguments"] = json::array();
      for (size_t i = 0; i < kernarg.args.size(); ++i) {
        out["arguments"].push_back(argument_json(i, kernarg.args[i], o.full));
      }
    } else {
      out["fault"] = fault_json(result.fault);
    }
    fmt::print("{}\n", out.dump(2, ' ', false, json::error_handler_t::replace));
  } else if (result.ok) {
    const emu::DispatchStats& s = result.stats;
    fmt::print("{} on {}: {}, {}, {}, {}\n", request.kernel_name,
               isa::target_info(request.target).name, counted(s.workgroups, "workgroup"),
               counted(s.waves, "wave"), counted(s.wave_instructions, "wave-instruction"),
               short_time(s.seconds));
  }
  return status;
}

int run_exec(const ExecOptions& o) {
  if (o.file.empty()) return fail("FILE is missing (--help shows the usage)");
  std::optional<isa::Target> target;
  if (!o.mcpu.empty()) {
    const auto found = parse_target(o.mcpu);
    if (!found) return fail("--mcpu: " + found.error());
    target = *found;
  }
  if (auto good = emu::check_engine(o.engine.options().engine); !good) return fail(good.error());
  const auto environment =
      mockgpu::parse_options([](const char* name) -> const char* { return std::getenv(name); });
  if (!environment) return fail(environment.error());
  const auto dumps = parse_dumps(o.dumps);
  if (!dumps) return fail("--dump: " + dumps.error());
  if (dumps->jit && o.engine.options().engine == emu::Engine::kInterp)
    return fail("--dump=jit: the interpreter generates no code; it needs --engine=jit or verify");
  std::vector<ArgSpec> specs;
  for (size_t i = 0; i < o.args.size(); ++i) {
    auto spec = parse_arg_spec(o.args[i]);
    if (!spec) return fail(fmt::format("argument {} ({}): {}", i, o.args[i], spec.error()));
    specs.push_back(std::move(*spec));
  }
  const auto shape = parse_shape_options(o);
  if (!shape) return fail(shape.error());

  const auto file = read_file(o.file);
  if (!file) return fail(file.error());
  std::optional<std::vector<uint8_t>> assembled;
  if (is_assembly(*file, o.file)) {
    const auto options = source_options(o.mcpu, "");
    if (!options) return fail(options.error());
    assembled = assemble_to_object({reinterpret_cast<const char*>(file->data()), file->size()},
                                   o.file, *options, false);
    if (!assembled) return kExitUsage;
  }
  auto object = parse_input(assembled ? *assembled : *file, o.file, target);
  if (!object) return fail(object.error());

  emu::MemoryMap memory;
  Arena arena(&memory);
  const auto loaded = load_object(std::move(*object), arena);
  if (!loaded) return fail(fmt::format("{}: {}", o.file, loaded.error()));
  const auto chosen = choose_kernel(loaded->object, o.kernel);
  if (!chosen) return fail(fmt::format("{}: {}", o.file, chosen.error()));
  const loader::Kernel& kernel = **chosen;
  if (const auto good = check_shape(*shape, kernel); !good) return fail(good.error());

  if (const auto warning = shape_warning(*shape, kernel); !warning.empty()) {
    fmt::print(stderr, "lockstep exec: warning: {}\n", warning);
  }
  const uint32_t max_lds = isa::target_info(loaded->object.target).lds_bytes;
  const auto kernarg = build_kernarg(kernel, *shape, specs, max_lds, arena);
  if (!kernarg) return fail(kernarg.error());
  const LaunchContext context{*shape, kernarg->memory.empty() ? 0 : address_of(kernarg->memory),
                              kernarg->dynamic_lds, &memory};
  const auto request = make_request(*loaded, kernel, context, arena);
  if (!request) return fail(request.error());
  print_dumps(*dumps, *loaded, kernel, *kernarg);

  emu::DispatcherOptions options = o.engine.options();
  options.observers = environment->dispatcher.observers;
  if (dumps->jit) options.observers.dump_file = "-";
  if (!o.report.empty()) options.row_counts = std::make_shared<emu::RowCounts>();
  emu::Dispatcher dispatcher(options);
  const emu::DispatchResult result = dispatcher.run(*request);
  if (const auto done = write_report(o, *request, result, options.row_counts); !done)
    return fail(done.error());
  return finish(o, *dumps, *request, result, *kernarg);
}

const char* const kExamples =
    "\nExamples:\n"
    "  lockstep exec add.co --kernel=add --grid=4 --block=256 \\\n"
    "    --arg out:f32:1000 --arg iota:f32:1000 --arg in:f32:b.npy --arg i32:1000\n"
    "  lockstep exec sum.co --grid=1 --block=64 --arg in:i32:x.npy --arg out:i32:1:sum.npy\n"
    "\nExit status: 0 done, 1 the kernel failed (the report is on standard error), 2 bad usage or "
    "input.";

}  // namespace

void add_exec(CLI::App& app, Action& action) {
  auto o = std::make_shared<ExecOptions>();
  CLI::App* sub = app.add_subcommand(
      "exec", "Run one kernel of a code object or an assembler file, without any runtime");
  sub->add_option("FILE", o->file, "Code object, offload bundle or assembler text (.s)")
      ->option_text(" ");
  sub->add_option("--kernel", o->kernel, "Name of the kernel; may be left out if there is only one")
      ->option_text("NAME");
  sub->add_option("--grid", o->grid, "Number of workgroups")->option_text("X[,Y[,Z]]");
  sub->add_option("--items", o->items,
                  "Instead of --grid: work-items in all; the last group may be partial")
      ->option_text("X[,Y[,Z]]");
  sub->add_option("--block", o->block, "Work-items of a workgroup (1)")->option_text("X[,Y[,Z]]");
  sub->add_option("--arg", o->args, "One argument of the kernel, see below")
      ->option_text("SPEC")
      ->allow_extra_args(false);
  sub->add_option(
         "--dump", o->dumps,
         "Print more: descriptor, kernarg, code (before the run), jit (generated code), args "
         "(every buffer after it)")
      ->option_text("WHAT[,WHAT]")
      ->allow_extra_args(false);
  o->engine.declare(*sub);
  sub->add_option("--mcpu", o->mcpu,
                  "Target to take out of a bundle, or of assembler text that names none")
      ->option_text("TARGET");
  sub->add_option("--report", o->report, "Write what ran as JSON, in the form of `lockstep run`")
      ->option_text("FILE");
  sub->add_flag("--full", o->full, "Do not shorten printed arrays");
  sub->add_flag("--json", o->json_output, "Print results as JSON");
  sub->footer(std::string("\n") + kArgSpecHelp + "\n" + kExamples);
  sub->callback([&action, o] { action = [o] { return run_exec(*o); }; });
}

}  // namespace lockstep::cli
