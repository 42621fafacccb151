// SPDX-License-Identifier: MIT
// Sizes of the operands of image operations.
#include "asm/image_shape.h"

#include <bit>

namespace lockstep::asm_ {
namespace {

using isa::Field;

constexpr unsigned half_up(unsigned n) { return (n + 1) / 2; }

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

unsigned ImageShape::data_words() const {
  unsigned n = four_results() ? 4 : static_cast<unsigned>(std::popcount(inst_.get(Field::dmask)));
  if (n == 0) n = 1;
  if (inst_.get(Field::d16)) n = half_up(n);
  if (inst_.get(Field::tfe)) ++n;
  return n;
}

bool ImageShape::data_words_exist() const {
  const unsigned n = data_words();
  return !atomic() || n == 2 || n == (has("cmpswap") ? 4 : 1);
}

std::vector<unsigned> ImageShape::ray_groups() const {
  std::vector<unsigned> groups = {has("bvh64") ? 2u : 1u, 1, 3, 3};
  if (!inst_.get(Field::a16)) groups.push_back(3);
  return groups;
}

}  // namespace lockstep::asm_
