// SPDX-License-Identifier: MIT
// `lockstep diff`: instruction programs on two back ends, compared over the whole state of a wave.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/app.h"
#include "cli/files.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "diff/capture.h"
#include "diff/examine.h"
#include "diff/generate.h"
#include "diff/pack.h"
#include "diff/program_text.h"

namespace lockstep::cli {
namespace {

using nlohmann::json;

struct DiffOptions {
  std::string file, mcpu, match, backend, against, record, save;
  uint64_t seed = 1;
  uint32_t count = 8, per_form = 2, wave = 0, gpu = 0, max_findings = 10;
  bool device = false, list = false, show_kernel = false, json_output = false, quiet = false;
};

int fail(const std::string& message) { return bad_input("diff", "{}", message); }

Result<std::unique_ptr<diff::Backend>> make_backend(const std::string& name, size_t gpu) {
  if (name == "device") return diff::device_backend(gpu);
  if (const auto engine = emu::find_engine(name)) return diff::emulator_backend(*engine);
  return Error{
      fmt::format("there is no back end \"{}\"; there are: interp jit verify device, and "
                  "for --against the file of a pack",
                  name)};
}

bool is_backend(const std::string& name) { return name == "device" || emu::find_engine(name); }

/// Progress on a terminal, counts, findings, and the pack that is being written.
class Session {
 public:
  explicit Session(const DiffOptions& o) : o_(o), terminal_(!o.quiet && isatty(STDERR_FILENO)) {}

  void expect(uint64_t rows) { rows_ = rows; }
  void row_done() { ++rows_done_; }
  void ran(const diff::Program& program) {
    ++programs_;
    waves_ += program.inputs.size();
    if (!terminal_) return;
    const auto now = Clock::now();
    if (now - shown_ < std::chrono::milliseconds(200)) return;
    shown_ = now;
    const std::string rows = rows_ ? fmt::format("row {} of {}, ", rows_done_ + 1, rows_) : "";
    fmt::print(stderr, "\r\x1b[K{}{} programs, {} waves, {:.0f} waves/s, {} findings: {}", rows,
               programs_, waves_, static_cast<double>(waves_) / seconds(), found_, program.name);
    std::fflush(stderr);
  }
  bool full() const { return found_ >= o_.max_findings; }
  Result<void> found(diff::Finding finding) {
    ++found_;
    if (!o_.save.empty()) {
      std::error_code error;
      std::filesystem::create_directories(o_.save, error);
      std::string name = finding.name;
      for (char& c : name)
        if (!isalnum(static_cast<unsigned char>(c)) && c != '_') c = '_';
      finding_files_.push_back(fmt::format("{}/{}_{}.s", o_.save, name, found_));
      if (auto done = write_file(finding_files_.back(), finding.reproducer); !done) return done;
    }
    if (!o_.json_output) print(finding);
    findings_.push_back(std::move(finding));
    return {};
  }
  int finish(const std::string& a, const std::string& b, size_t excluded) {
    clear();
    if (o_.json_output) {
      print_json(a, b, excluded);
    } else {
      fmt::print("{} against {}: {} programs, {} waves, {:.1f} s: {}\n", a, b, programs_, waves_,
                 seconds(),
                 found_
                     ? fmt::format("{} differ{}", found_, full() ? " (and there it stopped)" : "")
                     : std::string("all equal"));
      if (excluded) fmt::print("{} rows are left out (--list says which and why)\n", excluded);
    }
    return found_ ? kExitFailed : kExitOk;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void clear() const {
    if (terminal_) fmt::print(stderr, "\r\x1b[K");
  }
  void print(const diff::Finding& f) const {
    clear();
    fmt::print("DIFFERENT: {}\n  {}\n", f.outcome, f.instruction);
    for (const std::string& line : f.differences) fmt::print("  {}\n", line);
    if (!f.note.empty()) fmt::print("  note: {}\n", f.note);
    if (!finding_files_.empty())
      fmt::print("  reproducer: {}\n\n", finding_files_.back());
    else
      fmt::print("  reproducer:\n----\n{}----\n\n", f.reproducer);
    std::fflush(stdout);
  }
  void print_json(const std::string& a, const std::string& b, size_t excluded) const {
    json list = json::array();
    for (size_t i = 0; i < findings_.size(); ++i) {
      const diff::Finding& f = findings_[i];
      list.push_back({{"name", f.name},
                      {"instruction", f.instruction},
                      {"outcome", f.outcome},
                      {"differences", f.differences},
                      {"note", f.note},
                      {"reproducer", f.reproducer}});
      if (i < finding_files_.size()) list.back()["file"] = finding_files_[i];
    }
    const json out = {{"a", a},
                      {"b", b},
                      {"programs", programs_},
                      {"waves", waves_},
                      {"equal", !found_},
                      {"excluded_rows", excluded},
                      {"findings", list},
                      {"seconds", seconds()}};
    fmt::print("{}\n", out.dump(2, ' ', false, json::error_handler_t::replace));
  }

  const DiffOptions& o_;
  const bool terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
  uint64_t rows_ = 0, rows_done_ = 0, programs_ = 0, waves_ = 0, found_ = 0;
  std::vector<diff::Finding> findings_;
  std::vector<std::string> finding_files_;
};

/// Two back ends, and what becomes of one program.
struct Pair {
  std::unique_ptr<diff::Backend> a, b;
  std::unique_ptr<diff::PackWriter> pack;

