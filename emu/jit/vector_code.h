// SPDX-License-Identifier: MIT
// The vector instructions that lowerings may use: registers of sixteen words and masks, named as in
// AVX-512. On a host with AVX-512 each is that instruction. On one with AVX2 it is a sequence that
// does the same to two halves of eight words (see docs/jit.md): the lowerings do not know. The base
// class is hidden, so that an instruction without an AVX2 form does not compile.
#pragma once
#include <xbyak/xbyak.h>

#include <array>
#include <cstdint>
#include <map>

#include "emu/jit/tier.h"

namespace lockstep::emu::jit {

/// Room on the stack that generated code may use inside one instruction, from rsp on.
inline constexpr int kFrameBytes = 512;
/// Behind it: the stack pointer of the caller; and of the AVX2 tier a word for scratch, the mask
/// registers as integers, EXEC spread over words (ones where a lane is off), the masks of half a slice
/// (ones where a lane is on), and the vector registers that the host has no registers for.
inline constexpr int kCallerStack = kFrameBytes, kSpill = kFrameBytes + 8,
                     kMaskFile = kFrameBytes + 64, kSpreadExec = kMaskFile + 64,
                     kHalfMasks = kSpreadExec + 4 * 64, kVectorFile = kHalfMasks + 8 * 32,
                     kVectorRegisters = 32, kFrameEnd = kVectorFile + kVectorRegisters * 64;

class VectorCode : protected Xbyak::CodeGenerator {
  using Base = Xbyak::CodeGenerator;

 public:
  using Operand = Xbyak::Operand;
  using Address = Xbyak::Address;
  using Reg = Xbyak::Reg;
  using Reg32 = Xbyak::Reg32;
  using Reg64 = Xbyak::Reg64;
  using Xmm = Xbyak::Xmm;
  using Ymm = Xbyak::Ymm;
  using Zmm = Xbyak::Zmm;
  using Opmask = Xbyak::Opmask;
  using Label = Xbyak::Label;

  /// Masks k1 to k(exec_masks) are kept ready for use, because they are EXEC.
  VectorCode(void* memory, size_t size, Tier tier, unsigned exec_masks)
      : CodeGenerator(size, memory),
        wide_(tier == Tier::kAvx512),
        exec_masks_(static_cast<int>(exec_masks)) {}
  Tier tier() const { return wide_ ? Tier::kAvx512 : Tier::kAvx2; }

  // ---- AVX2: half of a slice ----
  /// From here on instructions act on one half, 0 or 1, of registers: eight lanes. A register is one
  /// ymm then, Ymm names its low half, and masks are of eight words, four quads or 32 bytes; EXEC is
  /// that of the half, addresses of whole registers and of masks stay those of the slice. Nothing that
  /// was in vector registers or masks, but EXEC, is there afterwards; the same after both_halves().
  /// Instructions that name other lanes are errors until then.
  void only_half(int half) { only_ = half; }
  void both_halves() { only_ = kBoth; }
  /// The half that instructions act on; kBoth if they act on all lanes.
  int half() const { return only_; }
  static constexpr int kBoth = -1;
  /// Registers, a bit each, that temporaries are to take first: those that cost the least.
  uint32_t kept_for_temporaries() const { return only_ == kBoth ? 0 : 1u << (kHostRegisters - 1); }

  // ---- addresses, labels and general registers, as they are ----
  using Base::align;
  using Base::byte;
  using Base::dword;
  using Base::getCurr;
  using Base::getSize;
  using Base::L;
  using Base::ptr;
  using Base::ptr_b;
  using Base::qword;
  using Base::ready;
  using Base::rip;
  using Base::T_NEAR;
  using Base::word;

