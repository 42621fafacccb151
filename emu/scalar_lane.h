// SPDX-License-Identifier: MIT
// ScalarLane: primitives of the scalar instructions on the executing machine. A primitive whose
// name contains "scc" writes SCC (isa/op.cpp reads the touched state off the names); every other
// one leaves it alone.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>

#include "emu/lane/lane.h"
#include "emu/scalar_operand.h"

namespace lockstep::emu {

inline const ValuSources kNoSources{};

class ScalarLane : public Lane {
 public:
  ScalarLane(Context& context, const Uop& uop)
      : Lane(context, uop, kNoSources),
        dst_code_(uop.ops.n_dst ? unsigned{uop.ops.dst[0].code} : unsigned{isa::kNull}) {}

  Step step() const { return step_; }
  unsigned dst_code() const { return dst_code_; }
  void nothing() const {}

  // ---- SCC ----
  template <class T>
  T scc_nz(T value) {
    set_scc(value != 0);
    return value;
  }
  /// Unsigned: SCC = carry. Signed: SCC = overflow.
  uint32_t add_scc(uint32_t a, uint32_t b) {
    const uint64_t sum = uint64_t{a} + b;
    set_scc(sum >> 32);
    return static_cast<uint32_t>(sum);
  }
  int32_t add_scc(int32_t a, int32_t b) {
    int32_t sum = 0;
    set_scc(__builtin_add_overflow(a, b, &sum));
    return sum;
  }
  uint32_t sub_scc(uint32_t a, uint32_t b) {
    set_scc(b > a);
    return a - b;
  }
  int32_t sub_scc(int32_t a, int32_t b) {
    int32_t difference = 0;
    set_scc(__builtin_sub_overflow(a, b, &difference));
    return difference;
  }
  /// SCC is carry or borrow, in and out.
  uint32_t addc_scc(uint32_t a, uint32_t b) {
    const uint64_t sum = uint64_t{a} + b + scc();
    set_scc(sum >> 32);
    return static_cast<uint32_t>(sum);
  }
  uint32_t subb_scc(uint32_t a, uint32_t b) {
    const uint64_t subtrahend = uint64_t{b} + scc();
    set_scc(subtrahend > a);
    return static_cast<uint32_t>(a - subtrahend);
  }
  uint32_t lshl_add_scc(uint32_t a, uint32_t b, unsigned shift) {
    const uint64_t sum = (uint64_t{a} << shift) + b;
    set_scc(sum >> 32);
    return static_cast<uint32_t>(sum);
  }
  /// SCC = the first operand was chosen.
  template <Integer T>
  T min_scc(T a, T b) {
    set_scc(a < b);
    return a < b ? a : b;
  }
  template <Integer T>
  T max_scc(T a, T b) {
    set_scc(a >= b);
    return a >= b ? a : b;
  }

  // ---- bits ----
  template <Integer T>
  bool bit(T a, uint32_t n) const {
    return wide(a) >> (n & (kBits<T> - 1)) & 1;
  }
  template <Integer T>
  T with_bit(T a, uint32_t n, bool value) const {
    const T one = static_cast<T>(T{1} << (n & (kBits<T> - 1)));
    return value ? a | one : a & static_cast<T>(~one);
  }
  // 64-bit forms of what vector rows have for 32 bits.
  using Lane::bitrev;
  using Lane::cls;
  using Lane::clz;
  using Lane::ctz;
  using Lane::popcount;
  uint64_t bitrev(uint64_t a) const {
    return uint64_t{bitrev(static_cast<uint32_t>(a))} << 32 |
           bitrev(static_cast<uint32_t>(a >> 32));
  }
  int32_t ctz(uint64_t a) const { return a ? std::countr_zero(a) : -1; }
  int32_t clz(uint64_t a) const { return a ? std::countl_zero(a) : -1; }
  int32_t cls(int64_t a) const { return clz(static_cast<uint64_t>(a < 0 ? ~a : a)); }
  uint32_t popcount(uint64_t a) const { return static_cast<uint32_t>(std::popcount(a)); }
  /// Fields: offset in the low bits of `spec`, width in bits 22:16. The signed form extends the
  /// field's top bit.
  template <Integer T>
  T field(T a, uint32_t spec) const {
    const unsigned offset = spec & (kBits<T> - 1), width = spec >> 16 & 127;
    if (width == 0) return 0;
    if (width >= kBits<T>) return static_cast<T>(a >> offset);
    const unsigned top = kBits<T> - width;
    return static_cast<T>(static_cast<T>(wide(static_cast<T>(a >> offset)) << top) >> top);
  }
  uint64_t bfm64(uint32_t width, uint32_t offset) const {
    return ((uint64_t{1} << (width & 63)) - 1) << (offset & 63);
  }
  int32_t extend8(int16_t a) const { return static_cast<int8_t>(a); }
  uint32_t zero_extend16(int32_t a) const { return static_cast<uint16_t>(a); }
  int32_t magnitude(int32_t a) const { return a < 0 ? sub(0, a) : a; }
  uint32_t pack(uint32_t low, uint32_t high) const { return (low & 0xffff) | high << 16; }
  uint32_t high16(uint32_t a) const { return a >> 16; }
  /// The high half of the first source, whatever part of it the operand type takes.
  Half high_source(Half) const {
    uint64_t bits = 0;
    read_scalar(c, u.ops.src[0], bits);
    return {static_cast<uint16_t>(bits >> 16)};
  }
  uint64_t double_bits(uint32_t a) const {
    uint64_t out = 0;
    for (unsigned i = 0; i < 32; ++i) out |= (a >> i & uint64_t{1}) * 3 << 2 * i;
    return out;
  }
  /// One bit for each group of four lanes that has any bit set.
  template <Integer T>
  T quads(T a) const {
    T out = 0;
    for (unsigned i = 0; i < kBits<T> / 4; ++i)
      out = static_cast<T>(out | static_cast<T>((a >> 4 * i & 15) != 0) << i);
    return out;
  }
  /// All four bits of each such group.
  template <Integer T>
  T whole_quads(T a) const {
    T out = 0;
    for (unsigned i = 0; i < kBits<T>; i += 4)
      if (a >> i & 15) out = static_cast<T>(out | T{15} << i);
    return out;
  }

