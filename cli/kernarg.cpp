// SPDX-License-Identifier: MIT
// Argument checking against metadata, and the kernarg segment's bytes.
#include "cli/kernarg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace lockstep::cli {
namespace {

constexpr uint64_t kPointerSize = 8;
constexpr uint64_t kCacheLine = 64;

/// What a type name of OpenCL or HIP says about one element; absent for structures and the like.
struct SourceType {
  unsigned size;
  DTypeClass kind;
};
std::optional<SourceType> source_type(std::string_view name) {
  while (!name.empty() && (name.back() == '*' || name.back() == ' ')) name.remove_suffix(1);
  // float4 -> float
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  struct Row {
    std::string_view name;
    SourceType type;
  };
  using enum DTypeClass;
  static constexpr std::array<Row, 10> kRows = {{{"short", {2, kSigned}},
                                                 {"ushort", {2, kUnsigned}},
                                                 {"int", {4, kSigned}},
                                                 {"uint", {4, kUnsigned}},
                                                 {"long", {8, kSigned}},
                                                 {"ulong", {8, kUnsigned}},
                                                 {"half", {2, kFloat}},
                                                 {"float", {4, kFloat}},
                                                 {"double", {8, kFloat}},
                                                 {"size_t", {8, kUnsigned}}}};
  for (const Row& row : kRows) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;  // char* too: it points at anything
}

std::string describe(size_t index, const loader::KernelArg& arg) {
  std::string text = fmt::format("argument {}", index);
  if (!arg.name.empty() || !arg.type_name.empty()) {
    const std::string_view blank = arg.name.empty() || arg.type_name.empty() ? "" : " ";
    text += fmt::format(" ({}{}{})", arg.type_name, blank, arg.name);
  }
  return text;
}

const char* what_is(const ArgSpec& spec) {
  switch (spec.kind) {
    case ArgKindOf::kValue:
      return "a value";
    case ArgKindOf::kBuffer:
      return "a buffer";
    case ArgKindOf::kLds:
      return "dynamic LDS";
    case ArgKindOf::kNull:
      return "a null pointer";
  }
  return "";
}

/// Empty if the SPEC suits the argument, else why not.
std::string mismatch(const loader::KernelArg& arg, const ArgSpec& spec) {
  using loader::ArgKind;
  const auto source = source_type(arg.type_name);
  const DTypeInfo& given = info_of(spec.type);
  const bool is_pointer = arg.kind == ArgKind::kGlobalBuffer ||
                          (arg.kind == ArgKind::kByValue && arg.type_name.ends_with('*'));
  if (is_pointer) {
    if (spec.kind == ArgKindOf::kNull) return "";
    if (spec.kind == ArgKindOf::kValue && given.size == 8 && spec.value.size() == 8 &&
        given.kind != DTypeClass::kFloat) {
      return "";  // an address as a number
    }
    if (spec.kind != ArgKindOf::kBuffer) {
      return fmt::format("the kernel takes a pointer, but {} is {}", spec.text, what_is(spec));
    }
    // Whole numbers are also how kernels look at bits of floats; floats are never integers.
    if (source && (source->size != given.size ||
                   (source->kind == DTypeClass::kFloat && given.kind != DTypeClass::kFloat))) {
      return fmt::format("the kernel takes {}, but {} is a buffer of {}", arg.type_name, spec.text,
                         given.name);
    }
    return "";
  }
  if (arg.kind == ArgKind::kDynamicSharedPointer) {
    if (spec.kind == ArgKindOf::kLds) return "";
    return fmt::format("the kernel takes dynamic LDS (lds:BYTES), but {} is {}", spec.text,
                       what_is(spec));
  }
  if (arg.kind != ArgKind::kByValue) {
    return fmt::format("the kernel takes a {}, which exec cannot make", arg.value_kind);
  }
  if (spec.kind != ArgKindOf::kValue) {
    return fmt::format("the kernel takes a value of {} bytes, but {} is {}", arg.size, spec.text,
                       what_is(spec));
  }
  if (spec.value.size() != arg.size) {
    return fmt::format("the kernel takes a value of {} bytes, but {} has {}", arg.size, spec.text,
                       spec.value.size());
  }
  if (source && source->size == given.size && given.size != 2 &&
      (source->kind == DTypeClass::kFloat) != (given.kind == DTypeClass::kFloat)) {
    return fmt::format("the kernel takes {}, but {} is {}", arg.type_name, spec.text, given.name);
  }
  return "";
}

/// Where arguments go when no metadata says it: in order, each at its natural alignment.
std::vector<loader::KernelArg> natural_layout(const std::vector<ArgSpec>& specs) {
  std::vector<loader::KernelArg> args;
  uint32_t offset = 0;
  for (const ArgSpec& spec : specs) {
    loader::KernelArg arg;
    arg.size = kPointerSize;
    arg.kind = loader::ArgKind::kGlobalBuffer;
    uint32_t align = kPointerSize;
    if (spec.kind == ArgKindOf::kValue) {
      arg.kind = loader::ArgKind::kByValue;
      arg.size = static_cast<uint32_t>(spec.value.size());
      align =
          arg.size <= 16 && (arg.size & (arg.size - 1)) == 0 ? arg.size : info_of(spec.type).size;
    } else if (spec.kind == ArgKindOf::kLds) {
      arg.kind = loader::ArgKind::kDynamicSharedPointer;
      arg.size = align = 4;
    }
    arg.offset = offset = (offset + align - 1) / align * align;
    offset += arg.size;
    args.push_back(arg);
  }
  return args;
}

std::vector<loader::KernelArg> explicit_args(const loader::Kernel& kernel) {
  std::vector<loader::KernelArg> args;
  for (const loader::KernelArg& arg : kernel.metadata->args) {
    if (!arg.hidden()) args.push_back(arg);
  }
  return args;
}

}  // namespace