  using Base::add;
  using Base::and_;
  using Base::blsr;
  using Base::bsf;
  using Base::bswap;
  using Base::btr;
  using Base::bts;
  using Base::call;
  using Base::cmovae;
  using Base::cmovc;
  using Base::cmove;
  using Base::cmovge;
  using Base::cmovnc;
  using Base::cmovne;
  using Base::cmovnz;
  using Base::cmovp;
  using Base::cmovz;
  using Base::cmp;
  using Base::cmpxchg;
  using Base::imul;
  using Base::inc;
  using Base::ja;
  using Base::jb;
  using Base::je;
  using Base::jl;
  using Base::jmp;
  using Base::jnc;
  using Base::jne;
  using Base::jnz;
  using Base::js;
  using Base::jz;
  using Base::ldmxcsr;
  using Base::lea;
  using Base::lock;
  using Base::lzcnt;
  using Base::mov;
  using Base::movsx;
  using Base::movsxd;
  using Base::movzx;
  using Base::not_;
  using Base::or_;
  using Base::pdep;
  using Base::pext;
  using Base::pop;
  using Base::popcnt;
  using Base::ret;
  using Base::sar;
  using Base::setb;
  using Base::sete;
  using Base::setl;
  using Base::setne;
  using Base::seto;
  using Base::shl;
  using Base::shr;
  using Base::sub;
  using Base::test;
  using Base::tzcnt;
  using Base::vzeroupper;
  using Base::xadd;
  using Base::xchg;
  using Base::xor_;
  // Members of this class, so that pointers to them are.
  void cmova(const Reg& r, const Operand& o) { Base::cmova(r, o); }
  void cmovb(const Reg& r, const Operand& o) { Base::cmovb(r, o); }
  void cmovg(const Reg& r, const Operand& o) { Base::cmovg(r, o); }
  void cmovl(const Reg& r, const Operand& o) { Base::cmovl(r, o); }

  /// A word of the constant pool, for use as `dword[rip + label]` or broadcast.
  Label& constant(uint32_t bits) { return constants_[bits]; }
  Label& constant64(uint64_t bits) { return constants64_[bits]; }
  Label& vector_constant(const std::array<uint32_t, 16>& words) { return vectors_[words]; }

