// SPDX-License-Identifier: MIT
// The .npy file format, versions 1 to 3: magic, a header that is a Python dictionary, raw elements.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "cli/array.h"
#include "cli/files.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlign = 64;

struct Header {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

/// Reads the literal {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  std::optional<Header> parse() {
    Header header;
    bool have_descr = false, have_order = false, have_shape = false;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      const auto key = string();
      if (!key || !take(':')) return std::nullopt;
      if (*key == "descr") {
        const auto value = string();
        if (!value) return std::nullopt;
        header.descr = *value;
        have_descr = true;
      } else if (*key == "fortran_order") {
        header.fortran_order = word("True");
        if (!header.fortran_order && !word("False")) return std::nullopt;
        have_order = true;
      } else if (*key == "shape") {
        if (!tuple(header.shape)) return std::nullopt;
        have_shape = true;
      } else {
        return std::nullopt;
      }
      take(',');
    }
    if (!have_descr || !have_order || !have_shape) return std::nullopt;
    return header;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool word(std::string_view text) {
    skip_blanks();
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  std::optional<std::string> string() {
    skip_blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return std::nullopt;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool tuple(Shape& shape) {
    if (!take('(')) return false;
    while (!take(')')) {
      skip_blanks();
      uint64_t n = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
      if (error != std::errc()) return false;
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      word("L");  // Python 2 wrote long integers so
      shape.push_back(n);
      take(',');
    }
    return true;
  }

  std::string_view rest_;
};

bool fits_type(std::string_view code, DType type) {
  const DTypeInfo& t = info_of(type);
  if (code == t.npy) return true;
  if (type == DType::kBF16) return code == "V2";  // as ml_dtypes' bfloat16 is saved
  return t.size == 1 && code == "b1";             // bool
}

void swap_bytes(std::vector<uint8_t>& bytes, size_t size) {
  for (auto at = bytes.begin(); at < bytes.end(); at += static_cast<ptrdiff_t>(size)) {
    std::reverse(at, at + static_cast<ptrdiff_t>(size));
  }
}

/// First index fastest -> last index fastest.
std::vector<uint8_t> from_fortran_order(const std::vector<uint8_t>& in, const Shape& shape,
                                        size_t size) {
  std::vector<uint8_t> out(in.size());
  Shape index(shape.size());
  std::vector<uint64_t> stride(shape.size(), 1);
  for (size_t d = 1; d < shape.size(); ++d) stride[d] = stride[d - 1] * shape[d - 1];
  for (size_t to = 0; to < out.size(); to += size) {
    uint64_t from = 0;
    for (size_t d = 0; d < shape.size(); ++d) from += index[d] * stride[d];
    std::memcpy(&out[to], &in[from * size], size);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return out;
}

}  // namespace

Result<Array> parse_npy(std::span<const uint8_t> file, DType type) {
  const auto byte = [&](size_t i) { return static_cast<size_t>(file[i]); };
  if (file.size() < 10 || std::memcmp(file.data(), kMagic.data(), kMagic.size()) != 0) {
    return Error{"is no .npy file (it does not begin with \\x93NUMPY)"};
  }
  const size_t version = byte(6);
  if (version < 1 || version > 3) {
    return Error{fmt::format("has .npy version {}; known are 1 to 3", version)};
  }
  const size_t start = version == 1 ? 10 : 12;
  if (file.size() < start) return Error{"ends inside its header"};
  const size_t length = version == 1 ? byte(8) | byte(9) << 8
                                     : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (length > file.size() - start) {
    return Error{fmt::format("ends inside its header (header length {} at offset 8, file size {})",
                             length, file.size())};
  }
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + start, length);
  const auto header = HeaderParser(text).parse();
  if (!header) return Error{fmt::format("has a header that is not understood: {}", text)};

  const DTypeInfo& t = info_of(type);
  const std::string_view descr = header->descr;
  const char order = descr.empty() ? ' ' : descr[0];
  if (std::string_view("<>|=").find(order) == std::string_view::npos ||
      !fits_type(descr.substr(1), type)) {
    return Error{
        fmt::format("holds elements of NumPy type '{}', not {} ({})", descr, t.name, t.numpy_name)};
  }
  uint64_t count = 1;
  for (const uint64_t n : header->shape) {
    if (n != 0 && count > kMaxArrayBytes / t.size / n) {
      return Error{fmt::format("claims the shape {}, more than {} GiB", shape_text(header->shape),
                               kMaxArrayBytes >> 30)};
    }
    count *= n;
  }
  const std::span<const uint8_t> data = file.subspan(start + length);
  if (data.size() != count * t.size) {
    return Error{fmt::format("has {} bytes of data where its shape ({}) needs {}", data.size(),
                             shape_text(header->shape), count * t.size)};
  }
  Array array{type, header->shape, {data.begin(), data.end()}};
  if (order == '>') swap_bytes(array.bytes, t.size);
  if (header->fortran_order && header->shape.size() > 1) {
    array.bytes = from_fortran_order(array.bytes, array.shape, t.size);
  }
  return array;
}

Result<Array> read_npy(const std::string& path, DType type) {
  const auto file = read_file(path);
  if (!file) return Error{file.error()};
  auto array = parse_npy(*file, type);
  if (!array) return Error{path + " " + array.error()};
  return array;
}

Result<void> write_npy(const std::string& path, DType type, const Shape& shape,
                       std::span<const uint8_t> bytes) {
  const DTypeInfo& t = info_of(type);
  std::string tuple;
  for (const uint64_t n : shape) tuple += std::to_string(n) + ",";
  if (shape.size() > 1) tuple.pop_back();
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   t.size == 1 ? '|' : '<', t.npy, tuple);
  const size_t unpadded = 10 + header.size() + 1;
  header.append((kAlign - unpadded % kAlign) % kAlign, ' ');
  header += '\n';
  std::string file(kMagic);
  file += '\x01';
  file += '\0';
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return write_file(path, file);
}

}  // namespace lockstep::cli
