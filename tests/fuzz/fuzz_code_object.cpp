// SPDX-License-Identifier: MIT
// libFuzzer: any bytes as a code object or a bundle must give a value or an error
// that says something.
#include <vector>

#include "loader/bundle.h"
#include "loader/code_object.h"
#include "tests/fuzz/fuzz.h"

namespace {

namespace loader = lockstep::loader;

using lockstep::fuzz::require;

void use(const loader::CodeObject& object) {
  for (const loader::Kernel& kernel : object.kernels) {
    const auto checked = loader::check_kernel_descriptor(kernel.descriptor, object.target);
    require(checked || !checked.error().empty(), "code object");
    require(object.bytes_at(kernel.entry, 4).size() == 4, "code object");
    object.find_function(kernel.entry);
  }
  if (object.image_size > 1 << 20) return;
  std::vector<uint8_t> memory(object.image_size);
  const auto loaded = loader::load_code_object(object, memory, 0x100000000,
                                               [](std::string_view) { return 0x1000; });
  require(loaded || !loaded.error().empty(), "code object");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> bytes(data, size);
  const auto object = loader::parse_code_object(bytes);
  if (object)
    use(*object);
  else
    require(!object.error().empty(), "code object");
  const auto bundles = loader::find_bundles(bytes);
  require(bundles || !bundles.error().empty(), "code object");
  return 0;
}
