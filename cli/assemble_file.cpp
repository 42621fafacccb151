// SPDX-License-Identifier: MIT
// Options for assembling, and the way its messages are shown.
#include "cli/assemble_file.h"

#include <fmt/format.h>

#include "cli/listing.h"
#include "cli/options.h"

namespace lockstep::cli {

Result<asm_::SourceOptions> source_options(const std::string& mcpu, const std::string& mattr) {
  asm_::SourceOptions o;
  Syntax syntax;
  if (!mcpu.empty()) {
    if (auto good = asm_::apply_target_id(mcpu, o); !good) return Error{"--mcpu: " + good.error()};
    syntax.target = *o.target;
  }
  if (auto good = syntax.apply_features(mattr); !good) return Error{good.error()};
  o.wave_size = syntax.wave_size;
  if (mattr.find("real-true16") != std::string::npos) o.real_true16 = syntax.real_true16;
  for (std::string_view rest = mattr; !rest.empty();) {
    const size_t comma = rest.find(',');
    const std::string_view feature = rest.substr(0, comma);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    asm_::set_feature(o, feature.substr(1), feature.starts_with('+'));
  }
  return o;
}

std::optional<std::vector<uint8_t>> assemble_to_object(std::string_view text,
                                                       const std::string& name,
                                                       const asm_::SourceOptions& options,
                                                       bool relocatable) {
  const asm_::AssembledSource source = asm_::assemble_source(text, name, options);
  std::string messages;
  for (const asm_::Diagnostic& d : source.diagnostics) messages += asm_::to_text(d);
  fmt::print(stderr, "{}", messages);
  if (!source.ok) return std::nullopt;
  if (relocatable) return asm_::write_relocatable(source.object);
  auto linked = asm_::link_shared(source.object);
  if (linked) return std::move(*linked);
  fmt::print(stderr, "{}: error: {}\n", name, linked.error());
  return std::nullopt;
}

}  // namespace lockstep::cli
