// SPDX-License-Identifier: MIT
// Fetch, decode and preparation of instructions for the interpreter.
#include "emu/code_cache.h"

#include <algorithm>
#include <cstring>

#include "emu/coverage.h"
#include "emu/handlers.h"

namespace lockstep::emu {
namespace {

using isa::Operand;
using isa::OperandKind;

Step exec_unsupported(Context& c, const Uop& u) {
  return c.raise(FaultKind::kUnsupportedInstruction, -1, 0, 0,
                 why_not_executed(u.inst.op, c.isa).data());  // reasons are literals
}
Step exec_bad_register(Context& c, const Uop&) {
  return c.raise(FaultKind::kRegisterOutOfRange, -1, 0, 0,
                 "a register lies outside what the kernel descriptor grants");
}

bool granted(const Operand& o, const CodeKey& key) {
  const uint32_t end = o.code + std::max<uint32_t>(o.dwords, 1);
  switch (o.kind) {
    case OperandKind::kVgpr:
      return end <= key.num_vgprs;
    case OperandKind::kAgpr:
      return end <= key.num_agprs;
    case OperandKind::kScalar:
      return end <= 128 || o.code == isa::kNull;
    default:
      return true;
  }
}

bool all_granted(const isa::Operands& ops, const CodeKey& key) {
  for (int i = 0; i < ops.n_dst; ++i)
    if (!granted(ops.dst[i], key)) return false;
  for (int i = 0; i < ops.n_src; ++i)
    if (!granted(ops.src[i], key)) return false;
  return true;
}

ExecFn handler_of(isa::Op op) {
  const ExecFn fn = handlers()[static_cast<size_t>(op)];
  return fn ? fn : &exec_unsupported;
}

}  // namespace

void CodeCache::begin(const CodeKey& key) {
  ++epoch_;
  current_ = nullptr;
  if (page_count_ > kMaxPages) {
    keyed_.clear();
    page_count_ = 0;
  }
  for (const auto& k : keyed_) {
    if (k->key == key) {
      active_ = k.get();
      return;
    }
  }
  keyed_.push_back(std::make_unique<Keyed>());
  active_ = keyed_.back().get();
  active_->key = key;
}

CodeCache::Page* CodeCache::enter_page(Context& c, uint64_t base) {
  const uint64_t pc = c.wave->pc;
  const Allocation* allocation = c.memory->allocation_at(pc);
  if (!allocation) {
    c.raise(FaultKind::kInstructionFetch, -1, pc, 4, "no memory at the program counter");
    return nullptr;
  }
  const uint64_t first = std::max(base, allocation->base);
  const uint64_t size =
      std::min(base + kPageMask + 1 + kTail, allocation->base + allocation->size) - first;
  const uint8_t* host = allocation->host + (first - allocation->base);
  std::unique_ptr<Page>& slot = active_->pages[base];
  const bool same = slot && slot->first == first && slot->bytes.size() == size &&
                    std::memcmp(slot->bytes.data(), host, size) == 0;
  if (!same) {
    if (!slot) ++page_count_;
    slot = std::make_unique<Page>();
    slot->bytes.assign(host, host + size);
    slot->first = first;
  }
  slot->epoch = epoch_;
  return slot.get();
}

const Uop* CodeCache::fetch_slow(Context& c) {
  const uint64_t pc = c.wave->pc;
  if (pc & 3) {
    c.raise(FaultKind::kInstructionFetch, -1, pc, 4, "the program counter is not a multiple of 4");
    return nullptr;
  }
  const uint64_t base = pc & ~kPageMask;
  if (!current_ || current_base_ != base) {
    const auto it = active_->pages.find(base);
    Page* page = it != active_->pages.end() && it->second->epoch == epoch_ ? it->second.get()
                                                                           : enter_page(c, base);
    if (!page) return nullptr;
    current_ = page;
    current_base_ = base;
  }
  if (const Uop* u = current_->uops[(pc & kPageMask) / 4]) return u;
  return prepare(c, *current_, pc);
}

const Uop* CodeCache::prepare(Context& c, Page& page, uint64_t pc) {
  if (pc < page.first || pc - page.first + 4 > page.bytes.size()) {
    c.raise(FaultKind::kInstructionFetch, -1, pc, 4, "no memory at the program counter");
    return nullptr;
  }
  const CodeKey& key = active_->key;
  isa::Inst inst;
  const auto bytes = std::span<const uint8_t>(page.bytes).subspan(pc - page.first);
  const isa::DecodeError error = isa::decode(key.isa, bytes, inst);
  if (error != isa::DecodeError::kNone) {
    c.raise(FaultKind::kIllegalInstruction, -1, pc, 4, isa::to_string(error));
    return nullptr;
  }
  Uop& u = page.storage.emplace_back();
  u.inst = inst;
  u.size = inst.size;
  u.exec = handler_of(inst.op);
  if (inst.format == isa::Format::VOPD) {
    for (int half = 0; half < 2; ++half) {
      Uop& h = page.storage.emplace_back();
      h.inst = inst;
      h.inst.op = isa::op_info(half == 0 ? inst.op : inst.op_y).base;
      h.ops = isa::operands_of_half(inst, half, key.wave_size);
      h.exec = handler_of(h.inst.op);
      if (h.exec == &exec_unsupported) u.exec = &exec_unsupported;
      if (!all_granted(h.ops, key)) u.exec = &exec_bad_register;
      u.half[half] = &h;
    }
  } else {
    u.ops = isa::operands_of(inst, key.wave_size);
    u.clamp = inst.get(isa::Field::clamp);
    u.omod = static_cast<uint8_t>(inst.get(isa::Field::omod));
    if (!all_granted(u.ops, key)) u.exec = &exec_bad_register;
  }
  page.uops[(pc & kPageMask) / 4] = &u;
  return &u;
}

}  // namespace lockstep::emu
