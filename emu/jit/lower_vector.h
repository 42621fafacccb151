// SPDX-License-Identifier: MIT
// Recipes of vector rows to AVX-512 code, one slice of 16 lanes at a time.
#pragma once
#include <functional>
#include <memory>
#include <unordered_map>

#include "emu/emit/recipe.h"
#include "emu/jit/mode.h"
#include "emu/jit/vector_registers.h"

namespace lockstep::emu {
struct SmallFloat;
}

namespace lockstep::emu::jit {

class VectorLowering {
 public:
  VectorLowering(Host& host, VectorRegisters& registers, const Mode& mode)
      : h_(host), r_(registers), mode_(mode), slices_(mode.wave_size / kLanes) {}

  /// True if this instruction's form can be lowered: its recipe and all its operands.
  bool covers(const Uop& u);
  /// The same for scalar rows of floats.
  bool covers_scalar_float(const Uop& u);
  /// Code of one vector instruction. Results that go to scalar registers are in memory afterwards.
  void instruction(const Uop& u);
  /// Code of a VOPD pair: both are read before either is written.
  void pair(const Uop& x, const Uop& y);
  /// True if no lane of this vector instruction, of no pair, has to do with another one.
  bool lanes_are_apart(const Uop& u) const;
  /// Code of such an instruction, or of a pair of them, for one slice; or for half of it, where only
  /// that is emitted (VectorCode::only_half).
  void in_slice(const Uop& u, unsigned slice);
  void pair_in_slice(const Uop& x, const Uop& y, unsigned slice);

  /// EXEC of a slice. After EXEC was written, load_exec() makes the masks anew.
  Xbyak::Opmask exec(unsigned slice) const { return Xbyak::Opmask(static_cast<int>(1 + slice)); }
  void load_exec();
  /// The recipe of an instruction for this MODE: flushes that do nothing are gone, its output
  /// modifiers are there.
  const Recipe* recipe(const Uop& u);
  unsigned slices() const { return slices_; }

 private:
  /// Where the value of a node is: words in one register, quads in two (lanes 0..7, 8..15),
  /// predicates in a mask.
  struct Place {
    enum class Kind : uint8_t { kNone, kWord, kQuad, kMask } kind = Kind::kNone;
    int reg[2] = {-1, -1};
    bool owned = false;  ///< a temporary of ours, or a register that is only looked at
  };
  using Zmm = Xbyak::Zmm;
  using Opmask = Xbyak::Opmask;
  using Operand = Xbyak::Operand;

  /// One value for the wave, in a scalar register or SCC.
  static bool makes_uniform(const Uop& u);
  // Rounding: lower_rounding.cpp.
  bool rounds_right(const Uop& u);
  void set_rounding(uint32_t mode);
  /// Code that rounds as MODE says for this instruction.
  void rounded(const Uop& u, const std::function<void()>& code);
  void unrounded(const Uop& u);
  void unrounded_slice(const Uop& u, unsigned slice);

  bool operand_covered(const Uop& u, const isa::Operand& o) const;
  void begin(const Recipe& recipe);
  /// Evaluates all nodes but leaves the results in their places. With a target, the last operation
  /// may write its result there; true if it did.
  bool evaluate(const Uop& u, unsigned slice, const Zmm* target);
  void node(const Uop& u, int n, unsigned slice, const Zmm* target);
  bool word_node(const Node& node, int n, unsigned slice, const Zmm* target);
  uint32_t part_shift(const Uop& u, PartShift which) const;
  bool instruction_node(const Uop& u, const Node& node, int n);
  bool byte_node(const Node& node, int n);
  bool half_node(const Node& node, int n);
  bool double_node(const Node& node, int n);
  bool quad_node(const Node& node, int n);
  bool float_node(const Node& node, int n, const Zmm* target);
  bool predicate_node(const Node& node, int n);
  bool convert_node(const Node& node, int n);
  bool small_node(const Node& node, int n);
  void small_to_float(const Node& node, int n);
  void float_to_small(const Node& node, int n);
  void round_small_denormals(const Node& node, const SmallFloat& f, const Opmask& k, const Zmm& d,
                             const Zmm& magnitude);

  Place source(const Uop& u, int i, unsigned slice);
  /// Element of a packed source or, with `old`, of the old destination.
  Place element(const Uop& u, int i, bool high, bool old, unsigned slice);
  Place mixed_source(const Uop& u, int i, unsigned slice);
  Place register_words(const Uop& u, int i, unsigned slice);
  Place broadcast_operand(const isa::Operand& o);
  void select_part(const Uop& u, int i, Place& p);
  void merge_part(const Uop& u, Place& p, const Zmm& old);
  // DPP: source 0 permuted, and lanes switched off in the masks of exec() until end_dpp().
  void begin_dpp(const Uop& u);
  void select_dpp(const Uop& u, unsigned slice);
  void end_dpp(unsigned slice);
  void permute_dpp(const Uop& u, unsigned slice);

