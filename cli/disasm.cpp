// SPDX-License-Identifier: MIT
// `lockstep disasm`: code objects, raw bytes, or hex line for line.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "asm/disassemble.h"
#include "cli/app.h"
#include "cli/explain.h"
#include "cli/files.h"
#include "cli/input.h"
#include "cli/listing.h"
#include "cli/messages.h"
#include "cli/object_text.h"
#include "cli/options.h"
#include "loader/bundle.h"

namespace lockstep::cli {
namespace {

using nlohmann::json;

struct DisasmOptions {
  std::string file, mcpu, mattr, kernel;
  bool lines = false, json_output = false, explain = false;
};

int fail(const std::string& message) { return bad_input("disasm", "{}", message); }

/// Answers each line before it reads the next: a test may keep one process open.
int stream_lines(const DisasmOptions& o, const Syntax& syntax) {
  const auto answer = [&](std::istream& in) {
    std::string line;
    while (std::getline(in, line)) {
      const std::string text = disassemble_line(line, syntax);
      if (o.json_output) {
        json out = {{"input", line}};
        out[text.starts_with("error: ") ? "error" : "text"] =
            text.starts_with("error: ") ? text.substr(7) : text;
        if (const auto inst = decode_hex(line, syntax))
          out.update(instruction_json(*inst, syntax, o.explain));
        fmt::print("{}\n", out.dump(-1, ' ', false, json::error_handler_t::replace));
      } else {
        fmt::print("{}\n", text);
        const auto inst = o.explain ? decode_hex(line, syntax) : std::nullopt;
        if (inst) fmt::print("{}\n", explain_text(*inst, syntax, 2));
      }
      std::fflush(stdout);
    }
  };
  if (o.file == "-") {
    answer(std::cin);
    return kExitOk;
  }
  const auto bytes = read_file(o.file);
  if (!bytes) return fail(bytes.error());
  std::istringstream in(std::string(bytes->begin(), bytes->end()));
  answer(in);
  return kExitOk;
}

json listing_json(const Listing& listing, bool fields) {
  json instructions = json::array();
  for (const ListedInstruction& line : listing.instructions) {
    json entry = {{"address", line.address}, {"bytes", line.bytes}, {"text", line.text}};
    if (!line.error.empty()) entry["error"] = line.error;
    if (line.repeat > 1) entry["repeat"] = line.repeat;
    if (const auto inst = decode_hex(line.bytes, listing.syntax)) {
      entry.update(instruction_json(*inst, listing.syntax, fields));
      if (const auto target = asm_::branch_target(*inst, line.address)) entry["target"] = *target;
    }
    const auto label = listing.labels.find(line.address);
    if (label != listing.labels.end()) entry["label"] = label->second;
    instructions.push_back(entry);
  }
  return {{"name", listing.name}, {"address", listing.address}, {"instructions", instructions}};
}

json kernel_json(const loader::Kernel& kernel, isa::Target target) {
  const loader::KernelDescriptor& d = kernel.descriptor;
  return {{"name", kernel.name},
          {"entry", kernel.entry},
          {"wave_size", loader::wave_size(d, target)},
          {"vgprs", loader::vgpr_count(d, target)},
          {"agprs", loader::accvgpr_count(d, target)},
          {"kernarg_size", d.kernarg_size},
          {"lds_size", d.group_segment_fixed_size},
          {"scratch_size", d.private_segment_fixed_size},
          {"user_sgprs", d.rsrc2.user_sgpr_count},
          {"rsrc1", d.compute_pgm_rsrc1},
          {"rsrc2", d.compute_pgm_rsrc2},
          {"rsrc3", d.compute_pgm_rsrc3}};
}

/// Says how much was no instruction; that makes the status non-zero.
int verdict(const std::vector<Listing>& listings) {
  uint64_t errors = 0;
  for (const Listing& listing : listings) errors += listing.errors();
  if (errors == 0) return kExitOk;
  std::fflush(stdout);
  fmt::print(stderr, "lockstep disasm: {} word{} no instruction of this target\n", errors,
             errors == 1 ? " is" : "s are");
  return kExitFailed;
}

/// The whole object as text that `lockstep asm` takes.
int show_text(std::span<const uint8_t> bytes, const loader::CodeObject& object, Syntax syntax,
              const DisasmOptions& o) {
  const auto elf = loader::parse_elf(bytes);
  if (!elf) return fail(elf.error());
  // Only this spelling has a text for every operand.
  const bool gfx9 = isa::target_info(object.target).generation == isa::Generation::kGfx9;
  if (o.mattr.find("real-true16") == std::string::npos) syntax.real_true16 = !gfx9;
  ObjectText text(*elf, object, syntax);
  fmt::print("{}", text.text());
  if (text.bad_words() == 0) return kExitOk;
  std::fflush(stdout);
  fmt::print(stderr, "lockstep disasm: {} word{} of code no instruction of this target\n",
             text.bad_words(), text.bad_words() == 1 ? " is" : "s are");
  return kExitFailed;
}

int show_object(const loader::CodeObject& object, const DisasmOptions& o, const Syntax& syntax) {
  std::vector<Listing> listings = list_object(object, syntax);
  if (!o.kernel.empty()) {
    const auto kernel = choose_kernel(object, o.kernel);
    if (!kernel) return fail(kernel.error());
    std::erase_if(listings, [&](const Listing& l) { return l.name != (*kernel)->name; });
  }
  json kernels = json::array();
  json functions = json::array();
  if (!o.json_output) {
    fmt::print("; {}, code object version {}\n", object.target_id(), object.version);
  }
  for (const Listing& listing : listings) {
    const loader::Kernel* kernel = object.find_kernel(listing.name);
    if (o.json_output) {
      if (kernel) kernels.push_back(kernel_json(*kernel, object.target));
      functions.push_back(listing_json(listing, o.explain));
      continue;
    }
    fmt::print("\n{}{}", kernel ? descriptor_text(*kernel, object.target) : "",
               listing_text(listing, o.explain));
  }
  if (o.json_output) {
    const json out = {{"target", object.target_id()},
                      {"version", object.version},
                      {"kernels", kernels},
                      {"functions", functions}};
    fmt::print("{}\n", out.dump(2, ' ', false, json::error_handler_t::replace));
  }
  return verdict(listings);
}

bool is_hex_text(std::span<const uint8_t> file) {
  return looks_like_text(file) &&
         parse_hex({reinterpret_cast<const char*>(file.data()), file.size()});
}

int show_raw(std::vector<uint8_t> file, const DisasmOptions& o, const Syntax& syntax) {
  if (is_hex_text(file)) {
    file = *parse_hex({reinterpret_cast<const char*>(file.data()), file.size()});
  }
  if (file.empty()) return fail(o.file + " is empty");
  const Listing listing = list_code(file, 0, "", syntax);
  if (o.json_output) {
    json out = listing_json(listing, o.explain);
    out["target"] = isa::target_info(syntax.target).name;
    fmt::print("{}\n", out.dump(2));
  } else {
    fmt::print("{}", listing_text(listing, o.explain));
  }
  return verdict({listing});
}

int run_disasm(const DisasmOptions& o) {
  if (o.file.empty()) return fail("FILE is missing (--help shows the usage)");
  Syntax syntax;
  std::optional<isa::Target> target;
  if (!o.mcpu.empty()) {
    const auto found = parse_target(o.mcpu);
    if (!found) return fail("--mcpu: " + found.error());
    target = syntax.target = *found;
  }
  if (o.lines) {
    if (!target) return fail("--lines needs --mcpu=TARGET; there are: " + target_list());
    if (auto good = syntax.apply_features(o.mattr); !good) return fail(good.error());
    return stream_lines(o, syntax);
  }
  auto file = read_file(o.file);
  if (!file) return fail(file.error());
  if (!looks_like_object(*file)) {
    if (!target) {
      return fail(
          fmt::format("{} is no code object; to read it as raw instructions give "
                      "--mcpu=TARGET",
                      o.file));
    }
    if (auto good = syntax.apply_features(o.mattr); !good) return fail(good.error());
    return show_raw(std::move(*file), o, syntax);
  }
  const auto object = parse_input(*file, o.file, target);
  if (!object) return fail(object.error());
  syntax.target = object->target;
  if (auto good = syntax.apply_features(o.mattr); !good) return fail(good.error());
  if (!o.json_output && !o.explain && o.kernel.empty()) {
    const auto bytes = loader::extract_code_object(*file, target);
    return bytes ? show_text(*bytes, *object, syntax, o) : fail(bytes.error());
  }
  return show_object(*object, o, syntax);
}

}  // namespace

void add_disasm(CLI::App& app, Action& action) {
  auto o = std::make_shared<DisasmOptions>();
  CLI::App* sub =
      app.add_subcommand("disasm", "Disassemble a code object, an offload bundle or raw bytes");
  sub->add_option("FILE", o->file, "File, or - for standard input")->option_text(" ");
  sub->add_option("--mcpu", o->mcpu,
                  "Target; needed for raw bytes, chooses in bundles: " + target_list())
      ->option_text("TARGET");
  sub->add_option("--mattr", o->mattr, "Features, like +wavefrontsize64 or +real-true16")
      ->option_text("+F,-F");
  sub->add_option("--kernel", o->kernel, "Only this kernel of a code object")->option_text("NAME");
  sub->add_flag("--lines", o->lines,
                "Line for line: hex of one instruction in, text or \"error: REASON\" out, at once");
  sub->add_flag(
      "--explain", o->explain,
      "Below each instruction: its fields with bits, values and meaning, and its operands");
  sub->add_flag("--json", o->json_output,
                "Print JSON with operands as data (with --lines: one object a line)");
  sub->footer(
      "\nExamples:\n"
      "  lockstep disasm add.co\n"
      "  echo 7e000280 | lockstep disasm --mcpu=gfx1100 --lines -\n"
      "  echo 7e000280 | lockstep disasm --mcpu=gfx1100 --explain -\n"
      "  lockstep disasm --mcpu=gfx1201 code.bin\n"
      "\nExit status: 0 done, 1 some words are no instructions, 2 bad usage or input.");
  sub->callback([&action, o] { action = [o] { return run_disasm(*o); }; });
}

}  // namespace lockstep::cli
