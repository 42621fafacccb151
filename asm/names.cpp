// SPDX-License-Identifier: MIT
// The index of mnemonics.
#include "asm/names.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "asm/text_hash.h"
#include "isa/rows.h"

namespace lockstep::asm_ {
namespace {

using isa::Isa;
using isa::Op;

struct Alias {
  Op op;
  uint8_t isas;
  std::string_view name;
};
using isa::rows::G12;
using isa::rows::G90A;
using isa::rows::G942;
using isa::rows::G950;
using isa::rows::GFX11;
using isa::rows::GFX9;
constexpr Alias kAliases[] = {
#define ALIAS(id, isas, name) {Op::id, (isas), #name},
#include "isa/ops/aliases.def"
#undef ALIAS
};

struct Index {
  std::array<std::unordered_map<std::string_view, std::vector<Op>, TextHash>, isa::kIsaCount> rows;
  Index() {
    for (int i = 0; i < isa::kIsaCount; ++i) {
      const Isa isa = static_cast<Isa>(i);
      for (int o = 0; o < isa::kOpCount; ++o)
        if (isa::exists_on(static_cast<Op>(o), isa))
          rows[static_cast<size_t>(i)][isa::op_name(static_cast<Op>(o), isa)].push_back(
              static_cast<Op>(o));
    }
    for (const Alias& a : kAliases)
      for (int i = 0; i < isa::kIsaCount; ++i)
        if ((a.isas >> i & 1) && isa::exists_on(a.op, static_cast<Isa>(i)))
          rows[static_cast<size_t>(i)][a.name].push_back(a.op);
  }
};

const Index& index() {
  static const Index instance;
  return instance;
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit) return limit + 1;
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t corner = row[0], least = row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = corner + (a[i - 1] != b[j - 1]);
      corner = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
      least = std::min(least, row[j]);
    }
    if (least > limit) return limit + 1;
  }
  return std::min(row.back(), limit + 1);
}

std::vector<std::string_view> names_like(std::string_view name, Isa isa) {
  constexpr size_t kMost = 5;
  size_t nearest = 2;
  std::vector<std::string_view> found;
  for (const auto& [known, ops] : index().rows[static_cast<size_t>(isa)]) {
    const size_t distance = edit_distance(name, known, nearest);
    if (distance > nearest) continue;
    if (distance < nearest) found.clear();
    nearest = distance;
    found.push_back(known);
  }
  std::sort(found.begin(), found.end());
  if (found.size() > kMost) found.resize(kMost);
  return found;
}

std::span<const Op> ops_named(std::string_view name, Isa isa) {
  const auto& map = index().rows[static_cast<size_t>(isa)];
  const auto it = map.find(name);
  if (it == map.end()) return {};
  return it->second;
}

}  // namespace lockstep::asm_
