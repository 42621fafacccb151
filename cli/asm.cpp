// SPDX-License-Identifier: MIT
// `lockstep asm`: files to code objects; instructions to bytes, line for line or as one listing of hex.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "asm/assemble.h"
#include "asm/no_symbols.h"
#include "cli/app.h"
#include "cli/assemble_file.h"
#include "cli/files.h"
#include "cli/listing.h"
#include "cli/messages.h"
#include "cli/options.h"

namespace lockstep::cli {
namespace {

using nlohmann::json;

struct AsmCommand {
  std::string file, mcpu, mattr, output;
  std::vector<std::string> include_paths, defines;
  bool lines = false, hex = false, json_output = false, relocatable = false;
};

int fail(const std::string& message) { return bad_input("asm", "{}", message); }

asm_::AsmOptions asm_options(const Syntax& syntax) {
  return {.isa = isa::target_info(syntax.target).isa,
          .wave_size = syntax.lanes(),
          .real_true16 = syntax.real_true16};
}

/// Answers each line before it reads the next: a test may keep one process open.
void stream_lines(std::istream& in, const asm_::AsmOptions& options, bool as_json) {
  std::string line;
  while (std::getline(in, line)) {
    const asm_::AsmResult result = asm_::assemble_line(line, options);
    if (as_json) {
      json out = {{"input", line}};
      if (result)
        out["bytes"] = result.hex();
      else
        out.update({{"error", result.error().message}, {"column", result.error().column + 1}});
      fmt::print("{}\n", out.dump(-1, ' ', false, json::error_handler_t::replace));
    } else if (result) {
      fmt::print("{}\n", result.hex());
    } else {
      fmt::print("error: {}\n", result.error().message);
    }
    std::fflush(stdout);
  }
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// Hex of every line that holds an instruction; all errors are shown, in LLVM's form.
int show_hex(std::istream& in, const std::string& name, const asm_::AsmOptions& options) {
  std::string line, out;
  size_t number = 0, errors = 0;
  while (std::getline(in, line)) {
    ++number;
    if (is_blank(line)) continue;
    const asm_::AsmResult result = asm_::assemble_line(line, options);
    if (result) {
      out += result.inst().hex() + '\n';
      continue;
    }
    const asm_::AsmError& error = result.error();
    fmt::print(stderr, "{}:{}:{}: error: {}\n{}\n{:>{}}\n", name, number, error.column + 1,
               error.message, line, '^', error.column + 1);
    ++errors;
  }
  if (errors > 0) return kExitUsage;
  fmt::print("{}", out);
  return kExitOk;
}

Result<std::pair<std::string, int64_t>> parse_define(const std::string& text) {
  const size_t equals = text.find('=');
  size_t used = 0;
  int64_t value = 0;
  try {
    if (equals != std::string::npos) value = std::stoll(text.substr(equals + 1), &used, 0);
  } catch (const std::exception&) {
    used = 0;
  }
  if (equals == 0 || equals == std::string::npos || used == 0 || equals + 1 + used != text.size())
    return Error{fmt::format("--defsym={}: write NAME=NUMBER", text)};
  return std::pair(text.substr(0, equals), value);
}

/// FILE.s to FILE.co, or FILE.o.
std::string output_name(const AsmCommand& o) {
  if (!o.output.empty()) return o.output;
  const size_t dot = o.file.find_last_of('.'), slash = o.file.find_last_of('/');
  const bool has_ending = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  return (has_ending ? o.file.substr(0, dot) : o.file) + (o.relocatable ? ".o" : ".co");
}

int make_object(const AsmCommand& o) {
  if (o.file == "-" && o.output.empty()) return fail("the name of the result is missing: -o OUT");
  auto options = source_options(o.mcpu, o.mattr);
  if (!options) return fail(options.error());
  options->include_paths = o.include_paths;
  for (const std::string& define : o.defines) {
    const auto parsed = parse_define(define);
    if (!parsed) return fail(parsed.error());
    options->defines.push_back(*parsed);
  }
  const auto text = read_file(o.file);
  if (!text) return fail(text.error());
  const auto object =
      assemble_to_object({reinterpret_cast<const char*>(text->data()), text->size()},
                         o.file == "-" ? "<stdin>" : o.file, *options, o.relocatable);
  if (!object) return kExitUsage;
  const std::string name = output_name(o);
  if (name == "-") {
    std::fwrite(object->data(), 1, object->size(), stdout);
    return kExitOk;
  }
  std::ofstream out(name, std::ios::binary);
  out.write(reinterpret_cast<const char*>(object->data()),
            static_cast<std::streamsize>(object->size()));
  out.close();
  return out ? kExitOk : fail(fmt::format("{} cannot be written", name));
}

int run_asm(const AsmCommand& o) {
  if (o.file.empty()) return fail("FILE is missing (--help shows the usage)");
  if (!o.lines && !o.hex) return make_object(o);
  if (o.mcpu.empty()) return fail("--mcpu=TARGET is missing; there are: " + target_list());
  Syntax syntax;
  const auto target = parse_target(o.mcpu);
  if (!target) return fail("--mcpu: " + target.error());
  syntax.target = *target;
  if (auto good = syntax.apply_features(o.mattr); !good) return fail(good.error());
  asm_::AsmOptions options = asm_options(syntax);
  const asm_::NoSymbols no_symbols;
  if (o.lines) options.symbols = &no_symbols;
  if (o.file == "-" && o.lines) {
    stream_lines(std::cin, options, o.json_output);
    return kExitOk;
  }
  const auto bytes = read_file(o.file);
  if (!bytes) return fail(bytes.error());
  std::istringstream in(std::string(bytes->begin(), bytes->end()));
  if (o.hex) return show_hex(in, o.file == "-" ? "<stdin>" : o.file, options);
  stream_lines(in, options, o.json_output);
  return kExitOk;
}

}  // namespace

void add_asm(CLI::App& app, Action& action) {
  auto o = std::make_shared<AsmCommand>();
  CLI::App* sub =
      app.add_subcommand("asm", "Assemble LLVM's AMDGPU syntax to a code object or to bytes");
  sub->add_option("FILE", o->file, "File, or - for standard input")->option_text(" ");
  sub->add_option("--mcpu", o->mcpu, "Target: " + target_list())->option_text("TARGET");
  sub->add_option("--mattr", o->mattr, "Features, like +wavefrontsize64 or +real-true16")
      ->option_text("+F,-F");
  sub->add_option("-o", o->output, "The result; FILE.co (with -c: FILE.o) if it is not given")
      ->option_text("OUT");
  sub->add_flag("-c", o->relocatable, "A relocatable object instead of one that is ready to load");
  sub->add_option("-I", o->include_paths, "A folder in which .include looks")
      ->option_text("FOLDER")
      ->allow_extra_args(false);
  sub->add_option("--defsym", o->defines, "Sets a symbol before the first line")
      ->option_text("NAME=N")
      ->allow_extra_args(false);
  CLI::Option* lines = sub->add_flag(
      "--lines", o->lines,
      "Line for line: one instruction in, its bytes as hex or \"error: REASON\" out, at once");
  sub->add_flag("--hex", o->hex, "Bytes of all instructions as hex, one line each")
      ->excludes(lines);
  sub->add_flag("--json", o->json_output, "With --lines: one JSON object a line")->needs(lines);
  sub->footer(
      "\nExamples:\n"
      "  lockstep asm --mcpu=gfx1100 -o add.co add.s\n"
      "  clang -S ... && lockstep asm add.s   (the file names its target)\n"
      "  echo v_mov_b32 v0, 0 | lockstep asm --mcpu=gfx1100 --lines -\n"
      "  lockstep asm --mcpu=gfx1201 --hex kernel.s\n"
      "\nExit status: 0 done (--lines: also where lines are errors), 2 bad usage or input.");
  sub->callback([&action, o] { action = [o] { return run_asm(*o); }; });
}

}  // namespace lockstep::cli
