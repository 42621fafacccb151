// SPDX-License-Identifier: MIT
// .amdgcn_target, .amdhsa_code_object_version and .amdhsa_kernel with its keys.
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>

#include "asm/directives.h"
#include "asm/names.h"
#include "isa/descriptor_fields.h"

namespace lockstep::asm_ {
namespace {

using isa::DescriptorField;
using isa::Target;

/// Keys that are no field of their own.
constexpr std::string_view kCounts[] = {
    "next_free_vgpr", "next_free_sgpr",       "accum_offset",
    "reserve_vcc",    "reserve_flat_scratch", "reserve_xnack_mask",
};
constexpr std::string_view kPrefix = ".amdhsa_";

bool is_count(std::string_view key) {
  return std::find(std::begin(kCounts), std::end(kCounts), key) != std::end(kCounts);
}

/// Why a key does not exist on this target; nothing if it does.
std::optional<std::string> missing_on(std::string_view key, Target target) {
  const bool gfx9 = isa::target_info(target).generation == isa::Generation::kGfx9;
  const auto absent = [&] {
    return fmt::format("directive does not exist on {}", isa::target_info(target).name);
  };
  if (key == "reserve_flat_scratch" && isa::has_architected_flat_scratch(target))
    return "directive is not supported with architected flat scratch";
  if (key == "accum_offset" && !gfx9) return absent();
  if (is_count(key)) return std::nullopt;
  const DescriptorField* f = isa::find_descriptor_field(key, target);
  if (f->targets & isa::descriptor_targets(target)) return std::nullopt;
  return absent();
}

std::string suggest_key(std::string_view key) {
  constexpr size_t kMostLetters = 3;
  size_t nearest = kMostLetters + 1;
  std::string_view found;
  const auto look = [&](std::string_view name) {
    if (const size_t n = edit_distance(key, name, kMostLetters); n < nearest) {
      nearest = n;
      found = name;
    }
  };
  for (const DescriptorField& f : isa::descriptor_fields()) look(f.name);
  for (const std::string_view name : kCounts) look(name);
  return found.empty() ? "" : fmt::format(", did you mean: {}{}?", kPrefix, found);
}

/// One key and its value.
void read_key(Arguments& a, std::string_view word, PendingDescriptor& d) {
  Assembly& as = a.assembly;
  const std::string_view key = word.substr(kPrefix.size());
  if (!is_count(key) && !isa::find_descriptor_field(key, *as.target)) {
    as.error(a.directive, fmt::format("unknown .amdhsa_kernel directive{}", suggest_key(key)));
    a.skip_rest();
    return;
  }
  if (d.values.contains(key)) {
    as.error(a.directive, ".amdhsa_ directives cannot be repeated");
    a.skip_rest();
    return;
  }
  const Location where = a.here();
  const Expr* value = a.expression();
  if (!value || !a.finish()) return;
  if (const auto reason = missing_on(key, *as.target)) {
    as.error(a.directive, *reason);
    return;
  }
  d.values.emplace(std::string(key), DescriptorValue{value, where});
}

/// Fills a descriptor in when every symbol has its value.
class Builder {
 public:
  Builder(Assembly& assembly, const PendingDescriptor& pending)
      : as_(assembly), d_(pending), target_(*assembly.target) {}

  void run() {
    bytes_ = std::span(d_.section->bytes).subspan(d_.offset, isa::kDescriptorSize);
    defaults();
    for (const auto& [key, value] : d_.values)
      if (!is_count(key)) set_field(key, value);
    user_sgprs();
    registers();
  }

 private:
  bool gfx9() const { return isa::target_info(target_).generation == isa::Generation::kGfx9; }

  void put(std::string_view name, uint32_t value) {
    const DescriptorField* f = isa::find_descriptor_field(name, target_);
    if (f->targets & isa::descriptor_targets(target_)) set_descriptor_field(bytes_, *f, value);
  }
  uint32_t get(std::string_view name) const {
    const DescriptorField* f = isa::find_descriptor_field(name, target_);
    return f->targets & isa::descriptor_targets(target_) ? get_descriptor_field(bytes_, *f) : 0;
  }

