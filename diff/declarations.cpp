// SPDX-License-Identifier: MIT
// Reads declared inputs: numbers, lane and memory expressions.
#include "diff/declarations.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace lockstep::diff {
namespace {

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r'))
    s.remove_suffix(1);
  return s;
}

std::optional<uint64_t> whole_number(std::string_view s) {
  const bool minus = s.starts_with('-');
  if (minus) s.remove_prefix(1);
  const int base = s.starts_with("0x") ? 16 : 10;
  if (base == 16) s.remove_prefix(2);
  uint64_t value = 0;
  const auto parsed = std::from_chars(s.data(), s.data() + s.size(), value, base);
  if (s.empty() || parsed.ec != std::errc() || parsed.ptr != s.data() + s.size())
    return std::nullopt;
  return minus ? ~value + 1 : value;
}

/// "1.5", "-2e-3", "inf", "nan": bits of an f32.
std::optional<uint64_t> float_bits(std::string_view s) {
  const std::string text(s);
  if (text.empty() || text.find_first_of(".einEIN") == std::string::npos) return std::nullopt;
  char* end = nullptr;
  const float value = std::strtof(text.c_str(), &end);
  if (end != text.c_str() + text.size() || text.find_first_of("xX") != std::string::npos)
    return std::nullopt;
  return std::bit_cast<uint32_t>(value);
}

struct Scope {
  uint64_t lane = 0, memory = 0;
};
/// number, lane, memory, number*lane; sums of them.
std::optional<uint64_t> evaluate(std::string_view s, const Scope& scope) {
  if (const auto bits = float_bits(trim(s))) return bits;
  uint64_t sum = 0;
  while (true) {
    const size_t plus = s.find('+');
    uint64_t product = 1;
    for (std::string_view term = s.substr(0, plus);;) {
      const size_t star = term.find('*');
      const std::string_view factor = trim(term.substr(0, star));
      if (factor == "lane") {
        product *= scope.lane;
      } else if (factor == "memory") {
        product *= scope.memory;
      } else if (const auto number = whole_number(factor)) {
        product *= *number;
      } else {
        return std::nullopt;
      }
      if (star == std::string_view::npos) break;
      term.remove_prefix(star + 1);
    }
    sum += product;
    if (plus == std::string_view::npos) return sum;
    s.remove_prefix(plus + 1);
  }
}

std::vector<std::string_view> split(std::string_view s) {
  std::vector<std::string_view> list;
  while (true) {
    const size_t comma = s.find(',');
    list.push_back(trim(s.substr(0, comma)));
    if (comma == std::string_view::npos) return list;
    s.remove_prefix(comma + 1);
  }
}

/// What stands left of the =.
struct Place {
  enum class Kind : uint8_t { kVgpr, kAgpr, kScalar, kLds, kMemory };
  Kind kind = Kind::kScalar;
  uint32_t first = 0;  ///< register, place of a scalar, or dword
  uint32_t count = 1;  ///< registers
};

std::optional<Place> parse_place(std::string_view s, const Layout& l) {
  using Kind = Place::Kind;
  for (const auto& [name, first, count] : {std::tuple{"vcc", kVccLo, 2u},
                                           {"exec", kExecLo, 2u},
                                           {"vcc_lo", kVccLo, 1u},
                                           {"vcc_hi", kVccHi, 1u},
                                           {"exec_lo", kExecLo, 1u},
                                           {"exec_hi", kExecHi, 1u},
                                           {"m0", kM0, 1u},
                                           {"scc", kScc, 1u},
                                           {"mode", kMode, 1u}})
    if (s == name) return Place{Kind::kScalar, first, count};
  Place place;
  if (s == "lds" || s == "memory") {
    place.kind = s == "lds" ? Kind::kLds : Kind::kMemory;
    return place;
  }
  if (s.starts_with("lds[") || s.starts_with("memory[")) {
    place.kind = s[0] == 'l' ? Kind::kLds : Kind::kMemory;
    const size_t open = s.find('[');
    if (!s.ends_with(']')) return std::nullopt;
    const uint64_t at = whole_number(s.substr(open + 1, s.size() - open - 2)).value_or(1);
    const uint32_t bytes = place.kind == Kind::kLds ? l.lds_bytes : l.memory_bytes;
    if (at % 4 || at >= bytes) return std::nullopt;
    place.first = static_cast<uint32_t>(at / 4);
    return place;
  }
  if (s.size() < 2) return std::nullopt;
  place.kind = s[0] == 'v' ? Kind::kVgpr : s[0] == 'a' ? Kind::kAgpr : Kind::kScalar;
  if (place.kind == Kind::kScalar && s[0] != 's') return std::nullopt;
  std::optional<uint64_t> first, last;
  if (s[1] == '[' && s.ends_with(']')) {
    const std::string_view range = s.substr(2, s.size() - 3);
    const size_t colon = range.find(':');
    first = whole_number(range.substr(0, colon));
    last = colon == std::string_view::npos ? first : whole_number(range.substr(colon + 1));
  } else {
    first = last = whole_number(s.substr(1));
  }
  const uint64_t limit = place.kind == Kind::kVgpr   ? l.vgprs
                         : place.kind == Kind::kAgpr ? l.agprs
                                                     : uint64_t{kVccLo};
  if (!first || !last || *last < *first || *last >= limit || *last - *first > 1)
    return std::nullopt;
  place.first = static_cast<uint32_t>(*first);
  place.count = static_cast<uint32_t>(*last - *first + 1);
  return place;
}

}  // namespace

