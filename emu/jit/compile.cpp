// SPDX-License-Identifier: MIT
// Units: blocks, loops, ways in and out.
#include <map>

#include "emu/jit/block_emitter.h"
#include "emu/jit/unit.h"

namespace lockstep::emu::jit {

using namespace Xbyak::util;
using Xbyak::Label;

namespace {

constexpr size_t kTrialBytes = size_t{1} << 18;

class Compiler {
 public:
  Compiler(Host& host, const Mode& mode, const Flow& flow)
      : h_(host), mode_(mode), flow_(flow), e_(host, mode) {}

  void run(Unit& unit, bool observed) {
    unit_ = &unit;
    if (observed) e_.lines = &unit.lines;
    for (auto it = flow_.blocks.begin(); it != flow_.blocks.end(); ++it) {
      const auto next = std::next(it);
      block(it->second, next == flow_.blocks.end() ? 0 : next->first);
    }
    unit.tail = h_.getSize();
    epilogue();
    for (const auto& [pc, b] : flow_.blocks) {
      h_.align(16);
      entries_.emplace_back(pc, h_.getCurr());
      e_.vector.load_exec();
      h_.jmp(labels_[pc], Host::T_NEAR);
    }
    h_.finish();
    for (const auto& [pc, code] : entries_) {
      const Block& b = flow_.blocks.at(pc);
      unit.entries[pc] = {code, static_cast<uint32_t>(b.code.size()),
                          repeat_of(*b.code.front().uop)};
    }
    unit.called = e_.called;
    for (unsigned r = 0; r < e_.registers.stored().size(); ++r) {
      if (!e_.registers.stored()[r]) continue;
      auto& runs = unit.footprint.vgprs;
      if (runs.empty() || runs.back().first + runs.back().count != r) runs.push_back({r, 0});
      ++runs.back().count;
    }
    // VCC, M0 and EXEC are results of many instructions that do not name them.
    unit.footprint.scalar_lines =
        Footprint::line_of(isa::kVccLo) | Footprint::line_of(isa::kExecLo);
    for (const Uop& u : unit.uops)
      for (int i = 0; i < u.ops.n_dst; ++i) add_scalars(u.ops.dst[i], unit.footprint);
  }

 private:
  static void add_scalars(const isa::Operand& o, Footprint& footprint) {
    if (o.kind != isa::OperandKind::kScalar) return;
    const unsigned last = o.code + std::max<unsigned>(o.dwords, 2) - 1;  // masks of wave64 are two
    for (unsigned code = o.code; code <= std::min(last, kScalars - 1); ++code)
      footprint.scalar_lines |= Footprint::line_of(code);
  }
  /// Takes the block's instructions off the budget, or leaves.
  void spend(const Block& b, const VectorRegisters::Picture* cached) {
    const auto n = static_cast<uint32_t>(b.code.size());
    const auto empty = std::make_shared<Label>();
    h_.sub(h_.budget, n);
    h_.js(*empty, Host::T_NEAR);
    count(b);
    std::shared_ptr<VectorRegisters::Picture> picture;
    if (cached) picture = std::make_shared<VectorRegisters::Picture>(*cached);
    h_.later([this, empty, n, pc = b.pc, picture] {
      h_.L(*empty);
      if (picture) {
        e_.registers.assume(*picture);
        e_.registers.write_back();
        e_.registers.clear();
      }
      h_.add(h_.budget, n);
      e_.leave(pc, Left::kBudget);
    });
  }

  /// Counts a run of the block.
  void count(const Block& b) {
    if (!mode_.count) return;
    const int offset = h_.new_site();
    h_.inc(qword[h_.sites + offset]);
    Counter& counter = unit_->counters.emplace_back();
    counter.slot = static_cast<size_t>(offset) / sizeof(Slot);
    for (const Instruction& i : b.code) counter.code.push_back(i.uop);
  }

  /// Where control goes that leaves for `pc`: a block of this unit, or out of it.
  Label& way_to(uint64_t pc) {
    if (flow_.blocks.contains(pc)) return labels_[pc];
    const auto [it, fresh] = outside_.try_emplace(pc);
    if (fresh)
      h_.later([this, pc] {
        h_.L(outside_[pc]);
        e_.leave(pc, Left::kContinue);
      });
    return it->second;
  }

