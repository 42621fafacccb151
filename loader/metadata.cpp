// SPDX-License-Identifier: MIT
// MessagePack metadata to structures. Damaged notes give errors: nothing is thrown out of here.
#include "loader/metadata.h"

#include <fmt/format.h>

#include <msgpack.hpp>

namespace lockstep::loader {
namespace {

// Real notes are 5 levels deep. The limit bounds the work that a damaged one can cause.
constexpr int kMaxDepth = 12;

/// First pass: checks that the bytes are whole, well-formed MessagePack before anything is
/// allocated. Each value costs at least one byte of input, so memory in the second pass is bounded
/// by the note's size.
struct Checker : msgpack::null_visitor {
  int depth = 0;
  size_t error_offset = 0;
  const char* problem = nullptr;

  bool enter(const char* what) {
    if (++depth <= kMaxDepth) return true;
    problem = what;
    return false;
  }
  bool start_array(uint32_t) { return enter("arrays nest too deeply"); }
  bool end_array() { return --depth, true; }
  bool start_map(uint32_t) { return enter("maps nest too deeply"); }
  bool end_map() { return --depth, true; }
  void parse_error(size_t, size_t offset) { report(offset, "malformed MessagePack"); }
  void insufficient_bytes(size_t, size_t offset) { report(offset, "it ends inside a value"); }
  void report(size_t offset, const char* what) {
    error_offset = offset;
    if (!problem) problem = what;
  }
};

const char* type_name(msgpack::type::object_type type) {
  switch (type) {
    case msgpack::type::NIL:
      return "nil";
    case msgpack::type::BOOLEAN:
      return "a boolean";
    case msgpack::type::POSITIVE_INTEGER:
      return "a number";
    case msgpack::type::NEGATIVE_INTEGER:
      return "a negative number";
    case msgpack::type::FLOAT32:
    case msgpack::type::FLOAT64:
      return "a floating-point number";
    case msgpack::type::STR:
      return "a string";
    case msgpack::type::BIN:
      return "binary data";
    case msgpack::type::ARRAY:
      return "an array";
    case msgpack::type::MAP:
      return "a map";
    default:
      return "an extension type";
  }
}

/// Reads typed values out of maps; keeps the first error, with the path to the value.
class Reader {
 public:
  Result<Metadata> run(const msgpack::object& root) {
    Metadata metadata;
    if (root.type != msgpack::type::MAP)
      return Error{fmt::format("metadata note: the top is {}, not a map", type_name(root.type))};
    std::vector<uint32_t> version;
    get(root, "amdhsa.version", version);
    if (error_.empty() && version.size() != 2)
      fail("amdhsa.version", fmt::format("has {} numbers, not 2", version.size()));
    if (error_.empty() && version[0] != 1)
      fail("amdhsa.version", fmt::format("is {}.{}; only 1.x is known", version[0], version[1]));
    get(root, "amdhsa.target", metadata.target);
    get(root, "amdhsa.printf", metadata.printf_formats);
    if (const msgpack::object* kernels = find_array(root, "amdhsa.kernels")) {
      for (uint32_t i = 0; i < kernels->via.array.size && error_.empty(); ++i) {
        path_ = fmt::format("kernel {}", i);
        metadata.kernels.push_back(read_kernel(kernels->via.array.ptr[i]));
      }
    }
    if (!error_.empty()) return Error{std::move(error_)};
    metadata.version_major = version[0];
    metadata.version_minor = version[1];
    return metadata;
  }

