// SPDX-License-Identifier: MIT
// .amdgpu_metadata: YAML to the MessagePack note.
#include "asm/metadata.h"

#include <elf.h>
#include <fmt/format.h>
#include <yaml.h>

#include <charconv>
#include <map>
#include <msgpack.hpp>

#include "asm/directives.h"
#include "asm/metadata_keys.h"

namespace lockstep::asm_ {
namespace {

enum class NodeKind : uint8_t { kNone, kScalar, kList, kMap };

struct Node {
  NodeKind kind = NodeKind::kNone;
  std::string scalar = {};
  std::vector<Node> list = {};
  std::map<std::string, Node> map = {};  // in the order in which LLVM writes keys
  size_t offset = 0;                     ///< in the text
};

/// Reads events of libyaml to a tree. The first problem is kept.
class Reader {
 public:
  explicit Reader(std::string_view text) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }

  bool read(Node& root) {
    return next() && expect(YAML_STREAM_START_EVENT) && next() &&
           expect(YAML_DOCUMENT_START_EVENT) && next() && node(root, 0) && next() &&
           expect(YAML_DOCUMENT_END_EVENT) && next() && expect(YAML_STREAM_END_EVENT);
  }
  std::string problem;
  size_t problem_at = 0;

 private:
  bool fail(std::string message, size_t at) {
    if (problem.empty()) {
      problem = std::move(message);
      problem_at = at;
    }
    return false;
  }
  bool next() {
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_)) return true;
    return fail(parser_.problem ? parser_.problem : "malformed YAML", parser_.problem_mark.index);
  }
  bool expect(yaml_event_type_t type) {
    return event_.type == type || fail("one YAML document is expected", event_.start_mark.index);
  }

  bool node(Node& out, int depth) {
    constexpr int kMaxDepth = 50;
    out.offset = event_.start_mark.index;
    if (depth > kMaxDepth) return fail("the metadata is nested too deep", out.offset);
    switch (event_.type) {
      case YAML_SCALAR_EVENT:
        out.kind = NodeKind::kScalar;
        out.scalar.assign(reinterpret_cast<const char*>(event_.data.scalar.value),
                          event_.data.scalar.length);
        return true;
      case YAML_SEQUENCE_START_EVENT:
        out.kind = NodeKind::kList;
        for (;;) {
          if (!next()) return false;
          if (event_.type == YAML_SEQUENCE_END_EVENT) return true;
          if (!node(out.list.emplace_back(), depth + 1)) return false;
        }
      case YAML_MAPPING_START_EVENT:
        out.kind = NodeKind::kMap;
        for (;;) {
          if (!next()) return false;
          if (event_.type == YAML_MAPPING_END_EVENT) return true;
          Node key;
          if (!node(key, depth + 1)) return false;
          if (key.kind != NodeKind::kScalar) return fail("a key must be a name", key.offset);
          if (!next()) return false;
          if (!node(out.map[key.scalar], depth + 1)) return false;
        }
      default:
        return fail("anchors and aliases are not supported", out.offset);
    }
  }

  yaml_parser_t parser_{};
  yaml_event_t event_{};
};

template <class T>
std::optional<T> whole_number(std::string_view s) {
  int base = 10;
  bool negative = false;
  if (std::is_signed_v<T> && s.starts_with('-')) {
    negative = true;
    s.remove_prefix(1);
  }
  if (s.starts_with("0x") || s.starts_with("0X")) {
    base = 16;
    s.remove_prefix(2);
  } else if (s.starts_with("0b") || s.starts_with("0B")) {
    base = 2;
    s.remove_prefix(2);
  } else if (s.starts_with("0o")) {
    base = 8;
    s.remove_prefix(2);
  } else if (s.size() > 1 && s[0] == '0') {
    base = 8;
    s.remove_prefix(1);
  }
  T value{};
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value, base);
  if (s.empty() || error != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return negative ? static_cast<T>(-value) : value;
}