  Result<void> run(const diff::Program& program, Session& session) {
    const auto seen_a = a->run(program);
    if (!seen_a) return Error{seen_a.error()};
    const auto seen_b = b->run(program);
    if (!seen_b) return Error{seen_b.error()};
    if (pack)
      if (auto done = pack->add(program, *seen_b); !done) return done;
    session.ran(program);
    for (uint32_t i = 0; i < program.inputs.size() && !session.full(); ++i) {
      if (!diff::differ(program.layout, (*seen_a)[i], (*seen_b)[i])) continue;
      if (auto done = session.found(diff::examine(*a, *b, program, i)); !done) return done;
      break;  // one input of a program is enough
    }
    return {};
  }
};

int replay(const DiffOptions& o, Session& session) {
  if (!o.record.empty()) return fail("--record and a pack to replay exclude each other");
  if (!o.file.empty() || !o.match.empty())
    return fail("a pack brings its own programs: give neither FILE nor --match");
  auto pack = diff::PackReader::open(o.against);
  if (!pack) return fail(pack.error());
  const diff::PackHeader& header = (*pack)->header();
  if (!o.mcpu.empty()) {
    const auto target = parse_target(o.mcpu);
    if (!target) return fail("--mcpu: " + target.error());
    if (*target != header.target)
      return fail(fmt::format("{} was recorded on {}, not {}", o.against,
                              isa::target_info(header.target).name, o.mcpu));
  }
  auto backend = make_backend(o.backend, o.gpu);
  if (!backend) return fail(backend.error());
  const std::string recorded = "recorded on " + header.recorded_on;
  while (!session.full()) {
    const auto next = (*pack)->next();
    if (!next) return fail(next.error());
    if (!*next) break;
    const auto& [program, outcomes] = **next;
    const auto seen = (*backend)->run(program);
    if (!seen) return fail(seen.error());
    session.ran(program);
    for (uint32_t i = 0; i < program.inputs.size(); ++i) {
      if (!diff::differ(program.layout, (*seen)[i], outcomes[i])) continue;
      auto done = session.found(
          diff::compare_recorded(**backend, program, i, (*seen)[i], recorded, outcomes[i]));
      if (!done) return fail(done.error());
      break;
    }
  }
  return session.finish((*backend)->name(), recorded, 0);
}

int list_rows(const diff::Sweep& sweep, isa::Target target) {
  const isa::Isa isa = isa::target_info(target).isa;
  for (const isa::Op op : sweep.rows) fmt::print("{}\n", isa::op_name(op, isa));
  for (const diff::Excluded& e : sweep.excluded) fmt::print("# {}: {}\n", e.name, e.reason);
  return kExitOk;
}

Result<diff::GenerateOptions> generate_options(const DiffOptions& o,
                                               std::optional<isa::Target> target) {
  if (!target) return Error{"which target? --mcpu=gfx1100 (with --device: that of the GPU)"};
  diff::GenerateOptions g;
  g.target = *target;
  g.wave_size = o.wave;
  g.match = o.match.empty() ? "*" : o.match;
  g.seed = o.seed;
  g.count = o.count;
  g.per_form = o.per_form;
  if (o.wave && o.wave != 64 && (o.wave != 32 || !isa::target_info(*target).has_wave32))
    return Error{fmt::format("--wave={}: {} has waves of {} lanes", o.wave,
                             isa::target_info(*target).name,
                             isa::target_info(*target).has_wave32 ? "32 or 64" : "64")};
  return g;
}

Result<diff::Program> read_program(const DiffOptions& o, std::optional<isa::Target> target,
                                   uint32_t count) {
  const auto bytes = read_file(o.file);
  if (!bytes) return Error{bytes.error()};
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  return diff::parse_program(text, o.file, {target, o.seed, count});
}

int run_diff(const DiffOptions& given, bool count_given) {
  DiffOptions o = given;
  if (o.device && !o.against.empty()) return fail("--device is --against=device: give one of them");
  if (o.device) o.against = "device";
  if (o.against.empty()) o.against = "jit";
  if (o.backend.empty()) o.backend = o.against == "device" || o.against == "jit" ? "interp" : "jit";
  if (o.max_findings == 0) return fail("--max-findings is 1 or more");
  Session session(o);
  if (!is_backend(o.against)) return replay(o, session);
  if (!o.file.empty() && !o.match.empty()) return fail("FILE and --match exclude each other");

  std::optional<isa::Target> target;
  const bool on_device = o.against == "device" || o.backend == "device";
  if (!o.mcpu.empty()) {
    const auto found = parse_target(o.mcpu);
    if (!found) return fail("--mcpu: " + found.error());
    target = *found;
  } else if (on_device) {
    const auto found = diff::device_target(o.gpu);
    if (!found) return fail(found.error());
    target = *found;
  }

  std::optional<diff::Program> program;
  std::optional<diff::Sweep> sweep;
  std::optional<diff::GenerateOptions> options;
  if (!o.file.empty()) {
    auto read = read_program(o, target, count_given ? o.count : 1);
    if (!read) return fail(read.error());
    program = std::move(*read);
    target = program->layout.target;
    if (o.show_kernel) {
      fmt::print("{}", diff::capture_source(*program));
      return kExitOk;
    }
  } else {
    if (o.show_kernel) return fail("--show-kernel needs a FILE");
    const auto made = generate_options(o, target);
    if (!made) return fail(made.error());
    options = *made;
    auto planned = diff::plan_sweep(*options);
    if (!planned) return fail("--match: " + planned.error());
    sweep = std::move(*planned);
    if (o.list) return list_rows(*sweep, *target);
  }

  Pair pair;
  for (auto [backend, name] : {std::pair{&pair.a, &o.backend}, {&pair.b, &o.against}}) {
    auto made = make_backend(*name, o.gpu);
    if (!made) return fail(made.error());
    *backend = std::move(*made);
  }
  if (!o.record.empty()) {
    const std::optional<size_t> gpu =
        o.against == "device" ? std::optional<size_t>(o.gpu) : std::nullopt;
    auto pack =
        diff::PackWriter::open(o.record, {*target, pair.b->name(), diff::machine_facts(gpu)});
    if (!pack) return fail("--record: " + pack.error());
    pair.pack = std::move(*pack);
  }
  if (program) {
    if (auto done = pair.run(*program, session); !done) return fail(done.error());
  } else {
    session.expect(sweep->rows.size());
    for (const isa::Op op : sweep->rows) {
      for (const diff::Program& one : diff::generate(op, *options)) {
        if (auto done = pair.run(one, session); !done) return fail(done.error());
        if (session.full()) break;
      }
      if (session.full()) break;
      session.row_done();
    }
  }
  if (pair.pack)
    if (auto done = pair.pack->finish(); !done) return fail(done.error());
  return session.finish(pair.a->name(), pair.b->name(), sweep ? sweep->excluded.size() : 0);
}

const char* const kExamples =
    "\nExamples:\n"
    "  lockstep diff --mcpu=gfx1100 --match='v_add*'           interpreter against JIT\n"
    "  lockstep diff program.s --backend=interp --against=jit  a program with declared inputs\n"
    "  lockstep diff --device --record=mine.pack               on a card: compare and record\n"
    "  lockstep diff --against=mine.pack                       replay it anywhere\n"
    "docs/differential.md says how programs declare their inputs and what is captured.\n"
    "Exit status: 0 all equal, 1 something differs, 2 bad usage or input, or no device.";

}  // namespace

void add_diff(CLI::App& app, Action& action) {
  auto o = std::make_shared<DiffOptions>();
  CLI::App* sub = app.add_subcommand(
      "diff", "Run instruction programs on two back ends and compare the whole state");
  sub->add_option("FILE", o->file, "Program with declared inputs (.s); none: rows, see --match")
      ->option_text(" ");
  sub->add_option("--mcpu", o->mcpu, "Target; a FILE, a pack or a device may name it instead")
      ->option_text("TARGET");
  CLI::Option* match =
      sub->add_option("--match", o->match,
                      "Rows by mnemonic: * stands for any text, ? for a character (*)")
          ->option_text("PATTERN[,PATTERN]");
  sub->add_option("--backend", o->backend, "interp, jit, verify or device")->option_text("A");
  sub->add_option("--against", o->against, "The other one; or a recorded pack (jit)")
      ->option_text("B|FILE");
  sub->add_flag("--device", o->device, "Short for --against=device: a GPU through /dev/kfd");
  sub->add_option("--gpu", o->gpu, "Which GPU (0)")->option_text("N");
  sub->add_option("--record", o->record, "Write the programs and what B made of them as a pack")
      ->option_text("FILE");
  sub->add_option("--seed", o->seed, "Of values and operands (1)")->option_text("N");
  CLI::Option* count =
      sub->add_option("--count", o->count, "Inputs of each program (8; of a FILE 1)")
          ->option_text("N");
  sub->add_option("--per-form", o->per_form, "Instructions of each encoding of a row (2)")
      ->option_text("N");
  sub->add_option("--wave", o->wave, "Only waves of 32 or 64 lanes")->option_text("N");
  sub->add_option("--save", o->save, "Write reproducers there instead of printing them")
      ->option_text("FOLDER");
  sub->add_option("--max-findings", o->max_findings, "Stop after so many (10)")->option_text("N");
  sub->add_flag("--list", o->list, "Only list the rows, and those left out with the reason");
  sub->add_flag("--show-kernel", o->show_kernel, "Only print the kernel that FILE becomes");
  sub->add_flag("--json", o->json_output, "Print the result as JSON");
  sub->add_flag("--quiet", o->quiet, "No progress line");
  sub->footer(kExamples);
  sub->callback([&action, o, count, match] {
    const bool count_given = count->count() > 0;
    if (match->count() > 0 && o->match.empty()) o->match = ",";  // given, but nothing
    action = [o, count_given] { return run_diff(*o, count_given); };
  });
}

}  // namespace lockstep::cli
