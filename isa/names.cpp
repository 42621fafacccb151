// SPDX-License-Identifier: MIT
// Names are read off the enumerators themselves, so that none is written twice.
#include "isa/names.h"

#include <array>
#include <utility>

namespace lockstep::isa {
namespace {

/// The compiler's own spelling of an enumerator, without its scope.
template <auto kValue>
constexpr std::string_view spelling() {
  std::string_view text = __PRETTY_FUNCTION__;
  const size_t end = text.find_first_of(";]", text.find("kValue = "));
  text = text.substr(0, end);
  return text.substr(text.rfind(':') + 1);
}

template <class E, size_t... I>
constexpr auto spell_all(std::index_sequence<I...>) {
  return std::array<std::string_view, sizeof...(I)>{spelling<static_cast<E>(I)>()...};
}

constexpr size_t kTypeCount = static_cast<size_t>(Type::WAIT_EVENT) + 1;
constexpr auto kFormats = spell_all<Format>(std::make_index_sequence<kFormatCount>());
constexpr auto kTypes = spell_all<Type>(std::make_index_sequence<kTypeCount>());
constexpr auto kFields = spell_all<Field>(std::make_index_sequence<kFieldCount>());
static_assert(kFormats[0] == "SOP1" && kFields[0] == "sdst" && kTypes[1] == "B8");

}  // namespace

std::string_view format_name(Format format) { return kFormats[static_cast<size_t>(format)]; }
std::string_view type_name(Type type) {
  return type == Type::kNone ? std::string_view() : kTypes[static_cast<size_t>(type)];
}
std::string_view field_name(Field field) { return kFields[static_cast<size_t>(field)]; }

std::string_view suffix_name(Suffix suffix) {
  switch (suffix) {
    case Suffix::kNone:
      return "";
    case Suffix::kLiteral:
      return "literal";
    case Suffix::kDpp16:
      return "dpp16";
    case Suffix::kDpp8:
      return "dpp8";
    case Suffix::kSdwa:
      return "sdwa";
  }
  return "";
}

std::string_view kind_name(OperandKind kind) {
  switch (kind) {
    case OperandKind::kNone:
      return "none";
    case OperandKind::kScalar:
      return "sgpr";
    case OperandKind::kVgpr:
      return "vgpr";
    case OperandKind::kAgpr:
      return "agpr";
    case OperandKind::kInline:
      return "constant";
    case OperandKind::kSpecial:
      return "special";
    case OperandKind::kLiteral:
      return "literal";
    case OperandKind::kImmediate:
      return "immediate";
    case OperandKind::kOff:
      return "off";
  }
  return "none";
}

unsigned bits_of(Type type, unsigned dwords, unsigned wave_size) {
  switch (type) {
    case Type::kNone:
      return 0;
    case Type::MASK:
    case Type::EXEC_MASK:
      return wave_size;
    default:
      return is_immediate(type) || (is_half(type) && dwords == 1) ? 16 : dwords * 32;
  }
}

std::string target_list() {
  std::string names;
  for (const TargetInfo& info : all_targets())
    names.append(names.empty() ? "" : " ").append(info.name);
  return names;
}

}  // namespace lockstep::isa
