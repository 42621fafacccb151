// SPDX-License-Identifier: MIT
// Scalar loads: one bounds check, then moves of up to 64 bytes.
#include "emu/jit/lower_memory.h"
#include "emu/mem_element.h"
#include "emu/scalar_memory.h"

namespace lockstep::emu::jit {

using isa::OperandKind;
using Xbyak::Xmm;
using Xbyak::Ymm;
using namespace Xbyak::util;

bool MemoryLowering::covers_scalar_load(const Uop& u) const {
  if (u.inst.format != isa::Format::SMEM) return false;
  const isa::MemParams& m = u.inst.info().mem;
  if (m.kind != isa::MemKind::kLoad || element_bytes(m.type) < 4) return false;
  const isa::Operand &base = u.ops.src[isa::kSmemBase], &offset = u.ops.src[isa::kSmemOffset],
                     &dst = u.ops.dst[0];
  if (base.dwords != 2 || base.code == isa::kNull || dst.code == isa::kNull) return false;
  if (dst.code + element_bytes(m.type) / 4 > isa::kNull) return false;  // M0 and EXEC: the handler
  return offset.kind == OperandKind::kOff ||
         (offset.kind == OperandKind::kScalar && offset.code != isa::kNull && offset.dwords == 1);
}

void MemoryLowering::scalar_load(const Uop& u, Xbyak::Label& slow,
                                 VectorRegisters::Picture& at_slow) {
  const uint32_t bytes = element_bytes(u.inst.info().mem.type);
  const isa::Operand& offset = u.ops.src[isa::kSmemOffset];
  const unsigned dst = u.ops.dst[0].code;
  const bool vector = bytes >= 16;
  const Zmm t = vector ? r_.temporary() : Zmm(0);
  at_slow = r_.picture();
  h_.mov(rcx, h_.scalar64(u.ops.src[isa::kSmemBase].code));
  if (offset.kind == OperandKind::kScalar) {
    h_.mov(eax, h_.scalar(offset.code));
    h_.add(rcx, rax);
  }
  if (const int32_t immediate = smem_offset(u.inst)) h_.add(rcx, immediate);
  h_.and_(rcx, -4);
  site_ = h_.new_site();
  h_.mov(rdx, ptr[h_.sites + site_]);
  h_.mov(rsi, ptr[rdx + static_cast<int>(offsetof(Allocation, size))]);
  h_.sub(rsi, bytes);
  h_.jb(slow, Xbyak::CodeGenerator::T_NEAR);
  h_.sub(rcx, ptr[rdx + static_cast<int>(offsetof(Allocation, base))]);
  h_.cmp(rcx, rsi);
  h_.ja(slow, Xbyak::CodeGenerator::T_NEAR);
  h_.add(rcx, ptr[rdx + static_cast<int>(offsetof(Allocation, host))]);
  const Xbyak::RegExp to = h_.wave + Host::scalar_offset(dst);
  switch (bytes) {
    case 4:
      h_.mov(eax, dword[rcx]);
      h_.mov(dword[to], eax);
      break;
    case 8:
    case 12:
      h_.mov(rax, qword[rcx]);
      if (bytes == 12) h_.mov(edx, dword[rcx + 8]);
      h_.mov(qword[to], rax);
      if (bytes == 12) h_.mov(dword[to + 8], edx);
      break;
    case 16:
      h_.vmovdqu32(Xmm(t.getIdx()), ptr[rcx]);
      h_.vmovdqu32(ptr[to], Xmm(t.getIdx()));
      break;
    case 32:
      h_.vmovdqu32(Ymm(t.getIdx()), ptr[rcx]);
      h_.vmovdqu32(ptr[to], Ymm(t.getIdx()));
      break;
    default:
      h_.vmovdqu32(t, ptr[rcx]);
      h_.vmovdqu32(ptr[to], t);
      break;
  }
  if (vector) r_.release(t);
}

}  // namespace lockstep::emu::jit