std::string signature(const loader::Kernel& kernel) {
  if (!kernel.metadata) return kernel.name;
  std::string list;
  for (const loader::KernelArg& arg : explicit_args(kernel)) {
    if (!list.empty()) list += ", ";
    list += arg.type_name.empty() ? arg.value_kind : arg.type_name;
    if (!arg.name.empty()) list += " " + arg.name;
  }
  return fmt::format("{}({})", kernel.name, list);
}

Result<Kernarg> build_kernarg(const loader::Kernel& kernel, const LaunchShape& shape,
                              const std::vector<ArgSpec>& specs, uint32_t max_lds, Arena& arena) {
  const auto wanted = kernel.metadata ? explicit_args(kernel) : natural_layout(specs);
  if (wanted.size() != specs.size()) {
    std::string message = fmt::format(
        "{} takes {} argument{}, but {} --arg {} given", signature(kernel), wanted.size(),
        wanted.size() == 1 ? "" : "s", specs.size(), specs.size() == 1 ? "was" : "were");
    if (specs.size() < wanted.size()) {
      message += "; missing is " + describe(specs.size(), wanted[specs.size()]);
    } else {
      message += "; one too many is " + specs[wanted.size()].text;
    }
    return Error{message};
  }
  uint64_t end = kernarg_size(kernel);
  for (const loader::KernelArg& arg : wanted) {
    end = std::max(end, uint64_t{arg.offset} + arg.size);
  }
  if (!kernel.metadata && kernel.descriptor.kernarg_size != 0 &&
      end > kernel.descriptor.kernarg_size) {
    return Error{fmt::format("the arguments need {} bytes, but {} has a kernarg segment of {}", end,
                             kernel.name, kernel.descriptor.kernarg_size)};
  }
  Kernarg kernarg;
  if (end != 0) {
    // Compilers load the last arguments with wide loads that reach past them: runtimes hand out
    // kernarg memory in cache lines.
    auto memory =
        arena.allocate((end + kCacheLine - 1) / kCacheLine * kCacheLine, "kernarg", false);
    if (!memory) return Error{memory.error()};
    kernarg.memory = *memory;
  }
  const uint32_t static_lds = kernel.descriptor.group_segment_fixed_size;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const loader::KernelArg& arg = wanted[i];
    const auto fail = [&](const std::string& why) {
      return Error{fmt::format("{}: {}", describe(i, arg), why)};
    };
    if (std::string why = mismatch(arg, specs[i]); !why.empty()) return fail(why);
    BoundArg bound{specs[i], arg.name, arg.offset, arg.size, {}, {}};
    uint64_t word = 0;
    const uint8_t* value = reinterpret_cast<const uint8_t*>(&word);
    uint64_t value_size = sizeof word;
    switch (bound.spec.kind) {
      case ArgKindOf::kValue:
        value = bound.spec.value.data();
        value_size = bound.spec.value.size();
        break;
      case ArgKindOf::kNull:
        break;
      case ArgKindOf::kLds: {
        const uint64_t align = std::max<uint64_t>(arg.pointee_align, 16);
        word = (static_lds + kernarg.dynamic_lds + align - 1) / align * align;
        if (word + bound.spec.lds_bytes > max_lds) {
          return fail(fmt::format("a workgroup would need {} bytes of LDS; the target has {}",
                                  word + bound.spec.lds_bytes, max_lds));
        }
        kernarg.dynamic_lds = static_cast<uint32_t>(word + bound.spec.lds_bytes - static_lds);
        break;
      }
      case ArgKindOf::kBuffer: {
        auto array = make_buffer(bound.spec);
        if (!array) return fail(array.error());
        bound.shape = array->shape;
        if (array->bytes.empty()) break;  // nothing to point at: any access is a fault
        auto memory = arena.allocate(array->bytes.size(),
                                     fmt::format("arg {} ({})", i, bound.spec.text), true);
        if (!memory) return fail(memory.error());
        std::memcpy(memory->data(), array->bytes.data(), array->bytes.size());
        bound.memory = *memory;
        word = address_of(*memory);
        break;
      }
    }
    std::memcpy(kernarg.memory.data() + arg.offset, value,
                std::min<uint64_t>(value_size, arg.size));
    kernarg.args.push_back(std::move(bound));
  }
  uint64_t queue = 0;
  if (kernel.metadata &&
      std::any_of(kernel.metadata->args.begin(), kernel.metadata->args.end(),
                  [](const auto& arg) { return arg.kind == loader::ArgKind::kHiddenQueuePtr; })) {
    const auto made = make_queue(arena);
    if (!made) return Error{made.error()};
    queue = *made;
  }
  fill_hidden_arguments(kernel, shape, kernarg.dynamic_lds, queue, kernarg.memory);
  return kernarg;
}

}  // namespace lockstep::cli
