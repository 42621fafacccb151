// SPDX-License-Identifier: MIT
// Program: machine code built in C++. There is one function for every row of isa/ops/*.def, named
// as the row; what its operands may be is checked by the compiler, what their values may be when
// the program is assembled. See docs/dsl.md.
#pragma once
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "asm/dsl/instruction.h"
#include "asm/dsl/spec.h"
#include "isa/result.h"
#include "isa/target.h"

namespace lockstep::dsl {

/// Address registers of an image operation: a group, or one by one.
class ImageAddress {
 public:
  template <int N>
  ImageAddress(V<N> group) : count_(1) {
    list_[0] = group.value;
  }
  consteval ImageAddress(Run<Bank::kVgpr> group) : count_(1) { list_[0] = group.value; }
  ImageAddress(std::initializer_list<AnyVector> registers) {
    for (const AnyVector& r : registers)
      if (count_ < kMost) list_[count_++] = r.value;
  }
  operator AnyOperand() const { return {list_, count_}; }

 private:
  static constexpr int kMost = 16;
  Value list_[kMost] = {};
  int count_ = 0;
};

/// Registers that a program touches: one more than the highest number, 0 for none.
struct RegisterUse {
  unsigned vgprs = 0, agprs = 0, sgprs = 0;
  bool vcc = false, flat_scratch = false;
};

/// What all builders share: the list of instructions.
class ProgramBase {
 public:
  /// wave_size 0: the usual one, 32 on RDNA and 64 on CDNA.
  explicit ProgramBase(isa::Target target, unsigned wave_size = 0);

  isa::Target target() const { return target_; }
  unsigned wave_size() const { return wave_size_; }
  /// 16-bit operands are written v[1].l() and v[1].h(), as with +real-true16.
  void set_real_true16(bool on) { real_true16_ = on; }

  /// Any instruction in the assembler's spelling; nothing of it is checked before assemble().
  Instruction& line(std::string_view text, Where where = Where::current());

  Label label();               ///< a place that is not known yet
  void bind(Label label);      ///< the place is here
  Label here();                ///< both
  void word(uint32_t data);    ///< four bytes of data
  void align(unsigned bytes);  ///< s_nop until the address is a multiple; a power of two from 4 on

  /// The bytes, or what is wrong: the first problem with the line of C++ that it comes from, and
  /// how many more there are. Can be called again after more has been added.
  Result<std::vector<uint8_t>> assemble() const;
  /// All problems, one a line.
  std::vector<std::string> problems() const;
  /// The program as assembler text.
  std::string text() const;
  /// Registers that the instructions name. Only of programs without problems.
  RegisterUse register_use() const;

 protected:
  Instruction& add(isa::Op op, std::initializer_list<AnyOperand> operands, Where where);
  Instruction& add_export(std::string_view target, std::initializer_list<AnyOperand> operands,
                          Where where);

 private:
  struct Encoded;
  void encode(Encoded& out) const;
  std::string text_of(const Instruction& i) const;
  std::string operand_text(const AnyOperand& o) const;

  isa::Target target_;
  unsigned wave_size_;
  bool real_true16_ = false;
  std::deque<Instruction> list_;
  std::vector<std::optional<size_t>> labels_;  ///< index into list_
};

namespace detail {

using namespace isa;
using namespace isa::rows;

/// One function a row.
class Rows : public ProgramBase {
 public:
  using ProgramBase::ProgramBase;
  // clang-format off: the order of these matters
#define LOCKSTEP_HERE = Where::current()
#define LOCKSTEP_FN(id, parameters, arguments) Instruction& id parameters;
#include "asm/dsl/expand.h"
#include "isa/ops/all.def"
#include "asm/dsl/unexpand.h"
  // clang-format on
};

}  // namespace detail

class Program : public detail::Rows {
 public:
  using Rows::Rows;

  /// Export: four VGPRs or `off` to a target such as "mrt0" or "pos0".
  using ExportArg = Arg<Spec{kTakesVgpr | kTakesOff, count_of(1)}>;
  Instruction& exp(std::string_view target, ExportArg x, ExportArg y, ExportArg z, ExportArg w,
                   Where where = Where::current()) {
    return add_export(target, {x, y, z, w}, where);
  }

  /// Runs `then` (and else `otherwise`) as SCC says.
  template <class Then>
  void if_scc1(Then then) {
    const Label end = label();
    s_cbranch_scc0(end);
    then();
    bind(end);
  }
  template <class Then, class Otherwise>
  void if_scc1(Then then, Otherwise otherwise) {
    const Label second = label(), end = label();
    s_cbranch_scc0(second);
    then();
    s_branch(end);
    bind(second);
    otherwise();
    bind(end);
  }
  /// Runs `body` for the lanes of `condition`, and not at all if there are none. `saved` keeps EXEC
  /// meanwhile. Waves of 32 lanes take single registers, waves of 64 pairs.
  template <class Body>
  void if_lanes(S<1> saved, S<1> condition, Body body) {
    const Label end = label();
    s_and_saveexec_b32(saved, condition);
    s_cbranch_execz(end);
    body();
    bind(end);
    s_mov_b32(exec_lo, saved);
  }
  template <class Body>
  void if_lanes(S<2> saved, S<2> condition, Body body) {
    const Label end = label();
    s_and_saveexec_b64(saved, condition);
    s_cbranch_execz(end);
    body();
    bind(end);
    s_mov_b64(exec, saved);
  }
  /// Runs `body`, which ends with SCC set to go on, at least once.
  template <class Body>
  void do_while_scc1(Body body) {
    const Label top = here();
    body();
    s_cbranch_scc1(top);
  }
  /// Runs `body` `times` times; `counter` counts down to 0. Changes SCC.
  template <class Body>
  void repeat(S<1> counter, Arg<Spec{kTakesSgpr | kTakesNumber, count_of(1)}> times, Body body) {
    add(isa::Op::s_mov_b32, {Arg<Spec{kTakesSgpr, count_of(1)}>(counter), times}, Where::current());
    do_while_scc1([&] {
      body();
      s_sub_u32(counter, counter, 1);
      s_cmp_lg_u32(counter, 0);
    });
  }
};

}  // namespace lockstep::dsl