  // ---- EXEC ----
  /// EXEC as wide as the operand: 32-bit forms leave EXEC_HI alone, 64-bit forms take both
  /// registers in wave32 too.
  uint32_t exec_as(uint32_t) const { return c.wave->scalar[isa::kExecLo]; }
  uint64_t exec_as(uint64_t) const { return c.wave->read64(isa::kExecLo); }
  /// Writes EXEC and SCC; the result is the old (save) or the new (write) value.
  template <Integer T>
  T saveexec_scc(T value) {
    const T old = exec_as(value);
    wrexec_scc(value);
    return old;
  }
  uint32_t wrexec_scc(uint32_t value) { return c.wave->scalar[isa::kExecLo] = scc_nz(value); }
  uint64_t wrexec_scc(uint64_t value) {
    c.wave->write64(isa::kExecLo, scc_nz(value));
    return value;
  }

  // ---- relative registers ----
  uint32_t movrels(uint32_t) {
    return relative(u.ops.src[0].code, m0(), 1) ? c.wave->scalar[relative_] : 0;
  }
  uint64_t movrels(uint64_t) {
    return relative(u.ops.src[0].code, m0(), 2) ? c.wave->read64(relative_) : 0;
  }
  template <Integer T>
  T movreld(T value) {
    if (relative(dst_code_, m0(), sizeof(T) / 4)) dst_code_ = relative_;
    return value;
  }
  /// Both ends relative: source by M0[9:0], destination by M0[25:16].
  uint32_t movrelsd_2(uint32_t) {
    if (!relative(u.ops.src[0].code, m0() & 0x3ff, 1)) return 0;
    const uint32_t value = c.wave->scalar[relative_];
    if (relative(dst_code_, m0() >> 16 & 0x3ff, 1)) dst_code_ = relative_;
    return value;
  }

  // ---- program counter ----
  uint64_t next_pc() const { return c.wave->pc + u.size; }
  /// Goes to `target` (instructions are dword-aligned); the result is the address of the next
  /// instruction.
  uint64_t set_pc(uint64_t target) {
    const uint64_t next = next_pc();
    c.wave->pc = target & ~uint64_t{3};
    step_ = Step::kJumped;
    return next;
  }
  uint64_t branch(int32_t dwords) {
    return set_pc(c.wave->pc + 4 + static_cast<uint64_t>(int64_t{dwords} * 4));
  }
  void branch_if(bool taken, int32_t dwords) {
    if (taken) branch(dwords);
  }
  /// Address of a branch target.
  uint64_t label(int32_t dwords) const {
    return c.wave->pc + 4 + static_cast<uint64_t>(int64_t{dwords} * 4);
  }
  /// gfx9: lanes in `mask` go to `target`, the others on. If both exist, the smaller set runs
  /// first and the other one is kept in four SGPRs of a stack whose depth is in MODE; join()
  /// continues there while `depth` says that more are waiting.
  void fork(uint64_t mask, uint64_t target);
  void join(uint32_t depth);
  bool vccz() const { return vcc() == 0; }
  bool execz() const { return exec() == 0; }
  /// STATUS.COND_DBG_USER and COND_DBG_SYS.
  bool debug_user() const { return c.wave->status >> 20 & 1; }
  bool debug_sys() const { return c.wave->status >> 21 & 1; }
  bool debug_any() const { return debug_user() || debug_sys(); }
  bool debug_both() const { return debug_user() && debug_sys(); }
  /// Wave64 loops that run the two halves of EXEC one after the other; the result is the saved
  /// half.
  uint32_t subvector_begin(uint32_t saved, int32_t dwords);
  uint32_t subvector_end(uint32_t saved, int32_t dwords);

