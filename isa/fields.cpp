// SPDX-License-Identifier: MIT
// Lists the fields of an instruction through the same layout that decodes it.
#include "isa/fields.h"

#include <algorithm>

#include "isa/layout.h"

namespace lockstep::isa {

using namespace detail;

std::vector<FieldValue> fields_of(const Inst& inst) {
  std::vector<FieldValue> list;
  constexpr unsigned kDword = 32;
  if (const Pattern* p = find_pattern(inst.isa, inst.format))
    list.push_back(
        {.fixed = true, .low = kDword - p->top_bits, .width = p->top_bits, .value = p->value});
  const unsigned suffix_at = (inst.size - suffix_bytes(inst.suffix)) * 8u;
  for (int f = 0; f < kFieldCount; ++f) {
    const auto field = static_cast<Field>(f);
    if (!inst.has(field)) continue;
    const Position s = kLayout.suffix[static_cast<size_t>(inst.suffix)][f];
    const Position b =
        kLayout.base[generation_index(inst.isa)][static_cast<size_t>(inst.format)][f];
    if (s.width) {
      list.push_back({false, field, suffix_at + s.low, s.width, inst.get(field)});
    } else {
      list.push_back({false, field, b.low, b.width, inst.get(field)});
    }
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const FieldValue& a, const FieldValue& b) { return a.low < b.low; });
  return list;
}

}  // namespace lockstep::isa