 private:
  KernelMetadata read_kernel(const msgpack::object& map) {
    KernelMetadata k;
    if (!expect(map, msgpack::type::MAP, "the entry")) return k;
    get(map, ".name", k.name);
    if (!k.name.empty()) path_ += fmt::format(" ({})", k.name);
    get(map, ".symbol", k.symbol);
    if (error_.empty() && k.symbol.empty()) fail(".symbol", "is missing");
    get(map, ".language", k.language);
    get(map, ".language_version", k.language_version);
    get(map, ".kind", k.kind);
    get(map, ".kernarg_segment_size", k.kernarg_segment_size);
    get(map, ".kernarg_segment_align", k.kernarg_segment_align);
    get(map, ".group_segment_fixed_size", k.group_segment_fixed_size);
    get(map, ".private_segment_fixed_size", k.private_segment_fixed_size);
    get(map, ".wavefront_size", k.wavefront_size);
    get(map, ".sgpr_count", k.sgpr_count);
    get(map, ".vgpr_count", k.vgpr_count);
    get(map, ".agpr_count", k.agpr_count);
    get(map, ".sgpr_spill_count", k.sgpr_spill_count);
    get(map, ".vgpr_spill_count", k.vgpr_spill_count);
    get(map, ".max_flat_workgroup_size", k.max_flat_workgroup_size);
    get(map, ".reqd_workgroup_size", k.reqd_workgroup_size);
    get(map, ".workgroup_size_hint", k.workgroup_size_hint);
    get(map, ".vec_type_hint", k.vec_type_hint);
    get(map, ".device_enqueue_symbol", k.device_enqueue_symbol);
    get(map, ".uses_dynamic_stack", k.uses_dynamic_stack);
    get(map, ".workgroup_processor_mode", k.workgroup_processor_mode);
    get(map, ".uniform_work_group_size", k.uniform_work_group_size);
    if (const msgpack::object* args = find_array(map, ".args")) {
      const std::string kernel_path = path_;
      for (uint32_t i = 0; i < args->via.array.size && error_.empty(); ++i) {
        path_ = fmt::format("{}, argument {}", kernel_path, i);
        k.args.push_back(read_arg(args->via.array.ptr[i]));
      }
    }
    return k;
  }

  KernelArg read_arg(const msgpack::object& map) {
    KernelArg a;
    if (!expect(map, msgpack::type::MAP, "the entry")) return a;
    for (const char* key : {".offset", ".size", ".value_kind"})
      if (error_.empty() && !find(map, key)) fail(key, "is missing");
    get(map, ".offset", a.offset);
    get(map, ".size", a.size);
    get(map, ".value_kind", a.value_kind);
    a.kind = find_arg_kind(a.value_kind);
    get(map, ".name", a.name);
    get(map, ".type_name", a.type_name);
    get(map, ".address_space", a.address_space);
    get(map, ".access", a.access);
    get(map, ".actual_access", a.actual_access);
    get(map, ".pointee_align", a.pointee_align);
    get(map, ".is_const", a.is_const);
    get(map, ".is_restrict", a.is_restrict);
    get(map, ".is_volatile", a.is_volatile);
    get(map, ".is_pipe", a.is_pipe);
    return a;
  }

  void fail(std::string_view key, std::string_view problem) {
    if (error_.empty())
      error_ =
          fmt::format("metadata note: {}{}{} {}", path_, path_.empty() ? "" : ": ", key, problem);
  }

  bool expect(const msgpack::object& o, msgpack::type::object_type type, std::string_view key) {
    if (o.type == type) return true;
    fail(key, fmt::format("is {}, not {}", type_name(o.type), type_name(type)));
    return false;
  }

  const msgpack::object* find(const msgpack::object& map, std::string_view key) const {
    for (uint32_t i = 0; i < map.via.map.size; ++i) {
      const msgpack::object_kv& entry = map.via.map.ptr[i];
      if (entry.key.type == msgpack::type::STR &&
          std::string_view(entry.key.via.str.ptr, entry.key.via.str.size) == key)
        return &entry.val;
    }
    return nullptr;
  }

  const msgpack::object* find_array(const msgpack::object& map, std::string_view key) {
    const msgpack::object* o = find(map, key);
    return o && expect(*o, msgpack::type::ARRAY, key) ? o : nullptr;
  }

