// SPDX-License-Identifier: MIT
// Shared ground of the JIT's code generators: host register map, frame layout, the constant pool,
// code that is moved out of the way.
//
// Generated code keeps: rbp = WaveState, rbx = its VGPRs + kVgprBias, r12 = Context, r13 =
// instructions left, r14 = allocations that the
// memory accesses of the unit hit last, a pointer each, r15 = HostTables. k1.. = EXEC, one mask a slice of 16 lanes. Everything else is
// scratch inside one guest instruction.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "emu/context.h"
#include "emu/host_fault.h"
#include "emu/jit/mode.h"
#include "emu/jit/vector_code.h"

namespace lockstep::emu::jit {

inline constexpr int kLanes = 16;       ///< of one slice: one zmm of words
inline constexpr int kVgprBias = 8192;  ///< puts v0..v127 in reach of a one-byte displacement

/// Bytes between the elements of neighbouring lanes that contiguous accesses may have.
inline constexpr int kStrides = 6;
inline constexpr uint32_t kStrideBytes[kStrides] = {1, 2, 4, 8, 12, 16};

/// Constants that generated code addresses through r15.
struct alignas(64) HostTables {
  uint32_t low_quads[16];   ///< vpermi2d indices: (lo, hi words) -> quads of lanes 0..7
  uint32_t high_quads[16];  ///< ... of lanes 8..15
  uint32_t low_words[16];   ///< two vectors of quads -> their low words
  uint32_t high_words[16];
  /// vpermt2d indices, twice: words of three vectors of 96-bit elements -> one word of each, and
  /// back.
  uint32_t part_triples[3][2][16], join_triples[3][2][16];
  uint32_t lane_times[kStrides][64];  ///< lane * 1, 2, 4, 8, 12, 16
};
const HostTables& host_tables();

/// Why generated code returned. The pc of the wave is up to date.
enum class Left : uint64_t {
  kContinue,  ///< go on at the wave's pc: a jump that the unit does not cover
  kBudget,    ///< fewer instructions are left than the next block has
  kExit,      ///< Context::exit says why
  kJump,      ///< as kContinue; Jumps did not know the pc
};

/// Where jumps to addresses in registers went lately, in units that this dispatch has compared with
/// memory: generated code goes on there by itself.
struct Jumps {
  struct Way {
    uint64_t pc = kNowhere;
    const void* code = nullptr;
    void* sites = nullptr;  ///< of the unit
    const void* unit = nullptr;
  };
  static constexpr uint64_t kNowhere = ~uint64_t{0};
  static constexpr int kWays = 64;
  static constexpr uint32_t kIndexMask = (kWays - 1) << 2;  ///< of a mixed pc, times four
  static constexpr uint32_t kMixShift = 6;                  ///< functions start at multiples of 64

  GuestAccess* access = nullptr;  ///< whose unit is the one that runs
  std::array<Way, kWays> ways;

  Way& way_of(uint64_t pc) {
    const auto low = static_cast<uint32_t>(pc);
    return ways[((low ^ low >> kMixShift) & kIndexMask) >> 2];
  }
};

/// Where the host code of a guest instruction starts.
struct Mark {
  uint32_t offset = 0;
  uint64_t pc = 0;
};

class Host : public VectorCode {
 public:
  Host(void* memory, size_t size, const Mode& mode)
      : VectorCode(memory, size, mode.tier, mode.wave_size / kLanes) {}

  const Reg64 wave{Operand::RBP}, vgprs{Operand::RBX}, context{Operand::R12}, budget{Operand::R13},
      sites{Operand::R14}, tables{Operand::R15};

  static int scalar_offset(unsigned code) {
    return static_cast<int>(offsetof(WaveState, scalar) + code * 4);
  }
  Xbyak::Address scalar(unsigned code) { return dword[wave + scalar_offset(code)]; }
  Xbyak::Address scalar64(unsigned code) { return qword[wave + scalar_offset(code)]; }
  Xbyak::Address scc() { return byte[wave + static_cast<int>(offsetof(WaveState, scc))]; }
  Xbyak::Address pc() { return qword[wave + static_cast<int>(offsetof(WaveState, pc))]; }
  template <class Member>
  Xbyak::RegExp table(Member HostTables::* member) {
    static const HostTables t{};
    return tables + static_cast<int>(reinterpret_cast<const char*>(&(t.*member)) -
                                     reinterpret_cast<const char*>(&t));
  }

  /// Low and high words of the lanes, side by side, are quads: of the first half of the lanes, and of
  /// the others; and back. Results are not the registers of sources.
  void words_to_quads(const Zmm& first, const Zmm& second, const Zmm& low, const Zmm& high);
  void low_words(const Zmm& d, const Zmm& first, const Zmm& second);
  void high_words(const Zmm& d, const Zmm& first, const Zmm& second);

  /// The slot of a new memory access.
  int new_site() { return static_cast<int>(8 * site_count_++); }
  size_t site_count() const { return site_count_; }
  /// Code that is emitted after the hot path.
  void later(std::function<void()> emit) { later_.push_back({pc_, std::move(emit)}); }
  /// From here on code belongs to the guest instruction at `pc`; code for later does, too.
  void mark(uint64_t pc) {
    pc_ = pc;
    marks_.push_back({static_cast<uint32_t>(getSize()), pc});
  }
  std::vector<Mark> take_marks() { return std::move(marks_); }
  /// Emits what was put off, then the constants.
  void finish();
  /// Before code that changes registers in memory elsewhere than on the straight way through a unit.
  void mark_spilled() { mov(byte[context + static_cast<int>(offsetof(Context, spilled))], 1); }
  bool is_straight() const { return straight_; }

 private:
  struct Pending {
    uint64_t pc;
    std::function<void()> emit;
  };
  std::vector<Pending> later_;
  std::vector<Mark> marks_;
  uint64_t pc_ = 0;
  bool straight_ = true;  ///< not in code that was put off
  size_t site_count_ = 0;
};

}  // namespace lockstep::emu::jit