  /// What is cached at the end of a loop that is one block, found by a trial.
  VectorRegisters::Picture trial(const Block& b) {
    // Kept: fresh pages would cost more than the code that goes there.
    static thread_local const auto scratch = std::make_unique_for_overwrite<uint8_t[]>(kTrialBytes);
    Host host(scratch.get(), kTrialBytes, mode_);
    BlockEmitter trial(host, mode_);
    trial.body(b);
    return trial.registers.picture();
  }

  void block(const Block& b, uint64_t next_pc) {
    h_.L(labels_[b.pc]);
    const bool loops = b.target == b.pc && b.conditional;
    VectorRegisters::Picture kept;
    if (loops) kept = trial(b);
    Label again;
    if (loops && !kept.empty()) {
      e_.registers.assume(kept);
      e_.registers.reload();
      h_.align(16);
      h_.L(again);
      spend(b, &kept);
      e_.body(b);
      close_loop(b, kept, again);
    } else {
      spend(b, nullptr);
      e_.body(b);
      e_.registers.write_back();
      e_.registers.clear();
      if (b.target) branch(b, way_to(b.target));
    }
    if (b.falls_through && b.end() != next_pc) h_.jmp(way_to(b.end()), Host::T_NEAR);
  }

  void branch(const Block& b, Label& to) {
    e_.scalar.branch_if(*recipe_of(b.code.back().uop->inst.op), to);
  }

  void close_loop(const Block& b, const VectorRegisters::Picture& kept, Label& again) {
    const VectorRegisters::Picture now = e_.registers.picture();
    if (now.same_places(kept) && (now.dirty & ~kept.dirty) == 0) {
      branch(b, again);
      e_.registers.write_back();
    } else {
      // The registers lie elsewhere at the end: through memory.
      e_.registers.write_back();
      Label back, on;
      branch(b, back);
      h_.jmp(on, Host::T_NEAR);
      h_.L(back);
      e_.registers.assume(kept);
      e_.registers.reload();
      h_.jmp(again, Host::T_NEAR);
      h_.L(on);
    }
    e_.registers.clear();
  }

  void epilogue() {
    h_.L(e_.epilogue);
    h_.mov(rdx, h_.budget);
    h_.vzeroupper();
    h_.mov(rsp, ptr[rsp + kCallerStack]);
    h_.pop(r15);
    h_.pop(r14);
    h_.pop(r13);
    h_.pop(r12);
    h_.pop(rbp);
    h_.pop(rbx);
    h_.ret();
  }

  Host& h_;
  const Mode& mode_;
  const Flow& flow_;
  BlockEmitter e_;
  Unit* unit_ = nullptr;
  std::map<uint64_t, Label> labels_, outside_;
  std::vector<std::pair<uint64_t, const void*>> entries_;
};

}  // namespace

std::unique_ptr<Unit> compile(Context& c, const CodeKey& key, const Mode& mode, uint64_t pc,
                              void* memory, size_t room, bool observed, Failure& failure) {
  failure = Failure::kNoCode;
  auto unit = std::make_unique<Unit>();
  const Flow flow = explore(c, key, pc, mode.verify, unit->uops);
  if (!flow.blocks.contains(pc)) return nullptr;
  const uint8_t* guest = c.memory->translate(flow.first, flow.last - flow.first, Access::kRead);
  if (!guest) return nullptr;
  unit->first = flow.first;
  unit->bytes.assign(guest, guest + (flow.last - flow.first));
  unit->mode = mode;
  unit->instructions = flow.instructions;
  try {
    Host host(memory, room, mode);
    Compiler(host, mode, flow).run(*unit, observed);
    host.ready();
    unit->host_bytes = host.getSize();
    unit->code = static_cast<const uint8_t*>(memory);
    unit->sites = host.site_count();
    unit->marks = host.take_marks();
  } catch (const Xbyak::Error& error) {
    failure = static_cast<int>(error) == Xbyak::ERR_CODE_IS_TOO_BIG ? Failure::kTooBig
                                                                    : Failure::kInternal;
    return nullptr;
  }
  failure = Failure::kNone;
  return unit;
}

}  // namespace lockstep::emu::jit
