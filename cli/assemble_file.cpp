// SPDX-License-Identifier: MIT
// Options for assembling, and the way its messages are shown.
#include "cli/assemble_file.h"

#include <fmt/format.h>

#include "cli/listing.h"
#include "cli/options.h"

namespace lockstep::cli {
namespace {

/// "+xnack" or "xnack+": the features that are part of a target's name.
void set_feature(asm_::SourceOptions& o, std::string_view name, bool on) {
  if (name == "xnack") o.xnack = on;
  if (name == "sramecc") o.sramecc = on;
  if (name == "cumode") o.cu_mode = on;
  if (name == "tgsplit") o.tg_split = on;
}

}  // namespace

Result<asm_::SourceOptions> source_options(const std::string& mcpu, const std::string& mattr) {
  asm_::SourceOptions o;
  Syntax syntax;
  if (!mcpu.empty()) {
    const auto target = parse_target(mcpu);
    if (!target) return Error{"--mcpu: " + target.error()};
    o.target = syntax.target = *target;
    for (size_t colon = mcpu.find(':'); colon != std::string::npos;
         colon = mcpu.find(':', colon + 1)) {
      const std::string feature = mcpu.substr(colon + 1, mcpu.find(':', colon + 1) - colon - 1);
      const bool gfx9 = isa::target_info(*target).generation == isa::Generation::kGfx9;
      if (!gfx9 || (feature != "xnack+" && feature != "xnack-" && feature != "sramecc+" &&
                    feature != "sramecc-"))
        return Error{fmt::format("--mcpu={}: {} has no feature \"{}\"", mcpu,
                                 isa::target_info(*target).name, feature)};
      set_feature(o, std::string_view(feature).substr(0, feature.size() - 1),
                  feature.ends_with('+'));
    }
  }
  if (auto good = syntax.apply_features(mattr); !good) return Error{good.error()};
  o.wave_size = syntax.wave_size;
  if (mattr.find("real-true16") != std::string::npos) o.real_true16 = syntax.real_true16;
  for (std::string_view rest = mattr; !rest.empty();) {
    const size_t comma = rest.find(',');
    const std::string_view feature = rest.substr(0, comma);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    set_feature(o, feature.substr(1), feature.starts_with('+'));
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