  void defaults() {
    constexpr uint32_t kKeepDenormals = 3;
    put("float_denorm_mode_16_64", kKeepDenormals);
    put("dx10_clamp", 1);
    put("ieee_mode", 1);
    put("workgroup_processor_mode", !as_.options.cu_mode);
    put("memory_ordered", 1);
    put("forward_progress", 1);
    put("system_sgpr_workgroup_id_x", 1);
    put("tg_split", as_.options.tg_split);
    constexpr unsigned kWave32 = 32;
    put("wavefront_size32", as_.line_options.wave_size == kWave32);
  }

  std::optional<int64_t> number(const DescriptorValue& v) {
    const auto value = as_.absolute(v.expr);
    if (!value) {
      as_.error(v.where, "the value is not known: it is no absolute expression");
      return std::nullopt;
    }
    if (*value >= 0) return value;
    as_.error(v.where, "value out of range");
    return std::nullopt;
  }

  /// The value of a key; `otherwise` if it was not written.
  std::optional<int64_t> number(std::string_view key, std::optional<int64_t> otherwise) {
    const auto it = d_.values.find(key);
    if (it == d_.values.end()) return otherwise;
    return number(it->second);
  }

  void set_field(std::string_view key, const DescriptorValue& v) {
    const auto value = number(v);
    if (!value) return;
    const DescriptorField& f = *isa::find_descriptor_field(key, target_);
    if (*value >> f.width != 0) {
      as_.error(v.where, "value out of range");
      return;
    }
    set_descriptor_field(bytes_, f, static_cast<uint32_t>(*value));
  }

  void user_sgprs() {
    unsigned implied = 0;
    for (const DescriptorField& f : isa::descriptor_fields())
      if (f.user_sgprs && get(f.name)) implied += f.user_sgprs;
    const uint32_t preload = get("user_sgpr_kernarg_preload_length");
    if (preload) {
      implied += preload;
      constexpr uint32_t kDword = 4;
      const uint32_t end = (preload + get("user_sgpr_kernarg_preload_offset")) * kDword;
      if (end > get("kernarg_size"))
        as_.error(d_.where,
                  "Kernarg preload length + offset is larger than the kernarg segment size");
    }
    constexpr unsigned kMost = 16;
    const auto given = number("user_sgpr_count", implied);
    if (!given) return;
    if (*given < implied) {
      as_.error(d_.where, "amdgpu_user_sgpr_count smaller than than implied by enabled user SGPRs");
      return;
    }
    if (*given > kMost) {
      as_.error(d_.where, "too many user SGPRs enabled");
      return;
    }
    put("user_sgpr_count", static_cast<uint32_t>(*given));
  }

  bool required(std::string_view key) {
    if (d_.values.contains(key)) return true;
    as_.error(d_.where, fmt::format("{}{} directive is required", kPrefix, key));
    return false;
  }

  void registers() {
    if (!required("next_free_vgpr") || !required("next_free_sgpr")) return;
    if (gfx9() && !required("accum_offset")) return;
    const auto vgprs = number("next_free_vgpr", 0), sgprs = number("next_free_sgpr", 0);
    if (!vgprs || !sgprs) return;
    const int64_t most_vgprs = gfx9() ? 512 : 256;
    if (*vgprs > most_vgprs) {
      as_.error(d_.values.find("next_free_vgpr")->second.where, "value out of range");
      return;
    }
    const auto steps = [](int64_t n, int64_t granule) {
      return static_cast<uint32_t>((std::max<int64_t>(n, 1) + granule - 1) / granule - 1);
    };
    set_descriptor_field(bytes_, isa::kGranulatedVgprs,
                         steps(*vgprs, isa::vgpr_granule(target_, get("wavefront_size32") != 0)));
    if (!gfx9()) {
      if (*sgprs > isa::target_info(target_).max_sgprs)
        as_.error(d_.values.find("next_free_sgpr")->second.where, "value out of range");
      shared_vgprs(*vgprs);
      return;
    }
    const bool uses_xnack = as_.options.xnack.value_or(true);
    const auto vcc = number("reserve_vcc", 1), flat = number("reserve_flat_scratch", 1),
               xnack = number("reserve_xnack_mask", uses_xnack);
    if (!vcc || !flat || !xnack) return;
    if (*xnack != uses_xnack) {
      as_.error(d_.values.find("reserve_xnack_mask")->second.where,
                ".amdhsa_reserve_xnack_mask does not match target id");
      return;
    }
    const int64_t all = *sgprs + isa::extra_sgprs(target_, *vcc, *flat, *xnack);
    if (*sgprs > isa::target_info(target_).max_sgprs || all > 112) {
      as_.error(d_.values.find("next_free_sgpr")->second.where, "value out of range");
      return;
    }
    set_descriptor_field(bytes_, isa::kGranulatedSgprs, steps(all, isa::kSgprGranule));
    accum_offset(*vgprs);
  }