  // ---- vectors: lane by lane ----
#define VECTOR_BINARY(name, narrow, bytes)                  \
  void name(const Xmm& d, const Xmm& a, const Operand& b) { \
    if (wide_) return Base::name(d, a, b);                  \
    binary(d, a, b, bytes, &VectorCode::half_##name);       \
  }
#define VECTOR_UNARY(name, narrow, bytes)         \
  void name(const Xmm& d, const Operand& a) {     \
    if (wide_) return Base::name(d, a);           \
    unary(d, a, bytes, &VectorCode::half_##name); \
  }
#define VECTOR_SHIFT(name, bytes)                     \
  void name(const Xmm& d, const Xmm& a, uint8_t by) { \
    if (wide_) return Base::name(d, a, by);           \
    shift(d, a, by, bytes, &VectorCode::half_##name); \
  }
#define VECTOR_FUSED(name, bytes)                           \
  void name(const Xmm& d, const Xmm& a, const Operand& b) { \
    if (wide_) return Base::name(d, a, b);                  \
    fused(d, a, b, bytes, &VectorCode::half_##name);        \
  }
#include "emu/jit/vector_code.def"

  void vaddps(const Xmm& d, const Xmm& a, const Operand& b);  ///< d may have a rounding
  /// By as many bits as the first element of `by` says.
  void vpslld(const Xmm& d, const Xmm& a, const Xmm& by);
  void vpsrld(const Xmm& d, const Xmm& a, const Xmm& by);
  void vrndscaleps(const Xmm& d, const Operand& a, uint8_t control);
  void vrndscalepd(const Xmm& d, const Operand& a, uint8_t control);
  void vshufps(const Xmm& d, const Xmm& a, const Operand& b, uint8_t control);
  void vpmullq(const Xmm& d, const Xmm& a, const Operand& b);
  void vpsravq(const Xmm& d, const Xmm& a, const Operand& b);
  void vpopcntd(const Xmm& d, const Operand& a);
  void vplzcntd(const Xmm& d, const Operand& a);
  void vpternlogd(const Xmm& d, const Xmm& b, const Operand& c, uint8_t table);
  void vpblendmd(const Xmm& d, const Xmm& a, const Operand& b);
  void vpblendmq(const Xmm& d, const Xmm& a, const Operand& b);
  void vblendmpd(const Xmm& d, const Xmm& a, const Operand& b) { vpblendmq(d, a, b); }

  // ---- floats: avx2/floats.cpp ----
  void vrangeps(const Xmm& d, const Xmm& a, const Operand& b, uint8_t control);  ///< 4 and 5
  void vrangepd(const Xmm& d, const Xmm& a, const Operand& b, uint8_t control);
  /// d = the smaller or greater one where a number beats any NaN and -0 < +0. Of two NaNs the first
  /// stays as it is, or becomes quiet. Hosts with AVX2 only.
  void number_minmax(const Xmm& d, const Xmm& a, const Xmm& b, bool maximum, bool quiet,
                     unsigned bytes);
  /// d = a * b + c, rounded once; of NaNs the first one of a, b and c.
  void fuse(const Xmm& d, const Xmm& a, const Xmm& b, const Xmm& c);
  void vscalefps(const Xmm& d, const Xmm& a, const Operand& b);  ///< b: integral
  void vscalefpd(const Xmm& d, const Xmm& a, const Operand& b);
  void vgetexpps(const Xmm& d, const Operand& a);
  void vgetexppd(const Xmm& d, const Operand& a);
  void vgetmantps(const Xmm& d, const Operand& a, uint8_t control);  ///< 2: [1/2, 1)
  void vgetmantpd(const Xmm& d, const Operand& a, uint8_t control);  ///< 2; 11: [3/4, 3/2)
  void vfpclassps(const Opmask& k, const Xmm& a, uint8_t classes);
  void vfpclasspd(const Opmask& k, const Xmm& a, uint8_t classes);

  // ---- between widths: avx2/convert.cpp; Ymm names the low half of a register ----
  void vpmovzxdq(const Xmm& d, const Operand& a);
  void vpmovzxwd(const Xmm& d, const Operand& a);
  void vpmovsxwd(const Xmm& d, const Operand& a);
  void vpmovzxbd(const Xmm& d, const Address& a);
  void vpmovsxbd(const Xmm& d, const Address& a);
  void vpmovdw(const Operand& d, const Xmm& a);
  void vpmovdb(const Address& d, const Xmm& a);
  void vcvtdq2pd(const Xmm& d, const Operand& a);
  void vcvtudq2pd(const Xmm& d, const Operand& a);
  void vcvtps2pd(const Xmm& d, const Operand& a);
  void vcvtph2ps(const Xmm& d, const Operand& a);
  void vcvtps2ph(const Operand& d, const Xmm& a, uint8_t rounding);
  void vcvtpd2ps(const Xmm& d, const Xmm& a);  ///< d may have a rounding
  void vcvtpd2dq(const Xmm& d, const Xmm& a);
  void vcvttpd2dq(const Xmm& d, const Xmm& a);
  void vcvttpd2udq(const Xmm& d, const Xmm& a);  ///< of 0 to 2^32 - 1
  void vcvttps2udq(const Xmm& d, const Xmm& a);  ///< not of negative numbers
  void vcvtudq2ps(const Xmm& d, const Xmm& a);
  void vextracti64x4(const Ymm& d, const Zmm& a, uint8_t half);
  void vinserti64x4(const Zmm& d, const Zmm& a, const Ymm& b, uint8_t half);
  void vinsertf64x4(const Zmm& d, const Zmm& a, const Ymm& b, uint8_t half) {
    vinserti64x4(d, a, b, half);
  }
  void vinserti32x4(const Zmm& d, const Zmm& a, const Address& b, uint8_t part);
  void vextracti32x4(const Address& d, const Zmm& a, uint8_t part);

  // ---- moves and other lanes: avx2/moves.cpp ----
  void vmovdqu32(const Xmm& d, const Operand& a);
  void vmovdqu32(const Address& d, const Xmm& a);
  void vmovdqa32(const Xmm& d, const Operand& a) {
    wide_ ? Base::vmovdqa32(d, a) : vmovdqu32(d, a);
  }
  void vmovdqa32(const Address& d, const Xmm& a) {
    wide_ ? Base::vmovdqa32(d, a) : vmovdqu32(d, a);
  }
  void vmovaps(const Xmm& d, const Xmm& a) { wide_ ? Base::vmovaps(d, a) : move(d, a, 4); }
  void vmovapd(const Xmm& d, const Xmm& a) { wide_ ? Base::vmovapd(d, a) : move(d, a, 8); }
  void vmovdqa64(const Xmm& d, const Xmm& a) { wide_ ? Base::vmovdqa64(d, a) : move(d, a, 8); }
  void vmovdqu8(const Xmm& d, const Xmm& a) { wide_ ? Base::vmovdqu8(d, a) : move(d, a, 1); }
  void vmovd(const Reg32& d, const Xmm& a);
  // The first element alone.
  void vmovd(const Xmm& d, const Reg32& a);
  void vmovq(const Reg64& d, const Xmm& a);
  void vmovq(const Xmm& d, const Reg64& a);
  void vaddss(const Xmm& d, const Xmm& a, const Xmm& b);
  void vaddsd(const Xmm& d, const Xmm& a, const Xmm& b);
  void vucomiss(const Xmm& a, const Operand& b);
  void vucomisd(const Xmm& a, const Operand& b);
  void vpbroadcastd(const Xmm& d, const Operand& a);  ///< a: word in memory, Xmm or Reg32
  void vpbroadcastq(const Xmm& d, const Operand& a);  ///< a: quad in memory or Reg64
  void vpermd(const Xmm& d, const Xmm& index, const Operand& a);
  void vpermi2d(const Xmm& index, const Xmm& a, const Operand& b);
  void vpermt2d(const Xmm& a, const Xmm& index, const Operand& b);
  void vpgatherdd(const Xmm& d, const Address& from);
  void vpgatherdq(const Xmm& d, const Address& from);
  void vpscatterdd(const Address& to, const Xmm& a);

  // ---- masks: avx2/masks.cpp ----
  void vcmpps(const Opmask& k, const Xmm& a, const Operand& b, uint8_t relation);
  void vcmppd(const Opmask& k, const Xmm& a, const Operand& b, uint8_t relation);
  void vpcmpeqd(const Opmask& k, const Xmm& a, const Operand& b);
  void vpcmpeqq(const Opmask& k, const Xmm& a, const Operand& b);
  void vpcmpd(const Opmask& k, const Xmm& a, const Operand& b, uint8_t relation);
  void vpcmpq(const Opmask& k, const Xmm& a, const Operand& b, uint8_t relation);
  void vpcmpud(const Opmask& k, const Xmm& a, const Operand& b, uint8_t relation);
  void vpcmpuq(const Opmask& k, const Xmm& a, const Operand& b, uint8_t relation);
  void vpcmpub(const Opmask& k, const Xmm& a, const Operand& b, uint8_t relation);
  void vptestmd(const Opmask& k, const Xmm& a, const Operand& b);
  void vptestmq(const Opmask& k, const Xmm& a, const Operand& b);
  void vptestmb(const Opmask& k, const Xmm& a, const Operand& b);
  void vptestnmd(const Opmask& k, const Xmm& a, const Operand& b);
  void vpmovm2d(const Xmm& d, const Opmask& k);
  void vpmovd2m(const Opmask& k, const Xmm& a);
  void kmovw(const Opmask& k, const Operand& a);
  void kmovw(const Reg32& d, const Opmask& k);
  void kandw(const Opmask& d, const Opmask& a, const Opmask& b);
  void kandnw(const Opmask& d, const Opmask& a, const Opmask& b);
  void korw(const Opmask& d, const Opmask& a, const Opmask& b);
  void kxorw(const Opmask& d, const Opmask& a, const Opmask& b);
  void knotw(const Opmask& d, const Opmask& a);
  void knotq(const Opmask& d, const Opmask& a);
  void kunpckbw(const Opmask& d, const Opmask& high, const Opmask& low);
  void kshiftrw(const Opmask& d, const Opmask& a, uint8_t by);
  void kortestw(const Opmask& a, const Opmask& b);  ///< ZF: both are 0; CF: all lanes are in one

 protected:
  void emit_constants();
  /// Of eight lanes, with only_half(): see Host::words_to_quads, Host::low_words.
  void half_to_quads(const Zmm& first, const Zmm& second, const Zmm& low, const Zmm& high);
  void half_to_words(const Zmm& d, const Zmm& first, const Zmm& second, bool high);

 private:
  /// The last operand of a half: a register, or memory as it is.
  struct Half {
    Ymm reg{0};
    Address mem{static_cast<size_t>(0)};
    bool in_memory = false;
    operator const Operand&() const {  // NOLINT: stands for an operand
      return in_memory ? static_cast<const Operand&>(mem) : reg;
    }
  };
  using BinaryFn = void (VectorCode::*)(const Ymm&, const Ymm&, const Operand&);
  using UnaryFn = void (VectorCode::*)(const Ymm&, const Operand&);
  using ShiftFn = void (VectorCode::*)(const Ymm&, const Ymm&, uint8_t);
  void binary(const Xmm& d, const Xmm& a, const Operand& b, unsigned bytes, BinaryFn f);
  void unary(const Xmm& d, const Operand& a, unsigned bytes, UnaryFn f);
  void shift(const Xmm& d, const Xmm& a, uint8_t by, unsigned bytes, ShiftFn f);
  void fused(const Xmm& d, const Xmm& a, const Operand& b, unsigned bytes, BinaryFn f);
#define VECTOR_BINARY(name, narrow, bytes) \
  void half_##name(const Ymm& d, const Ymm& a, const Operand& b) { Base::narrow(d, a, b); }
#define VECTOR_UNARY(name, narrow, bytes) \
  void half_##name(const Ymm& d, const Operand& a) { Base::narrow(d, a); }
#define VECTOR_SHIFT(name, bytes) \
  void half_##name(const Ymm& d, const Ymm& a, uint8_t by) { Base::name(d, a, by); }
#define VECTOR_FUSED(name, bytes) \
  void half_##name(const Ymm& d, const Ymm& a, const Operand& b) { Base::name(d, a, b); }
#include "emu/jit/vector_code.def"
  /// Of each half: ymm0 = emit(), which may use ymm0 to ymm5, of a and b in registers.
  template <class Emit>
  void each_half(const Xmm& d, const Operand& a, const Operand& b, unsigned bytes, Emit emit) {
    for (int half = first_half(); half < end_half(d); ++half) {
      const Ymm x = in_register(a, half, 1, bytes), y = in_register(b, half, 2, bytes);
      emit(x, y);
      put(d, half, Ymm(0), bytes);
    }
  }
  template <class Emit>
  void each_half(const Xmm& d, const Operand& a, unsigned bytes, Emit emit) {
    for (int half = first_half(); half < end_half(d); ++half) {
      emit(in_register(a, half, 1, bytes));
      put(d, half, Ymm(0), bytes);
    }
  }
  /// A mask of what emit(half) leaves in ymm0, all ones or zeros; `inverse`: where it is 0.
  template <class Emit>
  void compare(const Opmask& k, unsigned bytes, bool inverse, Emit emit) {
    if (only_ != kBoth) {
      emit(only_);
      return put_half_mask(k, bytes, inverse);
    }
    emit(1);
    signs_to_rdi(bytes);
    second_half_of_mask(bytes);
    emit(0);
    signs_to_rdi(bytes);
    finish_mask(k, bytes, inverse);
  }
  void signs_to_rdi(unsigned bytes);
  void second_half_of_mask(unsigned bytes);
  void finish_mask(const Opmask& k, unsigned bytes, bool inverse);
  // Masks of half a slice: avx2/half_masks.cpp.
  void put_half_mask(const Opmask& k, unsigned bytes, bool inverse);
  Ymm half_mask_in_register(int k, unsigned bytes, int scratch);
  void half_mask_from_memory(const Opmask& k, const Address& a);
  void half_mask_to_register(const Reg32& d, const Opmask& k);
  void copy_half_mask(const Opmask& d, const Opmask& a, bool inverse);
  void combine_half_masks(const Opmask& d, const Opmask& a, const Opmask& b, BinaryFn f);
  void join_half_masks(const Opmask& d, const Opmask& high, const Opmask& low);
  void second_quads_of_half_mask(const Opmask& d, const Opmask& a);
  bool is_exec(int k) const { return k <= exec_masks_; }
  template <class Emit>
  void with_rounding(int rounding, Emit emit) {
    if (rounding) begin_rounding(rounding);
    emit();
    if (rounding) end_rounding();
  }
  void begin_rounding(int rounding);
  void end_rounding();
  template <class Emit>
  void widen(const Xmm& d, const Operand& a, unsigned part_bytes, unsigned bytes, Emit emit);
  template <class Emit>
  void narrow(const Xmm& d, const Xmm& a, Emit emit);
  void load_lanes(const Address& from, const Opmask& k, unsigned bytes, int half);
  void store_lanes(const Address& to, const Opmask& k, unsigned bytes, int first);
  void truncate_to_halves(const Xmm& a);
  void classify(const Ymm& a, unsigned classes, unsigned bytes);
  void normalise(const Ymm& a, unsigned bytes);
  void extreme(const Ymm& x, const Ymm& y, bool maximum, unsigned bytes);
  void range(const Xmm& d, const Xmm& a, const Operand& b, bool maximum, unsigned bytes);
  void significand(const Xmm& d, const Operand& a, unsigned control, unsigned bytes);
  void exponent(const Xmm& d, const Operand& a, unsigned bytes);
  void two_tables(const Xmm& d, const Xmm& index, const Operand& a, const Operand& b);
  void boolean_of_two(const Ymm& d, unsigned table, const Ymm& b, const Ymm& c);
  void blend_mask(const Xmm& d, const Xmm& a, const Operand& b, unsigned bytes);
  void move(const Xmm& d, const Operand& a, unsigned bytes);
  void compare_unsigned(const Opmask& k, const Xmm& a, const Operand& b, unsigned relation,
                        unsigned bytes);
  void test_bits(const Opmask& k, const Xmm& a, const Operand& b, unsigned bytes, bool none);

  // ---- where registers are ----
  int first_half() const { return only_ == kBoth ? 0 : only_; }
  int end_half(const Xmm& d) const { return only_ != kBoth ? only_ + 1 : d.isZMM() ? 2 : 1; }
  /// Instructions that act on both halves at once.
  void needs_both_halves() const {
    if (only_ != kBoth) throw Xbyak::Error(Xbyak::ERR_INTERNAL);  // the compiler gives the unit up
  }
  bool is_resident(int v) const {
    return v < (only_ == kBoth ? kHostRegisters / 2 : kHostRegisters);
  }
  Ymm resident(int v, int half) const {
    return Ymm(kScratch + (only_ == kBoth ? 2 * v + half : v));
  }
  Address slot(int v, int half) { return ptr[rsp + kVectorFile + v * 64 + half * 32]; }
  Address mask_slot(int k) { return qword[rsp + kMaskFile + 8 * k]; }
  Address half_mask(int k) { return ptr[rsp + kHalfMasks + 32 * k]; }
  Address spill() { return qword[rsp + kSpill]; }
  /// What an address points to, `bytes` further on.
  Address moved(const Address& a, int bytes);
  /// Half of a register, in a register: its own, or the scratch register that is named.
  Ymm load(int v, int half, int scratch);
  Half operand(const Operand& o, int half, int scratch, unsigned bytes);
  Ymm in_register(const Operand& o, int half, int scratch, unsigned bytes);
  /// A quarter of a register or of memory as 128 bits.
  Xmm quarter(const Operand& o, int part, int scratch);
  void put_quarter(const Xmm& d, const Xmm& value);
  /// Where a result may go at once: the register itself if it is one and no mask stands before it.
  Ymm direct(const Xmm& d, int half) const;
  /// Ends an instruction: the half of d becomes `value` under d's mask. Uses ymm0, ymm1.
  void put(const Xmm& d, int half, const Ymm& value, unsigned bytes);
  /// All ones where a lane is off (or on).
  Ymm off(int k, int half, unsigned bytes, int scratch);
  void spread(const Ymm& d, int k, int half, unsigned bytes, bool on);
  void blend(const Ymm& d, const Ymm& a, const Operand& b, const Ymm& b_where, unsigned bytes);
  /// A mask was written: what is kept of it is made anew.
  void mask_changed(const Opmask& k);
  Address every(uint32_t bits);
  Address every64(uint64_t bits);
  Address every_of(unsigned bytes, uint32_t bits, uint64_t bits64) {
    return bytes == 4 ? every(bits) : every64(bits64);
  }
  Address words(const std::array<uint32_t, 16>& w, int half);

  static constexpr int kScratch = 6;  ///< ymm0 to ymm5 serve inside one instruction
  static constexpr int kHostRegisters = 16 - kScratch;

  const bool wide_;
  const int exec_masks_;
  int only_ = kBoth;
  uint8_t half_mask_bytes_[8] = {};  ///< of an element of masks of half a slice
  std::map<uint32_t, Label> constants_;
  std::map<uint64_t, Label> constants64_;
  std::map<std::array<uint32_t, 16>, Label> vectors_;
};

}  // namespace lockstep::emu::jit
