// SPDX-License-Identifier: MIT
// Parses --arg SPEC.
#include "cli/arg_spec.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace lockstep::cli {
namespace {

/// Cuts at the first colon; `rest` is absent if there is none.
struct Cut {
  std::string_view head;
  std::optional<std::string_view> rest;
};
Cut cut(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<ArgSpec> parse_value(ArgSpec spec, DType type, std::string_view numbers) {
  spec.kind = ArgKindOf::kValue;
  spec.type = type;
  const size_t size = info_of(type).size;
  while (true) {
    const size_t comma = numbers.find(',');
    const std::string_view number = numbers.substr(0, comma);
    const auto bits = parse_element(type, number);
    if (!bits) {
      return Error{
          fmt::format("\"{}\" is no {} number, or does not fit one", number, info_of(type).name)};
    }
    spec.value.resize(spec.value.size() + size);
    store_element(type, &spec.value[spec.value.size() - size], *bits);
    if (comma == std::string_view::npos) return spec;
    numbers.remove_prefix(comma + 1);
  }
}

/// FILE.npy or FILE.npy:OUT.npy: file names may hold colons themselves.
void set_files(ArgSpec& spec, std::string_view files) {
  const size_t split = files.find(".npy:");
  spec.input_file = files.substr(0, split == std::string_view::npos ? split : split + 4);
  if (split != std::string_view::npos) spec.output_file = files.substr(split + 5);
}

Result<ArgSpec> parse_buffer(ArgSpec spec, std::string_view word, std::string_view rest) {
  spec.kind = ArgKindOf::kBuffer;
  const Cut typed = cut(rest);
  const auto type = find_dtype(typed.head);
  if (!type) {
    return Error{fmt::format("\"{}\" is no element type; there are: {}", typed.head, dtype_list())};
  }
  spec.type = *type;
  if (!typed.rest || typed.rest->empty()) {
    return Error{fmt::format("{} behind {}:{}: is missing",
                             word.starts_with("in") ? "FILE.npy" : "the shape", word, typed.head)};
  }
  if (word == "in" || word == "inout") {
    spec.fill = Fill::kFile;
    spec.is_output = word == "inout";
    set_files(spec, *typed.rest);
    if (word == "in" && !spec.output_file.empty()) {
      return Error{fmt::format("in: takes one file; inout:{} writes one as well", rest)};
    }
    return spec;
  }
  const Cut shaped = cut(*typed.rest);
  auto shape = parse_shape(shaped.head, *type);
  if (!shape) return Error{shape.error()};
  spec.shape = *shape;
  std::optional<std::string_view> file = shaped.rest;
  if (word == "rand") {
    spec.fill = Fill::kRandom;
    const Cut seeded = cut(shaped.rest.value_or(""));
    const auto seed = parse_number<uint64_t>(seeded.head);
    if (!seed)
      return Error{fmt::format("rand:{} needs a seed at its end, like rand:f32:64:1", rest)};
    spec.seed = *seed;
    file = seeded.rest;
  } else if (word == "iota") {
    spec.fill = Fill::kIota;
  } else {  // out, zeros
    spec.fill = Fill::kZeros;
    spec.is_output = true;
  }
  if (file && file->empty()) return Error{"the file name at its end is empty"};
  if (file) spec.output_file = *file;
  return spec;
}

}  // namespace

const char* const kArgSpecHelp =
    "Arguments are given in the kernel's order, one --arg each. SPEC is one of\n"
    "  TYPE:NUMBER[,NUMBER...]      a value (i32:5, f32:1.5, u64:0x10, f32:1,2,3,4)\n"
    "  in:TYPE:FILE.npy             a buffer with the contents of a file\n"
    "  inout:TYPE:FILE.npy[:OUT]    the same, shown or written after the run\n"
    "  out:TYPE:SHAPE[:OUT]         a buffer for results; starts as zeros\n"
    "  zeros:TYPE:SHAPE[:OUT]       the same\n"
    "  iota:TYPE:SHAPE[:OUT]        0, 1, 2, ...\n"
    "  rand:TYPE:SHAPE:SEED[:OUT]   floats in [0, 1), integers over their whole range\n"
    "  lds:BYTES                    dynamic LDS for a __local pointer\n"
    "  null                         a null pointer\n"
    "TYPE: i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 (bf16 is uint16 in files).\n"
    "SHAPE: sizes with x between them, like 1000 or 16x16. OUT: a .npy file to write.";

Result<ArgSpec> parse_arg_spec(std::string_view text) {
  ArgSpec spec;
  spec.text = text;
  if (text == "null") {
    spec.kind = ArgKindOf::kNull;
    return spec;
  }
  const auto [word, rest] = cut(text);
  if (!rest) {
    return Error{
        fmt::format("\"{}\" is no argument: write TYPE:NUMBER or in:, out:, inout:, "
                    "zeros:, iota:, rand:, lds: and what follows (see --help)",
                    text)};
  }
  if (word == "lds") {
    const auto bytes = parse_number<uint32_t>(*rest);
    if (!bytes) return Error{fmt::format("\"{}\" is no number of bytes", *rest)};
    spec.kind = ArgKindOf::kLds;
    spec.lds_bytes = *bytes;
    return spec;
  }
  if (word == "in" || word == "out" || word == "inout" || word == "zeros" || word == "iota" ||
      word == "rand") {
    return parse_buffer(std::move(spec), word, *rest);
  }
  if (const auto type = find_dtype(word)) return parse_value(std::move(spec), *type, *rest);
  return Error{
      fmt::format("\"{}\" is neither an element type ({}) nor one of in out inout zeros "
                  "iota rand lds",
                  word, dtype_list())};
}

Result<Array> make_buffer(const ArgSpec& spec) {
  switch (spec.fill) {
    case Fill::kFile:
      return read_npy(spec.input_file, spec.type);
    case Fill::kZeros:
      return make_zeros(spec.type, spec.shape);
    case Fill::kIota:
      return make_iota(spec.type, spec.shape);
    case Fill::kRandom:
      return make_random(spec.type, spec.shape, spec.seed);
  }
  return Error{"unknown kind of buffer"};
}

}  // namespace lockstep::cli