  // Lane operations: readlane and its kin, outside recipes.
  static bool is_lane_operation(const Uop& u);
  bool covers_lane_operation(const Uop& u) const;
  void lane_operation(const Uop& u);
  void read_lane(const Uop& u);
  void write_lane(const Uop& u);
  void permlane16(const Uop& u, bool other);
  void permlane64(const Uop& u);
  void swap(const Uop& u);
  void swap_halves(const Uop& u);
  void swap_rows(const Uop& u, unsigned distance);
  void accumulator(const Uop& u);
  void uniform_result(const Uop& u);
  void uniform_word(const isa::Operand& o);
  // Lane exchange of the DS unit: lower_exchange.cpp.
  static bool is_exchange(const Uop& u);
  bool covers_exchange(const Uop& u) const;
  void exchange(const Uop& u);
  void pull_lanes(const Uop& u);
  void push_lanes(const Uop& u);
  void selected_lanes(const Uop& u, const Zmm& index, unsigned slice);

  void apply_modifiers(const isa::Operand& o, Place& p);
  void extend_half(const isa::Operand& o, Place& p);
  void write_value(const Uop& u, Place& p, unsigned slice);
  void collect_mask(int n, unsigned slice);
  void store_mask(const Uop& u);
  void store_half_of_mask(const Uop& u, unsigned slice);

  Zmm word(int n);
  Zmm quad(int n, int half) const { return Zmm(at_[n].reg[half]); }
  Opmask mask(int n) const { return Opmask(at_[n].reg[0]); }
  /// Where a word result goes: the masked target, or a new temporary. A target is for the only or
  /// the last instruction of a node: sources may be the same register.
  Zmm word_result(int n, const Zmm* target) {
    if (target) return *target;
    at_[n] = new_word();
    return word(n);
  }
  /// One instruction of three operands; the last may be a constant in memory.
  template <class Instruction>
  void binary(const Node& node, int n, const Zmm* target, Instruction instruction) {
    const Zmm d = word_result(n, target);
    if (is_constant(node.b))
      (h_.*instruction)(d, word(node.a), all(constant_of(node.b)));
    else
      (h_.*instruction)(d, word(node.a), word(node.b));
  }
  /// By an immediate where the count is one.
  template <class ByImmediate, class ByVector>
  void shift(const Node& node, int n, const Zmm* target, ByImmediate by_immediate,
             ByVector by_vector) {
    if (is_constant(node.b)) {
      by_immediate(word_result(n, target), word(node.a),
                   static_cast<uint8_t>(constant_of(node.b) & 31));
      return;
    }
    Place count = new_word();
    h_.vpandd(Zmm(count.reg[0]), word(node.b), all(31));
    by_vector(word_result(n, target), word(node.a), Zmm(count.reg[0]));
    drop(count);
  }
  template <class Instruction>
  void quads(const Node& node, int n, Instruction instruction) {
    at_[n] = new_quad();
    for (int i = 0; i < 2; ++i) (h_.*instruction)(quad(n, i), quad(node.a, i), quad(node.b, i));
  }
  void round_quads(const Node& node, int n, int control);

  Place new_word();
  Place new_quad();
  Place new_mask();
  /// A temporary copy of p that may be changed; p itself if it is one already.
  void own(Place& p);
  void drop(Place& p);
  void used(int n);
  bool is_constant(int n) const { return recipe_->nodes[n].op == NodeOp::kConstant; }
  uint32_t constant_of(int n) const { return static_cast<uint32_t>(recipe_->nodes[n].imm); }

  Xbyak::Address all(uint32_t bits) { return h_.ptr_b[h_.rip + h_.constant(bits)]; }
  Xbyak::Address all64(uint64_t bits) { return h_.ptr_b[h_.rip + h_.constant64(bits)]; }
  void broadcast(const Zmm& d, uint32_t bits) {
    h_.vpbroadcastd(d, h_.dword[h_.rip + h_.constant(bits)]);
  }
  /// These bits where k says so.
  void where(const Opmask& k, const Zmm& d, uint32_t bits);
  void split_quads(const Zmm& lo, const Zmm& hi, Place& quads);
  void minmax(const Zmm& d, const Zmm& a, const Zmm& b, bool maximum, bool doubles);
  void ieee_minmax(const Zmm& d, const Zmm& a, const Zmm& b, bool maximum, bool doubles);
  void class_of(const Opmask& result, const Zmm& a, const Zmm& mask, const Zmm& bits);
  void multiply_high(const Zmm& d, const Zmm& a, const Zmm& b, bool is_signed);

  Host& h_;
  VectorRegisters& r_;
  const Mode& mode_;
  unsigned slices_;
  const Recipe* recipe_ = nullptr;
  Place at_[Recipe::kMaxNodes];
  uint8_t uses_[Recipe::kMaxNodes] = {};
  uint8_t free_masks_ = 0;
  std::unordered_map<uint32_t, std::unique_ptr<const Recipe>> specialised_;
  Place dpp_[4][2];           ///< source 0 as DPP permutes it: slices; low and high words
  bool dpp_crosses_ = false;  ///< lanes come from other slices
};

}  // namespace lockstep::emu::jit
