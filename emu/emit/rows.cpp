// SPDX-License-Identifier: MIT
// Expands the covered rows over the Emit machine and wraps them into callable code.
#include "emu/emit/rows.h"

#include <xbyak/xbyak_util.h>

#include <array>
#include <cstddef>

#include "emu/emit/emit.h"
#include "emu/special.h"
#include "emu/valu.h"

namespace lockstep::emu {
namespace {

using namespace isa::rows;
using namespace isa;
using Xbyak::Reg64;

#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, ...) \
  LOCKSTEP_VALU_ROW(id, dsts, srcs, flags, __VA_ARGS__)
#include "isa/ops/vop2.def"
#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, ...) \
  LOCKSTEP_VALU_ROW(id, dsts, srcs, flags, __VA_ARGS__)
#include "isa/ops/vopc.def"
#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, ...) \
  LOCKSTEP_VALU_ROW(id, dsts, srcs, flags, __VA_ARGS__)
#include "isa/ops/vop3.def"

// Register map of the generated function: rdi = WaveState.scalar, rsi = VGPRs; k1, k2 = EXEC.
const Reg64 kScalars = Xbyak::util::rdi, kVgprs = Xbyak::util::rsi;
constexpr int kRegisterBytes = 128;

template <Type T>
struct EmitType {
  using type = Emit::U32;
};
template <>
struct EmitType<Type::F32> {
  using type = Emit::F32;
};
template <>
struct EmitType<Type::I32> {
  using type = Emit::I32;
};
template <>
struct EmitType<Type::MASK> {
  using type = Emit::Pred;
};

class RowCompiler {
 public:
  RowCompiler(Emit& e, const Uop& u) : e_(e), g_(e.code()), u_(u) {}

  template <class Row>
  void compile() {
    using namespace Xbyak::util;
    constexpr Type kA = Row::kSrcs.v[0].type, kB = Row::kSrcs.v[1].type;
    constexpr Type kC = Row::kSrcs.n > 2 ? Row::kSrcs.v[2].type : Type::U32;
    constexpr Type kD = Row::kDsts.v[0].type;
    g_.kmovd(k1, dword[kScalars + isa::kExecLo * 4]);
    g_.kshiftrd(k2, k1, 16);
    {
      const auto a = source<kA>(0);
      const auto b = source<kB>(1);
      if constexpr (kD == Type::MASK) {
        store_mask(Row::eval(e_, a, b, 0, 0));
      } else {
        if constexpr (Row::kSrcs.n > 2) {
          const auto c = source<kC>(2);
          store(Row::eval(e_, a, b, c, 0));
        } else if constexpr ((Row::kFlags & isa::ACC) != 0) {
          const auto d = vgpr<typename EmitType<kD>::type>(u_.ops.dst[0].code);
          store(Row::eval(e_, a, b, 0, d));
        } else {
          store(Row::eval(e_, a, b, 0, 0));
        }
      }
    }
    g_.vzeroupper();
    g_.ret();
  }

 private:
  template <class T>
  T vgpr(unsigned number) {
    using namespace Xbyak::util;
    const int at = static_cast<int>(number) * kRegisterBytes;
    return e_.load<T>(ptr[kVgprs + at], ptr[kVgprs + at + 64]);
  }
  template <Type T>
  auto source(int i) {
    using namespace Xbyak::util;
    const isa::Operand& o = u_.ops.src[i];
    if constexpr (T == Type::MASK) {
      g_.mov(eax, dword[kScalars + o.code * 4]);
      return e_.mask(eax);
    } else {
      using V = typename EmitType<T>::type;
      if (o.kind == isa::OperandKind::kVgpr) return vgpr<V>(o.code);
      if (o.kind == isa::OperandKind::kScalar && o.code != isa::kNull)
        g_.mov(eax, dword[kScalars + o.code * 4]);
      else
        g_.mov(eax, constant(o));
      return e_.broadcast<V>(eax);
    }
  }
  static uint32_t constant(const isa::Operand& o) {
    if (o.kind == isa::OperandKind::kInline)
      return static_cast<uint32_t>(isa::inline_bits(o.code, o.type));
    if (o.kind == isa::OperandKind::kLiteral)
      return static_cast<uint32_t>(literal_bits(o.value, o.type));
    return 0;
  }
  template <class T>
  void store(const T& value) {
    using namespace Xbyak::util;
    const int at = u_.ops.dst[0].code * kRegisterBytes;
    // Blend and store whole: a masked store would defeat store forwarding (DESIGN.md section 5).
    for (int h = 0; h < 2; ++h) {
      g_.vmovups(zmm28, ptr[kVgprs + at + 64 * h]);
      g_.vmovdqa32(zmm28 | (h == 0 ? k1 : k2), value.half(h));
      g_.vmovups(ptr[kVgprs + at + 64 * h], zmm28);
    }
  }
  void store_mask(const Emit::Pred& p) {
    using namespace Xbyak::util;
    g_.kandw(p.half(0), p.half(0), k1);
    g_.kandw(p.half(1), p.half(1), k2);
    g_.kmovw(eax, p.half(0));
    g_.kmovw(ecx, p.half(1));
    g_.shl(ecx, 16);
    g_.or_(eax, ecx);
    if (u_.ops.dst[0].code != isa::kNull) g_.mov(dword[kScalars + u_.ops.dst[0].code * 4], eax);
  }

