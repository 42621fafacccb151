// SPDX-License-Identifier: MIT
// Image data: every format, destination select, DMASK, D16, unconverted access, atomics.
#include <bit>
#include <cmath>
#include <functional>

#include "emu/half.h"
#include "tests/emu/image_fixture.h"

namespace lockstep::emu::testing {
namespace {

class ImageData : public ImageTest, public ::testing::WithParamInterface<isa::Isa> {
 protected:
  ImageData() : ImageTest(GetParam()) {}

  /// Lane l is at (l % 8, l / 8).
  void place_lanes() {
    for (unsigned lane = 0; lane < 32; ++lane) {
      v(kAddr, lane) = lane % 8;
      v(kAddr + 1, lane) = lane / 8;
    }
  }
  uint64_t at(unsigned lane, unsigned bytes) const {
    return kStart + lane / 8 * row_bytes(8, bytes) + lane % 8 * bytes;
  }
  /// Bits of the texel of a lane, a bit at a time.
  uint32_t bits_of(unsigned lane, unsigned bytes, unsigned low, unsigned width) const {
    uint32_t out = 0;
    for (unsigned i = 0; i < width; ++i)
      out |= static_cast<uint32_t>(memory[at(lane, bytes) + (low + i) / 8] >> (low + i) % 8 & 1)
             << i;
    return out;
  }
  static float f32(uint32_t bits) { return std::bit_cast<float>(bits); }
};
INSTANTIATE_TEST_SUITE_P(Rdna, ImageData, ::testing::Values(isa::Isa::kGfx11, isa::Isa::kGfx12));

TEST_P(ImageData, EveryFormatOfBuffers) {
  place_lanes();
  for (uint32_t number = 1; number < 64; ++number)
    for (bool d16 : {false, true}) {
      const BufferFormat f = *unified_format(number);
      const unsigned bytes = f.bytes();
      fill_random(memory);
      // w x z y, with a constant in place of z.
      set_resource(
          {.width = 8, .height = 4, .format = number, .select = 7 | 4 << 3 | 1 << 6 | 5 << 9});
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < 4; ++i) v(kDst + i, lane) = 0xabcdabcd;
      ASSERT_EQ(go("image_load", kDim2D, 15, kDst, {{Field::d16, d16}}), Step::kNext) << number;
      const uint32_t one = f.type == NumberType::kUint || f.type == NumberType::kSint ? 1
                           : d16                                                      ? 0x3c00
                                                                                      : 0x3f800000;
      for (unsigned lane = 0; lane < 32; ++lane) {
        uint32_t part[4], low = 0;
        for (unsigned i = 0; i < 4; low += f.bits[i++])
          part[i] = f.bits[i]
                        ? to_register(f.type, f.bits[i], bits_of(lane, bytes, low, f.bits[i]), d16)
                    : i == 3 ? one
                             : 0;
        const uint32_t want[] = {part[3], part[0], one, part[1]};
        for (unsigned i = 0; i < 4; ++i) {
          const uint32_t got =
              d16 ? v(kDst + i / 2, lane) >> i % 2 * 16 & 0xffff : v(kDst + i, lane);
          ASSERT_EQ(got, want[i]) << "format " << number << " d16 " << d16 << " lane " << lane
                                  << " " << i;
        }
        ASSERT_EQ(v(kDst + 3, lane) == 0xabcdabcd, d16) << number;
      }
    }
}

TEST_P(ImageData, StoresGoWhereLoadsComeFrom) {
  place_lanes();
  for (uint32_t number = 1; number < 64; ++number) {
    const BufferFormat f = *unified_format(number);
    const unsigned bytes = f.bytes();
    set_resource(
        {.width = 8, .height = 4, .format = number, .select = 6 | 5 << 3 | 4 << 6 | 7 << 9});
    fill_random(memory);
    ASSERT_EQ(go("image_load", kDim2D, 15, kDst), Step::kNext);
    std::vector<uint8_t> want = memory;
    for (unsigned lane = 0; lane < 32; ++lane) std::fill_n(&memory[at(lane, bytes)], bytes, 0xee);
    ASSERT_EQ(go("image_store", kDim2D, 15, kDst), Step::kNext);
    // The texel of -1 has two codes in signed normalised formats, and NaNs have many.
    std::vector<uint32_t> first;
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i) first.push_back(v(kDst + i, lane));
    ASSERT_EQ(go("image_load", kDim2D, 15, kDst), Step::kNext);
    for (unsigned lane = 0, n = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i, ++n)
        if (f.type != NumberType::kFloat || !std::isnan(f32(first[n]))) {
          ASSERT_EQ(v(kDst + i, lane), first[n]) << "format " << number << " lane " << lane;
        }
    // Nothing but the texels changed.
    for (unsigned lane = 0; lane < 32; ++lane)
      std::copy_n(&memory[at(lane, bytes)], bytes, &want[at(lane, bytes)]);
    ASSERT_EQ(memory, want) << number;
  }
}

