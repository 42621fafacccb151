// SPDX-License-Identifier: MIT
// One instruction in full, as text and as JSON: operands, implicit state, modifiers, fields.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "cli/listing.h"
#include "isa/inst.h"

namespace lockstep::cli {

/// Several lines, each with a line feed; `indent` blanks in front.
std::string explain_text(const isa::Inst& inst, const Syntax& syntax, unsigned indent);

/// Keys mnemonic, row (its identifier in isa/ops), format, size, groups, operands, modifiers; with `fields` also the encoding.
nlohmann::json instruction_json(const isa::Inst& inst, const Syntax& syntax, bool fields);

/// The instruction whose bytes these hex digits are; nothing if they are none.
std::optional<isa::Inst> decode_hex(std::string_view hex, const Syntax& syntax);

}  // namespace lockstep::cli
