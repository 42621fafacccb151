// SPDX-License-Identifier: MIT
// An instruction as data: every operand with its access, the state that it touches without naming
// it, its modifiers, and its fields in words.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "asm/print.h"
#include "isa/fields.h"
#include "isa/operand.h"

namespace lockstep::asm_ {

enum class Access : uint8_t { kRead = 1, kWrite = 2, kReadWrite = 3 };

/// State that an instruction uses without an operand for it.
enum class State : uint8_t { kNone, kScc, kVcc, kExec, kM0, kPc, kMode, kFlatScratch };
std::string_view state_name(State state);  ///< "scc", "vcc", "exec", "m0", "pc", "mode", ..

struct OperandDetail {
  isa::Operand operand;  ///< kind kNone for an item of `state`
  State state = State::kNone;
  Access access = Access::kRead;
  bool implicit = false;       ///< no field holds it (VCC of short forms, and all of `state`)
  uint16_t bits = 0;           ///< of one lane's value; 0 if not known
  std::string_view role = {};  ///< "dst", "src0", "address", "data", "resource", ..
  std::string text = {};       ///< as the disassembler writes it, without neg and abs
};

/// Operands in the order of the text, then implicit state. Both halves of a VOPD pair.
std::vector<OperandDetail> operand_details(const isa::Inst& inst, const PrintOptions& options);

/// What an instruction is about; several may hold.
enum Group : uint32_t {
  kGroupBranch = 1,       ///< may change the PC: s_branch, s_cbranch, s_setpc, s_swappc, s_call
  kGroupConditional = 2,  ///< a branch that may fall through
  kGroupCall = 4,         ///< writes a return address
  kGroupEnd = 8,          ///< ends the wave
  kGroupBarrier = 16,
  kGroupWait = 32,  ///< waits for counters
  kGroupLoad = 64,
  kGroupStore = 128,
  kGroupAtomic = 256,
  kGroupScalarMemory = 512,
  kGroupVectorMemory = 1024,  ///< FLAT family, buffers, images
  kGroupLds = 2048,
  kGroupScalarAlu = 4096,
  kGroupVectorAlu = 8192,
  kGroupMatrix = 16384,
  kGroupImage = 32768,
  kGroupExport = 65536,
  kGroupTrap = 131072,
};
uint32_t groups_of(const isa::Inst& inst);
/// "branch", "vector-memory", .. of one bit.
std::string_view group_name(uint32_t group);

/// A field that changes what the instruction does and names no operand: clamp, offset, scope..
struct ModifierValue {
  std::string_view name;
  int64_t value = 0;
};
/// Those that are not zero.
std::vector<ModifierValue> modifiers_of(const isa::Inst& inst);

/// What the value of a field means ("v3", "literal follows"); may be empty.
std::string field_meaning(const isa::Inst& inst, const isa::FieldValue& field,
                          const PrintOptions& options);

}  // namespace lockstep::asm_
