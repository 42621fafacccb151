// SPDX-License-Identifier: MIT
// Any bytes as the metadata note of a code object.
#include "loader/metadata.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto metadata = lockstep::loader::parse_metadata({data, size});
  lockstep::fuzz::require(metadata || !metadata.error().empty(), "an error without words");
  return 0;
}
