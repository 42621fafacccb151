// SPDX-License-Identifier: MIT
// Arrays: element conversions, shapes, printing, .npy files good and damaged.
#include "cli/array.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "cli/files.h"

namespace lockstep::cli {
namespace {

template <class T>
Array array_of(DType type, Shape shape, std::vector<T> values) {
  Array a{type, std::move(shape), std::vector<uint8_t>(values.size() * sizeof(T))};
  std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
  return a;
}

std::string text_of(const Array& a, uint64_t threshold = 1000) {
  return array_text(a.type, a.shape, a.bytes, threshold);
}

TEST(DType, NumbersOutOfRangeAreRefused) {
  EXPECT_EQ(parse_element(DType::kI8, "-128"), 0x80u);
  EXPECT_EQ(parse_element(DType::kI8, "-129"), std::nullopt);
  EXPECT_EQ(parse_element(DType::kI8, "128"), std::nullopt);
  EXPECT_EQ(parse_element(DType::kI8, "0xff"), 0xffu);
  EXPECT_EQ(parse_element(DType::kU8, "-1"), std::nullopt);
  EXPECT_EQ(parse_element(DType::kU64, "18446744073709551615"), ~0ull);
  EXPECT_EQ(parse_element(DType::kI64, "-9223372036854775808"), 1ull << 63);
  EXPECT_EQ(parse_element(DType::kI32, "5x"), std::nullopt);
  EXPECT_EQ(parse_element(DType::kI32, ""), std::nullopt);
  EXPECT_EQ(parse_element(DType::kF32, "1.5x"), std::nullopt);
  EXPECT_EQ(parse_element(DType::kF32, " 1"), std::nullopt);
  EXPECT_EQ(parse_element(DType::kF32, "1.5"), 0x3fc00000u);
}

TEST(DType, Bfloat16RoundsOnceToNearestEven) {
  EXPECT_EQ(element_from_double(DType::kBF16, 1.0), 0x3f80u);
  EXPECT_EQ(element_from_double(DType::kBF16, 1.00390625), 0x3f80u);  // a tie: to even
  EXPECT_EQ(element_from_double(DType::kBF16, 1.01171875), 0x3f82u);  // the next tie: up
  // Just above a tie, by less than a float can hold: rounding through float alone gives 0x3f80.
  EXPECT_EQ(element_from_double(DType::kBF16, 1.00390625 + 0x1p-40), 0x3f81u);
  EXPECT_EQ(element_from_double(DType::kBF16, 1.01171875 - 0x1p-40), 0x3f81u);
  EXPECT_EQ(element_from_double(DType::kBF16, INFINITY), 0x7f80u);
  EXPECT_EQ(element_from_double(DType::kBF16, -1e300), 0xff80u);
}

TEST(DType, TextIsTheShortestThatReadsBack) {
  for (const auto& [type, bits, text] : {std::tuple{DType::kF32, uint64_t{0x3dcccccd}, "0.1"},
                                         {DType::kF16, uint64_t{0x2e66}, "0.1"},
                                         {DType::kBF16, uint64_t{0x3dcd}, "0.1"},
                                         {DType::kF64, uint64_t{0x3fb999999999999a}, "0.1"},
                                         {DType::kI16, uint64_t{0xffff}, "-1"},
                                         {DType::kU16, uint64_t{0xffff}, "65535"}}) {
    EXPECT_EQ(element_text(type, bits), text);
    EXPECT_EQ(parse_element(type, text), bits);
  }
}

TEST(Shape, MistakesAreNamed) {
  EXPECT_EQ(*parse_shape("16x4", DType::kF32), (Shape{16, 4}));
  for (const char* bad : {"", "x", "16x", "16X4", "-1", "4x0", "99999999999x99999999999"}) {
    const auto shape = parse_shape(bad, DType::kF32);
    ASSERT_FALSE(shape) << bad;
    EXPECT_NE(shape.error().find(bad), std::string::npos) << shape.error();
  }
}

TEST(ArrayText, LinesUpLikeNumPy) {
  EXPECT_EQ(text_of(array_of<float>(DType::kF32, {4}, {1, 0.5f, -2.25f, 10})),
            "[ 1.    0.5  -2.25 10.  ]");
  EXPECT_EQ(text_of(array_of<int32_t>(DType::kI32, {2, 3}, {1, 20, -3, 4, 5, 6})),
            "[[ 1 20 -3]\n [ 4  5  6]]");
  EXPECT_EQ(text_of(array_of<float>(DType::kF32, {2}, {1e10f, 1})), "[1.e+10 1.e+00]");
  EXPECT_EQ(text_of(array_of<float>(DType::kF32, {3}, {1.5f, INFINITY, NAN})), "[1.5 inf nan]");
}

TEST(ArrayText, LongArraysAreShortened) {
  EXPECT_EQ(text_of(make_iota(DType::kI32, {2000})), "[   0    1    2 ... 1997 1998 1999]");
  EXPECT_EQ(text_of(make_iota(DType::kI32, {8, 2}), 10),
            "[[ 0  1]\n [ 2  3]\n [ 4  5]\n ...\n [10 11]\n [12 13]\n [14 15]]");
  EXPECT_EQ(text_of(make_iota(DType::kI32, {7}), 6), "[0 1 2 ... 4 5 6]");
}

TEST(Random, DependsOnSeedAndStaysInRange) {
  const Array a = make_random(DType::kF32, {1000}, 1);
  EXPECT_EQ(a.bytes, make_random(DType::kF32, {10, 100}, 1).bytes);
  EXPECT_NE(a.bytes, make_random(DType::kF32, {1000}, 2).bytes);
  float sum = 0;
  for (size_t i = 0; i < 1000; ++i) {
    float value;
    std::memcpy(&value, &a.bytes[i * 4], 4);
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 1000, 0.5, 0.05);
}

class Npy : public testing::Test {
 protected:
  std::string path_ = testing::TempDir() + "lockstep_npy_" + std::to_string(getpid()) + ".npy";
  ~Npy() override { std::filesystem::remove(path_); }

