// SPDX-License-Identifier: MIT
// The unwind tables of `.cfi_startproc`: which code belongs to which function, as .eh_frame or
// .debug_frame. Internal to the source assembler.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "asm/program.h"

namespace lockstep::asm_ {

class Assembly;

class FrameTable {
 public:
  bool wants_eh_frame = true;  ///< `.cfi_sections`
  bool wants_debug_frame = false;

  bool open() const { return !frames_.empty() && !frames_.back().end; }
  /// `simple`: in a group of its own, whose head says nothing of registers (which is so anyway).
  void start(const Section& section, bool simple, Location where);
  void end(const Section& section);

  /// Makes the sections; an error if a function has no end.
  void write(Assembly& assembly, int dwarf_version) const;

 private:
  struct Frame {
    uint32_t section;  ///< its number
    uint64_t start;
    std::optional<uint64_t> end;
    bool simple;
    Location where;
  };
  static void write_eh_frame(Assembly& assembly, const std::vector<Frame>& frames);
  static void write_debug_frame(Assembly& assembly, const std::vector<Frame>& frames,
                                int dwarf_version);

  std::vector<Frame> frames_;
};

}  // namespace lockstep::asm_
