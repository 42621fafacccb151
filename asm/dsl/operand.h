// SPDX-License-Identifier: MIT
// Operands of the builder: registers with their number in the type, and parameters that take only
// what an instruction can have there.
//
//   v[3]          one VGPR                 v(4, 7)     v[4:7]; the numbers must be constants
//   v.at<4>(n)    v[n:n+3], n any value    -v[3]  abs(v[3])  sext(v[3])  v[3].l()  v[3].h()
//
// `s` (SGPRs), `a` (ACCVGPRs) and `ttmp` read the same way. In C++23 v[4, 7] also works.
#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "isa/operand.h"

// In C++20 s[4, 5] would mean s[5]: the compiler refuses it.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic error "-Wcomma-subscript"
#elif defined(__clang__)
#pragma clang diagnostic error "-Wdeprecated-comma-subscript"
#endif

namespace lockstep::dsl {

enum class Bank : uint8_t { kVgpr, kAgpr, kScalar };

/// What an argument holds, once its type has been checked.
struct Value {
  enum class Kind : uint8_t { kNone, kRegister, kInteger, kReal, kOff, kSpecial };
  Kind kind = Kind::kNone;
  Bank bank = Bank::kVgpr;
  int32_t code = 0;  ///< first register (scalars: isa::ScalarCode), or a special source
  int32_t count = 1;
  char half = 0;  ///< 'l', 'h'
  bool neg = false, abs = false, sext = false;
  int64_t integer = 0;
  double real = 0;
};

/// `kCount` consecutive registers of one bank.
template <Bank kBank, int kCount>
struct Reg {
  Value value;
  constexpr explicit Reg(int first) {
    value.kind = Value::Kind::kRegister;
    value.bank = kBank;
    value.code = first;
    value.count = kCount;
  }
  constexpr Reg l() const
    requires(kCount == 1)
  {
    return with([](Value& x) { x.half = 'l'; });
  }
  constexpr Reg h() const
    requires(kCount == 1)
  {
    return with([](Value& x) { x.half = 'h'; });
  }
  constexpr Reg operator-() const {
    return with([](Value& x) { x.neg = !x.neg; });
  }
  friend constexpr Reg abs(Reg r) {
    return r.with([](Value& x) { x.abs = true; });
  }
  friend constexpr Reg sext(Reg r) {
    return r.with([](Value& x) { x.sext = true; });
  }

 private:
  template <class F>
  constexpr Reg with(F change) const {
    Reg copy = *this;
    change(copy.value);
    return copy;
  }
};
template <int N>
using V = Reg<Bank::kVgpr, N>;
template <int N>
using A = Reg<Bank::kAgpr, N>;
template <int N>
using S = Reg<Bank::kScalar, N>;

/// Registers first..last, both constants: how many they are is checked against the operand when
/// the call is compiled.
template <Bank kBank>
struct Run {
  Value value;
  constexpr Run(int first, int last) {
    value.kind = Value::Kind::kRegister;
    value.bank = kBank;
    value.code = first;
    value.count = last - first + 1;
  }
  constexpr Run operator-() const {
    Run copy = *this;
    copy.value.neg = !value.neg;
    return copy;
  }
  friend constexpr Run abs(Run r) {
    r.value.abs = true;
    return r;
  }
};

/// Numbers that a bank does not have stay visible as such until the program is assembled: s[106]
/// must not turn into VCC.
inline constexpr int kNoSuchRegister = 1000;

template <Bank kBank, int kFirst = 0, int kEnd = 256>
struct Registers {
  constexpr Reg<kBank, 1> operator[](int i) const { return Reg<kBank, 1>(code(i, 1)); }
  constexpr Run<kBank> operator()(int first, int last) const {
    const int begin = code(first, last - first + 1);
    return Run<kBank>(begin, begin + last - first);
  }
  /// kCount registers from `first`, which need not be a constant.
  template <int kCount>
  constexpr Reg<kBank, kCount> at(int first) const {
    return Reg<kBank, kCount>(code(first, kCount));
  }
#if defined(__cpp_multidimensional_subscript)
  constexpr Run<kBank> operator[](int first, int last) const { return (*this)(first, last); }
#endif

