// SPDX-License-Identifier: MIT
// Operands of a decoded instruction as data: one description that printing, liveness and execution
// share.
#pragma once
#include <cstdint>

#include "isa/inst.h"

namespace lockstep::isa {

enum class OperandKind : uint8_t {
  kNone,
  kScalar,  ///< scalar register by canonical code 0..127; see ScalarCode
  kVgpr,
  kAgpr,     ///< ACCVGPR (CDNA)
  kInline,   ///< inline constant: code 128..208 integers, 240..248 floats; `value` holds the low 32
             ///< bits of its meaning
  kSpecial,  ///< other source codes: src_shared_base.., src_vccz, src_execz, src_scc,
             ///< src_lds_direct
  kLiteral,  ///< `value` is the literal dword
  kImmediate,  ///< simm16 and other immediates: `value`, sign-extended if the type is SIMM16
  kOff,        ///< an address part that is not used ("off")
};

/// Canonical scalar codes: gfx11's numbering. gfx9's m0 (124) is mapped to kM0, so one register
/// file serves all. On gfx9 codes 102..105 are FLAT_SCRATCH and XNACK_MASK instead of SGPRs.
enum ScalarCode : uint8_t {
  kVccLo = 106,
  kVccHi = 107,
  kTtmp0 = 108,
  kNull = 124,
  kM0 = 125,
  kExecLo = 126,
  kExecHi = 127
};
inline constexpr unsigned kSharedBase = 235, kSharedLimit = 236, kPrivateBase = 237,
                          kPrivateLimit = 238, kPopsExitingWaveId = 239, kVccz = 251, kExecz = 252,
                          kScc = 253, kLdsDirect = 254;
/// Lower half of an address that only later targets have; LLVM names it on all of them.
inline constexpr unsigned kFlatScratchBase = 230;

struct Operand {
  OperandKind kind = OperandKind::kNone;
  Type type = Type::kNone;
  uint8_t dwords = 0;      ///< registers it spans (one lane's, for vectors)
  uint16_t code = 0;       ///< register number, or the source code for kInline and kSpecial
  uint32_t value = 0;      ///< kLiteral, kImmediate, kInline
  bool high_half = false;  ///< a 16-bit value in bits 31:16
  bool neg = false, abs = false, sext = false;
};

inline constexpr int kMaxSources = 7;
struct Operands {
  Operand dst[2];
  Operand src[kMaxSources];
  uint8_t n_dst = 0;
  uint8_t n_src = 0;
};

/// Positions of the sources of memory instructions in Operands::src; unused ones are kNone.
/// FLAT family: address VGPRs, data, scalar address.  DS: address, data0, data1.
/// MUBUF/MTBUF: vaddr, data, resource, soffset.  SMEM: base, offset register, data (stores and
/// atomics).  Images: address registers, data, resource, further address registers.
enum MemSource : uint8_t {
  kMemAddr = 0,
  kMemData = 1,
  kMemScalar = 2,
  kDsData1 = 2,
  kMemSoffset = 3,
  kImageAddr1 = 3,
  kSmemBase = 0,
  kSmemOffset = 1,
  kSmemData = 2
};

/// All operands of an instruction that is no VOPD pair. wave_size decides how many SGPRs a lane
/// mask takes. Implicit VCC of short forms is listed like any operand.
Operands operands_of(const Inst& inst, unsigned wave_size);
/// Operands of one half (0 = X, 1 = Y) of a VOPD pair, in the shape of its single operation.
Operands operands_of_half(const Inst& inst, int half, unsigned wave_size);

/// True for values that gfx11 and later place in half a VGPR: 16-bit types, and on gfx12 pairs of
/// 8-bit floats.
bool fills_half(Isa isa, Type type);
/// Bits of an inline constant (code 128..248) as an operand of `type` sees them; 64-bit types use
/// both halves.
uint64_t inline_bits(unsigned code, Type type);

}  // namespace lockstep::isa