  std::vector<uint8_t> written(const Array& a) {
    EXPECT_TRUE(write_npy(path_, a.type, a.shape, a.bytes));
    return *read_file(path_);
  }
};

TEST_F(Npy, RoundTripOfEveryType) {
  for (const DTypeInfo& t : all_dtypes()) {
    const Array a = make_random(t.type, {3, 5}, 7);
    const auto file = written(a);
    EXPECT_EQ(file.size() % 64, (15 * t.size) % 64) << "data must start at a multiple of 64";
    const auto back = parse_npy(file, t.type);
    ASSERT_TRUE(back) << back.error();
    EXPECT_EQ(back->shape, a.shape);
    EXPECT_EQ(back->bytes, a.bytes);
  }
}

TEST_F(Npy, OneDimensionIsATuple) {
  const auto file = written(make_zeros(DType::kF32, {4}));
  const std::string text(file.begin(), file.end());
  EXPECT_NE(text.find("'shape': (4,)"), std::string::npos);
}

TEST_F(Npy, WrongTypeIsNamed) {
  const auto back = parse_npy(written(make_zeros(DType::kI32, {4})), DType::kF32);
  ASSERT_FALSE(back);
  EXPECT_NE(back.error().find("'<i4'"), std::string::npos) << back.error();
  EXPECT_NE(back.error().find("f32"), std::string::npos) << back.error();
}

TEST_F(Npy, EveryTruncationIsAnError) {
  const auto file = written(make_iota(DType::kF32, {2, 3}));
  for (size_t n = 0; n < file.size(); ++n) {
    EXPECT_FALSE(parse_npy(std::span(file).first(n), DType::kF32)) << n;
  }
}

TEST_F(Npy, EveryDamagedHeaderByteIsHarmless) {
  const auto file = written(make_iota(DType::kF32, {2, 3}));
  for (size_t at = 0; at < 128; ++at) {
    for (const int value : {0, 0x27, 0x28, 0x29, 0x39, 0x7d, 0xff}) {
      auto damaged = file;
      damaged[at] = static_cast<uint8_t>(value);
      if (const auto a = parse_npy(damaged, DType::kF32)) {
        EXPECT_EQ(a->bytes.size(), 24u) << at;
      }
    }
  }
}

TEST(NpyOrders, FortranAndBigEndianAreConverted) {
  const auto file = [](const std::string& descr, const std::string& order, std::string data) {
    std::string header =
        "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': (2, 3), }";
    header.resize(117, ' ');
    header += '\n';
    const std::string text = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + data;
    return std::vector<uint8_t>(text.begin(), text.end());
  };
  const auto f =
      parse_npy(file("|u1", "True", std::string("\x01\x04\x02\x05\x03\x06", 6)), DType::kU8);
  ASSERT_TRUE(f) << f.error();
  EXPECT_EQ(f->bytes, (std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
  const auto b =
      parse_npy(file(">u2", "False", std::string("\0\1\0\2\0\3\0\4\0\5\0\6", 12)), DType::kU16);
  ASSERT_TRUE(b) << b.error();
  EXPECT_EQ(b->bytes, (std::vector<uint8_t>{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0}));
}

}  // namespace
}  // namespace lockstep::cli
