// SPDX-License-Identifier: MIT
// Opens kernel files of every kind.
#include "cli/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "loader/bundle.h"

namespace lockstep::cli {
namespace {

bool is_elf(std::span<const uint8_t> file) {
  return file.size() >= 4 && std::memcmp(file.data(),
                                         "\x7f"
                                         "ELF",
                                         4) == 0;
}

}  // namespace

bool looks_like_object(std::span<const uint8_t> file) {
  return is_elf(file) || loader::is_bundle(file);
}

bool looks_like_text(std::span<const uint8_t> file) {
  return !file.empty() && std::all_of(file.begin(), file.end(), [](uint8_t c) {
    return c >= 0x20 || c == '\n' || c == '\r' || c == '\t';
  });
}

bool is_assembly(std::span<const uint8_t> file, const std::string& path) {
  return !looks_like_object(file) &&
         (path.ends_with(".s") || path.ends_with(".S") || looks_like_text(file));
}

Result<loader::CodeObject> parse_input(std::span<const uint8_t> file, const std::string& path,
                                       std::optional<isa::Target> target) {
  if (file.empty()) return Error{path + " is empty"};
  if (!looks_like_object(file)) {
    if (is_assembly(file, path))
      return Error{fmt::format("{} is assembly text; make a code object of it: lockstep asm {}",
                               path, path)};
    return Error{path + " is neither a code object (ELF) nor an offload bundle"};
  }
  const auto bytes = loader::extract_code_object(file, target);
  if (!bytes) return Error{fmt::format("{}: {}", path, bytes.error())};
  auto object = loader::parse_code_object(*bytes);
  if (!object) return Error{fmt::format("{}: {}", path, object.error())};
  if (target && object->target != *target) {
    return Error{fmt::format("{} is code for {}, not for {}", path, object->target_id(),
                             isa::target_info(*target).name)};
  }
  return object;
}

Result<const loader::Kernel*> choose_kernel(const loader::CodeObject& object,
                                            const std::string& name) {
  std::string names;
  for (const loader::Kernel& kernel : object.kernels) {
    names += (names.empty() ? "" : " ") + kernel.name;
  }
  if (object.kernels.empty()) return Error{"the code object has no kernels"};
  if (name.empty()) {
    if (object.kernels.size() == 1) return &object.kernels.front();
    return Error{"--kernel=NAME is needed; the code object has: " + names};
  }
  if (const loader::Kernel* kernel = object.find_kernel(name)) return kernel;
  return Error{fmt::format("there is no kernel \"{}\"; the code object has: {}", name, names)};
}

}  // namespace lockstep::cli