Result<std::vector<Declaration>> find_declarations(std::string_view text, const std::string& name) {
  std::vector<Declaration> list;
  unsigned number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = trim(text.substr(at, end - at));
    at = end + 1;
    ++number;
    if (!line.starts_with(";@")) continue;
    line.remove_prefix(2);
    const size_t equals = line.find('=');
    Declaration d;
    d.line = number;
    d.place = trim(line.substr(0, equals));
    if (equals != std::string_view::npos) d.values = trim(line.substr(equals + 1));
    if (d.place.empty() || d.values.empty())
      return Error{fmt::format("{}:{}: a declaration reads \";@ PLACE = VALUES\"", name, number)};
    list.push_back(std::move(d));
  }
  return list;
}

Result<bool> apply_to_layout(const Declaration& d, Layout& l, bool& sized) {
  if (d.place == "target") {
    const auto target = isa::find_target(d.values);
    if (!target) return Error{fmt::format("line {}: there is no target {}", d.line, d.values)};
    l.target = *target;
    return true;
  }
  uint32_t* field = d.place == "wave"           ? &l.wave_size
                    : d.place == "vgprs"        ? &l.vgprs
                    : d.place == "agprs"        ? &l.agprs
                    : d.place == "lds_bytes"    ? &l.lds_bytes
                    : d.place == "memory_bytes" ? &l.memory_bytes
                    : d.place == "slot"         ? &l.slot
                                                : nullptr;
  if (!field) return false;
  const auto number = whole_number(d.values);
  if (!number || *number > UINT32_MAX)
    return Error{fmt::format("line {}: {} is a number, not \"{}\"", d.line, d.place, d.values)};
  *field = static_cast<uint32_t>(*number);
  sized = sized || d.place == "vgprs";
  return true;
}

Result<void> apply_to_state(const Declaration& d, const Layout& l, uint32_t index, Random& random,
                            State& state) {
  using Kind = Place::Kind;
  const auto place = parse_place(d.place, l);
  if (!place)
    return Error{fmt::format(
        "line {}: there is no \"{}\" here (v0 to v{}, s0 to s105, vcc, exec, "
        "m0, scc, mode, lds, memory{})",
        d.line, d.place, l.vgprs - 1, l.agprs ? fmt::format(", a0 to a{}", l.agprs - 1) : "")};
  const auto values = split(d.values);
  const bool per_lane = place->kind == Kind::kVgpr || place->kind == Kind::kAgpr;
  const bool flat = place->kind == Kind::kLds || place->kind == Kind::kMemory;
  const uint32_t base = place->kind == Kind::kLds ? l.lds_at() : l.memory_at();
  const uint32_t room = (place->kind == Kind::kLds ? l.lds_bytes : l.memory_bytes) / 4;
  size_t steps = per_lane ? l.wave_size : flat ? values.size() : 1;
  // One value for LDS or memory fills it from the place on.
  if (flat && values.size() == 1 && room > place->first) steps = room - place->first;
  if (flat && place->first + steps > room)
    return Error{fmt::format("line {}: {} dwords from {} on are more than the {} bytes there",
                             d.line, steps, d.place, room * 4)};
  if (!per_lane && !flat && values.size() > 1)
    return Error{fmt::format("line {}: {} has one value", d.line, d.place)};
  if (per_lane && values.size() > l.wave_size)
    return Error{
        fmt::format("line {}: {} values for {} lanes", d.line, values.size(), l.wave_size)};
  const Scope scope{0, memory_address(l, index)};
  for (size_t i = 0; i < steps; ++i) {
    const std::string_view text = values[i % values.size()];
    Scope here = scope;
    here.lane = i;
    const auto value =
        text == "random" ? std::optional<uint64_t>(random.next()) : evaluate(text, here);
    if (!value)
      return Error{
          fmt::format("line {}: \"{}\" is no value (numbers, floats with a point, lane, "
                      "memory, sums and products of them, random)",
                      d.line, text)};
    for (uint32_t word = 0; word < place->count; ++word) {
      const uint32_t r = place->first + word;
      const auto lane = static_cast<uint32_t>(i);
      const uint32_t at = place->kind == Kind::kVgpr   ? l.vgpr_at(r, lane)
                          : place->kind == Kind::kAgpr ? l.agpr_at(r, lane)
                          : flat                       ? base + r + lane
                                                       : r;
      state[at] = static_cast<uint32_t>(*value >> (32 * word)) & l.compared_bits(at);
    }
  }
  return {};
}

bool names_memory(const Declaration& d) {
  return d.values.find("memory") != std::string::npos || d.place.starts_with("memory");
}

}  // namespace lockstep::diff
