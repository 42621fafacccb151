// SPDX-License-Identifier: MIT
// The SPEC of --arg: how a kernel argument is made, and what happens to it after the run.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/array.h"
#include "cli/dtype.h"
#include "isa/result.h"

namespace lockstep::cli {

enum class ArgKindOf : uint8_t {
  kValue,   ///< passed by value: i32:5, f32:1,2,3,4
  kBuffer,  ///< a pointer to an array
  kLds,     ///< dynamic LDS: lds:BYTES
  kNull,    ///< a null pointer
};
enum class Fill : uint8_t { kFile, kZeros, kIota, kRandom };

struct ArgSpec {
  std::string text;  ///< as written
  ArgKindOf kind = ArgKindOf::kValue;
  DType type = DType::kI32;
  std::vector<uint8_t> value;  ///< kValue: its bytes
  uint32_t lds_bytes = 0;      ///< kLds
  Fill fill = Fill::kZeros;    ///< kBuffer from here on
  Shape shape;                 ///< known at once but for files
  std::string input_file;
  std::string output_file;  ///< written after the run; empty = none
  uint64_t seed = 0;
  bool is_output = false;  ///< printed after the run if there is no output file
};

/// Reads one SPEC. The error says what was expected; the caller says which argument it is.
Result<ArgSpec> parse_arg_spec(std::string_view text);
/// The contents of a buffer argument before the run; reads the file if there is one.
Result<Array> make_buffer(const ArgSpec& spec);
/// The grammar, for --help.
extern const char* const kArgSpecHelp;

}  // namespace lockstep::cli
