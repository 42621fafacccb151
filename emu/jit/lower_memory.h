// SPDX-License-Identifier: MIT
// Loads and stores of device memory and LDS: one bounds check against the last allocation that was
// hit, then whole vectors where the lanes are contiguous, else gathers, scatters, or a loop over the
// lanes. What fails the check (another allocation, a fault) goes to the Lane handler.
#pragma once
#include <memory>
#include <vector>

#include "emu/jit/atomic_kind.h"
#include "emu/jit/lower_vector.h"

namespace lockstep::emu::jit {

class MemoryLowering {
 public:
  MemoryLowering(Host& host, VectorRegisters& registers, VectorLowering& vector, const Mode& mode)
      : h_(host), r_(registers), v_(vector), mode_(mode) {}

  bool covers(const Uop& u) const;
  /// Scalar loads of device memory without a buffer resource; else as instruction().
  bool covers_scalar_load(const Uop& u) const;
  void scalar_load(const Uop& u, Xbyak::Label& slow, VectorRegisters::Picture& at_slow);
  /// The fast path; what it does not know goes on out of the way, at `slow` in the end, with the
  /// registers as in `at_slow`, or comes back to `done`. What is cached is the same there.
  using SharedLabel = std::shared_ptr<Xbyak::Label>;
  void instruction(const Uop& u, const SharedLabel& slow, const SharedLabel& done,
                   VectorRegisters::Picture& at_slow);

  /// True if the store writes what the load loads, elements of two to four registers of device memory.
  bool is_copy(const Uop& load, const Uop& store) const;
  /// Where a load and a store keep their allocations.
  struct Sites {
    int load = -1, store = -1;
  };
  /// Both, without the registers between them. What the fast path does not know goes on at
  /// `otherwise`, with the registers as in `picture`; nothing was done then. `at_store` is called
  /// before the code of the store.
  void copy(const Uop& load, const Uop& store, Sites& sites, Xbyak::Label& otherwise,
            VectorRegisters::Picture& picture, const std::function<void()>& at_store);
  /// The slot for the next instruction(); there is a new one for each otherwise.
  void use_site(int site) { next_site_ = site; }

  /// The slot that the instruction lowered last keeps its allocation in, or -1.
  int site() const { return site_; }
  /// Code after a handler: remembers what it hit.
  void learn(int site);

 private:
  using Zmm = Xbyak::Zmm;
  using Ymm = Xbyak::Ymm;
  using Opmask = Xbyak::Opmask;
  enum class Space : uint8_t { kDevice, kLds, kBuffer, kScratch };
  struct Access {
    Space space = Space::kDevice;
    bool store = false, sign = false;
    isa::MemHalf half = isa::MemHalf::kWhole;
    unsigned bytes = 4;        ///< of an element
    unsigned dwords = 1;       ///< registers of an element
    unsigned elements = 1;     ///< of a lane
    int offset[2] = {};        ///< LDS: of each element
    unsigned data[2][4] = {};  ///< VGPRs, of results or sources: [element][dword]
    unsigned address = 0;
    bool has_address = true, wide_address = false;
    int scalar = -1;        ///< SGPR pair; buffers: first SGPR of the resource
    int32_t immediate = 0;  ///< device memory and buffers
    isa::Operand soffset;   ///< buffers
    AtomicKind atomic = AtomicKind::kNone;
    bool returns = false;  ///< atomics: the old value
    unsigned result = 0;   ///< the first VGPR it goes to
    bool whole() const { return half == isa::MemHalf::kWhole; }
    bool is(Space s) const { return space == s; }
    int last_offset() const { return std::max(offset[0], elements == 2 ? offset[1] : 0); }
  };
  /// Host registers of one instruction.
  struct Places {
    Zmm data[2][4][4];           ///< [element][dword][slice]
    Zmm low[4], high[4];         ///< address words
    Zmm result[2][4];            ///< of atomics: [dword][slice]
    Zmm temporary[4];            ///< of the fast path
    Zmm spare[9];                ///< of the general path
    bool low_is_offset = false;  ///< there `low` still is what the frame has
    std::vector<std::pair<Zmm, VectorRegisters::Picture::Place>> unloaded, borrowed;
    int site = -1;
  };
  /// In the frame: the lanes' offsets (a slice after the other), then one slice of elements in
  /// memory order, of two elements a lane the second ones behind the first.
  static constexpr int kRows = 256;
  static_assert(kRows + 256 <= kFrameBytes);

  bool describe(const Uop& u, Access& a) const;
  bool describe_atomic(const Uop& u, Access& a) const;
  bool describe_lds(const Uop& u, Access& a) const;
  bool describe_buffer(const Uop& u, Access& a) const;
  bool describe_scratch(const Uop& u, Access& a) const;
  void choose_registers(const Access& a, Places& p, VectorRegisters::Picture& at_slow);
  void choose_spares(const Access& a, Places& p, VectorRegisters::Picture& at_slow);
  unsigned span(const Access& a) const { return v_.slices() * kLanes * a.bytes; }
  /// True if elements of different lanes may overlap in another way than those of one access do.
  bool elements_collide(const Access& a) const;

