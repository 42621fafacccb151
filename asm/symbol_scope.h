// SPDX-License-Identifier: MIT
// What the line assembler asks about symbols.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lockstep::asm_ {

/// What is known of a symbol now. Values of one base other than 0 are labels of one section: their
/// differences are numbers, they themselves are not.
struct SymbolValue {
  int64_t value = 0;
  uint32_t base = 0;        ///< 0: an absolute number
  bool has_labels = false;  ///< made of labels, if only as a distance
};

class SymbolScope {
 public:
  virtual ~SymbolScope() = default;
  /// Nothing: not known yet, or only known to the linker. The name may carry a specifier (f@rel32@lo)
  /// and may be "." for the place of the line.
  virtual std::optional<SymbolValue> find(std::string_view name) const = 0;
  /// Whether labels such as 1b and 1f can be there at all.
  virtual bool has_local_labels() const { return true; }
  /// The label 1b or 1f.
  virtual std::optional<SymbolValue> find_local(uint64_t number, bool forward) const = 0;
  /// max and its like may be called in expressions.
  virtual bool is_function(std::string_view name) const = 0;
  virtual std::optional<int64_t> call(std::string_view name,
                                      const std::vector<int64_t>& arguments) const = 0;
};

}  // namespace lockstep::asm_
