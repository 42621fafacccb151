// SPDX-License-Identifier: MIT
// Names of formats, types, fields and operand kinds, for people and for JSON.
#pragma once
#include <string>
#include <string_view>

#include "isa/operand.h"

namespace lockstep::isa {

std::string_view format_name(Format format);  ///< "VOP3"
std::string_view type_name(Type type);        ///< "F32"; "" for kNone
std::string_view field_name(Field field);     ///< "vsrc1"
std::string_view suffix_name(Suffix suffix);  ///< "literal", "dpp16", "dpp8", "sdwa", ""
/// "sgpr", "vgpr", "agpr", "constant", "special", "literal", "immediate", "off".
std::string_view kind_name(OperandKind kind);

/// Names of all targets, with blanks between them: for messages.
std::string target_list();

/// Bits of one value of this type (of one lane, for vectors); lane masks have one a lane.
unsigned bits_of(Type type, unsigned dwords, unsigned wave_size);

}  // namespace lockstep::isa
