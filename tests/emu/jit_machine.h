// SPDX-License-Identifier: MIT
// Everything that one wave can change, with random contents: what the JIT's tests compare.
#pragma once
#include <algorithm>
#include <cstring>
#include <optional>
#include <random>

#include "emu/interp.h"
#include "emu/jit/engine.h"

namespace lockstep::emu {

inline constexpr unsigned kVgprs = 32, kDataWords = 4096, kLdsBytes = 2048, kScratchBytes = 128;

inline uint32_t interesting(std::mt19937& random) {
  static constexpr uint32_t kSpecial[] = {
      0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x3f800000,
      0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fffffff,
      0xffffffff, 0x7f800001, 0xffa00000, 0x4f000000, 0xcf000000, 0x4f800000, 0x3f000000,
      0x00007c00, 0x7c010001, 0xfc000400, 0x00018000, 0x3c003c00, 0x0000001f, 0x00000020};
  switch (random() % 5) {
    case 4: {  // numbers near the ends of the range
      const uint32_t exponent = random() % 32;
      return (random() & 0x807fffff) | (random() % 2 ? exponent : 0xff - exponent) << 23;
    }
    case 0:
      return kSpecial[random() % std::size(kSpecial)];
    case 1:
      return random() % 3 ? 0x3f800000 + (random() % 0x2000000) - 0x1000000 : random() % 80;
    default:
      return random();
  }
}

/// Everything that a wave can change.
struct Machine {
  explicit Machine(isa::Isa isa, uint32_t wave_size)
      : data(kDataWords), scratch(wave_size * kScratchBytes / 4), lds(kLdsBytes), isa_(isa) {
    add_memory();
    const bool cdna = isa::generation_of(isa) == isa::Generation::kGfx9;
    wave.allocate(wave_size, kVgprs, cdna ? kVgprs : 0, 106);
    key = {isa, wave_size, kVgprs, cdna ? kVgprs : 0};
    request.scratch_bytes_per_lane = kScratchBytes;
  }
  uint64_t data_base() const { return 0x500000000; }
  void add_memory() {
    const auto add = [&](uint64_t base, std::vector<uint32_t>& words, const char* label) {
      map.remove(base);
      map.add({base, words.size() * 4, reinterpret_cast<uint8_t*>(words.data()), true, label});
    };
    add(data_base(), data, "data");
    add(kScratch, scratch, "scratch");
  }

  void load_code(std::vector<uint32_t> words) {
    if (!code.empty()) map.remove(kCode);
    code = std::move(words);
    map.add({kCode, code.size() * 4, reinterpret_cast<uint8_t*>(code.data()), false, "code"});
    view.emplace(map);
  }
  void start(uint32_t mode) {
    wave.pc = kCode;
    wave.mode = mode;
    wave.status = wave.trapsts = 0;
    c = Context{};
    c.wave = &wave;
    c.memory = &*view;
    c.lds = lds.data();
    c.lds_size = kLdsBytes;
    c.request = &request;
    c.isa = isa_;
    c.shared_base = uint64_t{1} << 48;
    c.private_base = uint64_t{2} << 48;
    c.scratch_limit = scratch_limit(request);
  }
  void randomise(std::mt19937& random) {
    for (unsigned i = 0; i < wave.num_vgprs * wave.wave_size; ++i)
      wave.vgprs[i] = interesting(random);
    for (unsigned i = 0; i < wave.num_agprs * wave.wave_size; ++i)
      wave.agprs[i] = interesting(random);
    for (uint32_t& s : wave.scalar) s = interesting(random);
    wave.scalar[isa::kNull] = 0;
    for (uint32_t& d : data) d = interesting(random);
    for (uint32_t& d : scratch) d = random();
    for (uint8_t& b : lds) b = static_cast<uint8_t>(random());
    wave.scc = random() & 1;
    const uint64_t all = wave.lane_mask();
    switch (random() % 4) {
      case 0:
        wave.write64(isa::kExecLo, all);
        break;
      case 1:
        wave.write64(isa::kExecLo, random() % 8 ? uint64_t{1} << random() % wave.wave_size : 0);
        break;
      default:
        wave.write64(isa::kExecLo, (uint64_t{random()} << 32 | random()) & all);
    }
    // Registers that memory instructions of the tests use as addresses: contiguous by some stride,
    // all the same, or anything, now and then out of range.
    const unsigned pattern = random() % 4, stride = 1u << random() % 5, wrong = random() % 8;
    for (unsigned lane = 0; lane < wave.wave_size; ++lane) {
      uint32_t offset = 256 + (pattern == 0 ? lane * stride : pattern == 1 ? 16 : random() % 1024);
      if (pattern == 3) offset &= ~15u;
      if (wrong == 0 && random() % 16 == 0) offset = random() % 2 ? random() : kDataWords * 4 - 2;
      wave.vgpr(28)[lane] = offset;
      const uint64_t address = data_base() + offset;
      wave.vgpr(30)[lane] = static_cast<uint32_t>(address);
      wave.vgpr(31)[lane] = static_cast<uint32_t>(address >> 32);
    }
    // Private addresses: mostly words that are there.
    wave.flat_scratch = kScratch;
    const unsigned fine = random() % 3 ? 4 : 1;
    for (unsigned lane = 0; lane < wave.wave_size; ++lane)
      wave.vgpr(29)[lane] = random() % (kScratchBytes - 64) / fine * fine;
    if (random() % 4 == 0) wave.vgpr(29)[random() % wave.wave_size] = kScratchBytes - random() % 80;
    wave.scalar[93] = random() % 40 / fine * fine;
    wave.write64(100, data_base());
    // A buffer resource: linear and counted in bytes, or now and then another.
    wave.write64(88, data_base());
    wave.scalar[90] = random() % 8 ? kDataWords * 4 : random() % (kDataWords * 4);
    wave.scalar[91] = wave.num_agprs ? 0 : 3u << 28;
    if (random() % 8 == 0) wave.scalar[89] |= (random() % 3) << 18;   // stride
    if (random() % 8 == 0) wave.scalar[91] ^= random() & 0x30800000;  // check, lane numbers
    wave.scalar[92] = random() % 64 * 4;
  }
  void copy_state(const Machine& o) {
    wave.copy_from(o.wave);
    data = o.data;
    lds = o.lds;
    scratch = o.scratch;
    add_memory();
    view.emplace(map);
  }
  /// The same contents as `o`, in the memory that is there: what was found before stays valid.
  void restore(const Machine& o) {
    wave.copy_from(o.wave);
    std::ranges::copy(o.data, data.begin());
    std::ranges::copy(o.scratch, scratch.begin());
    std::ranges::copy(o.lds, lds.begin());
  }
  /// Empty if both are the same, else the first difference.
  std::string difference(const Machine& o) const {
    if (const std::string registers = first_difference(wave, o.wave); !registers.empty())
      return "interpreter against JIT: " + registers;
    for (unsigned i = 0; i < kDataWords; ++i)
      if (data[i] != o.data[i])
        return "data word " + std::to_string(i) + ": " + std::to_string(data[i]) + " against " +
               std::to_string(o.data[i]);
    if (scratch != o.scratch) return "scratch";
    return lds == o.lds ? "" : "LDS";
  }

  static constexpr uint64_t kCode = 0x400000000, kScratch = 0x600000000;
  std::vector<uint32_t> code, data, scratch;
  std::vector<uint8_t> lds;
  MemoryMap map;
  std::optional<MemoryView> view;
  WaveState wave;
  Context c;
  DispatchRequest request;
  CodeKey key;

 private:
  isa::Isa isa_;
};

}  // namespace lockstep::emu
