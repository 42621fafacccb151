// SPDX-License-Identifier: MIT
// The index of mnemonics.
#include "asm/names.h"

#include <array>
#include <unordered_map>
#include <vector>

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
  std::array<std::unordered_map<std::string_view, std::vector<Op>>, isa::kIsaCount> rows;
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

}  // namespace

std::span<const Op> ops_named(std::string_view name, Isa isa) {
  static const Index index;
  const auto& map = index.rows[static_cast<size_t>(isa)];
  const auto it = map.find(name);
  if (it == map.end()) return {};
  return it->second;
}

}  // namespace lockstep::asm_