  void get(const msgpack::object& map, std::string_view key, auto& out) {
    if (!error_.empty()) return;
    if (const msgpack::object* o = find(map, key)) convert(*o, key, out);
  }

  void convert(const msgpack::object& o, std::string_view key, std::string& out) {
    if (expect(o, msgpack::type::STR, key)) out.assign(o.via.str.ptr, o.via.str.size);
  }
  void convert(const msgpack::object& o, std::string_view key, uint32_t& out) {
    if (!expect(o, msgpack::type::POSITIVE_INTEGER, key)) return;
    if (o.via.u64 > UINT32_MAX)
      return fail(key, fmt::format("is {:#x}, more than 32 bits", o.via.u64));
    out = static_cast<uint32_t>(o.via.u64);
  }
  // Most flags are booleans; .uniform_work_group_size is a number.
  void convert(const msgpack::object& o, std::string_view key, bool& out) {
    if (o.type == msgpack::type::POSITIVE_INTEGER)
      out = o.via.u64 != 0;
    else if (expect(o, msgpack::type::BOOLEAN, key))
      out = o.via.boolean;
  }
  template <class T>
  void convert(const msgpack::object& o, std::string_view key, std::vector<T>& out) {
    if (!expect(o, msgpack::type::ARRAY, key)) return;
    for (uint32_t i = 0; i < o.via.array.size && error_.empty(); ++i) {
      out.emplace_back();
      convert(o.via.array.ptr[i], key, out.back());
    }
  }
  void convert(const msgpack::object& o, std::string_view key,
               std::optional<std::array<uint32_t, 3>>& out) {
    std::vector<uint32_t> sizes;
    convert(o, key, sizes);
    if (!error_.empty()) return;
    if (sizes.size() != 3) return fail(key, fmt::format("has {} numbers, not 3", sizes.size()));
    out = {sizes[0], sizes[1], sizes[2]};
  }

  std::string path_;
  std::string error_;
};

}  // namespace

Result<Metadata> parse_metadata(std::span<const uint8_t> note) try {
  const char* data = reinterpret_cast<const char*>(note.data());
  if (note.empty()) return Error{"metadata note: it is empty"};
  Checker checker;
  size_t end = 0;
  if (!msgpack::parse(data, note.size(), end, checker) || checker.problem)
    return Error{fmt::format("metadata note: offset {:#x} of {:#x}: {}",
                             std::max(end, checker.error_offset), note.size(),
                             checker.problem ? checker.problem : "malformed MessagePack")};
  const msgpack::object_handle handle = msgpack::unpack(data, note.size());
  return Reader().run(handle.get());
} catch (const std::exception& e) {
  return Error{fmt::format("metadata note: {}", e.what())};
}

ArgKind find_arg_kind(std::string_view value_kind) {
  static constexpr std::string_view kNames[] = {
      "by_value",
      "global_buffer",
      "dynamic_shared_pointer",
      "sampler",
      "image",
      "pipe",
      "queue",
      "hidden_global_offset_x",
      "hidden_global_offset_y",
      "hidden_global_offset_z",
      "hidden_none",
      "hidden_printf_buffer",
      "hidden_hostcall_buffer",
      "hidden_default_queue",
      "hidden_completion_action",
      "hidden_multigrid_sync_arg",
      "hidden_heap_v1",
      "hidden_block_count_x",
      "hidden_block_count_y",
      "hidden_block_count_z",
      "hidden_group_size_x",
      "hidden_group_size_y",
      "hidden_group_size_z",
      "hidden_remainder_x",
      "hidden_remainder_y",
      "hidden_remainder_z",
      "hidden_grid_dims",
      "hidden_dynamic_lds_size",
      "hidden_private_base",
      "hidden_shared_base",
      "hidden_queue_ptr",
  };
  static_assert(std::size(kNames) == static_cast<size_t>(ArgKind::kUnknown));
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == value_kind) return static_cast<ArgKind>(i);
  return ArgKind::kUnknown;
}

}  // namespace lockstep::loader
