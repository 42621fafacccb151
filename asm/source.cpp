// SPDX-License-Identifier: MIT
// Options of a source file: target ids and features.
#include "asm/source.h"

#include <fmt/format.h>

#include "isa/names.h"

namespace lockstep::asm_ {

void set_feature(SourceOptions& o, std::string_view name, bool on) {
  if (name == "xnack") o.xnack = on;
  if (name == "sramecc") o.sramecc = on;
  if (name == "cumode") o.cu_mode = on;
  if (name == "tgsplit") o.tg_split = on;
}

Result<void> apply_target_id(std::string_view id, SourceOptions& o) {
  size_t colon = std::min(id.find(':'), id.size());
  o.target = isa::find_target(id.substr(0, colon));
  if (!o.target)
    return Error{fmt::format("unknown target \"{}\"; there are: {}", id, isa::target_list())};
  const isa::TargetInfo& info = isa::target_info(*o.target);
  while (colon < id.size()) {
    const size_t end = std::min(id.find(':', colon + 1), id.size());
    const std::string_view feature = id.substr(colon + 1, end - colon - 1);
    const bool known = info.generation == isa::Generation::kGfx9 &&
                       (feature == "xnack+" || feature == "xnack-" || feature == "sramecc+" ||
                        feature == "sramecc-");
    if (!known) return Error{fmt::format("{}: {} has no feature \"{}\"", id, info.name, feature)};
    set_feature(o, feature.substr(0, feature.size() - 1), feature.ends_with('+'));
    colon = end;
  }
  return {};
}

}  // namespace lockstep::asm_
