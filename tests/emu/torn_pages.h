// SPDX-License-Identifier: MIT
// Memory of a program that has unmapped a part of it while the device still knows the whole.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace lockstep::emu {

inline constexpr size_t kPage = 4096;

/// Two pages; the second one is gone.
class TornPages {
 public:
  TornPages()
      : memory_(static_cast<uint8_t*>(
            mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    // As unmapped memory, but nothing else can be mapped there meanwhile.
    mprotect(memory_ + kPage, kPage, PROT_NONE);
  }
  ~TornPages() { munmap(memory_, 2 * kPage); }
  TornPages(const TornPages&) = delete;
  TornPages& operator=(const TornPages&) = delete;
  uint8_t* host() const { return memory_; }

 private:
  uint8_t* memory_;
};

}  // namespace lockstep::emu
