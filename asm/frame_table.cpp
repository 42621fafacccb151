// SPDX-License-Identifier: MIT
// Unwind tables without instructions: this target's compilers say only where functions are.
#include "asm/frame_table.h"

#include <elf.h>

#include <algorithm>

#include "asm/debug_bytes.h"

namespace lockstep::asm_ {
namespace {

constexpr size_t kPointer = sizeof(uint64_t), kEhAlignment = 4;
// What the register rules would count in, and the register with the return address (the PC).
constexpr uint64_t kCodeFactor = kInstructionSize, kDataFactor = 4, kReturnRegister = 16;

/// Zeros are instructions that do nothing.
void pad(DebugBytes& out, size_t alignment) {
  while (out.size() % alignment != 0) out.number(0, 1);
}

}  // namespace

void FrameTable::start(const Section& section, bool simple, Location where) {
  frames_.push_back({section.index, section.size(), std::nullopt, simple, where});
}

void FrameTable::end(const Section& section) { frames_.back().end = section.size(); }

void FrameTable::write(Assembly& assembly, int dwarf_version) const {
  if (frames_.empty()) return;
  if (open()) {
    assembly.error(frames_.back().where, "the frame is unfinished: .cfi_endproc is missing");
    return;
  }
  std::vector<Frame> frames = frames_;
  std::stable_sort(frames.begin(), frames.end(),
                   [](const Frame& a, const Frame& b) { return a.simple < b.simple; });
  if (wants_eh_frame) write_eh_frame(assembly, frames);
  if (wants_debug_frame) write_debug_frame(assembly, frames, dwarf_version);
}

void FrameTable::write_eh_frame(Assembly& assembly, const std::vector<Frame>& frames) {
  Section& section = assembly.section_named(".eh_frame", SHT_PROGBITS, SHF_ALLOC);
  section.alignment = kPointer;
  DebugBytes out(assembly, section);
  pad(out, kPointer);
  constexpr uint64_t kPcRelative = 0x1b;  // the form of addresses: signed, four bytes
  const Frame* last = nullptr;
  size_t common = 0;
  for (const Frame& f : frames) {
    if (!last || last->simple != f.simple) {
      common = out.open_length();
      out.number(0, 4);
      out.number(1, 1);  // version
      out.string("zR");
      out.uleb(kCodeFactor);
      out.sleb(kDataFactor);
      out.number(kReturnRegister, 1);
      out.uleb(1);
      out.number(kPcRelative, 1);
      pad(out, kEhAlignment);
      out.close_length(common);
    }
    last = &f;
    const size_t entry = out.open_length();
    out.number(out.size() - common, 4);
    out.address(assembly.sections()[f.section], f.start, FixupKind::kRel4);
    out.number(*f.end - f.start, 4);
    out.uleb(0);
    // An empty entry would end the section for its readers, so it may have no gap at its end.
    pad(out, &f == &frames.back() ? kPointer : kEhAlignment);
    out.close_length(entry);
  }
}

void FrameTable::write_debug_frame(Assembly& assembly, const std::vector<Frame>& frames,
                                   int dwarf_version) {
  constexpr int kVersionOfDwarf4 = 4;
  Section& section = debug_section(assembly, ".debug_frame");
  section.alignment = kPointer;
  DebugBytes out(assembly, section);
  pad(out, kPointer);
  const Frame* last = nullptr;
  size_t common = 0;
  for (const Frame& f : frames) {
    if (!last || last->simple != f.simple) {
      common = out.open_length();
      out.number(UINT32_MAX, 4);
      out.number(static_cast<uint64_t>(std::min(dwarf_version, kVersionOfDwarf4)), 1);
      out.string("");
      out.number(kPointer, 1);
      out.number(0, 1);  // of a segment
      out.uleb(kCodeFactor);
      out.sleb(kDataFactor);
      out.uleb(kReturnRegister);
      pad(out, kPointer);
      out.close_length(common);
    }
    last = &f;
    const size_t entry = out.open_length();
    out.address(section, common, FixupKind::kData4);
    out.address(assembly.sections()[f.section], f.start, FixupKind::kData8);
    out.number(*f.end - f.start, kPointer);
    pad(out, kPointer);
    out.close_length(entry);
  }
}

}  // namespace lockstep::asm_