 private:
  static constexpr int code(int first, int count) {
    const bool exists = first >= 0 && kFirst + first + count <= kEnd;
    return exists ? kFirst + first : kNoSuchRegister + first;
  }
};
inline constexpr Registers<Bank::kVgpr> v;
inline constexpr Registers<Bank::kAgpr> a;
inline constexpr Registers<Bank::kScalar, 0, isa::kVccLo> s;
inline constexpr Registers<Bank::kScalar, isa::kTtmp0, isa::kNull> ttmp;
inline constexpr S<1> vcc_lo{isa::kVccLo}, vcc_hi{isa::kVccHi}, exec_lo{isa::kExecLo},
    exec_hi{isa::kExecHi}, m0{isa::kM0};
inline constexpr S<2> vcc{isa::kVccLo}, exec{isa::kExecLo};
/// gfx9 has these where later targets have SGPRs.
inline constexpr int kOnlyGfx9 = 2000;
inline constexpr S<1> flat_scratch_lo{kOnlyGfx9 + 102}, flat_scratch_hi{kOnlyGfx9 + 103},
    xnack_mask_lo{kOnlyGfx9 + 104}, xnack_mask_hi{kOnlyGfx9 + 105};
inline constexpr S<2> flat_scratch{kOnlyGfx9 + 102}, xnack_mask{kOnlyGfx9 + 104};

/// The register that reads as 0 and drops what is written; of any size. gfx11 and later.
struct Null {};
inline constexpr Null null;
/// An address part that is not used.
struct Off {};
inline constexpr Off off;
/// A source that is no register.
struct Special {
  unsigned code;
  bool is_neg = false, is_abs = false;
  constexpr Special operator-() const { return {code, !is_neg, is_abs}; }
  friend constexpr Special abs(Special x) { return {x.code, x.is_neg, true}; }
};
inline constexpr Special src_scc{isa::kScc}, src_vccz{isa::kVccz}, src_execz{isa::kExecz},
    src_shared_base{isa::kSharedBase}, src_shared_limit{isa::kSharedLimit},
    src_private_base{isa::kPrivateBase}, src_private_limit{isa::kPrivateLimit};

/// A symbolic immediate in the assembler's spelling.
struct Symbol {
  std::string text;
  friend Symbol operator&(const Symbol& x, const Symbol& y) { return {x.text + " & " + y.text}; }
};
inline Symbol symbol(std::string text) { return {std::move(text)}; }
Symbol vmcnt(unsigned n);
Symbol lgkmcnt(unsigned n);
Symbol expcnt(unsigned n);
Symbol hwreg(std::string_view name, unsigned offset = 0, unsigned size = 32);
Symbol sendmsg(std::string_view name);

/// A place in a program; see Program::label().
class Label {
 public:
  explicit Label(uint32_t id) : id_(id) {}
  uint32_t id() const { return id_; }

 private:
  uint32_t id_;
};

// What a parameter takes.
enum Takes : uint16_t {
  kTakesVgpr = 1,
  kTakesAgpr = 2,
  kTakesSgpr = 4,
  kTakesNumber = 8,
  kTakesSpecial = 16,
  kTakesOff = 32,
};
struct Spec {
  uint16_t takes = 0;
  uint64_t counts = 0;  ///< bit n: n registers are right
  constexpr bool takes_bank(Bank bank) const {
    return (takes & (bank == Bank::kVgpr   ? kTakesVgpr
                     : bank == Bank::kAgpr ? kTakesAgpr
                                           : kTakesSgpr)) != 0;
  }
  constexpr bool fits(Bank bank, int count) const {
    return takes_bank(bank) && count > 0 && count < 64 && (counts >> count & 1) != 0;
  }
  constexpr bool has(Takes bit) const { return (takes & bit) != 0; }
};

/// Not constexpr, so that calling it while compiling is an error that shows this name.
inline void the_operand_takes_another_number_of_registers() {}

/// A parameter. Whatever cannot stand there has no conversion to it.
template <Spec kSpec>
class Arg {
 public:
  /// Whatever it is: for code that has checked it already.
  constexpr explicit Arg(const Value& checked) : value(checked) {}
  template <Bank kBank, int kCount>
    requires(kSpec.fits(kBank, kCount))
  constexpr Arg(Reg<kBank, kCount> r) : value(r.value) {}
  template <Bank kBank>
    requires(kSpec.takes_bank(kBank))
  consteval Arg(Run<kBank> r) : value(r.value) {
    if (!kSpec.fits(kBank, r.value.count)) the_operand_takes_another_number_of_registers();
  }
  template <std::integral T>
    requires(kSpec.has(kTakesNumber) && !std::same_as<T, bool>)
  constexpr Arg(T number) {
    value.kind = Value::Kind::kInteger;
    value.integer = static_cast<int64_t>(number);
  }
  template <std::floating_point T>
    requires(kSpec.has(kTakesNumber))
  constexpr Arg(T number) {
    value.kind = Value::Kind::kReal;
    value.real = static_cast<double>(number);
  }
  constexpr Arg(Special special)
    requires(kSpec.has(kTakesSpecial))
  {
    value.kind = Value::Kind::kSpecial;
    value.code = static_cast<int32_t>(special.code);
    value.neg = special.is_neg;
    value.abs = special.is_abs;
  }
  constexpr Arg(Null)
    requires(kSpec.has(kTakesSgpr))
  {
    value.kind = Value::Kind::kRegister;
    value.bank = Bank::kScalar;
    value.code = isa::kNull;
  }
  constexpr Arg(Off)
    requires(kSpec.has(kTakesOff))
  {
    value.kind = Value::Kind::kOff;
  }

  Value value;
};

/// A 16-bit immediate: a number or a symbol.
class Immediate {
 public:
  template <std::integral T>
  Immediate(T number) : text(std::to_string(number)) {}
  Immediate(const Symbol& symbol) : text(symbol.text) {}
  std::string text;
};

/// Where a branch goes.
class Destination {
 public:
  Destination(Label label) : label(label) {}
  Label label;
};

/// The attribute of a parameter load: attribute(3, 'x').
struct Attribute {
  unsigned number;
  char channel;
};

/// Any of the parameters, for the length of a call: it points to the argument. Kept this small
/// because there are thousands of builder functions.
struct AnyOperand {
  template <Spec kSpec>
  AnyOperand(const Arg<kSpec>& arg) : values(&arg.value), count(1) {}
  AnyOperand(const Value* values, int count) : values(values), count(count) {}
  AnyOperand(const Immediate& immediate) : text(&immediate.text) {}
  AnyOperand(const Destination& to) : label(static_cast<int64_t>(to.label.id())) {}
  AnyOperand(const Attribute& attribute) : attribute(&attribute) {}
  const Value* values = nullptr;  ///< more than one: a list of registers
  int count = 0;
  const std::string* text = nullptr;
  const Attribute* attribute = nullptr;
  int64_t label = -1;
};

}  // namespace lockstep::dsl
