// SPDX-License-Identifier: MIT
// MessagePack of the metadata note to YAML.
#include <fmt/format.h>

#include <algorithm>
#include <msgpack.hpp>

#include "asm/metadata.h"

namespace lockstep::asm_ {
namespace {

bool is_plain(std::string_view s) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/+ ";
  return !s.empty() && s.front() != ' ' && s.back() != ' ' && s.front() != '-' &&
         s.find_first_not_of(kPlain) == std::string_view::npos;
}

std::string quoted(std::string_view s) {
  if (is_plain(s)) return std::string(s);
  const bool printable =
      std::all_of(s.begin(), s.end(), [](char c) { return c >= ' ' && c <= '~'; });
  std::string out;
  if (printable) {
    for (const char c : s) out += c == '\'' ? "''" : std::string(1, c);
    return "'" + out + "'";
  }
  for (const char c : s) {
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (c >= ' ' && c <= '~')
      out += c;
    else
      out += fmt::format("\\x{:02x}", static_cast<uint8_t>(c));
  }
  return "\"" + out + "\"";
}

std::optional<std::string> scalar(const msgpack::object& o) {
  switch (o.type) {
    case msgpack::type::BOOLEAN:
      return o.via.boolean ? "true" : "false";
    case msgpack::type::POSITIVE_INTEGER:
      return fmt::format("{}", o.via.u64);
    case msgpack::type::NEGATIVE_INTEGER:
      return fmt::format("{}", o.via.i64);
    case msgpack::type::STR:
      return quoted({o.via.str.ptr, o.via.str.size});
    default:
      return std::nullopt;
  }
}

/// Appends the value behind "key:" or "-".
bool value(const msgpack::object& o, int indent, std::string& out, bool after_dash);

bool map(const msgpack::object& o, int indent, std::string& out, bool first_in_line) {
  for (uint32_t i = 0; i < o.via.map.size; ++i) {
    const msgpack::object_kv& kv = o.via.map.ptr[i];
    if (kv.key.type != msgpack::type::STR) return false;
    if (i > 0 || !first_in_line) out.append(static_cast<size_t>(indent), ' ');
    out += quoted({kv.key.via.str.ptr, kv.key.via.str.size}) + ":";
    if (!value(kv.val, indent, out, false)) return false;
  }
  return true;
}

bool value(const msgpack::object& o, int indent, std::string& out, bool after_dash) {
  if (o.type == msgpack::type::MAP) {
    if (o.via.map.size == 0) {
      out += " {}\n";
      return true;
    }
    out += after_dash ? " " : "\n";
    return map(o, indent + 2, out, after_dash);
  }
  if (o.type == msgpack::type::ARRAY) {
    out += o.via.array.size == 0 ? " []\n" : "\n";
    for (uint32_t i = 0; i < o.via.array.size; ++i) {
      out.append(static_cast<size_t>(indent + 2), ' ');
      out += '-';
      if (!value(o.via.array.ptr[i], indent + 2, out, true)) return false;
    }
    return true;
  }
  const auto text = scalar(o);
  if (!text) return false;
  out += ' ' + *text + '\n';
  return true;
}

}  // namespace

std::optional<std::string> metadata_yaml(std::span<const uint8_t> note) {
  std::string text = "---\n";
  try {
    const auto handle =
        msgpack::unpack(reinterpret_cast<const char*>(note.data()), note.size(), nullptr, nullptr,
                        msgpack::unpack_limit(100000, 100000, 1 << 20, 1 << 20, 0, 50));
    if (handle->type != msgpack::type::MAP || !map(handle.get(), 0, text, false))
      return std::nullopt;
  } catch (const msgpack::unpack_error&) {
    return std::nullopt;
  }
  text += "...\n";
  size_t ignored = 0;
  const auto again = pack_metadata(text, ignored);
  if (!again || !std::equal(again->begin(), again->end(), note.begin(), note.end()))
    return std::nullopt;
  return text;
}

}  // namespace lockstep::asm_