  void accum_offset(int64_t vgprs) {
    const auto& v = d_.values.find("accum_offset")->second;
    const auto offset = number(v);
    if (!offset) return;
    constexpr int64_t kStep = 4, kMost = 256;
    if (*offset < kStep || *offset > kMost || *offset % kStep != 0) {
      as_.error(v.where, "accum_offset should be in range [4..256] in increments of 4");
      return;
    }
    if (*offset > (std::max<int64_t>(vgprs, 1) + kStep - 1) / kStep * kStep) {
      as_.error(v.where, "accum_offset exceeds total VGPR allocation");
      return;
    }
    set_descriptor_field(bytes_, isa::kAccumOffset, static_cast<uint32_t>(*offset / kStep - 1));
  }

  void shared_vgprs(int64_t vgprs) {
    const uint32_t shared = get("shared_vgpr_count");
    if (shared == 0) return;
    const auto& where = d_.values.find("shared_vgpr_count")->second.where;
    if (get("wavefront_size32"))
      as_.error(where, "shared_vgpr_count directive not valid on wavefront size 32");
    constexpr uint32_t kMostSteps = 63;
    (void)vgprs;
    if (shared * 2 + get_descriptor_field(bytes_, isa::kGranulatedVgprs) > kMostSteps)
      as_.error(where,
                "shared_vgpr_count*2 + compute_pgm_rsrc1.GRANULATED_WORKITEM_VGPR_COUNT cannot "
                "exceed 63");
  }

  Assembly& as_;
  const PendingDescriptor& d_;
  Target target_;
  std::span<uint8_t> bytes_;
};

}  // namespace

void directive_target(Arguments& a, int) {
  const Location where = a.here();
  const auto text = a.string();
  if (!text) return;
  Assembly& as = a.assembly;
  constexpr std::string_view kTriple = "amdgcn-amd-amdhsa--";
  const std::string_view id =
      std::string_view(*text).substr(text->starts_with(kTriple) ? kTriple.size() : text->size());
  const auto target = isa::find_target(id);
  if (!target) {
    as.error(where, fmt::format("unknown target id {}", *text));
    return;
  }
  if (!as.target) {  // the command line names none: the file does
    for (size_t colon = id.find(':'); colon != std::string_view::npos;
         colon = id.find(':', colon + 1)) {
      const std::string_view feature = id.substr(colon + 1, id.find(':', colon + 1) - colon - 1);
      const bool on = feature.ends_with('+');
      if (feature.starts_with("xnack")) as.options.xnack = on;
      if (feature.starts_with("sramecc")) as.options.sramecc = on;
    }
    as.set_target(*target);
  }
  if (as.target_id() != *text)
    as.error(where, fmt::format(".amdgcn_target directive's target id {} does not match the "
                                "specified target id {}",
                                *text, as.target_id()));
}

void directive_code_object_version(Arguments& a, int) {
  const Location where = a.here();
  const auto version = a.absolute();
  if (!version) return;
  constexpr int64_t kLeast = 4, kMost = 6;
  if (*version < kLeast || *version > kMost)
    a.assembly.error(where, fmt::format("code object version {} is not supported; there are 4, 5 "
                                        "and 6",
                                        *version));
  else
    a.assembly.code_object_version = static_cast<uint8_t>(*version);
}

void directive_kernel(Arguments& a, int) {
  Assembly& as = a.assembly;
  const Location where = a.here();
  const auto name = a.name("symbol name");
  if (!name || !a.finish() || !as.need_target(where)) return;
  PendingDescriptor d{&as.section(), 0, *name, where, {}};
  std::string_view line;
  Location at;
  bool ended = false;
  while (!ended && as.input.next(line, at)) {
    const size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos || line[start] == ';' || line[start] == '#' ||
        line.substr(start, 2) == "//")
      continue;
    const size_t end = std::min(line.find_first_of(" \t\r;/", start), line.size());
    const std::string_view word = line.substr(start, end - start);
    if (is_text_directive(word)) {
      as.statement(line, at);
    } else if (as.skipping()) {
      continue;
    } else if (word == ".end_amdhsa_kernel") {
      ended = true;
    } else if (word.starts_with(kPrefix)) {
      Arguments key(as, line.substr(end), at + end, at + start);
      read_key(key, word, d);
    } else {
      as.error(at + start, "expected .amdhsa_ directive or .end_amdhsa_kernel");
      return;
    }
  }
  if (!ended) {
    as.error(where, "the .amdhsa_kernel has no .end_amdhsa_kernel");
    return;
  }
  if (!as.can_emit(where)) return;
  Symbol& kernel = as.mention(*name, where);
  Symbol& descriptor = as.mention(*name + ".kd", where);
  as.define_label(descriptor, where);
  descriptor.type = STT_OBJECT;
  descriptor.size = as.constant(isa::kDescriptorSize);
  descriptor.binding = kernel.binding;
  descriptor.binding_set = kernel.binding_set;
  descriptor.visibility = kernel.visibility;
  // The descriptor holds a distance to the code, which no other object may replace.
  if (kernel.visibility == STV_DEFAULT) kernel.visibility = STV_PROTECTED;
  d.offset = as.section().bytes.size();
  constexpr uint8_t kZeros[isa::kDescriptorSize] = {};
  as.emit(kZeros, sizeof kZeros);
  const Expr* entry = as.make({.kind = ExprKind::kSymbol, .symbol = &kernel});
  const Expr* base = as.make({.kind = ExprKind::kSymbol, .symbol = &descriptor});
  const Expr* distance = as.make({.kind = ExprKind::kBinary, .op = "-", .operands = {entry, base}});
  as.section().fixups.push_back({d.offset + isa::kEntryOffset, FixupKind::kData8, distance, where});
  as.descriptors.push_back(std::move(d));
}

