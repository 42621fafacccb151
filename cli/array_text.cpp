// SPDX-License-Identifier: MIT
// Prints arrays in the layout that NumPy users know.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/array.h"

namespace lockstep::cli {
namespace {

constexpr uint64_t kEdge = 3;  // elements shown at each end of a shortened dimension
constexpr size_t kLineWidth = 75;
constexpr int kFloatDigits = 8;  // most digits after the point

/// Formats the shown elements of one array with a common width.
class Cells {
 public:
  Cells(DType type, const std::vector<uint64_t>& shown) : type_(type) {
    if (info_of(type).kind == DTypeClass::kFloat) choose_notation(shown);
    for (const uint64_t bits : shown) measure(raw(bits));
  }

  std::string text(uint64_t bits) const {
    const std::string plain = raw(bits);
    const size_t point = point_of(plain);
    // Numbers line up at the point; inf and nan at the right edge.
    if (point == std::string::npos) return fmt::format("{:>{}}", plain, before_ + after_);
    return fmt::format("{:>{}}{:<{}}", plain.substr(0, point), before_, plain.substr(point),
                       after_);
  }

 private:
  void choose_notation(const std::vector<uint64_t>& shown) {
    double low = INFINITY;
    double high = 0;
    for (const uint64_t bits : shown) {
      const double value = std::fabs(printable_value(type_, bits));
      if (!std::isfinite(value) || value == 0) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    scientific_ = high >= 1e8 || (high > 0 && low < 1e-4);
  }

  std::string raw(uint64_t bits) const {
    if (info_of(type_).kind != DTypeClass::kFloat) return integer_text(type_, bits);
    const double value = printable_value(type_, bits);
    if (!std::isfinite(value)) return fmt::format("{}", value);
    char buffer[512];
    const auto notation = scientific_ ? std::chars_format::scientific : std::chars_format::fixed;
    auto end = std::to_chars(buffer, buffer + sizeof buffer, value, notation).ptr;
    std::string text(buffer, end);
    const size_t point = text.find('.');
    const size_t exponent = std::min(text.find('e'), text.size());
    if (point != std::string::npos && exponent - point - 1 > kFloatDigits) {
      end = std::to_chars(buffer, buffer + sizeof buffer, value, notation, kFloatDigits).ptr;
      text.assign(buffer, end);
      const size_t tail = std::min(text.find('e'), text.size());
      const size_t keep = text.find_last_not_of('0', tail - 1) + 1;
      text.erase(keep, tail - keep);
    } else if (point == std::string::npos) {
      text.insert(exponent, ".");
    }
    return text;
  }

  size_t point_of(const std::string& text) const {
    return info_of(type_).kind == DTypeClass::kFloat ? text.find('.') : std::string::npos;
  }

  void measure(const std::string& text) {
    const size_t point = point_of(text);
    if (point == std::string::npos) {
      widest_word_ = std::max(widest_word_, text.size());
    } else {
      before_ = std::max(before_, point);
      after_ = std::max(after_, text.size() - point);
    }
    if (before_ + after_ < widest_word_) before_ = widest_word_ - after_;
  }

  DType type_;
  bool scientific_ = false;
  size_t before_ = 0, after_ = 0, widest_word_ = 0;
};

class ArrayPrinter {
 public:
  ArrayPrinter(DType type, const Shape& shape, std::span<const uint8_t> bytes, bool shorten)
      : type_(type), shape_(shape), bytes_(bytes), shorten_(shorten), cells_(type, shown()) {}

  std::string text() const {
    std::string out;
    print(0, 0, out);
    return out;
  }

 private:
  uint64_t bits_at(uint64_t index) const {
    return load_element(type_, bytes_.data() + index * info_of(type_).size);
  }

  uint64_t stride(size_t dim) const {
    uint64_t n = 1;
    for (size_t d = dim + 1; d < shape_.size(); ++d) n *= shape_[d];
    return n;
  }

  bool shortened(size_t dim) const { return shorten_ && shape_[dim] > 2 * kEdge; }

  /// Calls f(i) for the indices shown in a dimension, gap() where elements are left out.
  template <class F, class G>
  void each(size_t dim, F f, G gap) const {
    const uint64_t n = shape_[dim];
    for (uint64_t i = 0; i < n; ++i) {
      if (shortened(dim) && i == kEdge) {
        gap();
        i = n - kEdge;
      }
      f(i);
    }
  }

  void collect(size_t dim, uint64_t base, std::vector<uint64_t>& out) const {
    each(
        dim,
        [&](uint64_t i) {
          const uint64_t index = base + i * stride(dim);
          if (dim + 1 == shape_.size()) {
            out.push_back(bits_at(index));
          } else {
            collect(dim + 1, index, out);
          }
        },
        [] {});
  }

  std::vector<uint64_t> shown() const {
    std::vector<uint64_t> out;
    collect(0, 0, out);
    return out;
  }

  void print(size_t dim, uint64_t base, std::string& out) const {
    out += '[';
    if (dim + 1 == shape_.size()) {
      print_row(base, out);
    } else {
      bool first = true;
      const auto separate = [&] {
        if (!first) out.append(shape_.size() - dim - 1, '\n').append(dim + 1, ' ');
        first = false;
      };
      each(
          dim,
          [&](uint64_t i) {
            separate();
            print(dim + 1, base + i * stride(dim), out);
          },
          [&] {
            separate();
            out += "...";
          });
    }
    out += ']';
  }

  void print_row(uint64_t base, std::string& out) const {
    const size_t dim = shape_.size() - 1;
    size_t column = shape_.size();
    bool first = true;
    const auto put = [&](const std::string& cell) {
      if (!first && column + 1 + cell.size() > kLineWidth) {
        out.erase(out.find_last_not_of(' ') + 1);
        out += '\n';
        out.append(shape_.size(), ' ');
        column = shape_.size();
      } else if (!first) {
        out += ' ';
        ++column;
      }
      out += cell;
      column += cell.size();
      first = false;
    };
    each(dim, [&](uint64_t i) { put(cells_.text(bits_at(base + i))); }, [&] { put("..."); });
  }

  DType type_;
  const Shape& shape_;
  std::span<const uint8_t> bytes_;
  bool shorten_;
  Cells cells_;
};

}  // namespace

std::string array_text(DType type, const Shape& shape, std::span<const uint8_t> bytes,
                       uint64_t threshold) {
  uint64_t count = 1;
  for (const uint64_t n : shape) count *= n;
  if (shape.empty()) return element_text(type, load_element(type, bytes.data()));
  if (count == 0) return "[]";
  return ArrayPrinter(type, shape, bytes, count > threshold).text();
}

}  // namespace lockstep::cli
