// SPDX-License-Identifier: MIT
// Instructions of a block, one after the other.
#include "emu/jit/block_emitter.h"

#include "asm/print.h"
#include "emu/jit/idle_rows.h"
#include "emu/jit/lane_run.h"

namespace lockstep::emu::jit {

using namespace Xbyak::util;

namespace {

bool is_scalar_format(isa::Format f) {
  using isa::Format;
  return f == Format::SOP1 || f == Format::SOP2 || f == Format::SOPC || f == Format::SOPK ||
         f == Format::SOPP;
}

}  // namespace

Route BlockEmitter::route(const Uop& u) {
  if (is_refused(u)) return Route::kCall;
  if (u.inst.format == isa::Format::VOPD) {
    const bool both =
        mode_.wave_size == 32 && vector.covers(*u.half[0]) && vector.covers(*u.half[1]);
    return both ? Route::kPair : Route::kCall;
  }
  if (u.inst.op == isa::Op::s_endpgm) return Route::kEnd;
  if (is_scalar_format(u.inst.format)) {
    const Recipe* r = recipe_of(u.inst.op);
    if (!r) return Route::kCall;
    if (r->jump >= 0) return scalar.covers(u) ? Route::kJump : Route::kCall;
    if (r->branches) return Route::kBranch;
    if (r->value < 0 && r->scc < 0 && r->mask < 0 && r->exec < 0) return Route::kNothing;
    if (scalar.covers(u)) return Route::kScalar;
    return vector.covers_scalar_float(u) ? Route::kVector : Route::kCall;
  }
  if (does_nothing(u.inst.op)) {
    // ds_nop with the gds bit is refused when it runs.
    const bool gds = u.inst.format == isa::Format::DS && u.inst.get(isa::Field::gds);
    return gds ? Route::kCall : Route::kNothing;
  }
  if (memory.covers(u) || memory.covers_scalar_load(u)) return Route::kMemory;
  return vector.covers(u) ? Route::kVector : Route::kCall;
}

void BlockEmitter::store_pc(uint64_t pc) {
  h.mov(rax, pc);
  h.mov(h.pc(), rax);
}

void BlockEmitter::leave(uint64_t pc, Left why) {
  store_pc(pc);
  h.mov(eax, static_cast<uint32_t>(why));
  h.jmp(epilogue, Xbyak::CodeGenerator::T_NEAR);
}

void BlockEmitter::call_handler(const Uop& u, uint64_t pc) {
  store_pc(pc);
  h.mark_spilled();
  h.mov(rdi, h.context);
  h.mov(rsi, reinterpret_cast<uint64_t>(&u));
  h.mov(rax, reinterpret_cast<uint64_t>(u.exec));
  h.vzeroupper();
  h.call(rax);
}

void BlockEmitter::check_step(const Block& block, size_t index) {
  const auto not_run = static_cast<uint32_t>(block.code.size() - index - 1);
  const auto stopped = std::make_shared<Xbyak::Label>();
  h.test(al, al);
  h.jnz(*stopped, Xbyak::CodeGenerator::T_NEAR);
  h.later([this, stopped, not_run] {
    h.L(*stopped);
    if (not_run) h.add(h.budget, not_run);
    // Step::kJumped -> Left::kContinue, Step::kExit -> Left::kExit
    h.movzx(eax, al);
    h.lea(eax, ptr[rax + rax - 2]);
    h.jmp(epilogue, Xbyak::CodeGenerator::T_NEAR);
  });
}

void BlockEmitter::access(const Block& block, size_t index) {
  const Instruction& i = block.code[index];
  const auto slow = std::make_shared<Xbyak::Label>(), done = std::make_shared<Xbyak::Label>();
  const auto picture = std::make_shared<VectorRegisters::Picture>();
  if (i.uop->inst.format == isa::Format::SMEM)
    memory.scalar_load(*i.uop, *slow, *picture);
  else
    memory.instruction(*i.uop, slow, done, *picture);
  h.L(*done);
  h.later([this, &block, index, slow, done, picture, site = memory.site()] {
    h.L(*slow);
    registers.assume(*picture);
    registers.write_back();
    call_handler(*block.code[index].uop, block.code[index].pc);
    check_step(block, index);
    memory.learn(site);
    vector.load_exec();
    registers.reload();
    registers.clear();
    h.jmp(*done, Xbyak::CodeGenerator::T_NEAR);
  });
}

void BlockEmitter::end(uint64_t pc) {
  if (mode_.keep) registers.write_back();
  registers.clear();
  h.mov(byte[h.context + static_cast<int>(offsetof(Context, exit))],
        static_cast<uint8_t>(ExitReason::kEnd));
  leave(pc, Left::kExit);
}

void BlockEmitter::jump() {
  registers.write_back();
  registers.clear();
  h.mark_spilled();  // other units are other footprints
  const auto unknown = std::make_shared<Xbyak::Label>();
  constexpr int kWays = offsetof(Jumps, ways);
  static_assert(sizeof(Jumps::Way) == 32, "the index below is scaled by 8, of a pc times 4");
  h.mov(rcx, ptr[h.context + static_cast<int>(offsetof(Context, jumps))]);
  h.mov(rax, h.pc());
  h.mov(edx, eax);
  h.shr(edx, Jumps::kMixShift);
  h.xor_(edx, eax);
  h.and_(edx, Jumps::kIndexMask);
  h.lea(rdx, ptr[rcx + rdx * 8 + kWays]);
  h.cmp(rax, ptr[rdx + static_cast<int>(offsetof(Jumps::Way, pc))]);
  h.jne(*unknown, Xbyak::CodeGenerator::T_NEAR);
  h.mov(rcx, ptr[rcx + static_cast<int>(offsetof(Jumps, access))]);
  h.mov(rsi, ptr[rdx + static_cast<int>(offsetof(Jumps::Way, unit))]);
  h.mov(ptr[rcx + static_cast<int>(offsetof(GuestAccess, unit))], rsi);
  h.mov(h.sites, ptr[rdx + static_cast<int>(offsetof(Jumps::Way, sites))]);
  h.jmp(ptr[rdx + static_cast<int>(offsetof(Jumps::Way, code))]);
  h.later([this, unknown] {
    h.L(*unknown);
    h.mov(eax, static_cast<uint32_t>(Left::kJump));
    h.jmp(epilogue, Xbyak::CodeGenerator::T_NEAR);
  });
}

void BlockEmitter::call(const Block& block, size_t index) {
  const Instruction& i = block.code[index];
  const Uop& u = *i.uop;
  registers.write_back();
  registers.clear();
  call_handler(u, i.pc);
  check_step(block, index);
  const auto not_run = static_cast<uint32_t>(block.code.size() - index - 1);
  if (is_scalar_format(u.inst.format)) {  // it may have changed MODE
    const auto changed = std::make_shared<Xbyak::Label>();
    h.cmp(dword[h.wave + static_cast<int>(offsetof(WaveState, mode))], mode_.bits);
    h.jne(*changed, Xbyak::CodeGenerator::T_NEAR);
    h.later([this, changed, not_run, next = i.pc + u.size] {
      h.L(*changed);
      if (not_run) h.add(h.budget, not_run);
      leave(next, Left::kContinue);
    });
  }
  if (u.inst.op == isa::Op::s_icache_inv) {
    if (not_run) h.add(h.budget, not_run);
    leave(i.pc + u.size, Left::kContinue);
    return;
  }
  vector.load_exec();
  ++called;
}

Line BlockEmitter::line_of(const Instruction& i, Route way) const {
  asm_::PrintOptions print;
  print.wave_size = mode_.wave_size;
  return {i.pc, h.getSize(), asm_::print(i.uop->inst, print), way == Route::kCall,
          registers.picture()};
}

void BlockEmitter::begin(const Instruction& i, Route way) {
  h.mark(i.pc);
  if (lines) lines->push_back(line_of(i, way));
}

size_t BlockEmitter::lane_run(const Block& block, size_t first) {
  if (h.tier() != Tier::kAvx2) return 0;
  LaneRun run(mode_.wave_size);
  std::vector<Route> ways;
  for (size_t index = first; index < block.code.size(); ++index) {
    const Uop& u = *block.code[index].uop;
    const Route way = route(u);
    const bool apart = way == Route::kPair ? vector.lanes_are_apart(*u.half[0]) &&
                                                 vector.lanes_are_apart(*u.half[1])
                       : way == Route::kVector ? vector.lanes_are_apart(u)
                                               : false;
    if (way != Route::kNothing && (!apart || !run.take(u))) break;
    ways.push_back(way);
  }
  while (!ways.empty() && ways.back() == Route::kNothing) ways.pop_back();
  if (ways.empty()) return 0;
  registers.write_back();
  registers.clear();
  for (unsigned slice = 0; slice < vector.slices(); ++slice) {
    for (int half = 0; half < 2; ++half) {
      h.only_half(half);
      for (size_t k = 0; k < ways.size(); ++k) {
        const Instruction& i = block.code[first + k];
        begin(i, ways[k]);
        if (ways[k] == Route::kPair)
          vector.pair_in_slice(*i.uop->half[0], *i.uop->half[1], slice);
        else if (ways[k] == Route::kVector)
          vector.in_slice(*i.uop, slice);
      }
      registers.write_back();
      registers.clear();
    }
  }
  h.both_halves();
  return ways.size();
}

size_t BlockEmitter::copy(const Block& block, size_t first) {
  const auto way = [&](size_t index) { return route(*block.code[index].uop); };
  const isa::Format format = block.code[first].uop->inst.format;
  if (mode_.keep || (format != isa::Format::GLOBAL && format != isa::Format::FLAT)) return 0;
  if (way(first) != Route::kMemory) return 0;
  const size_t size = block.code.size();
  size_t second = first + 1;
  while (second < size && way(second) == Route::kNothing) ++second;
  if (second == size || way(second) != Route::kMemory) return 0;
  const Uop &load = *block.code[first].uop, &store = *block.code[second].uop;
  if (!memory.is_copy(load, store)) return 0;
  // Nothing that could read vector registers comes before the end.
  size_t end = second + 1;
  while (end < size && (way(end) == Route::kNothing || way(end) == Route::kScalar)) ++end;
  if (end == size || way(end) != Route::kEnd) return 0;

  begin(block.code[first], Route::kMemory);
  const auto otherwise = std::make_shared<Xbyak::Label>(), done = std::make_shared<Xbyak::Label>();
  const auto picture = std::make_shared<VectorRegisters::Picture>();
  MemoryLowering::Sites sites;
  memory.copy(load, store, sites, *otherwise, *picture, [&] {
    for (size_t index = first + 1; index <= second; ++index) begin(block.code[index], way(index));
  });
  h.L(*done);
  h.later([this, &block, first, second, sites, otherwise, done, picture] {
    h.L(*otherwise);
    registers.assume(*picture);
    memory.use_site(sites.load);
    access(block, first);
    h.mark(block.code[second].pc);
    memory.use_site(sites.store);
    access(block, second);
    registers.write_back();
    registers.clear();
    registers.assume(*picture);
    registers.reload();
    registers.clear();
    h.jmp(*done, Xbyak::CodeGenerator::T_NEAR);
  });
  return second - first + 1;
}

void BlockEmitter::body(const Block& block) {
  for (size_t index = 0; index < block.code.size(); ++index) {
    if (const size_t copied = copy(block, index)) {
      index += copied - 1;
      continue;
    }
    if (const size_t run = lane_run(block, index)) {
      index += run - 1;
      continue;
    }
    const Instruction& i = block.code[index];
    const Uop& u = *i.uop;
    const Route way = route(u);
    begin(i, way);
    switch (way) {
      case Route::kNothing:
        break;
      case Route::kBranch:  // the compiler ends the block; here what a call keeps
        if (u.ops.n_dst > 0 && scalar.instruction(u, i.pc + u.size)) vector.load_exec();
        break;
      case Route::kJump:
        scalar.jump_instruction(u, i.pc + u.size);
        jump();
        break;
      case Route::kVector:
        vector.instruction(u);
        break;
      case Route::kPair:
        vector.pair(*u.half[0], *u.half[1]);
        break;
      case Route::kScalar:
        if (scalar.instruction(u, i.pc + u.size)) vector.load_exec();
        break;
      case Route::kMemory:
        access(block, index);
        break;
      case Route::kEnd:
        end(i.pc);
        break;
      case Route::kCall:
        call(block, index);
        break;
    }
  }
}

}  // namespace lockstep::emu::jit
