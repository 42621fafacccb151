// SPDX-License-Identifier: MIT
// Lists of special values by type.
#include "diff/values.h"

#include "diff/state.h"

namespace lockstep::diff {
namespace {

constexpr uint32_t kFloats[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000,
    0x3f800000, 0xbf800000, 0x3f000000, 0x40490fdb, 0x7f7fffff, 0xff7fffff, 0x7f800000,
    0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xffa00000, 0x4f000000, 0xcf000000,
    0x4f800000, 0x4b000001, 0x33800000, 0x3f7fffff, 0x3f800001, 0x42c80000, 0xc2fc0000};
constexpr uint64_t kDoubles[] = {0x0000000000000000, 0x8000000000000000, 0x0000000000000001,
                                 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000,
                                 0xbff0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000,
                                 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001,
                                 0x41e0000000000000, 0xc1e0000000000000, 0x43e0000000000000,
                                 0x3fe0000000000000, 0x400921fb54442d18, 0x3fefffffffffffff};
constexpr uint16_t kHalves[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00,
                                0x3800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfd00,
                                0x3bff, 0x3c01, 0x4248, 0x6400, 0x7f80, 0x3f80, 0xff81};
constexpr uint32_t kIntegers[] = {0,          1,          2,          0x1f,       0x20,
                                  0x3f,       0x40,       0x7f,       0x80,       0xff,
                                  0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffff,
                                  0x800000,   0xffffff,   0x7fffffff, 0x80000000, 0x80000001,
                                  0xfffffffe, 0xffffffff, 0x55555555, 0xaaaaaaaa, 0x01010101};

/// A float near 1: operations neither overflow nor lose everything.
uint32_t plain_float(Random& random) {
  return 0x3f800000 + random.below(0x2000000) - 0x1000000 + (random.below(2) << 31);
}

uint32_t any_float(Random& random) {
  switch (random.below(4)) {
    case 0:
      return random.pick(kFloats);
    case 1:
      return static_cast<uint32_t>(random.next());
    default:
      return plain_float(random);
  }
}
uint32_t any_halves(Random& random) {
  const auto half = [&]() -> uint32_t {
    switch (random.below(3)) {
      case 0:
        return random.pick(kHalves);
      case 1:
        return random.below(0x10000);
      default:
        return (0x3c00 + random.below(0x1000) - 0x800) | random.below(2) << 15;
    }
  };
  const uint32_t low = half();
  return low | half() << 16;
}
uint32_t any_integer(Random& random) {
  switch (random.below(4)) {
    case 0:
      return random.pick(kIntegers);
    case 1:
      return random.below(80);
    default:
      return static_cast<uint32_t>(random.next());
  }
}
uint64_t any_double(Random& random) {
  switch (random.below(4)) {
    case 0:
      return random.pick(kDoubles);
    case 1:
      return random.next();
    default:
      return (0x3ff0000000000000 + (random.next() >> 9) - (uint64_t{1} << 54)) ^
             (random.next() << 63);
  }
}

}  // namespace

uint32_t interesting_dword(Random& random, isa::Type type, unsigned dword, uint64_t& wide) {
  using isa::Type;
  switch (type) {
    case Type::F64:
    case Type::U64:
    case Type::I64:
    case Type::B64:
      if (dword % 2 == 1) return static_cast<uint32_t>(wide >> 32);
      wide = type == Type::F64 || random.one_in(8)
                 ? any_double(random)
                 : any_integer(random) | uint64_t{any_integer(random)} << 32;
      return static_cast<uint32_t>(wide);
    case Type::F32:
    case Type::PK_F32:
      return any_float(random);
    case Type::F16:
    case Type::BF16:
    case Type::PK_F16:
    case Type::PK_BF16:
      return any_halves(random);
    case Type::MIX:
      return random.one_in(2) ? any_float(random) : any_halves(random);
    default:
      return random.one_in(4) ? any_float(random) : any_integer(random);
  }
}

uint64_t interesting_mask(Random& random, uint32_t wave_size) {
  const uint64_t all = wave_size == 64 ? ~uint64_t{0} : 0xffffffffu;
  switch (random.below(8)) {
    case 0:
      return 0;
    case 1:
      return uint64_t{1} << random.below(wave_size);
    case 2:
      return all >> (wave_size / 2);
    case 3:
      return all & 0xaaaaaaaaaaaaaaaau;
    case 4:
      return random.next() & all;
    default:
      return all;
  }
}

uint32_t interesting_mode(Random& random, isa::Generation generation) {
  constexpr uint32_t kClampAndIeee = 3u << 8;
  uint32_t mode = 0xf0 | kClampAndIeee;
  switch (random.below(6)) {
    case 0:
      mode = 0;
      break;
    case 1:
      mode = 0xc0 | 1u << 9;
      break;
    case 2:
      mode = static_cast<uint32_t>(random.next()) & 0x3ff;
      break;
    case 3:
      mode |= 1u << 23;
      break;
    default:
      break;
  }
  return mode & mode_mask(generation);
}

}  // namespace lockstep::diff
