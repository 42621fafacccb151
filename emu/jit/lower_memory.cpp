// SPDX-License-Identifier: MIT
// Memory instructions: what they access, and with which host registers.
#include "emu/jit/lower_memory.h"

#include <algorithm>

#include "emu/global_memory.h"
#include "emu/mem_element.h"

namespace lockstep::emu::jit {

using isa::Field;
using isa::MemAddress;
using isa::MemHalf;
using isa::MemKind;
using isa::OperandKind;
using Xbyak::Label;
using namespace Xbyak::util;

bool MemoryLowering::describe_lds(const Uop& u, Access& a) const {
  if (u.inst.get(Field::gds) || !a.has_address) return false;
  const MemAddress form = u.inst.info().mem.address;
  const auto low = static_cast<int>(u.inst.get(Field::offset0)),
             high = static_cast<int>(u.inst.get(Field::offset1));
  if (form == MemAddress::kPlain) {
    a.offset[0] = low | high << 8;
    return true;
  }
  const int unit = static_cast<int>(a.bytes) * (form == MemAddress::kTwoStride64 ? 64 : 1);
  a.offset[0] = low * unit;
  a.offset[1] = high * unit;
  const unsigned second = a.store ? u.ops.src[isa::kDsData1].code : a.data[0][0] + a.dwords;
  if (a.offset[1] == a.offset[0] + static_cast<int>(a.bytes)) {  // one element of twice the size
    for (unsigned i = 0; i < a.dwords; ++i) a.data[0][a.dwords + i] = second + i;
    a.dwords *= 2;
    a.bytes *= 2;
    return true;
  }
  a.elements = 2;
  for (unsigned i = 0; i < a.dwords; ++i) a.data[1][i] = second + i;
  return true;
}

bool MemoryLowering::describe_buffer(const Uop& u, Access& a) const {
  if (u.inst.get(Field::idxen) || u.inst.get(Field::tfe) || u.inst.get(Field::lds)) return false;
  const isa::Operand& resource = u.ops.src[isa::kMemScalar];
  a.soffset = u.ops.src[isa::kMemSoffset];
  if (resource.kind != OperandKind::kScalar || resource.code == isa::kNull) return false;
  if (a.soffset.kind != OperandKind::kScalar && a.soffset.kind != OperandKind::kInline &&
      a.soffset.kind != OperandKind::kOff)
    return false;
  if (a.soffset.kind == OperandKind::kScalar && a.soffset.code != isa::kNull &&
      a.soffset.code > isa::kExecHi)
    return false;
  a.scalar = resource.code;
  a.immediate = static_cast<int32_t>(u.inst.get(Field::offset));
  return a.immediate >= 0;
}

bool MemoryLowering::describe(const Uop& u, Access& a) const {
  const isa::OpInfo& info = u.inst.info();
  const isa::MemParams& m = info.mem;
  switch (u.inst.format) {
    case isa::Format::GLOBAL:
    case isa::Format::FLAT:
      a.space = Space::kDevice;
      break;
    case isa::Format::DS:
      a.space = Space::kLds;
      break;
    case isa::Format::MUBUF:
      a.space = Space::kBuffer;
      break;
    case isa::Format::SCRATCH:
      a.space = Space::kScratch;
      break;
    default:
      return false;
  }
  if (m.kind == MemKind::kAtomic) return describe_atomic(u, a);
  if (m.kind != MemKind::kLoad && m.kind != MemKind::kStore) return false;
  if (m.address == MemAddress::kAddTid) return false;
  a.store = m.kind == MemKind::kStore;
  a.half = m.half;
  a.bytes = element_bytes(m.type);
  a.dwords = a.bytes < 4 ? 1 : a.bytes / 4;
  a.sign = m.type == isa::Type::I8 || m.type == isa::Type::I16;
  const isa::Operand& address = u.ops.src[isa::kMemAddr];
  const isa::Operand& data = a.store ? u.ops.src[isa::kMemData] : u.ops.dst[0];
  if (data.kind != OperandKind::kVgpr || (!a.store && u.ops.n_dst == 0)) return false;
  for (unsigned i = 0; i < a.dwords; ++i) a.data[0][i] = data.code + i;
  a.has_address = address.kind == OperandKind::kVgpr;
  a.address = address.code;
  if (a.is(Space::kLds)) return describe_lds(u, a);
  if (a.is(Space::kScratch)) return describe_scratch(u, a);
  if (a.is(Space::kBuffer)) {
    if (!describe_buffer(u, a)) return false;
  } else {
    const isa::Operand& scalar = u.ops.src[isa::kMemScalar];
    a.wide_address = a.has_address && address.dwords == 2;
    a.scalar = scalar.kind == OperandKind::kScalar && scalar.code != isa::kNull ? scalar.code : -1;
    a.immediate = flat_offset(u.inst);
    if (a.wide_address == (a.scalar >= 0)) return false;
  }
  // The same address for all lanes: which store comes last is the handler's affair.
  return a.has_address || (!a.store && a.bytes >= 4 && a.whole());
}

bool MemoryLowering::covers(const Uop& u) const {
  Access a;
  return describe(u, a);
}

bool MemoryLowering::elements_collide(const Access& a) const {
  return a.elements == 2 && static_cast<unsigned>(std::abs(a.offset[1] - a.offset[0])) < span(a);
}

void MemoryLowering::choose_registers(const Access& a, Places& p,
                                      VectorRegisters::Picture& at_slow) {
  const unsigned slices = v_.slices();
  // Everything that is loaded or evicted happens here, so that the cache does not change on the
  // paths that follow.
  if (a.has_address)
    for (unsigned s = 0; s < slices; ++s) {
      p.low[s] = r_.use(a.address, s);
      if (a.wide_address) p.high[s] = r_.use(a.address + 1, s);
    }
  // Where all lanes are written the old value need not be there: only the general path wants it.
  const bool blind = a.has_address && a.whole() && !a.is(Space::kScratch);
  for (unsigned e = 0; e < a.elements; ++e)
    for (unsigned i = 0; i < a.dwords; ++i)
      for (unsigned s = 0; s < slices; ++s) {
        const unsigned vgpr = a.data[e][i];
        const bool cached = r_.holds(vgpr, s);
        Zmm& d = p.data[e][i][s];
        d = a.store ? r_.use(vgpr, s) : r_.define(vgpr, s, blind);
        if (!a.store && blind && !cached)
          p.unloaded.push_back({d, {static_cast<int16_t>(vgpr), static_cast<uint8_t>(s)}});
      }
  if (a.returns)
    for (unsigned i = 0; i < a.dwords; ++i)
      for (unsigned s = 0; s < slices; ++s) p.result[i][s] = r_.define(a.result + i, s, false);
  if (a.atomic == AtomicKind::kNone)
    for (Zmm& t : p.temporary) t = r_.temporary();
  at_slow = r_.picture();
  if (a.has_address && !a.is(Space::kScratch)) choose_spares(a, p, at_slow);
}

void MemoryLowering::choose_spares(const Access& a, Places& p, VectorRegisters::Picture& at_slow) {
  enum Use : uint8_t { kFree, kClean, kDirty, kAddress, kData };
  std::array<Use, 32> uses;
  for (unsigned i = 0; i < 32; ++i)
    uses[i] = at_slow.place[i].vgpr < 0 ? kFree : at_slow.dirty >> i & 1 ? kDirty : kClean;
  for (unsigned s = 0; s < v_.slices(); ++s) {
    uses[p.low[s].getIdx()] = kAddress;
    if (a.wide_address) uses[p.high[s].getIdx()] = kAddress;
    for (unsigned e = 0; e < a.elements; ++e)
      for (unsigned i = 0; i < a.dwords; ++i) uses[p.data[e][i][s].getIdx()] = kData;
    if (a.returns)
      for (unsigned i = 0; i < a.dwords; ++i) uses[p.result[i][s].getIdx()] = kData;
  }
  size_t n = 0;
  for (const Use use : {kFree, kClean, kDirty, kAddress})
    for (int i = 0; i < 32 && n < std::size(p.spare); ++i) {
      if (uses[i] != use) continue;
      p.spare[n++] = Zmm(i);
      if (use != kFree) p.borrowed.emplace_back(Zmm(i), at_slow.place[i]);
    }
  p.low_is_offset = !a.wide_address;
  for (unsigned s = 0; s < v_.slices(); ++s) {
    const int low = p.low[s].getIdx();
    const bool taken = std::any_of(std::begin(p.spare), std::end(p.spare),
                                   [&](const Zmm& t) { return t.getIdx() == low; });
    if (taken || (!a.store && uses[low] == kData)) p.low_is_offset = false;
  }
  if (n < std::size(p.spare)) throw Xbyak::Error(Xbyak::ERR_INTERNAL);
}

void MemoryLowering::learn(int site) {
  if (site < 0) return;
  h_.mov(rax, ptr[h_.context + static_cast<int>(offsetof(Context, last_hit))]);
  h_.mov(rax, ptr[rax]);
  h_.mov(ptr[h_.sites + site], rax);
}

void MemoryLowering::instruction(const Uop& u, const SharedLabel& slow, const SharedLabel& done,
                                 VectorRegisters::Picture& at_slow) {
  Access a;
  describe(u, a);
  const auto p = std::make_shared<Places>();
  p->site = site_ = a.is(Space::kLds) ? -1 : next_site_ >= 0 ? next_site_ : h_.new_site();
  next_site_ = -1;
  choose_registers(a, *p, at_slow);
  if (a.is(Space::kScratch)) {
    scratch(a, *p, *slow);
  } else if (!a.has_address) {
    uniform(a, *p, *slow);
  } else {
    const auto other = std::make_shared<Label>();
    if (a.atomic != AtomicKind::kNone || (elements_collide(a) && a.store)) {
      h_.jmp(*other, Xbyak::CodeGenerator::T_NEAR);
    } else {
      require_full_contiguous(a, *p, *other);
      first_pointer(a, *p, *other);
      for (unsigned e = 0; e < a.elements; ++e)
        for (unsigned s = 0; s < v_.slices(); ++s) {
          Zmm d[4];
          for (unsigned i = 0; i < a.dwords; ++i) d[i] = p->data[e][i][s];
          const Xbyak::RegExp at = r11 + a.offset[e] + static_cast<int>(s * kLanes * a.bytes);
          if (a.store)
            store_full(a, d, p->temporary, at);
          else
            load_full(a, d, p->temporary, at);
        }
    }
    // What is borrowed there is in memory by then.
    for (const auto& [reg, place] : p->borrowed) at_slow.dirty &= ~(1u << reg.getIdx());
    h_.later([this, a, p, other, slow, done] {
      h_.L(*other);
      general(a, *p, *slow, *done);
    });
  }
  if (a.atomic == AtomicKind::kNone)
    for (const Zmm& t : p->temporary) r_.release(t);
  r_.unpin_all();
}

}  // namespace lockstep::emu::jit