TEST_P(ImageData, DmaskChoosesAndPacks) {
  place_lanes();
  set_resource({.width = 8, .height = 4, .format = kFmt32x4Uint});
  for (uint32_t dmask = 0; dmask < 16; ++dmask) {
    fill_random(memory);
    ASSERT_EQ(go("image_load", kDim2D, dmask, kDst), Step::kNext);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0, n = 0; i < 4; ++i)
        if ((dmask ? dmask : 1) >> i & 1) {
          EXPECT_EQ(v(kDst + n++, lane), peek<uint32_t>(at(lane, 16) + 4 * i)) << dmask;
        }
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i) v(kData + i, lane) = lane * 100 + i;
    ASSERT_EQ(go("image_store", kDim2D, dmask, kData), Step::kNext);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (uint32_t i = 0, n = 0; i < 4; ++i) {
        const bool on = (dmask ? dmask : 1) >> i & 1;
        EXPECT_EQ(peek<uint32_t>(at(lane, 16) + 4 * i), on ? lane * 100 + n : 0) << dmask;
        n += on;
      }
  }
}

TEST_P(ImageData, HalvesOfStores) {
  place_lanes();
  set_resource({.width = 8, .height = 4, .format = kFmt8x4Unorm});
  for (unsigned lane = 0; lane < 32; ++lane) {
    v(kData, lane) = 0x3c000000 | narrow_to_half(lane / 32.0f).bits;  // y = 1
    v(kData + 1, lane) = 0x38000000;                                  // z = 0, w = 0.5
  }
  ASSERT_EQ(go("image_store", kDim2D, 15, kData, {{Field::d16, 1}}), Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(peek<uint32_t>(at(lane, 4)),
              0x8000ff00u | static_cast<uint32_t>(std::nearbyint(lane / 32.0 * 255)))
        << lane;
}

TEST_P(ImageData, OutsideIsZeroBeforeTheSelect) {
  place_lanes();
  wave.write64(isa::kExecLo, 1);
  v(kAddr, 0) = 8;
  const auto load = [&](uint32_t format, uint32_t select) {
    set_resource({.width = 8, .height = 4, .format = format, .select = select});
    EXPECT_EQ(go("image_load", kDim2D, 15, kDst), Step::kNext);
    return v(kDst + 3, 0);
  };
  EXPECT_EQ(load(kFmt8x4Unorm, kXyzw), 0u);
  EXPECT_EQ(load(kFmt32Float, kXyzw), 0x3f800000u);  // no w in the format
  EXPECT_EQ(load(kFmt8x4Uint, 4 | 5 << 3 | 6 << 6 | 1 << 9), 1u);
}

TEST_P(ImageData, FormatsThatOnlyImagesHave) {
  constexpr uint32_t kSrgb8 = 64, kSrgb8x2 = 65, kSrgb8x4 = 66, k5999 = 67, k565 = 68, k1555 = 69,
                     k5551 = 70, k4444 = 71, k44 = 72;
  place_lanes();
  const auto load = [&](uint32_t format, bool d16 = false) {
    set_resource({.width = 8, .height = 4, .format = format});
    ASSERT_EQ(go("image_load", kDim2D, 15, kDst, {{Field::d16, d16}}), Step::kNext);
  };
  const auto curve = [](uint32_t raw) {
    const double c = raw / 255.0;
    return static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  };
  for (const auto& [format, parts] : {std::pair{kSrgb8, 1u}, {kSrgb8x2, 2u}, {kSrgb8x4, 4u}}) {
    load(format);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        const uint32_t raw = memory[at(lane, parts) + i];
        const float want = i == 3      ? (parts == 4 ? static_cast<float>(raw / 255.0) : 1)
                           : i < parts ? curve(raw)
                                       : 0;
        EXPECT_EQ(f32(v(kDst + i, lane)), want) << format << " " << lane << " " << i;
      }
    EXPECT_EQ(go("image_store", kDim2D, 15, kDst), Step::kExit);
    expect_refused("sRGB");
  }
  load(k5999);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 3; ++i) {
      const int exponent = static_cast<int>(bits_of(lane, 4, 27, 5)) - 24;
      EXPECT_EQ(f32(v(kDst + i, lane)), std::ldexp(bits_of(lane, 4, 9 * i, 9), exponent)) << lane;
      EXPECT_EQ(f32(v(kDst + 3, lane)), 1.0f);
    }
  struct Packed {
    uint32_t format, bytes, low[4], width[4];
  };
  for (const Packed& p :
       {Packed{k565, 2, {0, 5, 11}, {5, 6, 5}}, Packed{k1555, 2, {0, 5, 10, 15}, {5, 5, 5, 1}},
        Packed{k5551, 2, {0, 1, 6, 11}, {1, 5, 5, 5}},
        Packed{k4444, 2, {0, 4, 8, 12}, {4, 4, 4, 4}}, Packed{k44, 1, {0, 4}, {4, 4}}}) {
    load(p.format);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        const double most = p.width[i] ? (1u << p.width[i]) - 1 : 1;
        const double want =
            p.width[i] ? bits_of(lane, p.bytes, p.low[i], p.width[i]) / most : i == 3;
        EXPECT_EQ(f32(v(kDst + i, lane)), static_cast<float>(want))
            << p.format << " " << lane << " " << i;
      }
    ASSERT_EQ(go("image_store", kDim2D, 15, kDst), Step::kNext) << p.format;
  }
}

