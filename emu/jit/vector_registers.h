// SPDX-License-Identifier: MIT
// Which host vector register holds what, at the current point of code generation: slices of guest
// VGPRs that are cached, and temporaries.
#pragma once
#include <bitset>
#include <cstdint>

#include "emu/jit/host.h"

namespace lockstep::emu::jit {

class VectorRegisters {
 public:
  VectorRegisters(Host& host, unsigned slices) : h_(host), slices_(slices) { clear(); }

  /// The slice of a VGPR, loaded if it is not here. Stays put until unpin_all().
  Xbyak::Zmm use(unsigned vgpr, unsigned slice);
  /// The slice as a destination. Unless all lanes are written, the old value is loaded.
  Xbyak::Zmm define(unsigned vgpr, unsigned slice, bool all_lanes);
  bool holds(unsigned vgpr, unsigned slice) const { return find(vgpr, slice) >= 0; }
  Xbyak::Zmm temporary();
  void release(const Xbyak::Zmm& t);
  void unpin_all();

  /// Stores every changed slice; the registers stay cached.
  void write_back();
  /// Stores what is changed of one VGPR, so that its lanes can be read from memory.
  void write_back(unsigned vgpr);
  /// Where lane 0 of a VGPR is, from the register `vgprs` on; the other lanes follow.
  int displacement(unsigned vgpr) const { return offset(vgpr, 0); }
  /// Forgets everything that is cached; what is dirty must have been written back.
  void clear();
  /// Loads every cached slice again (after a call that may have changed registers in memory and has
  /// destroyed the host's).
  void reload();

  /// VGPRs that are stored on the straight way.
  const std::bitset<256>& stored() const { return stored_; }

  Xbyak::Address memory(unsigned vgpr, unsigned slice) {
    return h_.ptr[h_.vgprs + offset(vgpr, slice)];
  }
  /// The cached picture, to compare the ends of a loop.
  struct Picture {
    struct Place {
      int16_t vgpr = -1;
      uint8_t slice = 0;
      friend bool operator==(const Place&, const Place&) = default;
    };
    Place place[32];
    uint32_t dirty = 0;
    bool same_places(const Picture& o) const { return std::equal(place, place + 32, o.place); }
    bool empty() const {
      return std::all_of(place, place + 32, [](const Place& p) { return p.vgpr < 0; });
    }
  };
  Picture picture() const;
  /// Starts with these registers cached (their values are in place), all as dirty as `p` says.
  void assume(const Picture& p);

 private:
  static constexpr int kCount = 32;
  struct Slot {
    int16_t vgpr = -1;
    uint8_t slice = 0;
    bool dirty = false;
    uint32_t last_use = 0;
  };
  int offset(unsigned vgpr, unsigned slice) const {
    return static_cast<int>((vgpr * slices_ + slice) * 64) - kVgprBias;
  }
  int find(unsigned vgpr, unsigned slice) const { return where_[vgpr][slice]; }
  int take(bool for_temporary);
  void cache(int i, unsigned vgpr, unsigned slice);
  void touch(int i);
  void store(int i);

  Host& h_;
  unsigned slices_;
  Slot slots_[kCount];
  uint32_t cached_ = 0, pinned_ = 0, temporary_ = 0;  ///< a bit a slot
  int8_t where_[256][4];
  uint32_t clock_ = 0;
  std::bitset<256> stored_;
};

}  // namespace lockstep::emu::jit
