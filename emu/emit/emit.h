// SPDX-License-Identifier: MIT
// Emit, the second machine: records AVX-512 code for the same row expressions that Lane executes.
//
// A wave32 value is two zmm registers (lanes 0..15 and 16..31). Handles own their registers and
// give them back when they go. Emit owns the code generator instead of inheriting from it, so that
// primitive names (add, and_, mul) are free. This is the first slice of the JIT: it proves the
// contract between rows and machines on a handful of rows (emu/emit/rows.cpp); what it does not
// cover it does not claim.
#pragma once
#include <xbyak/xbyak.h>

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace lockstep::emu {

class Emit {
 public:
  explicit Emit(Xbyak::CodeGenerator& code) : g_(code) {}

  /// Registers of the generated function: VGPR base and the scalar file. k1 and k2 hold EXEC's
  /// halves.
  static constexpr int kPairs = 14;  ///< zmm0..27; zmm28..31 are scratch

  class Value {
   public:
    Value() = default;
    explicit Value(Emit& e) : owner_(&e), pair_(std::countr_zero(e.free_pairs_)) {
      e.free_pairs_ &= ~(1u << pair_);
    }
    Value(Value&& o) noexcept : owner_(o.owner_), pair_(std::exchange(o.pair_, -1)) {}
    Value& operator=(Value&& o) noexcept {
      std::swap(owner_, o.owner_);
      std::swap(pair_, o.pair_);
      return *this;
    }
    ~Value() {
      if (pair_ >= 0) owner_->free_pairs_ |= 1u << pair_;
    }
    Xbyak::Zmm half(int h) const { return Xbyak::Zmm(2 * pair_ + h); }

   private:
    Emit* owner_ = nullptr;
    int pair_ = -1;
  };
  struct U32 : Value {
    using Value::Value;
  };
  struct I32 : Value {
    using Value::Value;
  };
  struct F32 : Value {
    using Value::Value;
  };
  /// One bit a lane, in a pair of mask registers (k3/k4 or k5/k6).
  class Pred {
   public:
    explicit Pred(Emit& e) : owner_(&e), index_(e.pred_free_ & 1 ? 0 : 1) {
      e.pred_free_ &= ~(1u << index_);
    }
    Pred(Pred&& o) noexcept : owner_(o.owner_), index_(std::exchange(o.index_, -1)) {}
    Pred& operator=(Pred&&) = delete;
    ~Pred() {
      if (index_ >= 0) owner_->pred_free_ |= 1u << index_;
    }
    Xbyak::Opmask half(int h) const { return Xbyak::Opmask(3 + 2 * index_ + h); }

   private:
    Emit* owner_;
    int index_;
  };

  template <class T>
  static constexpr bool kIsInt = std::is_same_v<T, U32> || std::is_same_v<T, I32>;

  // ---- primitives ----
  F32 add(const F32& a, const F32& b) {
    return each<F32>([&](auto d, int h) { g_.vaddps(d, a.half(h), b.half(h)); });
  }
  F32 sub(const F32& a, const F32& b) {
    return each<F32>([&](auto d, int h) { g_.vsubps(d, a.half(h), b.half(h)); });
  }
  F32 mul(const F32& a, const F32& b) {
    return each<F32>([&](auto d, int h) { g_.vmulps(d, a.half(h), b.half(h)); });
  }
  F32 fma(const F32& a, const F32& b, const F32& c) {
    return each<F32>([&](auto d, int h) {
      g_.vmovaps(d, a.half(h));
      g_.vfmadd213ps(d, b.half(h), c.half(h));
    });
  }
  template <class T>
  T add(const T& a, const T& b)
    requires kIsInt<T>
  {
    return each<T>([&](auto d, int h) { g_.vpaddd(d, a.half(h), b.half(h)); });
  }
  template <class T>
  T sub(const T& a, const T& b)
    requires kIsInt<T>
  {
    return each<T>([&](auto d, int h) { g_.vpsubd(d, a.half(h), b.half(h)); });
  }
  // Saturation is for instructions with the clamp bit, which compile_row() declines.
  template <class T>
  T add_clamp(const T& a, const T& b) {
    return add(a, b);
  }
  template <class T>
  T sub_clamp(const T& a, const T& b) {
    return sub(a, b);
  }
  template <class T>
  T mul(const T& a, const T& b)
    requires kIsInt<T>
  {
    return each<T>([&](auto d, int h) { g_.vpmulld(d, a.half(h), b.half(h)); });
  }
  template <class T>
  T and_(const T& a, const T& b) {
    return each<T>([&](auto d, int h) { g_.vpandd(d, a.half(h), b.half(h)); });
  }
  template <class T>
  T or_(const T& a, const T& b) {
    return each<T>([&](auto d, int h) { g_.vpord(d, a.half(h), b.half(h)); });
  }
  template <class T>
  T xor_(const T& a, const T& b) {
    return each<T>([&](auto d, int h) { g_.vpxord(d, a.half(h), b.half(h)); });
  }
  template <class T>
  T select(const Pred& c, const T& a, const T& b) {
    return each<T>([&](auto d, int h) { g_.vpblendmd(d | c.half(h), b.half(h), a.half(h)); });
  }
  Pred lt(const F32& a, const F32& b) { return compare(a, b, kLtOq); }
  Pred eq(const F32& a, const F32& b) { return compare(a, b, kEqOq); }
  Pred ge(const F32& a, const F32& b) { return compare(a, b, kGeOq); }
  Pred lt(const I32& a, const I32& b) {
    Pred p(*this);
    for (int h = 0; h < 2; ++h) g_.vpcmpd(p.half(h), a.half(h), b.half(h), kIntLt);
    return p;
  }
  Pred eq(const U32& a, const U32& b) {
    Pred p(*this);
    for (int h = 0; h < 2; ++h) g_.vpcmpeqd(p.half(h), a.half(h), b.half(h));
    return p;
  }

  // ---- access for the row wrapper ----
  Xbyak::CodeGenerator& code() { return g_; }
  template <class T>
  T load(const Xbyak::Address& low, const Xbyak::Address& high) {
    T v(*this);
    g_.vmovups(v.half(0), low);
    g_.vmovups(v.half(1), high);
    return v;
  }
  template <class T>
  T broadcast(const Xbyak::Reg32& word) {
    return each<T>([&](auto d, int) { g_.vpbroadcastd(d, word); });
  }
  Pred mask(const Xbyak::Reg32& bits) {
    Pred p(*this);
    g_.kmovd(p.half(0), bits);
    g_.kshiftrd(p.half(1), p.half(0), 16);
    return p;
  }

 private:
  static constexpr int kEqOq = 0, kLtOq = 17, kGeOq = 29, kIntLt = 1;

  template <class T, class Fn>
  T each(Fn fn) {
    T d(*this);
    for (int h = 0; h < 2; ++h) fn(d.half(h), h);
    return d;
  }
  Pred compare(const F32& a, const F32& b, int predicate) {
    Pred p(*this);
    for (int h = 0; h < 2; ++h) g_.vcmpps(p.half(h), a.half(h), b.half(h), predicate);
    return p;
  }

  Xbyak::CodeGenerator& g_;
  uint32_t free_pairs_ = (1u << kPairs) - 1;
  uint32_t pred_free_ = 3;
};

}  // namespace lockstep::emu