  // Addresses: lower_address.cpp.
  void compare_exec_with_full();
  void require_full_contiguous(const Access& a, const Places& p, Xbyak::Label& otherwise);
  void first_pointer(const Access& a, const Places& p, Xbyak::Label& otherwise);
  void scalar_base(const Access& a, const Xbyak::Reg64& to);
  void check_resource(const Access& a, Xbyak::Label& otherwise);
  void buffer_base(const Access& a);
  void buffer_room(const Access& a, Xbyak::Label& otherwise);
  void find_allocation(const Access& a, const Places& p, unsigned bytes, Xbyak::Label& otherwise);
  void store_offsets(const Access& a, const Places& p, Xbyak::Label& slow);
  void lds_offsets(const Access& a, const Places& p, Xbyak::Label& slow);
  void store_low(const Places& p, Xbyak::Label& slow);
  void find_shared_base(const Access& a, const Places& p, Xbyak::Label& slow);
  void narrow_offsets(const Access& a, const Places& p, Xbyak::Label& slow);
  void wide_offsets(const Access& a, const Places& p, Xbyak::Label& slow);
  void uniform(const Access& a, const Places& p, Xbyak::Label& slow);
  Xbyak::RegExp lane_times(unsigned bytes, unsigned slice);

  // Contiguous lanes: lower_contiguous.cpp.
  void load_full(const Access& a, const Zmm* d, const Zmm* t, const Xbyak::RegExp& from);
  void load_triples(const Zmm* d, const Zmm& t, const Xbyak::RegExp& from);
  void store_full(const Access& a, const Zmm* d, const Zmm* t, const Xbyak::RegExp& to);
  void store_triples(const Zmm* d, const Zmm* t, const Xbyak::RegExp& to);
  void load_masked(const Access& a, unsigned slice, const Zmm* d, const Places& p);
  void store_masked(const Access& a, unsigned slice, const Zmm* d, const Places& p);
  void check_masked(const Access& a, const Places& p, Xbyak::Label& otherwise);
  /// rax = EXEC of the slice, the bit of each lane `dwords` times.
  void expand_exec(unsigned slice, unsigned dwords);
  void extend(const Access& a, const Zmm& d, const Xbyak::Address& from);
  /// A loaded half joins what the register holds in the other half.
  void join_half(const Access& a, const Zmm& t, const Zmm& d);
  /// A loaded dword, shifted down, becomes what the register gets.
  void take_part(const Access& a, const Zmm& t, const Zmm& d);

  // Lanes anywhere: lower_rows.cpp.
  void general(const Access& a, const Places& p, Xbyak::Label& slow, Xbyak::Label& done);
  void scattered(const Access& a, const Places& p, unsigned slice);
  void gather(const Access& a, const Places& p, unsigned slice, unsigned element);
  void gather_small(const Access& a, const Places& p, unsigned slice);
  void gather_quads(const Access& a, const Places& p, unsigned slice, unsigned element);
  /// One slice of 128-bit elements; a store only where every lane is on.
  void load_rows(const Access& a, const Places& p, unsigned slice);
  void store_rows(const Access& a, const Places& p, unsigned slice);
  void store_by_lane(const Access& a, const Places& p, unsigned slice);
  void copy_lane(const Access& a, unsigned element, const Places& p);

  // Private memory: lower_scratch.cpp.
  void scratch(const Access& a, const Places& p, Xbyak::Label& slow);
  void scratch_base(const Access& a, const Places& p, Xbyak::Label& slow);
  void scratch_row(const Access& a, const Places& p, Xbyak::Label& slow);
  void scratch_lanes(const Access& a, const Places& p, Xbyak::Label& slow);
  void scratch_addresses(const Places& p, const Zmm& t, unsigned slice);
  void change_part(const Access& a, const Zmm& value, const Zmm& d);

  // Atomics: lower_atomic.cpp.
  void require_aligned(const Access& a, const Places& p, Xbyak::Label& otherwise);
  void atomic_slice(const Access& a, const Places& p, unsigned slice);
  void update_memory(const Access& a, const Places& p);
  // What memory becomes: lower_atomic_values.cpp.
  void next_value(const Access& a, const Places& p);
  bool next_float(const Access& a, const Places& p);
  void order_key(const Access& a, const Xbyak::Reg64& key, const Xbyak::Reg64& of, bool maximum);
  void add_bfloats(const Places& p);
  static constexpr int kSecondValues = 128;  ///< behind the data, in the frame
  static Xbyak::Reg sized_register(const Xbyak::Reg64& r, unsigned bytes) {
    return bytes == 8 ? Xbyak::Reg(r) : Xbyak::Reg(r.cvt32());
  }
  Xbyak::Address element_of(const Access& a, unsigned slice, unsigned lane);
  Xbyak::RegExp offsets(unsigned slice) const;
  /// The offsets of a slice in a register: `t`, or one that has them already.
  Zmm offset_words(const Places& p, unsigned slice, const Zmm& t);

  Host& h_;
  VectorRegisters& r_;
  VectorLowering& v_;
  const Mode& mode_;
  int site_ = -1, next_site_ = -1;
};

}  // namespace lockstep::emu::jit