  // ---- leaving ----
  void leave(ExitReason reason) {
    c.wave->pc = next_pc();
    step_ = c.leave(reason);
  }
  void end() { step_ = c.leave(ExitReason::kEnd); }
  void barrier() { leave(ExitReason::kBarrier); }

  // ---- split barriers (emu/barriers.h); a number in M0 is a named one ----
  void barrier_signal(uint32_t number);
  /// The same; SCC = it is the first signal.
  void barrier_signal_scc(uint32_t number);
  /// Goes on when the barrier (-1: the workgroup's, -2: the trap handler's, else the joined one)
  /// has completed; until then the wave gives its place to others.
  void barrier_wait(int32_t number);
  void barrier_init(uint32_t number);
  void barrier_join(uint32_t number);
  /// SCC = the wave belonged to a named barrier.
  void barrier_leave_scc();
  uint32_t barrier_state(uint32_t number);
  /// SCC = the wave may have that many VGPRs. It keeps what it was granted: the model has no
  /// pool of registers to grow into.
  void alloc_vgpr_scc(uint32_t count) { set_scc((count & 0x1ff) <= c.wave->num_vgprs); }

  // ---- modes of gfx9 (emu/special_modes.h) ----
  void gpr_index_on(uint32_t index, uint32_t which) {
    c.wave->mode |= ModeBits::kGprIndex;
    gpr_index(index);
    gpr_index_mode(static_cast<int32_t>(which));
  }
  void gpr_index_off() { c.wave->mode &= ~ModeBits::kGprIndex; }
  void gpr_index(uint32_t index) { set_m0_bits(0xff, index); }
  void gpr_index_mode(int32_t which) { set_m0_bits(0xf000, static_cast<uint32_t>(which) << 12); }
  void skip_vector(bool skip) {
    c.wave->mode =
        skip ? c.wave->mode | ModeBits::kSkipVector : c.wave->mode & ~ModeBits::kSkipVector;
  }
  /// The wave gives its place to another one: what it waits for may be another wave's doing.
  void sleep() { leave(ExitReason::kYield); }
  void trap() { step_ = c.leave(ExitReason::kTrap); }
  void illegal(const char* why) { step_ = c.raise(FaultKind::kIllegalInstruction, -1, 0, 0, why); }
  void set_halt(int32_t halt);
  void set_kill(int32_t kill) {
    if (kill & 1) end();
  }

  // ---- MODE, hardware registers, messages ----
  void set_round_mode(int32_t bits) { set_mode_bits(0x0f, static_cast<uint32_t>(bits)); }
  void set_denorm_mode(int32_t bits) { set_mode_bits(0xf0, static_cast<uint32_t>(bits) << 4); }
  uint32_t getreg(uint32_t spec);
  void setreg(uint32_t spec, uint32_t value);
  void invalidate_code() { c.code_changed = true; }
  void send_message(uint32_t message);
  void send_message_and_halt(uint32_t message) {
    send_message(message);
    if (step_ == Step::kNext) set_halt(1);
  }
  uint64_t ask_message(uint32_t message);

 private:
  void set_mode_bits(uint32_t mask, uint32_t bits) {
    c.wave->mode = (c.wave->mode & ~mask) | (bits & mask);
  }
  void set_m0_bits(uint32_t mask, uint32_t bits) {
    uint32_t& m0 = c.wave->scalar[isa::kM0];
    m0 = (m0 & ~mask) | (bits & mask);
  }
  bool has_barriers();
  int barrier_number(uint32_t value) const;
  bool relative(unsigned code, uint32_t offset, unsigned dwords);

  Step step_ = Step::kNext;
  unsigned dst_code_;
  unsigned relative_ = 0;
};

}  // namespace lockstep::emu
