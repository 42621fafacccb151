// SPDX-License-Identifier: MIT
// LDS of a workgroup: byte-addressed, out-of-range reads give 0 and writes are dropped.
#pragma once
#include <cstdint>
#include <cstring>

#include "emu/context.h"

namespace lockstep::emu {

class Lds {
 public:
  explicit Lds(const Context& c) : data_(c.lds), size_(c.lds_size) {}

  bool contains(uint32_t address, uint32_t bytes) const {
    return address < size_ && bytes <= size_ - address;
  }
  uint8_t* at(uint32_t address) const { return data_ + address; }

  /// Wide accesses are checked dword by dword.
  void load(uint32_t address, uint32_t bytes, void* out) const {
    if (contains(address, bytes))
      std::memcpy(out, data_ + address, bytes);
    else
      load_edge(address, bytes, static_cast<uint8_t*>(out));
  }
  void store(uint32_t address, uint32_t bytes, const void* in) const {
    if (contains(address, bytes))
      std::memcpy(data_ + address, in, bytes);
    else
      store_edge(address, bytes, static_cast<const uint8_t*>(in));
  }
  /// Waves of a workgroup run one after the other: plain accesses are atomic. Out of range: `old`
  /// is 0.
  template <class T, class F>
  T update(uint32_t address, F&& next) const {
    T old{};
    if (!contains(address, sizeof(T))) return old;
    std::memcpy(&old, data_ + address, sizeof(T));
    const T value = next(old);
    std::memcpy(data_ + address, &value, sizeof(T));
    return old;
  }

 private:
  void load_edge(uint32_t address, uint32_t bytes, uint8_t* out) const;
  void store_edge(uint32_t address, uint32_t bytes, const uint8_t* in) const;

  uint8_t* data_;
  uint32_t size_;
};

}  // namespace lockstep::emu
