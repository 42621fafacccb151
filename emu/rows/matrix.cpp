// SPDX-License-Identifier: MIT
// WMMA, SWMMAC, MFMA and SMFMAC rows on the Lane machine, and the moves to and from ACCVGPRs.
#include "emu/handlers.h"
#include "emu/matrix/engine.h"
#include "emu/special.h"
#include "emu/valu.h"

namespace lockstep::emu {
namespace {

using namespace isa::rows;
using namespace isa;

/// The machine that the expressions of matrix rows go over: shape and kind of product.
template <class Row>
class MatrixMachine {
  static constexpr bool kSparse = (Row::kFlags & ACC) != 0;
  static constexpr Type kC = Row::kDsts.n ? Row::kDsts.v[0].type : Type::kNone;
  using Engine = MatrixEngine<Row::kSrcs.v[0].type, Row::kSrcs.v[1].type, kC>;

 public:
  explicit MatrixMachine(const MatrixCall& call) : call_(call) {}

  Step wmma(unsigned k) {
    Engine(call_).wmma(k);
    return Step::kNext;
  }
  Step swmmac(unsigned k) {
    Engine(call_).swmmac(k);
    return Step::kNext;
  }
  Step mfma(unsigned m, unsigned n, unsigned k, unsigned blocks) {
    Engine(call_).mfma(m, n, k, blocks);
    return Step::kNext;
  }
  Step mfma_xf32(unsigned m, unsigned n, unsigned k) {
    Engine(call_).mfma_xf32(m, n, k);
    return Step::kNext;
  }
  Step smfmac(unsigned m, unsigned n, unsigned k) {
    Engine(call_).smfmac(m, n, k);
    return Step::kNext;
  }
  Step mfma_f8f6f4(unsigned m, unsigned n, unsigned k) {
    Engine(call_).mfma_f8f6f4(m, n, k);
    return Step::kNext;
  }

 private:
  const MatrixCall& call_;
};

#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, ...) \
  LOCKSTEP_VALU_ROW(id, dsts, srcs, flags, __VA_ARGS__)
#include "isa/ops/mai.def"
#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, ...) \
  LOCKSTEP_VALU_ROW(id, dsts, srcs, flags, __VA_ARGS__)
#include "isa/ops/wmma.def"

template <class Row>
using MatrixEval = decltype(Row::eval(std::declval<MatrixMachine<Row>&>(), 0, 0, 0, 0));
template <class Row>
constexpr bool kIsMatrix = std::is_same_v<MatrixEval<Row>, Step>;

template <class Row>
void run_matrix(const MatrixCall& call) {
  MatrixMachine<Row> m(call);
  Row::eval(m, 0, 0, 0, 0);
}

const uint32_t* rows_of(WaveState& w, const Operand& o) {
  if (o.kind == OperandKind::kVgpr) return w.vgpr(o.code);
  if (o.kind == OperandKind::kAgpr) return w.agpr(o.code);
  return nullptr;
}

/// Scales may be scalars or constants: then they are the same for all lanes.
const uint32_t* scale_rows(Context& c, const Operand& o, uint32_t (&buffer)[64]) {
  if (const uint32_t* rows = rows_of(*c.wave, o)) return rows;
  uint64_t value = 0;
  if (o.kind == OperandKind::kScalar)
    value = o.code == kNull ? 0 : c.wave->scalar[o.code];
  else if (o.kind == OperandKind::kInline)
    value = inline_bits(o.code, Type::B32);
  else if (!read_special(c, o.code, value))
    return nullptr;
  std::fill_n(buffer, 64, static_cast<uint32_t>(value));
  return buffer;
}

Step illegal_operand(Context& c) {
  return c.raise(FaultKind::kIllegalInstruction, -1, 0, 0,
                 "matrix operands must be vector registers (C may be an inline constant)");
}

template <class Row>
Step exec_matrix(Context& c, const Uop& u) {
  constexpr bool kSparse = (Row::kFlags & ACC) != 0;
  WaveState& w = *c.wave;
  MatrixCall call;
  call.isa = c.isa;
  call.wave_size = w.wave_size;
  const Operand& d = u.ops.dst[0];
  call.d = d.kind == OperandKind::kAgpr ? w.agpr(d.code) : w.vgpr(d.code);
  call.a = rows_of(w, u.ops.src[0]);
  call.b = rows_of(w, u.ops.src[1]);
  const Operand& third = u.ops.src[2];
  if constexpr (kSparse) {
    call.c = call.d;
    call.index = rows_of(w, third);
    if (!call.index) return illegal_operand(c);
  } else {
    call.c = rows_of(w, third);
    if (!call.c && third.kind != OperandKind::kInline) return illegal_operand(c);
    if (!call.c) call.c_constant = inline_bits(third.code, Row::kDsts.v[0].type);
  }
  if (!call.a || !call.b) return illegal_operand(c);
  uint32_t scales[2][64];
  const auto field = [&](Field f) { return static_cast<uint8_t>(u.inst.get(f)); };
  if (u.inst.format == Format::VOP3PX2) {
    call.scale_a = scale_rows(c, u.ops.src[3], scales[0]);
    call.scale_b = scale_rows(c, u.ops.src[4], scales[1]);
    if (!call.scale_a || !call.scale_b) return Step::kExit;
    // Two bits choose the byte: op_sel the low one, op_sel_hi the high one.
    const unsigned low = field(Field::opsel), high = field(Field::opsel_hi);
    call.scale_byte_a = static_cast<uint8_t>((low & 1) | (high & 1) << 1);
    call.scale_byte_b = static_cast<uint8_t>((low >> 1 & 1) | (high & 2));
  } else if (u.inst.format == Format::VOP3P) {
    call.neg = field(Field::neg);
    call.neg_hi = field(Field::neg_hi);
    call.opsel = field(Field::opsel);
  }
  call.cbsz = field(Field::cbsz);
  call.abid = field(Field::abid);
  call.blgp = field(Field::blgp);
  call.clamp = u.clamp;
  run_matrix<Row>(call);
  return Step::kNext;
}

template <class Row>
void add_row(HandlerTable& table) {
  if constexpr (kIsMatrix<Row>)
    table[static_cast<size_t>(Row::kOp)] = &exec_matrix<Row>;
  else
    add_valu<Row>(table);
}

template <class Row>
void add_function(std::array<MatrixFn, kOpCount>& table) {
  if constexpr (kIsMatrix<Row>) table[static_cast<size_t>(Row::kOp)] = &run_matrix<Row>;
}

}  // namespace

MatrixFn matrix_function(Op op) {
  static const auto table = [] {
    std::array<MatrixFn, kOpCount> functions{};
#define ALU(format, id, ...) add_function<Row_##id>(functions);
#include "isa/ops/mai.def"
#define ALU(format, id, ...) add_function<Row_##id>(functions);
#include "isa/ops/wmma.def"
    return functions;
  }();
  return table[static_cast<size_t>(op)];
}

void add_matrix_handlers(HandlerTable& table) {
#define ALU(format, id, ...) add_row<Row_##id>(table);
#include "isa/ops/mai.def"
#define ALU(format, id, ...) add_row<Row_##id>(table);
#include "isa/ops/wmma.def"
}

}  // namespace lockstep::emu
