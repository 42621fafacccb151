// SPDX-License-Identifier: MIT
// Address arithmetic and access patterns of memory instructions.
#include "emu/jit/lower_memory.h"

#include "emu/global_memory.h"
#include "emu/mem_element.h"

namespace lockstep::emu::jit {

using isa::Field;
using isa::MemAddress;
using isa::MemHalf;
using isa::MemKind;
using isa::OperandKind;
using Xbyak::Label;
using Xbyak::Reg64;
using Xbyak::Xmm;
using namespace Xbyak::util;

namespace {

constexpr int kLess = 1, kNotEqual = 4, kGreater = 6;  // vpcmpu
constexpr auto kNear = Xbyak::CodeGenerator::T_NEAR;
constexpr uint32_t kLargestOffset = 0x7fffffff;  // gathers take signed offsets

}  // namespace

bool MemoryLowering::describe(const Uop& u, Access& a) const {
  const isa::OpInfo& info = u.inst.info();
  const isa::MemParams& m = info.mem;
  const isa::Format f = u.inst.format;
  if (f != isa::Format::GLOBAL && f != isa::Format::FLAT && f != isa::Format::DS) return false;
  if (m.kind != MemKind::kLoad && m.kind != MemKind::kStore) return false;
  if (m.half != MemHalf::kWhole || m.address == MemAddress::kAddTid) return false;
  a.store = m.kind == MemKind::kStore;
  a.lds = f == isa::Format::DS;
  a.bytes = element_bytes(m.type);
  a.dwords = a.bytes < 4 ? 1 : a.bytes / 4;
  a.sign = m.type == isa::Type::I8 || m.type == isa::Type::I16;
  if (a.dwords == 3) return false;
  const isa::Operand& address = u.ops.src[isa::kMemAddr];
  const isa::Operand& data = a.store ? u.ops.src[isa::kMemData] : u.ops.dst[0];
  if (data.kind != OperandKind::kVgpr) return false;
  a.data[0] = data.code;
  a.has_address = address.kind == OperandKind::kVgpr;
  a.address = address.code;
  if (a.lds) {
    if (u.inst.get(Field::gds) || !a.has_address) return false;
    const uint32_t low = u.inst.get(Field::offset0), high = u.inst.get(Field::offset1);
    const bool two = m.address == MemAddress::kTwo || m.address == MemAddress::kTwoStride64;
    const uint32_t unit = a.bytes * (m.address == MemAddress::kTwoStride64 ? 64 : 1);
    a.elements = two ? 2 : 1;
    a.offset[0] = two ? low * unit : low | high << 8;
    a.offset[1] = high * unit;
    a.data[1] = a.store ? u.ops.src[isa::kDsData1].code : data.code + a.dwords;
    // Elements of one lane may overlap: in lane order only the handler is right.
    return !(two && a.store);
  }
  const isa::Operand& scalar = u.ops.src[isa::kMemScalar];
  a.wide_address = a.has_address && address.dwords == 2;
  a.scalar = scalar.kind == OperandKind::kScalar && scalar.code != isa::kNull ? scalar.code : -1;
  a.immediate = flat_offset(u.inst);
  if (a.wide_address && a.scalar >= 0) return false;
  if (!a.has_address && (a.scalar < 0 || a.store || a.bytes < 4)) return false;
  return true;
}

bool MemoryLowering::covers(const Uop& u) const {
  Access a;
  if (!describe(u, a)) return false;
  // Registers that are in use at once: offsets, data, spares.
  const unsigned slices = v_.slices();
  const unsigned pinned = slices * (1 + (a.wide_address ? 2 : 0) + a.dwords * a.elements);
  if (a.elements == 2 && slices * a.dwords > 7) return false;
  return pinned + slices + 8 <= 32;
}

Xbyak::RegExp MemoryLowering::lane_times(unsigned bytes, unsigned slice) {
  int row = 0;
  while (kStrideBytes[row] != bytes) ++row;
  return h_.table(&HostTables::lane_times) +
         static_cast<int>((static_cast<unsigned>(row) * 64 + slice * 16) * 4);
}

/// k = EXEC of the lanes of register `part` of an interleaved element, each lane `dwords` times.
void MemoryLowering::expand_mask(const Opmask& k, unsigned slice, unsigned part, unsigned dwords) {
  const unsigned lanes = 16 / dwords;
  h_.kmovw(eax, v_.exec(slice));
  if (part) h_.shr(eax, static_cast<int>(part * lanes));
  h_.mov(ecx, dwords == 2 ? 0x5555 : 0x1111);
  h_.pdep(eax, eax, ecx);
  h_.imul(eax, eax, dwords == 2 ? 3 : 15);
  h_.kmovw(k, eax);
}

void MemoryLowering::lds_offsets(const Access& a, int element, Label& slow) {
  h_.mov(r10, ptr[h_.context + static_cast<int>(offsetof(Context, lds))]);
  h_.mov(esi, dword[h_.context + static_cast<int>(offsetof(Context, lds_size))]);
  h_.sub(esi, a.bytes);
  h_.jb(slow, kNear);
  const Zmm& limit = spare_[0];
  h_.vpbroadcastd(limit, esi);
  h_.kxorw(k7, k7, k7);
  for (unsigned s = 0; s < v_.slices(); ++s) {
    const Zmm address = r_.use(a.address, s);
    if (a.offset[element]) {
      h_.vpaddd(offset_[s], address, h_.ptr_b[h_.rip + h_.constant(a.offset[element])]);
    } else {
      h_.vmovdqa32(offset_[s], address);
    }
    h_.vpcmpud(k6 | v_.exec(s), offset_[s], limit, kGreater);
    h_.korw(k7, k7, k6);
  }
  h_.kortestw(k7, k7);
  h_.jnz(slow, kNear);
}

void MemoryLowering::device_offsets(const Access& a, Label& slow) {
  site_ = h_.new_site();
  h_.mov(rdx, ptr[h_.sites + site_]);
  h_.mov(rsi, ptr[rdx + static_cast<int>(offsetof(Allocation, size))]);
  h_.sub(rsi, a.bytes);
  h_.jb(slow, kNear);
  if (a.store) {
    h_.cmp(byte[rdx + static_cast<int>(offsetof(Allocation, writable))], 0);
    h_.je(slow, kNear);
  }
  if (a.wide_address) return wide_offsets(a, slow);
  if (a.scalar >= 0) {
    h_.mov(rcx, h_.scalar64(static_cast<unsigned>(a.scalar)));
    if (a.immediate) h_.add(rcx, a.immediate);
  } else {
    h_.mov(rcx, static_cast<uint64_t>(int64_t{a.immediate}));
  }
  h_.sub(rcx, ptr[rdx + static_cast<int>(offsetof(Allocation, base))]);
  h_.cmp(rcx, rsi);
  h_.ja(slow, kNear);
  h_.mov(r10, ptr[rdx + static_cast<int>(offsetof(Allocation, host))]);
  h_.add(r10, rcx);
  if (!a.has_address) return;
  h_.sub(rsi, rcx);
  h_.mov(eax, kLargestOffset);
  h_.cmp(rsi, rax);
  h_.cmova(rsi, rax);
  const Zmm& limit = spare_[0];
  h_.vpbroadcastd(limit, esi);
  h_.kxorw(k7, k7, k7);
  for (unsigned s = 0; s < v_.slices(); ++s) {
    const Zmm address = r_.use(a.address, s);
    h_.vpcmpud(k6 | v_.exec(s), address, limit, kGreater);
    h_.korw(k7, k7, k6);
    h_.vmovdqa32(offset_[s], address);
  }
  h_.kortestw(k7, k7);
  h_.jnz(slow, kNear);
}

void MemoryLowering::wide_offsets(const Access& a, Label& slow) {
  h_.mov(r8, ptr[rdx + static_cast<int>(offsetof(Allocation, base))]);
  if (a.immediate) h_.sub(r8, a.immediate);
  h_.mov(r10, ptr[rdx + static_cast<int>(offsetof(Allocation, host))]);
  h_.mov(eax, kLargestOffset);
  h_.cmp(rsi, rax);
  h_.cmova(rsi, rax);
  // The difference in two words: the high one must be 0, with the borrow of the low one.
  const Zmm &limit = spare_[0], &base_low = spare_[1], &base_high = spare_[2], &high = spare_[3];
  h_.vpbroadcastd(limit, esi);
  h_.vpbroadcastd(base_low, r8d);
  h_.shr(r8, 32);
  h_.vpbroadcastd(base_high, r8d);
  h_.kxorw(k7, k7, k7);
  for (unsigned s = 0; s < v_.slices(); ++s) {
    const Zmm lo = r_.use(a.address, s), hi = r_.use(a.address + 1, s);
    h_.vpsubd(offset_[s], lo, base_low);
    h_.vpcmpud(k6, lo, base_low, kLess);
    h_.vpsubd(high, hi, base_high);
    h_.vpsubd(high | k6, high, h_.ptr_b[h_.rip + h_.constant(1)]);
    h_.vpcmpud(k6 | v_.exec(s), offset_[s], limit, kGreater);
    h_.korw(k7, k7, k6);
    h_.vptestmd(k6 | v_.exec(s), high, high);
    h_.korw(k7, k7, k6);
  }
  h_.kortestw(k7, k7);
  h_.jnz(slow, kNear);
}

void MemoryLowering::check_contiguous(const Access& a, Label& otherwise) {
  const Zmm &first = spare_[0], &t = spare_[1];
  h_.vpbroadcastd(first, Xmm(offset_[0].getIdx()));
  h_.kxorw(k7, k7, k7);
  for (unsigned s = 0; s < v_.slices(); ++s) {
    h_.vpsubd(t, offset_[s], h_.ptr[lane_times(a.bytes, s)]);
    h_.vpcmpud(k6 | v_.exec(s), t, first, kNotEqual);
    h_.korw(k7, k7, k6);
  }
  h_.kortestw(k7, k7);
  h_.jnz(otherwise, kNear);
  h_.vmovd(eax, Xmm(offset_[0].getIdx()));
  h_.movsxd(rax, eax);
  h_.lea(r11, ptr[r10 + rax]);
}

void MemoryLowering::transpose_load(const Access& a, const Zmm* m, const Zmm* d, const Opmask& k) {
  const Zmm &low = spare_[4], &high = spare_[5];
  const auto words = [&](const Zmm& out, bool odd, const Zmm& x, const Zmm& y) {
    h_.vmovdqa32(
        out, h_.ptr[odd ? h_.table(&HostTables::high_words) : h_.table(&HostTables::low_words)]);
    h_.vpermi2d(out, x, y);
  };
  if (a.dwords == 2) {
    words(low, false, m[0], m[1]);
    words(high, true, m[0], m[1]);
    h_.vmovdqa32(d[0] | k, low);
    h_.vmovdqa32(d[1] | k, high);
    return;
  }
  // Even and odd words of each pair, then again: x z, y w, then each alone.
  for (int odd = 0; odd < 2; ++odd) {
    words(low, odd, m[0], m[1]);
    words(high, odd, m[2], m[3]);
    const Zmm &out = spare_[6], &out2 = spare_[7];
    words(out, false, low, high);
    words(out2, true, low, high);
    h_.vmovdqa32(d[odd] | k, out);
    h_.vmovdqa32(d[odd + 2] | k, out2);
  }
}

void MemoryLowering::contiguous_load(const Access& a, unsigned slice, const Zmm* d,
                                     const Reg64& base) {
  const Opmask k = v_.exec(slice);
  const auto at = static_cast<int>(slice * 16 * a.bytes);
  if (a.bytes < 4) {
    const Zmm& t = spare_[0];
    const Xbyak::Address from = ptr[base + at];
    if (a.bytes == 1) {
      if (a.sign)
        h_.vpmovsxbd(t | k | T_z, from);
      else
        h_.vpmovzxbd(t | k | T_z, from);
    } else {
      if (a.sign)
        h_.vpmovsxwd(t | k | T_z, from);
      else
        h_.vpmovzxwd(t | k | T_z, from);
    }
    h_.vmovdqa32(d[0] | k, t);
    return;
  }
  if (a.dwords == 1) {
    h_.vmovdqu32(d[0] | k, ptr[base + at]);
    return;
  }
  for (unsigned part = 0; part < a.dwords; ++part) {
    expand_mask(k6, slice, part, a.dwords);
    h_.vmovdqu32(spare_[part] | k6 | T_z, ptr[base + at + static_cast<int>(part * 64)]);
  }
  transpose_load(a, spare_, d, k);
}

void MemoryLowering::contiguous_store(const Access& a, unsigned slice, const Zmm* d,
                                      const Reg64& base) {
  const Opmask k = v_.exec(slice);
  const auto at = static_cast<int>(slice * 16 * a.bytes);
  if (a.bytes == 1) return h_.vpmovdb(ptr[base + at] | k, d[0]);
  if (a.bytes == 2) return h_.vpmovdw(ptr[base + at] | k, d[0]);
  if (a.dwords == 1) return h_.vmovdqu32(ptr[base + at] | k, d[0]);
  const auto interleave = [&](const Zmm& out, bool upper, const Zmm& x, const Zmm& y) {
    h_.vmovdqa32(
        out, h_.ptr[upper ? h_.table(&HostTables::high_quads) : h_.table(&HostTables::low_quads)]);
    h_.vpermi2d(out, x, y);
  };
  const auto write = [&](unsigned part, const Zmm& m) {
    expand_mask(k6, slice, part, a.dwords);
    h_.vmovdqu32(ptr[base + at + static_cast<int>(part * 64)] | k6, m);
  };
  const Zmm &even = spare_[0], &odd = spare_[1], &out = spare_[2];
  if (a.dwords == 2) {
    for (unsigned part = 0; part < 2; ++part) {
      interleave(out, part, d[0], d[1]);
      write(part, out);
    }
    return;
  }
  for (unsigned half = 0; half < 2; ++half) {
    interleave(even, half, d[0], d[2]);
    interleave(odd, half, d[1], d[3]);
    for (unsigned part = 0; part < 2; ++part) {
      interleave(out, part, even, odd);
      write(2 * half + part, out);
    }
  }
}

void MemoryLowering::contiguous(const Access& a, int element) {
  for (unsigned s = 0; s < v_.slices(); ++s) {
    Zmm d[4];
    for (unsigned i = 0; i < a.dwords; ++i) d[i] = data_[element][i][s];
    if (a.store)
      contiguous_store(a, s, d, r11);
    else
      contiguous_load(a, s, d, r11);
  }
}

void MemoryLowering::scattered(const Access& a, int element, Label& slow) {
  if (a.bytes < 4) {
    // A gather would read past the element.
    h_.jmp(slow, kNear);
    return;
  }
  Label scatter, done;
  if (a.store && a.dwords == 4) {
    all_lanes_or(scatter);
    for (unsigned s = 0; s < v_.slices(); ++s) {
      Zmm d[4];
      for (unsigned i = 0; i < 4; ++i) d[i] = data_[element][i][s];
      store_rows(s, d);
    }
    h_.jmp(done, kNear);
    h_.L(scatter);
  }
  if (a.store && a.dwords > 1) {
    // Elements of different lanes that overlap in part must be written lane by lane.
    h_.kxorw(k7, k7, k7);
    for (unsigned s = 0; s < v_.slices(); ++s) {
      h_.vptestmd(k6 | v_.exec(s), offset_[s], h_.ptr_b[h_.rip + h_.constant(a.bytes - 1)]);
      h_.korw(k7, k7, k6);
    }
    h_.kortestw(k7, k7);
    h_.jnz(slow, kNear);
  }
  for (unsigned s = 0; s < v_.slices(); ++s) scattered_slice(a, element, s);
  h_.L(done);
}

void MemoryLowering::scattered_slice(const Access& a, int element, unsigned s) {
  Zmm d[4];
  for (unsigned i = 0; i < a.dwords; ++i) d[i] = data_[element][i][s];
  if (!a.store && a.dwords == 4) return load_rows(s, d);
  if (!a.store && a.dwords == 2 && a.elements == 1) return gather_quads(a, s, d);
  for (unsigned i = 0; i < a.dwords; ++i) {
    const auto at = ptr[r10 + offset_[s] + static_cast<int>(4 * i)];
    h_.kmovw(k6, v_.exec(s));
    if (a.store)
      h_.vpscatterdd(at | k6, d[i]);
    else
      h_.vpgatherdd(d[i] | k6, at);
  }
}

void MemoryLowering::uniform(const Access& a, Label& slow) {
  device_offsets(a, slow);
  for (unsigned i = 0; i < a.dwords; ++i)
    for (unsigned s = 0; s < v_.slices(); ++s)
      h_.vpbroadcastd(data_[0][i][s] | v_.exec(s), dword[r10 + static_cast<int>(4 * i)]);
}

void MemoryLowering::learn(int site) {
  if (site < 0) return;
  h_.mov(rax, ptr[h_.context + static_cast<int>(offsetof(Context, last_hit))]);
  h_.mov(rax, ptr[rax]);
  h_.mov(ptr[h_.sites + site], rax);
}

void MemoryLowering::instruction(const Uop& u, Label& slow, VectorRegisters::Picture& at_slow) {
  Access a;
  describe(u, a);
  site_ = -1;
  const unsigned slices = v_.slices();
  // Everything that is loaded, evicted or set aside happens here, so that the cache does not change
  // on the paths below.
  if (a.has_address)
    for (unsigned s = 0; s < slices; ++s) {
      r_.use(a.address, s);
      if (a.wide_address) r_.use(a.address + 1, s);
    }
  for (unsigned e = 0; e < a.elements; ++e)
    for (unsigned i = 0; i < a.dwords; ++i)
      for (unsigned s = 0; s < slices; ++s)
        data_[e][i][s] = a.store ? r_.use(a.data[e] + i, s) : r_.define(a.data[e] + i, s, false);
  for (unsigned s = 0; s < slices; ++s) offset_[s] = r_.temporary();
  for (Zmm& t : spare_) t = r_.temporary();
  at_slow = r_.picture();

  if (!a.has_address) {
    uniform(a, slow);
  } else if (a.elements == 2) {
    // Both are read before either result is written: the second results wait in the offsets' place.
    lds_offsets(a, 1, slow);
    Zmm held[2][4];
    for (unsigned s = 0; s < slices; ++s)
      for (unsigned i = 0; i < a.dwords; ++i) {
        held[i][s] = spare_[1 + s * a.dwords + i];
        h_.kmovw(k6, v_.exec(s));
        h_.vpgatherdd(held[i][s] | k6, ptr[r10 + offset_[s] + static_cast<int>(4 * i)]);
      }
    lds_offsets(a, 0, slow);
    scattered(a, 0, slow);
    for (unsigned s = 0; s < slices; ++s)
      for (unsigned i = 0; i < a.dwords; ++i) h_.vmovdqa32(data_[1][i][s] | v_.exec(s), held[i][s]);
  } else {
    if (a.lds)
      lds_offsets(a, 0, slow);
    else
      device_offsets(a, slow);
    Label not_contiguous, done;
    check_contiguous(a, not_contiguous);
    contiguous(a, 0);
    h_.jmp(done, kNear);
    h_.L(not_contiguous);
    scattered(a, 0, slow);
    h_.L(done);
  }
  for (unsigned s = 0; s < slices; ++s) r_.release(offset_[s]);
  for (const Zmm& t : spare_) r_.release(t);
  r_.unpin_all();
}

}  // namespace lockstep::emu::jit
