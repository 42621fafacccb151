// SPDX-License-Identifier: MIT
// One instruction of a program that is being built; its modifiers can be added until the program
// is assembled: p.global_load_b32(v[1], v[2], s(4, 5)).offset(16).glc().
#pragma once
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>

#include "asm/dsl/operand.h"

namespace lockstep::dsl {

using Where = std::source_location;

class Instruction {
 public:
  // Encodings.
  Instruction& e32() { return encoding("_e32"); }
  Instruction& e64() { return encoding("_e64"); }
  Instruction& sdwa() { return encoding("_sdwa"); }

  // Arithmetic.
  Instruction& clamp() { return with("clamp"); }
  Instruction& mul2() { return with("mul:2"); }
  Instruction& mul4() { return with("mul:4"); }
  Instruction& div2() { return with("div:2"); }
  Instruction& op_sel(std::initializer_list<int> bits) { return list("op_sel", bits); }
  Instruction& op_sel_hi(std::initializer_list<int> bits) { return list("op_sel_hi", bits); }
  Instruction& neg_lo(std::initializer_list<int> bits) { return list("neg_lo", bits); }
  Instruction& neg_hi(std::initializer_list<int> bits) { return list("neg_hi", bits); }
  Instruction& cbsz(int n) { return number("cbsz", n); }
  Instruction& abid(int n) { return number("abid", n); }
  Instruction& blgp(int n) { return number("blgp", n); }
  Instruction& index_key(int n) { return number("index_key", n); }
  Instruction& byte_sel(int n) { return number("byte_sel", n); }
  Instruction& bitop3(int n) { return number("bitop3", n); }
  Instruction& wait_exp(int n) { return number("wait_exp", n); }

  // DPP and SDWA.
  Instruction& quad_perm(int x, int y, int z, int w) { return list("quad_perm", {x, y, z, w}); }
  Instruction& row_shl(int n) { return number("row_shl", n); }
  Instruction& row_shr(int n) { return number("row_shr", n); }
  Instruction& row_ror(int n) { return number("row_ror", n); }
  Instruction& row_share(int n) { return number("row_share", n); }
  Instruction& row_xmask(int n) { return number("row_xmask", n); }
  Instruction& row_newbcast(int n) { return number("row_newbcast", n); }
  Instruction& row_bcast(int n) { return number("row_bcast", n); }
  Instruction& row_mirror() { return with("row_mirror"); }
  Instruction& row_half_mirror() { return with("row_half_mirror"); }
  Instruction& row_mask(int n) { return number("row_mask", n); }
  Instruction& bank_mask(int n) { return number("bank_mask", n); }
  Instruction& bound_ctrl() { return with("bound_ctrl:1"); }
  Instruction& fi() { return with("fi:1"); }
  Instruction& dpp8(std::initializer_list<int> lanes) { return list("dpp8", lanes); }
  Instruction& dst_sel(std::string_view part) { return name("dst_sel", part); }
  Instruction& dst_unused(std::string_view rest) { return name("dst_unused", rest); }
  Instruction& src0_sel(std::string_view part) { return name("src0_sel", part); }
  Instruction& src1_sel(std::string_view part) { return name("src1_sel", part); }

  // Memory.
  Instruction& offset(int64_t n) { return number("offset", n); }
  Instruction& offset(const Symbol& swizzle) { return name("offset", swizzle.text); }
  Instruction& offset0(int n) { return number("offset0", n); }
  Instruction& offset1(int n) { return number("offset1", n); }
  Instruction& offen() { return with("offen"); }
  Instruction& idxen() { return with("idxen"); }
  Instruction& glc() { return with("glc"); }
  Instruction& slc() { return with("slc"); }
  Instruction& dlc() { return with("dlc"); }
  Instruction& scc() { return with("scc"); }
  Instruction& sc0() { return with("sc0"); }
  Instruction& sc1() { return with("sc1"); }
  Instruction& nt() { return with("nt"); }
  Instruction& nv() { return with("nv"); }
  Instruction& th(std::string_view hint) { return name("th", hint); }
  Instruction& scope(std::string_view scope) { return name("scope", scope); }
  Instruction& tfe() { return with("tfe"); }
  Instruction& lds() { return with("lds"); }
  Instruction& gds() { return with("gds"); }
  Instruction& format(std::string_view f) { return with("format:[" + std::string(f) + "]"); }
  Instruction& format(int n) { return number("format", n); }
  Instruction& dmask(int n) { return number("dmask", n); }
  Instruction& dim(std::string_view d) { return name("dim", d); }
  Instruction& unorm() { return with("unorm"); }
  Instruction& a16() { return with("a16"); }
  Instruction& d16() { return with("d16"); }
  Instruction& r128() { return with("r128"); }
  Instruction& lwe() { return with("lwe"); }
  Instruction& da() { return with("da"); }
  Instruction& done() { return with("done"); }
  Instruction& row_en() { return with("row_en"); }

  /// Any modifier in the assembler's spelling.
  Instruction& with(std::string_view modifier);

 private:
  friend class ProgramBase;
  Instruction& encoding(std::string_view suffix);
  Instruction& number(std::string_view name, int64_t value);
  Instruction& name(std::string_view name, std::string_view value);
  Instruction& list(std::string_view name, std::initializer_list<int> values);

  std::string mnemonic_, operands_, modifiers_;
  std::string first_half_;  ///< of a pair: text of what stands before "::"
  bool waits_for_second_ = false;
  int64_t label_ = -1;   ///< goes to the end of the operands
  uint32_t data_ = 0;    ///< a word of data, if there is no mnemonic
  unsigned align_ = 0;   ///< or padding up to a multiple of this
  std::string problem_;  ///< found before it could be assembled
  Where where_;
};

}  // namespace lockstep::dsl