void Assembly::finish_descriptors() {
  for (const PendingDescriptor& d : descriptors) Builder(*this, d).run();
}

bool Assembly::is_function(std::string_view name) const {
  static constexpr std::string_view kNames[] = {
      "max", "or", "extrasgprs", "totalnumvgprs", "alignto", "occupancy", "instprefsize"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::optional<int64_t> Assembly::call(std::string_view name, const std::vector<int64_t>& v) const {
  ++symbol_queries_;
  const auto rounded = [](int64_t n, int64_t step) { return (n + step - 1) / step * step; };
  if (name == "max" && !v.empty()) return *std::max_element(v.begin(), v.end());
  if (name == "or" && !v.empty()) {
    int64_t all = 0;
    for (const int64_t n : v) all |= n;
    return all;
  }
  if (name == "alignto" && v.size() == 2 && v[1] > 0 && v[0] <= INT64_MAX - v[1])
    return rounded(v[0], v[1]);
  if (!target) return std::nullopt;
  const bool gfx9 = has_features();
  if (name == "extrasgprs" && v.size() == 3)
    return isa::extra_sgprs(*target, v[0] != 0, v[1] != 0, v[2] != 0);
  if (name == "totalnumvgprs" && v.size() == 2) {
    const auto [agprs, vgprs] = std::pair(v[0], v[1]);
    return gfx9 && agprs ? rounded(vgprs, 4) + agprs : std::max(vgprs, agprs);
  }
  if (name == "instprefsize" && v.size() == 1) {
    constexpr int64_t kLine = 128;
    const DescriptorField& f = *isa::find_descriptor_field("inst_pref_size", *target);
    return std::min((v[0] + kLine - 1) / kLine, (int64_t{1} << f.width) - 1);
  }
  if (name == "occupancy" && v.size() == 7) {
    const int64_t most = v[0], granule = v[1], total = v[2], sgprs = v[5], vgprs = v[6];
    int64_t waves = v[4];
    if (sgprs && gfx9)
      waves = std::min<int64_t>(waves, sgprs <= 80 ? 10 : sgprs <= 88 ? 9 : sgprs <= 100 ? 8 : 7);
    if (vgprs && granule > 0)
      waves = std::min(waves, vgprs < granule
                                  ? most
                                  : std::clamp<int64_t>(total / rounded(vgprs, granule), 1, most));
    return waves;
  }
  return std::nullopt;
}

}  // namespace lockstep::asm_