TEST_P(ImageData, UnconvertedLoadsAndStores) {
  place_lanes();
  const auto run = [&](const std::string& name, uint32_t format, uint32_t dmask, unsigned reg) {
    // The select plays no part.
    set_resource({.width = 8, .height = 4, .format = format, .select = 0});
    ASSERT_EQ(go(name, kDim2D, dmask, reg), Step::kNext) << name;
  };
  constexpr uint32_t kFmt8Snorm = 2, kFmt16Unorm = 7;
  run("image_load_pck", kFmt8x4Unorm, 1, kDst);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(v(kDst, lane), peek<uint32_t>(at(lane, 4)));
  run("image_load_pck", kFmt8Snorm, 1, kDst);
  run("image_load_pck_sgn", kFmt8Snorm, 1, kData);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(v(kDst, lane), memory[at(lane, 1)]);
    EXPECT_EQ(v(kData, lane), static_cast<uint32_t>(peek<int8_t>(at(lane, 1))));
  }
  for (unsigned lane = 0; lane < 32; ++lane) v(kAddr + 2, lane) = 0;
  run("image_load_mip_pck_sgn", kFmt16Unorm, 1, kData);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(v(kData, lane), static_cast<uint32_t>(peek<int16_t>(at(lane, 2))));
  run("image_load_mip_pck", kFmt32x4Uint, 15, kDst);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i)
      EXPECT_EQ(v(kDst + i, lane), peek<uint32_t>(at(lane, 16) + 4 * i));
  std::vector<uint8_t> want = memory;
  for (unsigned lane = 0; lane < 32; ++lane) {
    v(kData, lane) = 0x80c0e0f1 + lane;
    std::memcpy(&want[at(lane, 4)], &v(kData, lane), 4);
  }
  run("image_store_pck", kFmt8x4Unorm, 1, kData);
  EXPECT_EQ(memory, want);
  for (unsigned lane = 0; lane < 32; ++lane) std::memcpy(&want[at(lane, 2)], &v(kData, lane), 2);
  run("image_store_mip_pck", kFmt16Unorm, 1, kData);
  EXPECT_EQ(memory, want);
}

