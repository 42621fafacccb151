// SPDX-License-Identifier: MIT
// New values of memory in atomics: rdi, of rax = what it is, rsi = the lane's data and the second
// value of lane edx in the frame. r8 and r11 are free, and so are the spare vector registers.
#include "emu/jit/lower_memory.h"

namespace lockstep::emu::jit {

using Xbyak::Reg;
using Xbyak::Reg64;
using Xbyak::Xmm;
using namespace Xbyak::util;

void MemoryLowering::next_value(const Access& a, const Places& p) {
  if (next_float(a, p)) return;
  const Reg old = sized_register(rax, a.bytes), data = sized_register(rsi, a.bytes),
            out = sized_register(rdi, a.bytes), other = sized_register(r8, a.bytes);
  const auto second =
      ptr[rsp + rdx * static_cast<int>(a.bytes) + static_cast<int>(kRows + kSecondValues)];
  const auto choose = [&](void (Host::*move)(const Reg&, const Xbyak::Operand&)) {
    h_.mov(out, old);
    h_.cmp(old, data);
    (h_.*move)(out, data);
  };
  switch (a.atomic) {
    case AtomicKind::kAdd:
      h_.lea(out, ptr[rax + rsi]);
      break;
    case AtomicKind::kSub:
      h_.mov(out, old);
      h_.sub(out, data);
      break;
    case AtomicKind::kReverseSub:
      h_.mov(out, data);
      h_.sub(out, old);
      break;
    case AtomicKind::kAnd:
      h_.mov(out, old);
      h_.and_(out, data);
      break;
    case AtomicKind::kOr:
      h_.mov(out, old);
      h_.or_(out, data);
      break;
    case AtomicKind::kXor:
      h_.mov(out, old);
      h_.xor_(out, data);
      break;
    case AtomicKind::kMinSigned:
      choose(&Host::cmovg);
      break;
    case AtomicKind::kMaxSigned:
      choose(&Host::cmovl);
      break;
    case AtomicKind::kMinUnsigned:
      choose(&Host::cmova);
      break;
    case AtomicKind::kMaxUnsigned:
      choose(&Host::cmovb);
      break;
    case AtomicKind::kCountUp:
      h_.lea(out, ptr[rax + 1]);
      h_.xor_(r8d, r8d);
      h_.cmp(old, data);
      h_.cmovae(out, other);
      break;
    case AtomicKind::kCountDown:
      h_.lea(out, ptr[rax - 1]);
      h_.test(old, old);
      h_.cmovz(out, data);
      h_.cmp(old, data);
      h_.cmova(out, data);
      break;
    case AtomicKind::kSubClamp:
      h_.xor_(r8d, r8d);
      h_.mov(out, old);
      h_.sub(out, data);
      h_.cmovb(out, other);
      break;
    case AtomicKind::kSubIf:
      h_.mov(out, old);
      h_.mov(other, old);
      h_.sub(other, data);
      h_.cmovae(out, other);
      break;
    case AtomicKind::kMaskOr:
      h_.mov(out, data);
      h_.not_(out);
      h_.and_(out, old);
      h_.or_(out, second);
      break;
    case AtomicKind::kWrap:
      h_.mov(other, old);
      h_.add(other, second);
      h_.mov(out, old);
      h_.sub(out, data);
      h_.cmovb(out, other);
      break;
    case AtomicKind::kExchangeMarked:
      h_.mov(r8d, esi);
      h_.btr(r8d, 31);
      h_.cmovnc(r8d, eax);
      h_.mov(r11, rsi);
      h_.shr(r11, 32);
      h_.mov(rdi, rax);
      h_.shr(rdi, 32);
      h_.btr(r11d, 31);
      h_.cmovc(edi, r11d);
      h_.shl(rdi, 32);
      h_.or_(rdi, r8);
      break;
    case AtomicKind::kCompareSwap:
      h_.mov(out, old);
      h_.cmp(old, second);
      h_.cmove(out, data);
      break;
    case AtomicKind::kSwap:
      h_.mov(out, data);
      break;
    default:
      throw Xbyak::Error(Xbyak::ERR_INTERNAL);
  }
}

/// Numbers as integers of the same order, -0 below +0; a NaN is where it never wins.
void MemoryLowering::order_key(const Access& a, const Reg64& key64, const Reg64& of64,
                               bool maximum) {
  const Reg key = sized_register(key64, a.bytes), of = sized_register(of64, a.bytes),
            twice = sized_register(rdi, a.bytes);
  const auto bits = static_cast<int>(8 * a.bytes);
  const uint64_t top = uint64_t{1} << (bits - 1), nobody = maximum ? top : top - 1;
  h_.mov(key, of);
  h_.sar(key, bits - 1);
  h_.shr(key, 1);
  h_.xor_(key, of);
  h_.lea(twice, ptr[of64 + of64]);
  if (a.bytes == 8) {
    h_.cmp(twice, h_.qword[h_.rip + h_.constant64(uint64_t{0x7ff} << 53)]);
    h_.cmova(key, h_.qword[h_.rip + h_.constant64(nobody)]);
  } else {
    h_.cmp(twice, h_.dword[h_.rip + h_.constant(0xffu << 24)]);
    h_.cmova(key, h_.dword[h_.rip + h_.constant(static_cast<uint32_t>(nobody))]);
  }
}

/// Memory has no MODE: nearest even, denormals are kept, and so is the host's state.
bool MemoryLowering::next_float(const Access& a, const Places& p) {
  const bool wide = a.bytes == 8;
  const Reg old = sized_register(rax, a.bytes), data = sized_register(rsi, a.bytes),
            out = sized_register(rdi, a.bytes);
  const Xmm x(p.spare[0].getIdx()), y(p.spare[1].getIdx());
  const auto load = [&](const Xmm& to, const Reg64& from) {
    if (wide)
      h_.vmovq(to, from);
    else
      h_.vmovd(to, from.cvt32());
  };
  switch (a.atomic) {
    case AtomicKind::kAddFloat:
      load(x, rax);
      load(y, rsi);
      if (wide) {
        h_.vaddsd(x, x, y);
        h_.vmovq(rdi, x);
      } else {
        h_.vaddss(x, x, y);
        h_.vmovd(edi, x);
      }
      return true;
    case AtomicKind::kMinFloat:
    case AtomicKind::kMaxFloat: {
      const bool maximum = a.atomic == AtomicKind::kMaxFloat;
      order_key(a, r8, rax, maximum);
      order_key(a, r11, rsi, maximum);
      h_.mov(out, old);
      h_.cmp(sized_register(r11, a.bytes), sized_register(r8, a.bytes));
      if (maximum)
        h_.cmovge(out, data);  // of two NaNs the second
      else
        h_.cmovl(out, data);
      return true;
    }
    case AtomicKind::kCompareSwapFloat: {
      const auto second =
          ptr[rsp + rdx * static_cast<int>(a.bytes) + static_cast<int>(kRows + kSecondValues)];
      load(x, rax);
      h_.mov(out, data);
      if (wide)
        h_.vucomisd(x, second);
      else
        h_.vucomiss(x, second);
      h_.cmovne(out, old);
      h_.cmovp(out, old);
      return true;
    }
    case AtomicKind::kAddHalves:
      load(x, rax);
      load(y, rsi);
      h_.vcvtph2ps(x, x);
      h_.vcvtph2ps(y, y);
      h_.vaddps(x, x, y);  // wide enough that the second rounding changes nothing
      h_.vcvtps2ph(x, x, 0);
      h_.vmovd(edi, x);
      return true;
    case AtomicKind::kAddBfloats:
      load(x, rax);
      load(y, rsi);
      add_bfloats(p);
      h_.vmovd(edi, x);
      return true;
    default:
      return false;
  }
}

/// spare[0] + spare[1], two bf16 each. A float is wide enough that rounding it again changes nothing.
void MemoryLowering::add_bfloats(const Places& p) {
  const Xmm x(p.spare[0].getIdx()), y(p.spare[1].getIdx()), nan(p.spare[2].getIdx());
  const auto all = [&](uint32_t bits) { return h_.ptr_b[h_.rip + h_.constant(bits)]; };
  for (const Xmm& v : {x, y}) {
    h_.vpmovzxwd(v, v);
    h_.vpslld(v, v, 16);
  }
  h_.vaddps(x, x, y);
  h_.vcmpps(k6, x, x, 3);  // unordered
  h_.vpord(nan, x, all(0x00400000));
  h_.vpsrld(y, x, 16);
  h_.vpandd(y, y, all(1));
  h_.vpaddd(x, x, y);
  h_.vpaddd(x, x, all(0x7fff));
  h_.vmovdqa32(x | k6, nan);
  h_.vpsrld(x, x, 16);
  h_.vpmovdw(x, x);
}

}  // namespace lockstep::emu::jit