std::optional<bool> truth(std::string_view s) {
  for (const char* yes : {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y"})
    if (s == yes) return true;
  for (const char* no :
       {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N"})
    if (s == no) return false;
  return std::nullopt;
}

using Packer = msgpack::packer<msgpack::sbuffer>;

void pack_text(Packer& p, const std::string& s) {
  p.pack_str(static_cast<uint32_t>(s.size()));
  p.pack_str_body(s.data(), static_cast<uint32_t>(s.size()));
}

/// A scalar is what it looks like, as in LLVM: quotes make no difference.
void pack_scalar(Packer& p, const std::string& s, ValueKind wanted) {
  if (wanted != ValueKind::kText) {
    if (const auto n = whole_number<uint64_t>(s)) {
      p.pack(*n);
      return;
    }
    if (const auto n = whole_number<int64_t>(s)) {
      p.pack(*n);
      return;
    }
    if (const auto t = truth(s)) {
      p.pack(*t);
      return;
    }
  }
  pack_text(p, s);
}

class Writer {
 public:
  Writer() : packer_(buffer_) {}

  bool write(const Node& root) {
    if (root.kind != NodeKind::kMap) return fail(root, "the metadata must be a map");
    return map(root, metadata_keys(), "");
  }
  const msgpack::sbuffer& bytes() const { return buffer_; }
  std::string problem;
  size_t problem_at = 0;

 private:
  bool fail(const Node& node, const std::string& message) {
    problem = message;
    problem_at = node.offset;
    return false;
  }

  bool map(const Node& node, std::span<const MetadataKey> keys, const std::string& path) {
    for (const MetadataKey& key : keys)
      if (key.required && !node.map.contains(std::string(key.name)))
        return fail(node, fmt::format("{}{} is missing", path, key.name));
    packer_.pack_map(static_cast<uint32_t>(node.map.size()));
    for (const auto& [name, child] : node.map) {
      pack_text(packer_, name);
      const MetadataKey* key = nullptr;
      for (const MetadataKey& k : keys)
        if (k.name == name) key = &k;
      if (!value(child, key, path + name)) return false;
    }
    return true;
  }

  bool value(const Node& node, const MetadataKey* key, const std::string& path) {
    const ValueKind kind = key ? key->kind : ValueKind::kAny;
    const bool is_list = node.kind == NodeKind::kList, is_map = node.kind == NodeKind::kMap;
    if (kind != ValueKind::kAny && (kind == ValueKind::kMaps || kind == ValueKind::kNumbers ||
                                    kind == ValueKind::kTexts) != is_list)
      return fail(node, path + (is_list ? " must not be a list" : " must be a list"));
    if (is_list) {
      packer_.pack_array(static_cast<uint32_t>(node.list.size()));
      for (const Node& item : node.list) {
        if (kind == ValueKind::kMaps) {
          if (item.kind != NodeKind::kMap) return fail(item, path + " must be a list of maps");
          if (!map(item, key->items, path + '.')) return false;
        } else {
          const MetadataKey each{"", kind == ValueKind::kNumbers ? ValueKind::kNumber
                                     : kind == ValueKind::kTexts ? ValueKind::kText
                                                                 : ValueKind::kAny};
          if (!value(item, &each, path)) return false;
        }
      }
      return true;
    }
    if (is_map)
      return kind == ValueKind::kAny ? map(node, {}, path + '.')
                                     : fail(node, path + " must not be a map");
    if (kind == ValueKind::kNumber && !whole_number<uint64_t>(node.scalar) &&
        !whole_number<int64_t>(node.scalar))
      return fail(node, path + " must be a whole number");
    if (kind == ValueKind::kTruth && !truth(node.scalar) && !whole_number<uint64_t>(node.scalar))
      return fail(node, path + " must be true or false");
    pack_scalar(packer_, node.scalar, kind);
    return true;
  }

  msgpack::sbuffer buffer_;
  Packer packer_;
};

}  // namespace

Result<std::vector<uint8_t>> pack_metadata(std::string_view yaml, size_t& error_at) {
  Node root;
  Reader reader(yaml);
  if (!reader.read(root)) {
    error_at = reader.problem_at;
    return Error{reader.problem};
  }
  Writer writer;
  if (!writer.write(root)) {
    error_at = writer.problem_at;
    return Error{writer.problem};
  }
  const auto* data = reinterpret_cast<const uint8_t*>(writer.bytes().data());
  return std::vector<uint8_t>(data, data + writer.bytes().size());
}

namespace {
void emit_metadata_note(Assembly& as, const void* data, size_t size) {
  constexpr uint32_t kMetadataNote = 32;
  constexpr char kOwner[8] = "AMDGPU";
  constexpr uint32_t kOwnerSize = 7;
  Section* current = &as.section();
  Section* previous = as.previous_section();
  as.switch_section(as.section_named(".note", SHT_NOTE, SHF_ALLOC));
  as.align(4, 0, 1, 0, {});
  const uint32_t header[] = {kOwnerSize, static_cast<uint32_t>(size), kMetadataNote};
  as.emit(header, sizeof header);
  as.emit(kOwner, sizeof kOwner);
  as.emit(data, size);
  as.align(4, 0, 1, 0, {});
  as.set_sections(current, previous);
}

}  // namespace

void directive_metadata(Arguments& a, int) {
  Assembly& as = a.assembly;
  std::string_view line, text;
  Location where, start;
  bool ended = false;
  while (as.input.next_raw(line, where)) {
    const size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line.substr(first).starts_with(".end_amdgpu_metadata")) {
      ended = true;
      break;
    }
    if (text.empty()) start = where;
    const char* begin = text.empty() ? line.data() : text.data();
    text = std::string_view(begin, static_cast<size_t>(line.data() + line.size() - begin));
  }
  if (!ended) {
    as.error(a.directive, "expected directive .end_amdgpu_metadata not found");
    return;
  }
  size_t at = 0;
  const auto bytes = pack_metadata(text, at);
  if (bytes)
    emit_metadata_note(as, bytes->data(), bytes->size());
  else
    as.error(start + std::min(at, text.size()), "invalid AMDGPU metadata: " + bytes.error());
}

}  // namespace lockstep::asm_
