// SPDX-License-Identifier: MIT
// The vocabulary of instruction rows: encoding formats, operand types and places, flags, memory
// parameters.
#pragma once
#include <cstdint>

#include "isa/target.h"

namespace lockstep::isa {

/// Encoding formats. gfx12's V* formats share a name with their predecessors (VDS is DS, VFLAT is
/// FLAT, VBUFFER is MUBUF and MTBUF, VDSDIR is LDSDIR, VEXPORT is EXP): what differs is the field
/// layout of the generation.
enum class Format : uint8_t {
  SOP1,
  SOP2,
  SOPC,
  SOPK,
  SOPP,
  SMEM,
  VOP1,
  VOP2,
  VOPC,
  VOP3,
  VOP3SD,
  VOP3P,
  MAI,
  VOP3PX2,
  VOPD,
  VINTERP,
  LDSDIR,
  DS,
  FLAT,
  GLOBAL,
  SCRATCH,
  MUBUF,
  MTBUF,
  MIMG,
  VIMAGE,
  VSAMPLE,
  EXP,
};
inline constexpr int kFormatCount = 27;

/// What follows the base encoding. A literal is one dword (two for 64-bit literals, which none of
/// our targets has).
enum class Suffix : uint8_t { kNone, kLiteral, kDpp16, kDpp8, kSdwa };

/// Operand data types. The type decides what an inline constant means, which modifiers are legal,
/// and the C++ type in which semantics see the value.
enum class Type : uint8_t {
  kNone,
  B8,
  I8,
  U8,
  B16,
  I16,
  U16,
  F16,
  BF16,
  B32,
  I32,
  U32,
  F32,
  I24,
  U24,
  B64,
  I64,
  U64,
  F64,
  B96,
  B128,
  B256,
  B512,
  B1024,
  PK_B16,
  PK_I16,
  PK_U16,
  PK_F16,
  PK_BF16,  // two 16-bit values in a dword
  PK_F32,
  PK_B32,  // two dwords
  PK_I8,
  PK_U8,
  PK_FP8,
  PK_BF8,
  PK_FP4,  // two small values in the low bits
  U8X4,
  I8X4,
  IU8X4,
  B8X4,
  FP8X4,
  BF8X4,  // four bytes in a dword
  U4X8,
  I4X8,
  IU4X8,  // eight nibbles in a dword
  FP8,
  BF8,
  FP6,
  BF6,
  IU8,
  IU4,
  SET,        // elements of matrix fragments; SET: sparse index set
  MIX,        // f32, or one half of a dword as f16, as op_sel_hi says (v_fma_mix)
  MASK,       // one bit a lane: SGPR (wave32), SGPR pair (wave64), or VCC
  EXEC_MASK,  // the same, written to EXEC (v_cmpx)
  SIMM16,
  SIMM32,
  HWREG,
  LABEL,
  SENDMSG,
  SENDMSG_RTN,
  WAITCNT,
  WAITCNT_DEPCTR,
  DELAY,
  CLAUSE,
  VERSION,
  WAIT_EVENT,
};

/// Where an operand may live, beyond what its encoding field says.
enum class Place : uint8_t {
  kField,    ///< anything the field can express
  kVgpr,     ///< VGPR only
  kSgpr,     ///< scalar register only (results of v_readlane and friends)
  kScalar,   ///< scalar source: SGPR, M0, inline constant
  kLiteral,  ///< the literal dword that follows (v_fmamk, v_fmaak)
};

/// One operand of a row: type, place and size. `dwords` is for one lane (vector) or for the wave
/// (scalar).
struct Opnd {
  Type type = Type::kNone;
  uint8_t dwords = 0;
  Place place = Place::kField;
  friend constexpr bool operator==(const Opnd&, const Opnd&) = default;
};

/// Row flags.
enum Flag : uint32_t {
  ACC = 1u << 0,    ///< the result is also a source: its old value is `d` in the semantics
  SWAP = 1u << 1,   ///< the source register is also written
  XLANE = 1u << 2,  ///< reads sources of other lanes: they are read before any lane is written
  HI16 = 1u << 3,   ///< a 16-bit result goes to bits 31:16
  // Encodings that this row lacks, by generation. NO(...) names them.
  E64_9 = 1u << 8,
  E64_11 = 1u << 9,
  E64_12 = 1u << 10,
  DPP_9 = 1u << 11,
  DPP_11 = 1u << 12,
  DPP_12 = 1u << 13,
  DPP64_11 = 1u << 14,
  DPP64_12 = 1u << 15,
  SDWA_9 = 1u << 16,
};

/// What a memory row does; the memory and LDS engines are written once and read these parameters.
enum class MemKind : uint8_t {
  kNone,
  kLoad,
  kStore,
  kAtomic,
  kLoadFormat,  ///< typed buffer load: `count` components through the resource's or instruction's
                ///< format
  kStoreFormat,
  kLoadLds,  ///< global or buffer memory to LDS
  kOther,    ///< cache control, GWS, permutes and the like: the row's own semantics say all
};
enum class MemHalf : uint8_t {
  kWhole,
  kD16Lo,  ///< the result goes to bits 15:0 of the register, bits 31:16 stay
  kD16Hi,  ///< loads: to bits 31:16, bits 15:0 stay; stores: from bits 31:16
};
enum class MemAddress : uint8_t {
  kPlain,
  kTwo,          ///< ds_*_2addr: two elements at offset0 and offset1, in units of the element
  kTwoStride64,  ///< the same in units of 64 elements
  kAddTid,       ///< address = base + lane * 4
};
struct MemParams {
  MemKind kind = MemKind::kNone;
  Type type = Type::kNone;  ///< of the element in memory
  MemHalf half = MemHalf::kWhole;
  MemAddress address = MemAddress::kPlain;
  uint8_t count = 1;  ///< components of format accesses
};

/// Set of instruction-set variants, bit = Isa.
using IsaMask = uint8_t;

constexpr uint8_t dwords_of(Type type) {
  switch (type) {
    case Type::kNone:
      return 0;
    case Type::B64:
    case Type::I64:
    case Type::U64:
    case Type::F64:
    case Type::PK_F32:
    case Type::PK_B32:
      return 2;
    case Type::B96:
      return 3;
    case Type::B128:
      return 4;
    case Type::B256:
      return 8;
    case Type::B512:
      return 16;
    case Type::B1024:
      return 32;
    default:
      return 1;
  }
}
/// True for operands that are the number in a 16-bit field, whatever it means.
constexpr bool is_immediate(Type t) {
  switch (t) {
    case Type::SIMM16:
    case Type::LABEL:
    case Type::HWREG:
    case Type::SENDMSG:
    case Type::SENDMSG_RTN:
    case Type::WAITCNT:
    case Type::WAITCNT_DEPCTR:
    case Type::DELAY:
    case Type::CLAUSE:
    case Type::VERSION:
    case Type::WAIT_EVENT:
      return true;
    default:
      return false;
  }
}
/// 16 for the types that true16 encodings place in half a VGPR, else 0.
constexpr bool is_half(Type t) {
  return t == Type::F16 || t == Type::BF16 || t == Type::B16 || t == Type::I16 || t == Type::U16;
}
constexpr bool is_packed16(Type t) { return t >= Type::PK_B16 && t <= Type::PK_BF16; }
constexpr bool is_float(Type t) {
  return t == Type::F16 || t == Type::BF16 || t == Type::F32 || t == Type::F64 ||
         t == Type::PK_F16 || t == Type::PK_BF16 || t == Type::PK_F32 || t == Type::MIX;
}

/// Opcodes of one row on every instruction-set variant; -1 = absent.
struct Opcodes {
  int16_t of[kIsaCount];
};

}  // namespace lockstep::isa
