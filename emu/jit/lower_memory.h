// SPDX-License-Identifier: MIT
// Loads and stores of device memory and LDS: one bounds check against the last allocation that was
// hit, then whole vectors where the lanes are contiguous, else gathers and scatters. Everything
// else (another allocation, a fault, overlapping elements) goes to the Lane handler.
#pragma once
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
  /// The fast path; jumps to `slow`, with the registers as in `at_slow`, where it does not apply.
  /// What is cached is the same when the fast path ends.
  void instruction(const Uop& u, Xbyak::Label& slow, VectorRegisters::Picture& at_slow);

  /// The slot that the instruction lowered last keeps its allocation in, or -1.
  int site() const { return site_; }
  /// Code after a handler: remembers what it hit.
  void learn(int site);

 private:
  using Zmm = Xbyak::Zmm;
  using Ymm = Xbyak::Ymm;
  using Opmask = Xbyak::Opmask;
  struct Access {
    bool store = false, lds = false, sign = false;
    unsigned bytes = 4;   ///< of an element
    unsigned dwords = 1;  ///< registers of an element
    unsigned elements = 1;
    uint32_t offset[2] = {};             ///< LDS
    unsigned address = 0, data[2] = {};  ///< VGPRs; of results or sources
    bool has_address = true, wide_address = false;
    int scalar = -1;  ///< SGPR pair
    int32_t immediate = 0;
  };
  bool describe(const Uop& u, Access& a) const;
  void lds_offsets(const Access& a, int element, Xbyak::Label& slow);
  void device_offsets(const Access& a, Xbyak::Label& slow);
  void wide_offsets(const Access& a, Xbyak::Label& slow);
  void uniform(const Access& a, Xbyak::Label& slow);
  void check_contiguous(const Access& a, Xbyak::Label& otherwise);
  void contiguous(const Access& a, int element);
  void contiguous_load(const Access& a, unsigned slice, const Zmm* d, const Xbyak::Reg64& base);
  void contiguous_store(const Access& a, unsigned slice, const Zmm* d, const Xbyak::Reg64& base);
  void scattered(const Access& a, int element, Xbyak::Label& slow);
  void scattered_slice(const Access& a, int element, unsigned slice);
  /// One slice of 128-bit elements; a store only where every lane is on.
  void load_rows(unsigned slice, const Zmm* d);
  void store_rows(unsigned slice, const Zmm* d);
  void gather_quads(const Access& a, unsigned slice, const Zmm* d);
  void spill_offsets(const Zmm& offsets);
  Xbyak::Address element_of(unsigned lane);
  /// Jumps away unless EXEC is full.
  void all_lanes_or(Xbyak::Label& otherwise);
  void expand_mask(const Opmask& k, unsigned slice, unsigned part, unsigned dwords);
  void transpose_load(const Access& a, const Zmm* m, const Zmm* d, const Opmask& k);
  const uint32_t* stride_table(unsigned bytes) const;
  Xbyak::RegExp lane_times(unsigned bytes, unsigned slice);

  Host& h_;
  VectorRegisters& r_;
  VectorLowering& v_;
  const Mode& mode_;
  int site_ = -1;      ///< of the current instruction; none for LDS
  Zmm offset_[4];      ///< 32-bit offsets from r10, a slice each
  Zmm spare_[8];       ///< temporaries of the whole instruction
  Zmm data_[2][4][4];  ///< [element][dword][slice]
};

}  // namespace lockstep::emu::jit