  Emit& e_;
  Xbyak::CodeGenerator& g_;
  const Uop& u_;
};

using CompileFn = void (*)(RowCompiler&);
struct Covered {
  isa::Op op;
  CompileFn compile;
};
template <class Row>
constexpr Covered covered() {
  return {Row::kOp, [](RowCompiler& c) { c.compile<Row>(); }};
}

constexpr Covered kCovered[] = {
    covered<Row_v_add_f32>(),    covered<Row_v_sub_f32>(),     covered<Row_v_mul_f32>(),
    covered<Row_v_fma_f32>(),    covered<Row_v_fmac_f32>(),    covered<Row_v_and_b32>(),
    covered<Row_v_or_b32>(),     covered<Row_v_xor_b32>(),     covered<Row_v_add_nc_u32>(),
    covered<Row_v_sub_nc_u32>(), covered<Row_v_cndmask_b32>(), covered<Row_v_cmp_lt_f32>(),
    covered<Row_v_cmp_eq_f32>(), covered<Row_v_cmp_ge_f32>(),  covered<Row_v_cmp_lt_i32>(),
    covered<Row_v_cmp_eq_u32>(),
};

/// Operands that this slice compiles: plain VGPRs, SGPRs and constants.
bool is_plain(const isa::Operand& o) {
  using isa::OperandKind;
  const bool place = o.kind == OperandKind::kVgpr || o.kind == OperandKind::kScalar ||
                     o.kind == OperandKind::kInline || o.kind == OperandKind::kLiteral;
  return place && !o.neg && !o.abs && !o.sext && !o.high_half;
}

}  // namespace

bool emit_supported() {
  using Xbyak::util::Cpu;
  static const bool supported = [] {
    const Cpu cpu;
    return cpu.has(Cpu::tAVX512F) && cpu.has(Cpu::tAVX512BW) && cpu.has(Cpu::tAVX512DQ) &&
           cpu.has(Cpu::tAVX512VL);
  }();
  return supported;
}

std::span<const isa::Op> emitted_rows() {
  static const auto ops = [] {
    std::array<isa::Op, std::size(kCovered)> list;
    for (size_t i = 0; i < list.size(); ++i) list[i] = kCovered[i].op;
    return list;
  }();
  return ops;
}

struct CompiledRow::Impl {
  Xbyak::CodeGenerator code{4096};
};
CompiledRow::CompiledRow() = default;
CompiledRow::~CompiledRow() = default;
CompiledRow::CompiledRow(CompiledRow&&) noexcept = default;
CompiledRow& CompiledRow::operator=(CompiledRow&&) noexcept = default;

void CompiledRow::run(WaveState& wave) const {
  using Fn = void (*)(uint32_t*, uint32_t*);
  impl_->code.getCode<Fn>()(wave.scalar, wave.vgprs.get());
}

CompiledRow compile_row(const Uop& u) {
  CompiledRow row;
  if (!emit_supported() || u.clamp || u.omod || u.inst.suffix == isa::Suffix::kDpp16 ||
      u.inst.suffix == isa::Suffix::kDpp8)
    return row;
  for (int i = 0; i < u.ops.n_src; ++i)
    if (!is_plain(u.ops.src[i])) return row;
  for (const Covered& c : kCovered) {
    if (c.op != u.inst.op) continue;
    row.impl_ = std::make_unique<CompiledRow::Impl>();
    Emit e(row.impl_->code);
    RowCompiler compiler(e, u);
    c.compile(compiler);
    break;
  }
  return row;
}

}  // namespace lockstep::emu
