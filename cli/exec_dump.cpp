// SPDX-License-Identifier: MIT
// exec --dump: descriptor, kernarg bytes, disassembly.
#include "cli/exec_dump.h"

#include <fmt/format.h>

#include "cli/listing.h"

namespace lockstep::cli {
namespace {

void print_kernarg(const loader::Kernel& kernel, const Kernarg& kernarg) {
  fmt::print(stderr, "; kernarg segment at {:#x}, {} bytes\n", address_of(kernarg.memory),
             kernarg.memory.size());
  const auto line = [&](uint64_t offset, uint64_t size, const std::string& what) {
    std::string hex;
    for (uint64_t i = 0; i < size && offset + i < kernarg.memory.size(); ++i) {
      hex += fmt::format("{:02x}", kernarg.memory[offset + i]);
    }
    fmt::print(stderr, ";   {:>4}  {:<16}  {}\n", offset, hex, what);
  };
  for (size_t i = 0; i < kernarg.args.size(); ++i) {
    const BoundArg& arg = kernarg.args[i];
    line(arg.offset, arg.size, fmt::format("argument {} {} ({})", i, arg.name, arg.spec.text));
  }
  if (!kernel.metadata) return;
  for (const loader::KernelArg& arg : kernel.metadata->args) {
    if (arg.hidden()) line(arg.offset, arg.size, arg.value_kind);
  }
}

}  // namespace

Result<Dumps> parse_dumps(const std::vector<std::string>& texts) {
  Dumps dumps;
  for (const std::string& text : texts) {
    std::string_view rest = text;
    while (true) {
      const size_t comma = rest.find(',');
      const std::string_view what = rest.substr(0, comma);
      if (what == "descriptor") {
        dumps.descriptor = true;
      } else if (what == "kernarg") {
        dumps.kernarg = true;
      } else if (what == "code") {
        dumps.code = true;
      } else if (what == "args") {
        dumps.args = true;
      } else if (what == "jit") {
        dumps.jit = true;
      } else {
        return Error{
            fmt::format("there is no \"{}\"; there are: descriptor kernarg code args jit", what)};
      }
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return dumps;
}

void print_dumps(const Dumps& dumps, const LoadedObject& loaded, const loader::Kernel& kernel,
                 const Kernarg& kernarg) {
  const loader::CodeObject& object = loaded.object;
  if (dumps.descriptor) {
    fmt::print(stderr, "; {}\n{}", signature(kernel), descriptor_text(kernel, object.target));
  }
  if (dumps.kernarg) print_kernarg(kernel, kernarg);
  if (dumps.code) {
    Syntax syntax;
    syntax.target = object.target;
    for (const Listing& listing : list_object(object, syntax)) {
      fmt::print(stderr, "{}\n", listing_text(listing));
    }
  }
}

}  // namespace lockstep::cli
