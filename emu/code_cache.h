// SPDX-License-Identifier: MIT
// Decoded code of the interpreter, by page of guest code. One cache a worker thread: no locks.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emu/prepare.h"

namespace lockstep::emu {

class CodeCache {
 public:
  /// Starts a dispatch: pages are compared with memory again on first touch, so changed code is
  /// seen.
  void begin(const CodeKey& key);
  /// After s_icache_inv: the same, inside a dispatch.
  void invalidate() {
    ++epoch_;
    current_ = nullptr;
  }
  /// Changes with begin() and invalidate().
  uint64_t epoch() const { return epoch_; }
  /// The prepared instruction at c.wave->pc; nullptr with a fault raised in `c` if there is none.
  const Uop* fetch(Context& c) {
    const uint64_t pc = c.wave->pc;
    if (current_ && (pc & ~kPageMask) == current_base_ && !(pc & 3)) {
      if (const Uop* u = current_->uops[(pc & kPageMask) / 4]) return u;
    }
    return fetch_slow(c);
  }

 private:
  static constexpr uint64_t kPageMask = 4095;
  static constexpr size_t kTail =
      20;  ///< longest instruction: it may start in the page's last dword
  static constexpr size_t kMaxPages = 2048;  ///< bounds memory; the cache starts over beyond it

  struct Page {
    std::array<const Uop*, 1024> uops = {};
    std::deque<Uop> storage;     ///< addresses stay valid
    std::vector<uint8_t> bytes;  ///< the code as it was decoded
    uint64_t first = 0;          ///< guest address of bytes[0]
    uint64_t epoch = 0;
  };
  struct Keyed {
    CodeKey key;
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  };

  const Uop* fetch_slow(Context& c);
  Page* enter_page(Context& c, uint64_t base);
  const Uop* prepare(Context& c, Page& page, uint64_t pc);

  std::vector<std::unique_ptr<Keyed>> keyed_;
  Keyed* active_ = nullptr;
  Page* current_ = nullptr;
  uint64_t current_base_ = 0;
  uint64_t epoch_ = 1;
  size_t page_count_ = 0;
};

}  // namespace lockstep::emu