struct AtomicCase {
  std::string gfx11, gfx12;
  std::function<uint64_t(uint64_t old, uint64_t data, bool wide)> next;
};
int64_t as_signed(uint64_t a, bool wide) {
  return wide ? static_cast<int64_t>(a) : static_cast<int32_t>(static_cast<uint32_t>(a));
}
const AtomicCase kAtomics[] = {
    {"swap", "swap", [](uint64_t, uint64_t d, bool) { return d; }},
    {"add", "add_uint", [](uint64_t o, uint64_t d, bool) { return o + d; }},
    {"sub", "sub_uint", [](uint64_t o, uint64_t d, bool) { return o - d; }},
    {"smin", "min_int",
     [](uint64_t o, uint64_t d, bool w) { return as_signed(d, w) < as_signed(o, w) ? d : o; }},
    {"umin", "min_uint", [](uint64_t o, uint64_t d, bool) { return std::min(o, d); }},
    {"smax", "max_int",
     [](uint64_t o, uint64_t d, bool w) { return as_signed(d, w) > as_signed(o, w) ? d : o; }},
    {"umax", "max_uint", [](uint64_t o, uint64_t d, bool) { return std::max(o, d); }},
    {"and", "and", [](uint64_t o, uint64_t d, bool) { return o & d; }},
    {"or", "or", [](uint64_t o, uint64_t d, bool) { return o | d; }},
    {"xor", "xor", [](uint64_t o, uint64_t d, bool) { return o ^ d; }},
    {"inc", "inc_uint", [](uint64_t o, uint64_t d, bool) { return o >= d ? 0 : o + 1; }},
    {"dec", "dec_uint", [](uint64_t o, uint64_t d, bool) { return o == 0 || o > d ? d : o - 1; }},
};

TEST_P(ImageData, Atomics) {
  const bool gfx12 = GetParam() == isa::Isa::kGfx12;
  const Field returns = gfx12 ? Field::th : Field::glc;
  place_lanes();
  v(kAddr, 5) = 8;  // outside
  for (const AtomicCase& k : kAtomics)
    for (const bool wide : {false, true})
      for (const bool returned : {false, true}) {
        const unsigned bytes = wide ? 8 : 4;
        set_resource({.width = 8, .height = 4, .format = wide ? kFmt32x2Uint : kFmt32Uint});
        fill_random(memory);
        wave.write64(isa::kExecLo, 0xf0f0ffff);
        std::vector<uint8_t> want = memory;
        uint64_t data[32], old[32] = {};
        for (unsigned lane = 0; lane < 32; ++lane) {
          v(kData, lane) = random();
          v(kData + 1, lane) = random();
          data[lane] = wide ? v64(kData, lane) : v(kData, lane);
          if (!(0xf0f0ffff >> lane & 1) || lane == 5) continue;
          std::memcpy(&old[lane], &memory[at(lane, bytes)], bytes);
          const uint64_t now = k.next(old[lane], data[lane], wide);
          std::memcpy(&want[at(lane, bytes)], &now, bytes);
        }
        const std::string name = "image_atomic_" + (gfx12 ? k.gfx12 : k.gfx11);
        ASSERT_EQ(go(name, kDim2D, wide ? 3 : 1, kData, {{returns, returned}}), Step::kNext)
            << name;
        EXPECT_EQ(memory, want) << name << " wide " << wide;
        for (unsigned lane = 0; lane < 32; ++lane) {
          const uint64_t got = wide ? v64(kData, lane) : v(kData, lane);
          const bool on = returned && 0xf0f0ffff >> lane & 1;
          EXPECT_EQ(got, on ? old[lane] : data[lane]) << name << " lane " << lane;
        }
      }
}

