// SPDX-License-Identifier: MIT
// Sizes of the operands of image operations.
#include "isa/image_shape.h"

#include <algorithm>
#include <bit>

namespace lockstep::isa {
namespace {

constexpr unsigned kRegisters = 256;

constexpr unsigned half_up(unsigned n) { return (n + 1) / 2; }

Generation generation(const Inst& inst) { return generation_of(inst.isa); }

RegisterRun scalar_run(const Inst& inst, Field field, unsigned dwords) {
  const unsigned value = inst.get(field);
  return {generation(inst) == Generation::kGfx12 ? value & ~3u : value * 4, dwords};
}

}  // namespace

/// True if `word` ("_c") is one of the parts of a sampling mnemonic.
bool ImageShape::has_word(std::string_view word) const {
  if (!samples()) return false;
  for (size_t at = name_.find(word); at != std::string_view::npos; at = name_.find(word, at + 1)) {
    const size_t end = at + word.size();
    if (end == name_.size() || name_[end] == '_') return true;
  }
  return false;
}

unsigned ImageShape::address_words() const {
  const Dimension& d = kDimensions[inst_.get(Field::dim)];
  const bool a16 = inst_.get(Field::a16);
  unsigned words = has_word("_o") + has_word("_b") + has_word("_c");
  const bool level = has_word("_l") || has_word("_cl") || has("_mip") || has("_get_resinfo");
  const unsigned components = (has("_get_resinfo") ? 0u : d.coordinates) + level;
  words += a16 ? half_up(components) : components;
  if (has_word("_d")) words += has("_g16") ? (d.gradients / 2 + 1) / 2 * 2 : d.gradients;
  return words ? words : 1;
}

unsigned ImageShape::ray_data_words() const { return wide_ray() ? 10 : 4; }

unsigned ImageShape::data_words() const {
  unsigned n = four_results() ? 4 : static_cast<unsigned>(std::popcount(inst_.get(Field::dmask)));
  if (n == 0) n = 1;
  if (inst_.get(Field::d16)) n = half_up(n);
  if (inst_.get(Field::tfe)) ++n;
  return n;
}

/// The sizes for which LLVM has an instruction do not depend on the shape of the image.
unsigned ImageShape::fewest_address_words() const {
  const unsigned extra = has_word("_o") + has_word("_b") + has_word("_c");
  return (has_word("_d") ? 2 : 1) + extra;
}

unsigned ImageShape::most_address_words() const {
  if (!samples()) return 4;
  const unsigned level = has_word("_l") || has_word("_cl");
  const unsigned extra = has_word("_o") + has_word("_b") + has_word("_c");
  const unsigned gradients = has_word("_d") ? has("_g16") ? 4 : 6 : 0;
  return 3 + gradients + level + extra;
}

/// True if the address goes in single registers that need not follow each other.
bool ImageShape::listed() const {
  return generation(inst_) == Generation::kGfx12 || inst_.get(Field::nsa);
}

bool ImageShape::data_words_exist() const {
  const unsigned n = data_words();
  if (inst_.get(Field::vdata) + n > kRegisters) return false;
  if (has("_gather4")) return n == 2 || n == 4 || n == 5;
  return !atomic() || n == 2 || n == (has("cmpswap") ? 4 : 1);
}

bool ImageShape::address_words_exist() const {
  const unsigned n = address_words();
  if (!listed() && inst_.get(Field::vaddr) + n > kRegisters) return false;
  const unsigned fewest = generation(inst_) == Generation::kGfx11 && listed() ? 2 : 0;
  return n >= std::max(fewest, fewest_address_words()) && n <= most_address_words();
}

bool ImageShape::words_exist() const {
  if (generation(inst_) == Generation::kGfx9) return data_words_exist();
  return data_words_exist() && address_words_exist();
}

RegisterRun ImageShape::data() const {
  if (ray()) return {inst_.get(Field::vdata), ray_data_words()};
  const unsigned fallback = four_results() ? 4 : has("cmpswap") ? 2 : 1;
  return {inst_.get(Field::vdata), words_exist() ? data_words() : fallback};
}

RegisterRun ImageShape::resource() const { return scalar_run(inst_, Field::srsrc, ray() ? 4 : 8); }

RegisterRun ImageShape::sampler() const {
  const bool gfx12 = generation(inst_) == Generation::kGfx12;
  return scalar_run(inst_, gfx12 ? Field::samp : Field::ssamp, 4);
}

/// Addresses given one by one: groups of `sizes`.
std::vector<RegisterRun> ImageShape::runs(const std::vector<unsigned>& sizes) const {
  static constexpr Field kPlaces[] = {Field::vaddr0, Field::vaddr1, Field::vaddr2, Field::vaddr3,
                                      Field::vaddr4};
  const bool gfx12 = generation(inst_) == Generation::kGfx12;
  std::vector<RegisterRun> list;
  for (size_t i = 0; i < sizes.size(); ++i)
    list.push_back({inst_.get(i == 0 && !gfx12 ? Field::vaddr : kPlaces[i]), sizes[i]});
  return list;
}

std::vector<RegisterRun> ImageShape::addresses() const {
  if (generation(inst_) == Generation::kGfx9) return {{inst_.get(Field::vaddr), 1}};
  if (ray()) {
    const std::vector<unsigned> groups = ray_groups();
    if (listed()) return runs(groups);
    unsigned sum = 0;
    for (const unsigned n : groups) sum += n;
    return {{inst_.get(Field::vaddr), sum}};
  }
  const unsigned places = address_places();
  if (!words_exist()) {
    if (!listed()) return {{inst_.get(Field::vaddr), fewest_address_words()}};
    return runs(std::vector<unsigned>(std::min(most_address_words(), places), 1u));
  }
  const unsigned words = address_words();
  constexpr unsigned kLargestGroup = 12, kWholeGroup = 16;
  if (!listed()) return {{inst_.get(Field::vaddr), words > kLargestGroup ? kWholeGroup : words}};
  // Single registers, and the rest in the last place.
  std::vector<unsigned> sizes(std::min(words, places), 1u);
  if (words > places) sizes.back() = words - places + 1;
  return runs(sizes);
}

std::vector<unsigned> ImageShape::ray_groups() const {
  // Node or base, its extent and mask, origin, direction; then its inverse, or node offsets.
  if (has("bvh8")) return {2, 2, 3, 3, 1};
  if (has("bvh_dual")) return {2, 2, 3, 3, 2};
  std::vector<unsigned> groups = {has("bvh64") ? 2u : 1u, 1, 3, 3};
  if (!inst_.get(Field::a16)) groups.push_back(3);
  return groups;
}

}  // namespace lockstep::isa
