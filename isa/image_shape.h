// SPDX-License-Identifier: MIT
// What the mnemonic of an image operation says about its operands; both directions use it.
#pragma once
#include <string_view>
#include <vector>

#include "isa/inst.h"

namespace lockstep::isa {

struct Dimension {
  std::string_view name;
  uint8_t coordinates, gradients;
};
inline constexpr Dimension kDimensions[] = {
    {"1D", 1, 2},       {"2D", 2, 4},       {"3D", 3, 6},      {"CUBE", 3, 4},
    {"1D_ARRAY", 2, 2}, {"2D_ARRAY", 3, 4}, {"2D_MSAA", 3, 4}, {"2D_MSAA_ARRAY", 4, 4},
};

/// Consecutive registers.
struct RegisterRun {
  unsigned first = 0, count = 0;
};

/// What the mnemonic says about the operands.
class ImageShape {
 public:
  explicit ImageShape(const Inst& inst) : inst_(inst), name_(op_name(inst.op, inst.isa)) {}
  bool has(std::string_view part) const { return name_.find(part) != std::string_view::npos; }
  bool samples() const { return has("_sample") || has("_gather4") || has("_get_lod"); }
  bool ray() const { return has("_bvh"); }
  /// Rays with ten results, which have no form with half-size addresses (gfx12).
  bool wide_ray() const { return has("_bvh8") || has("_bvh_dual"); }
  bool atomic() const { return has("_atomic"); }
  bool four_results() const { return has("_gather4") || has("_msaa_load"); }

  /// Registers of the address, as the fields dim and a16 say.
  unsigned address_words() const;
  /// The smallest and largest number of address registers in any shape of the operation.
  unsigned fewest_address_words() const;
  unsigned most_address_words() const;
  /// Registers of the data, as dmask, d16 and tfe say.
  unsigned data_words() const;
  /// False if LLVM has no instruction with so many registers, or if they end above the last one: it
  /// then shows a default form.
  bool words_exist() const;
  /// The data registers, with the sizes that LLVM writes.
  RegisterRun data() const;
  /// The address registers: one run, or (gfx12, and gfx11 with the nsa bit) one for each place.
  std::vector<RegisterRun> addresses() const;
  /// The resource, or the sampler, by its field.
  RegisterRun resource() const;
  RegisterRun sampler() const;
  /// Registers of the result of a ray, and of its parts.
  unsigned ray_data_words() const;
  std::vector<unsigned> ray_groups() const;
  /// Places for address registers that are given one by one.
  unsigned address_places() const { return inst_.format == Format::VSAMPLE ? 4 : 5; }

 private:
  std::vector<RegisterRun> runs(const std::vector<unsigned>& sizes) const;
  bool has_word(std::string_view word) const;
  bool data_words_exist() const;
  bool address_words_exist() const;
  bool listed() const;
  const Inst& inst_;
  std::string_view name_;
};

}  // namespace lockstep::isa