TEST_P(ImageData, CompareAndSwap) {
  const Field returns = GetParam() == isa::Isa::kGfx12 ? Field::th : Field::glc;
  place_lanes();
  for (const unsigned bytes : {4u, 8u}) {
    set_resource({.width = 8, .height = 4, .format = bytes == 8 ? kFmt32x2Uint : kFmt32Uint});
    fill_random(memory);
    const unsigned dwords = bytes / 4;
    std::vector<uint8_t> want = memory;
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < dwords; ++i) {
        const uint32_t old = peek<uint32_t>(at(lane, bytes) + 4 * i);
        v(kData + i, lane) = lane + 1000 * i;
        v(kData + dwords + i, lane) = old ^ (lane % 3 == 0 && i + 1 == dwords ? 1 : 0);
        if (lane % 3) std::memcpy(&want[at(lane, bytes) + 4 * i], &v(kData + i, lane), 4);
      }
    const std::vector<uint8_t> before = memory;
    ASSERT_EQ(go("image_atomic_cmpswap", kDim2D, bytes == 8 ? 15 : 3, kData, {{returns, 1}}),
              Step::kNext);
    EXPECT_EQ(memory, want);
    for (unsigned lane = 0; lane < 32; ++lane)
      EXPECT_EQ(std::memcmp(&before[at(lane, bytes)], &v(kData, lane), 4), 0);
  }
  set_resource({.width = 8, .height = 4});
  EXPECT_EQ(go("image_atomic_cmpswap", kDim2D, 1, kData), Step::kExit);
  expect_refused("dmask");
  EXPECT_EQ(go("image_atomic_swap", kDim2D, 3, kData), Step::kExit);
  expect_refused("another size");
}

class ImageFloatAtomics : public ImageTest {
 protected:
  ImageFloatAtomics() : ImageTest(isa::Isa::kGfx12) {}
};

TEST_F(ImageFloatAtomics, OfGfx12) {
  wave.write64(isa::kExecLo, 3);
  for (unsigned lane : {0u, 1u}) {
    v(kAddr, lane) = 0;  // both lanes at one texel
    v(kAddr + 1, lane) = 0;
  }
  const auto run = [&](const std::string& name, uint32_t start, uint32_t a, uint32_t b) {
    poke(kStart, start);
    v(kData, 0) = a;
    v(kData, 1) = b;
    EXPECT_EQ(go(name, kDim2D, 1, kData, {{Field::th, 1}}), Step::kNext) << name;
    EXPECT_EQ(v(kData, 0), start);
    return peek<uint32_t>(kStart);
  };
  const auto f = [](float x) { return std::bit_cast<uint32_t>(x); };
  set_resource({.format = kFmt32Float});
  EXPECT_EQ(run("image_atomic_add_flt", f(1.5f), f(2), f(-7)), f(-3.5f));
  EXPECT_EQ(run("image_atomic_min_flt", f(1.5f), f(2), f(-7)), f(-7));
  EXPECT_EQ(run("image_atomic_max_flt", f(1.5f), f(2), f(-7)), f(2));
  set_resource({.format = kFmt16x2Float});
  EXPECT_EQ(run("image_atomic_pk_add_f16", 0x3c004000, 0x3c003c00, 0x0000bc00), 0x40004000u);
  EXPECT_EQ(run("image_atomic_pk_add_bf16", 0x3f804000, 0x3f803f80, 0x0000bf80), 0x40004000u);
}

}  // namespace
}  // namespace lockstep::emu::testing
