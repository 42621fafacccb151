// SPDX-License-Identifier: MIT
// How a row of isa/ops/*.def reads: the tokens of its columns.
//
//   VOP2(v_add_f32, 0x01, 0x03, 0x03, (F32), (F32, F32), 0, m.add(a, b))
//        |          |     |     |     |      |           |  +- expression over a machine m
//        |          |     |     |     |      |           +- flags: ACC, SWAP, NO(missing encodings)
//        |          |     |     |     |      +- sources a, b, c
//        |          |     |     |     +- results
//        |          +-----+-----+- opcodes on gfx9, gfx11, gfx12: a number, NA,
//        |                         G9(gfx90a, gfx942, gfx950), G11(gfx1100, gfx1150)
//        +- identifier; NAME(identifier, variants, name) lines give other spellings
//
// docs/add-an-instruction.md walks through one.
#pragma once
#include "isa/types.h"

namespace lockstep::isa::rows {

inline constexpr int NA = -1;
struct Col9 {
  int v[3];
  constexpr Col9(int all) : v{all, all, all} {}
  constexpr Col9(int a, int b, int c) : v{a, b, c} {}
};
struct Col11 {
  int v[2];
  constexpr Col11(int all) : v{all, all} {}
  constexpr Col11(int a, int b) : v{a, b} {}
};
constexpr Col9 G9(int gfx90a, int gfx942, int gfx950) { return {gfx90a, gfx942, gfx950}; }
constexpr Col11 G11(int gfx1100, int gfx1150) { return {gfx1100, gfx1150}; }
constexpr int CMPX_OFFSET(int column, int offset) { return column < 0 ? NA : column + offset; }
constexpr Opcodes opcodes(Col9 g9, Col11 g11, int g12) {
  auto i = [](int x) { return static_cast<int16_t>(x); };
  return {{i(g9.v[0]), i(g9.v[1]), i(g9.v[2]), i(g11.v[0]), i(g11.v[1]), i(g12)}};
}
constexpr uint32_t NO(uint32_t encodings) { return encodings; }

// Variants in NAME lines.
inline constexpr IsaMask G90A = 1, G942 = 2, G950 = 4, GFX9 = 7, G11_0 = 8, G11_5 = 16, GFX11 = 24,
                         G12 = 32, ANY = 63;

// Operand tokens.
#define LOCKSTEP_OPND(t) inline constexpr Opnd t{Type::t, dwords_of(Type::t), Place::kField};
// clang-format off
LOCKSTEP_OPND(B8) LOCKSTEP_OPND(I8) LOCKSTEP_OPND(U8) LOCKSTEP_OPND(B16) LOCKSTEP_OPND(I16)
LOCKSTEP_OPND(U16) LOCKSTEP_OPND(F16) LOCKSTEP_OPND(BF16) LOCKSTEP_OPND(B32) LOCKSTEP_OPND(I32)
LOCKSTEP_OPND(U32) LOCKSTEP_OPND(F32) LOCKSTEP_OPND(I24) LOCKSTEP_OPND(U24) LOCKSTEP_OPND(B64)
LOCKSTEP_OPND(I64) LOCKSTEP_OPND(U64) LOCKSTEP_OPND(F64) LOCKSTEP_OPND(B96) LOCKSTEP_OPND(B128)
LOCKSTEP_OPND(B256) LOCKSTEP_OPND(B512) LOCKSTEP_OPND(B1024) LOCKSTEP_OPND(PK_B16)
LOCKSTEP_OPND(PK_I16) LOCKSTEP_OPND(PK_U16) LOCKSTEP_OPND(PK_F16) LOCKSTEP_OPND(PK_BF16)
LOCKSTEP_OPND(PK_F32) LOCKSTEP_OPND(PK_B32) LOCKSTEP_OPND(PK_I8) LOCKSTEP_OPND(PK_U8)
LOCKSTEP_OPND(PK_FP8) LOCKSTEP_OPND(PK_BF8) LOCKSTEP_OPND(PK_FP4) LOCKSTEP_OPND(U8X4)
LOCKSTEP_OPND(I8X4) LOCKSTEP_OPND(IU8X4) LOCKSTEP_OPND(B8X4) LOCKSTEP_OPND(FP8X4)
LOCKSTEP_OPND(BF8X4) LOCKSTEP_OPND(U4X8) LOCKSTEP_OPND(I4X8) LOCKSTEP_OPND(IU4X8) LOCKSTEP_OPND(FP8)
LOCKSTEP_OPND(BF8) LOCKSTEP_OPND(FP6) LOCKSTEP_OPND(BF6) LOCKSTEP_OPND(IU8) LOCKSTEP_OPND(IU4)
LOCKSTEP_OPND(SET) LOCKSTEP_OPND(MIX) LOCKSTEP_OPND(MASK) LOCKSTEP_OPND(EXEC_MASK)
LOCKSTEP_OPND(SIMM16) LOCKSTEP_OPND(SIMM32) LOCKSTEP_OPND(HWREG) LOCKSTEP_OPND(LABEL)
LOCKSTEP_OPND(SENDMSG) LOCKSTEP_OPND(SENDMSG_RTN) LOCKSTEP_OPND(WAITCNT)
LOCKSTEP_OPND(WAITCNT_DEPCTR) LOCKSTEP_OPND(DELAY) LOCKSTEP_OPND(CLAUSE) LOCKSTEP_OPND(VERSION)
LOCKSTEP_OPND(WAIT_EVENT)
// clang-format on
#undef LOCKSTEP_OPND
constexpr Opnd VGPR(Opnd o) { return {o.type, o.dwords, Place::kVgpr}; }
constexpr Opnd SGPR(Opnd o) { return {o.type, o.dwords, Place::kSgpr}; }
constexpr Opnd SSRC(Opnd o) { return {o.type, o.dwords, Place::kScalar}; }
inline constexpr Opnd K_F32{Type::F32, 1, Place::kLiteral}, K_F16{Type::F16, 1, Place::kLiteral},
    K_F64{Type::F64, 1, Place::kLiteral};
/// A matrix fragment: `dwords` registers of packed elements.
constexpr Opnd vec(Opnd element, int dwords) {
  return {element.type, static_cast<uint8_t>(dwords), Place::kVgpr};
}

// Memory tokens.
constexpr MemParams load(Opnd o) { return {MemKind::kLoad, o.type}; }
constexpr MemParams load_d16(Opnd o) { return {MemKind::kLoad, o.type, MemHalf::kD16Lo}; }
constexpr MemParams load_d16_hi(Opnd o) { return {MemKind::kLoad, o.type, MemHalf::kD16Hi}; }
constexpr MemParams store(Opnd o) { return {MemKind::kStore, o.type}; }
constexpr MemParams store_hi(Opnd o) { return {MemKind::kStore, o.type, MemHalf::kD16Hi}; }
constexpr MemParams load_2addr(Opnd o) {
  return {MemKind::kLoad, o.type, MemHalf::kWhole, MemAddress::kTwo};
}
constexpr MemParams load_2addr_stride64(Opnd o) {
  return {MemKind::kLoad, o.type, MemHalf::kWhole, MemAddress::kTwoStride64};
}
constexpr MemParams store_2addr(Opnd o) {
  return {MemKind::kStore, o.type, MemHalf::kWhole, MemAddress::kTwo};
}
constexpr MemParams store_2addr_stride64(Opnd o) {
  return {MemKind::kStore, o.type, MemHalf::kWhole, MemAddress::kTwoStride64};
}
constexpr MemParams load_addtid(Opnd o) {
  return {MemKind::kLoad, o.type, MemHalf::kWhole, MemAddress::kAddTid};
}
constexpr MemParams store_addtid(Opnd o) {
  return {MemKind::kStore, o.type, MemHalf::kWhole, MemAddress::kAddTid};
}
constexpr MemParams load_lds(Opnd o) { return {MemKind::kLoadLds, o.type}; }
constexpr MemParams format(MemKind kind, int n, MemHalf half) {
  return {kind, Type::kNone, half, MemAddress::kPlain, static_cast<uint8_t>(n)};
}
constexpr MemParams load_format(int n) { return format(MemKind::kLoadFormat, n, MemHalf::kWhole); }
constexpr MemParams load_format_d16(int n) {
  return format(MemKind::kLoadFormat, n, MemHalf::kD16Lo);
}
constexpr MemParams load_format_d16_hi(int n) {
  return format(MemKind::kLoadFormat, n, MemHalf::kD16Hi);
}
constexpr MemParams store_format(int n) {
  return format(MemKind::kStoreFormat, n, MemHalf::kWhole);
}
constexpr MemParams store_format_d16(int n) {
  return format(MemKind::kStoreFormat, n, MemHalf::kD16Lo);
}
constexpr MemParams store_format_d16_hi(int n) {
  return format(MemKind::kStoreFormat, n, MemHalf::kD16Hi);
}
constexpr MemParams atomic(Opnd o) { return {MemKind::kAtomic, o.type}; }
constexpr MemParams other() { return {MemKind::kOther, Type::kNone}; }

}  // namespace lockstep::isa::rows
