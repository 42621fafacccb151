// SPDX-License-Identifier: MIT
// Inst: one decoded instruction. Its fields are read and written by name through the layout of its
// format.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "isa/op.h"
#include "isa/result.h"

namespace lockstep::isa {

/// Names of encoding fields. Fields of the suffix dword (DPP, SDWA, literal) come last.
enum class Field : uint8_t {
  sdst,
  op,
  ssrc0,
  ssrc1,
  simm16,
  soffset,
  offset,
  imm,
  glc,
  nv,
  soffset_en,
  sdata,
  sbase,
  dlc,
  th,
  scope,
  vdst,
  src0,
  vsrc1,
  neg,
  omod,
  src2,
  src1,
  clamp,
  opsel,
  abs,
  opsel_hi,
  opsel_hi2,
  neg_hi,
  blgp,
  acc,
  acc_cd,
  abid,
  cbsz,
  scale_src1,
  scale_src0,
  vdstx,
  vdsty,
  vsrcy1,
  srcy0,
  opx,
  opy,
  vsrcx1,
  srcx0,
  waitexp,
  wait_vdst,
  attr,
  attr_chan,
  wait_vm_vsrc,
  data1,
  data0,
  addr,
  gds,
  offset1,
  offset0,
  saddr,
  data,
  sc1,
  nt,
  sc0,
  seg,
  sve,
  slc,
  srsrc,
  vdata,
  vaddr,
  lds,
  idxen,
  offen,
  tfe,
  format,
  nfmt,
  dfmt,
  ssamp,
  lwe,
  d16,
  a16,
  r128,
  da,
  dmask,
  unrm,
  dim,
  nsa,
  vaddr3,
  vaddr2,
  vaddr1,
  vaddr0,
  vaddr4,
  samp,
  vsrc3,
  vsrc2,
  row,
  done,
  target,
  en,
  vsrc0,
  dpp_ctrl,
  fi,
  bc,
  src0_neg,
  src0_abs,
  src1_neg,
  src1_abs,
  bank_mask,
  row_mask,
  lane_sel,
  dst_sel,
  dst_unused,
  sd,
  src0_sel,
  src0_sext,
  s0,
  src1_sel,
  src1_sext,
  s1,
  literal,
};
inline constexpr int kFieldCount = static_cast<int>(Field::literal) + 1;

/// Marks in a 9-bit or 8-bit source field that say what follows the base encoding.
inline constexpr unsigned kSrcDpp8 = 233, kSrcDpp8Fi = 234, kSrcSdwa = 249, kSrcDpp16 = 250,
                          kSrcLiteral = 255;
inline constexpr unsigned kSrcVgpr0 = 256;

struct Inst {
  Op op = Op::kCount;
  Op op_y = Op::kCount;  ///< VOPD: the second operation
  Isa isa = Isa::kGfx11;
  Format format = Format::SOPP;  ///< format of this encoding: VOP3 for the long form of a VOP2 row
  Suffix suffix = Suffix::kNone;
  uint8_t size = 0;        ///< bytes, with suffix
  uint32_t words[5] = {};  ///< little endian, as in memory

  bool has(Field field) const;
  /// Value of a field; 0 if this encoding has no such field.
  uint32_t get(Field field) const;
  /// False (and no change) if the field is absent here or the value does not fit.
  bool set(Field field, uint32_t value);
  /// Value of a field as a signed number of its width.
  int32_t get_signed(Field field) const;
  uint32_t literal() const { return get(Field::literal); }
  const OpInfo& info() const { return op_info(op); }
  /// Bytes in memory order, lower-case hex.
  std::string hex() const;
  friend bool operator==(const Inst&, const Inst&) = default;
};

enum class DecodeError : uint8_t {
  kNone,
  kTruncated,      ///< fewer bytes than the instruction needs
  kUnknownFormat,  ///< the top bits select no format of this target
  kUnknownOpcode,  ///< the format has no such opcode on this target
  kBadSuffix,      ///< the row has no such DPP, SDWA or literal form
  kBadOperand,     ///< an operand names a register or constant that the target does not have
};
const char* to_string(DecodeError error);

/// Which operands decode() lets pass.
enum class Names : uint8_t {
  kHardware,  ///< registers and constants that the target has
  kLlvm,      ///< those that LLVM's disassembler has a name for, on whatever target
};

/// Decodes one instruction. Unused fields may hold anything: hardware executes such words. On error
/// `size` is 0.
DecodeError decode(Isa isa, std::span<const uint8_t> bytes, Inst& out,
                   Names names = Names::kHardware);

/// An instruction of the given operation and form with every field 0; fill it with set(). Fails if
/// the form does not exist.
Result<Inst> make_inst(Isa isa, Op op, Format format, Suffix suffix = Suffix::kNone);
/// VOPD pair. Both operations are named by their VOPD rows (v_dual_*).
Result<Inst> make_vopd(Isa isa, Op x, Op y, Suffix suffix = Suffix::kNone);

}  // namespace lockstep::isa
