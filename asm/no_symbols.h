// SPDX-License-Identifier: MIT
// The scope of a line that stands alone: every name may be a symbol, and none has a value yet.
#pragma once
#include "asm/symbol_scope.h"

namespace lockstep::asm_ {

class NoSymbols : public SymbolScope {
 public:
  std::optional<SymbolValue> find(std::string_view) const override { return std::nullopt; }
  bool has_local_labels() const override { return false; }
  std::optional<SymbolValue> find_local(uint64_t, bool) const override { return std::nullopt; }
  bool is_function(std::string_view) const override { return false; }
  std::optional<int64_t> call(std::string_view, const std::vector<int64_t>&) const override {
    return std::nullopt;
  }
};

}  // namespace lockstep::asm_
