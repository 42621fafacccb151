// SPDX-License-Identifier: MIT
// Where fields lie, against facts of other provenance, line by line.
#include "tests/support/facts.h"

#include <gtest/gtest.h>

#include <map>

#include "isa/layout.h"
#include "isa/names.h"

namespace lockstep::isa {
namespace {

using test::Shape;
using test::shape_named;
using test::split;

/// First bit and width of the fields of a name; the eight lane numbers of DPP8 are one field here.
detail::Position position_of(Isa isa, const Shape& shape, unsigned bits, std::string_view name) {
  static const std::map<std::string_view, std::string_view> kRenamed = {
      {"clmp", "clamp"}, {"ioffset", "offset"}, {"dpp", "dpp_ctrl"},
      {"rsrc", "srsrc"}, {"vsrc", "data"},      {"wait_va_vdst", "wait_vdst"}};
  unsigned lane = 8;
  if (name.starts_with("lane_sel_")) {
    lane = static_cast<unsigned>(name.back() - '0');
    name = "lane_sel";
  }
  if (const auto renamed = kRenamed.find(name); renamed != kRenamed.end()) name = renamed->second;
  const bool flat = shape.format >= Format::FLAT && shape.format <= Format::SCRATCH;
  if (flat && name == "vaddr") name = "addr";
  const auto suffix_bits = static_cast<uint8_t>(bits - 8 * detail::suffix_bytes(shape.suffix));
  for (int f = 0; f < kFieldCount; ++f) {
    if (field_name(static_cast<Field>(f)) != name) continue;
    const detail::Position base =
        detail::kLayout.base[detail::generation_index(isa)][static_cast<size_t>(shape.format)][f];
    detail::Position after = detail::kLayout.suffix[static_cast<size_t>(shape.suffix)][f];
    if (after.width == 0) return base;
    after.low = static_cast<uint8_t>(after.low + suffix_bits);
    if (lane < 8) after = {static_cast<uint8_t>(after.low + 3 * lane), 3};
    return after;
  }
  return {};
}

TEST(Facts, FieldsLieWhereTheyShould) {
  test::Exceptions exceptions("field");
  for (const std::string& line : test::data_lines("facts_fields.txt.gz")) {
    const auto parts = split(line, ' ');
    const Isa isa = test::isa_named(parts[0]);
    const std::optional<Shape> shape = shape_named(parts[1]);
    ASSERT_TRUE(shape) << line;
    const unsigned bits = test::number(parts[2]), low = test::number(parts[4]),
                   width = test::number(parts[5]);
    std::string ours;
    if (parts[3] == "encoding") {
      const detail::Pattern* pattern = detail::find_pattern(isa, shape->format);
      ASSERT_NE(pattern, nullptr) << line;
      // VOP3PX2: the marker of the first half; facts name that of the second half as well.
      ours = pattern->value == test::number(parts[6]) && pattern->top_bits == width &&
                     pattern->bytes * 8u == bits - 8 * detail::suffix_bytes(shape->suffix)
                 ? ""
                 : fmt::format("{:#x} in {} bits of {} bytes", pattern->value, pattern->top_bits,
                               pattern->bytes);
    } else {
      const detail::Position at = position_of(isa, *shape, bits, parts[3]);
      if (at.width == 0)
        ours = "absent";
      else if (at.low != low || at.width != width)
        ours = fmt::format("{} bits from {}", at.width, at.low);
    }
    exceptions.check(fmt::format("{} {} {}", parts[0], parts[1], parts[3]), ours);
  }
  exceptions.finish(1300);
}

}  // namespace
}  // namespace lockstep::isa
