// SPDX-License-Identifier: MIT
// Image loads and stores without a sampler: dimensions, levels, layers, address forms, bounds.
#include "tests/emu/image_fixture.h"

namespace lockstep::emu::testing {
namespace {

class ImageGfx11 : public ImageTest {};
class ImageGfx12 : public ImageTest {
 protected:
  ImageGfx12() : ImageTest(isa::Isa::kGfx12) {}
};
class ImageGfx90a : public ImageTest {
 protected:
  ImageGfx90a() : ImageTest(isa::Isa::kGfx90a, 64) {}
};

/// The same shapes on both generations that have DIM.
class ImageShapes : public ImageTest, public ::testing::WithParamInterface<isa::Isa> {
 protected:
  ImageShapes() : ImageTest(GetParam()) {}
};
INSTANTIATE_TEST_SUITE_P(Rdna, ImageShapes,
                         ::testing::Values(isa::Isa::kGfx11, isa::Isa::kGfx115, isa::Isa::kGfx12));

TEST_P(ImageShapes, Load2D) {
  set_resource({.width = 10, .height = 6});
  wave.write64(isa::kExecLo, 0x7fffffff & ~8u);
  for (unsigned lane = 0; lane < 32; ++lane) {
    v(kAddr, lane) = lane * 3 % 11;  // 10 is outside
    v(kAddr + 1, lane) = lane % 7;   // and so is 6
    v(kDst, lane) = 77;
  }
  ASSERT_EQ(go("image_load", kDim2D, 1, kDst), Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const uint32_t x = lane * 3 % 11, y = lane % 7;
    const uint32_t want = lane == 3 || lane == 31 ? 77
                          : x >= 10 || y >= 6
                              ? 0
                              : peek<uint32_t>(kStart + y * row_bytes(10, 4) + x * 4);
    EXPECT_EQ(v(kDst, lane), want) << lane;
  }
}

TEST_P(ImageShapes, Store2DDropsWhatIsOutside) {
  set_resource({.width = 10, .height = 6});
  wave.write64(isa::kExecLo, 0x55555555);
  std::vector<uint8_t> want = memory;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const uint32_t x = lane * 3 % 11, y = lane % 7;
    v(kAddr, lane) = x;
    v(kAddr + 1, lane) = y;
    v(kData, lane) = 0x01010101 * lane;
    if (lane % 2 == 0 && x < 10 && y < 6)
      std::memcpy(&want[kStart + y * row_bytes(10, 4) + x * 4], &v(kData, lane), 4);
  }
  v(kAddr, 0) = 0xffffffff;
  std::memcpy(&want[kStart], &memory[kStart], 4);
  ASSERT_EQ(go("image_store", kDim2D, 1, kData), Step::kNext);
  EXPECT_EQ(memory, want);
}

TEST_P(ImageShapes, OneDimensionAndItsLayers) {
  set_resource({.type = kType1D, .width = 24});
  for (unsigned lane = 0; lane < 32; ++lane) v(kAddr, lane) = 31 - lane;
  ASSERT_EQ(go("image_load", kDim1D, 1, kDst), Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(v(kDst, lane), lane < 8 ? 0 : peek<uint32_t>(kStart + (31 - lane) * 4)) << lane;
  // Layers 2 to 5 of 6, whatever the height says.
  set_resource({.type = kType1DArray, .width = 24, .height = 9, .depth = 5, .first_layer = 2});
  for (unsigned lane = 0; lane < 32; ++lane) {
    v(kAddr, lane) = lane % 24;
    v(kAddr + 1, lane) = lane % 6;
  }
  ASSERT_EQ(go("image_load", kDim1DArray, 1, kDst), Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const uint64_t at = kStart + (2 + lane % 6) * row_bytes(24, 4) + lane % 24 * 4;
    EXPECT_EQ(v(kDst, lane), lane % 6 > 3 ? 0 : peek<uint32_t>(at)) << lane;
  }
}

TEST_P(ImageShapes, SlicesLayersAndFaces) {
  struct Case {
    uint32_t type, dim, depth, first_layer, slices;
  };
  for (const Case& k : {Case{kType3D, kDim3D, 2, 0, 3}, Case{kType2DArray, kDim2DArray, 3, 1, 3},
                        Case{kTypeCube, kDimCube, 5, 0, 6}}) {
    set_resource({.type = k.type,
                  .width = 5,
                  .height = 2,
                  .depth = k.depth,
                  .format = kFmt8Uint,
                  .first_layer = k.first_layer});
    for (unsigned lane = 0; lane < 32; ++lane) {
      v(kAddr, lane) = lane % 5;
      v(kAddr + 1, lane) = lane % 2;
      v(kAddr + 2, lane) = lane % 7;
    }
    ASSERT_EQ(go("image_load", k.dim, 1, kDst), Step::kNext);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const uint64_t row = k.first_layer * 2 + lane % 7 * 2 + lane % 2;
      const uint32_t want =
          lane % 7 < k.slices ? memory[kStart + row * row_bytes(5, 1) + lane % 5] : 0;
      EXPECT_EQ(v(kDst, lane), want) << k.type << " lane " << lane;
    }
  }
}

TEST_P(ImageShapes, OneLayerAsAnImage) {
  set_resource({.width = 8, .height = 2, .first_layer = 3});
  wave.write64(isa::kExecLo, 1);
  v(kAddr, 0) = 1;
  v(kAddr + 1, 0) = 1;
  ASSERT_EQ(go("image_load", kDim2D, 1, kDst), Step::kNext);
  EXPECT_EQ(v(kDst, 0), peek<uint32_t>(kStart + 7 * row_bytes(8, 4) + 4));
}

TEST_P(ImageShapes, PitchOfItsOwn) {
  set_resource({.width = 10, .height = 3, .depth = 127});  // 128 texels: 512 bytes
  for (unsigned lane = 0; lane < 30; ++lane) {
    v(kAddr, lane) = lane % 10;
    v(kAddr + 1, lane) = lane / 10;
  }
  wave.write64(isa::kExecLo, 0x3fffffff);
  ASSERT_EQ(go("image_load", kDim2D, 1, kDst), Step::kNext);
  for (unsigned lane = 0; lane < 30; ++lane)
    EXPECT_EQ(v(kDst, lane), peek<uint32_t>(kStart + lane / 10 * 512 + lane % 10 * 4));
}

TEST_P(ImageShapes, LevelsFromTheSmallestOn) {
  // 8x4, 4x2, 2x1, 1x1 in memory; the resource shows 4x2 and 2x1.
  set_resource({.width = 8, .height = 4, .base_level = 1, .last_level = 2, .max_level = 3});
  const uint64_t row = row_bytes(8, 4);  // every level has the smallest pitch
  const uint64_t offset[] = {kStart + row * 4, kStart + row * 2, kStart + row, kStart};
  for (unsigned lane = 0; lane < 32; ++lane) {
    v(kAddr, lane) = lane % 4;
    v(kAddr + 1, lane) = lane / 4 % 2;
    v(kAddr + 2, lane) = lane / 8 % 3;
    v(kDst, lane) = 5;
  }
  ASSERT_EQ(go("image_load_mip", kDim2D, 1, kDst), Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const uint32_t x = lane % 4, y = lane / 4 % 2, level = lane / 8 % 3;
    const bool inside = level == 0 || (level == 1 && x < 2 && y < 1);
    const uint32_t want = inside ? peek<uint32_t>(offset[1 + level] + y * row + x * 4) : 0;
    EXPECT_EQ(v(kDst, lane), want) << lane;
  }
  std::vector<uint8_t> expected = memory;
  wave.write64(isa::kExecLo, 1u << 8 | 1u << 9 | 1u << 10);  // the last one is outside
  for (unsigned lane : {8u, 9u}) {
    v(kData, lane) = lane * 0x1234567;
    std::memcpy(&expected[offset[2] + (lane - 8) * 4], &v(kData, lane), 4);
  }
  ASSERT_EQ(go("image_store_mip", kDim2D, 1, kData), Step::kNext);
  EXPECT_EQ(memory, expected);
  // Without a level the first of the view.
  v(kAddr, 8) = 3;
  ASSERT_EQ(go("image_load", kDim2D, 1, kDst), Step::kNext);
  EXPECT_EQ(v(kDst, 8), peek<uint32_t>(offset[1] + 12));
}

TEST_P(ImageShapes, LevelsOfSlices) {
  // A level has all slices only on a 3D image's first level; slices hold all levels.
  set_resource(
      {.type = kType3D, .width = 2, .height = 2, .depth = 3, .last_level = 1, .max_level = 1});
  const uint64_t row = row_bytes(2, 4);
  for (unsigned lane = 0; lane < 32; ++lane) {
    v(kAddr, lane) = 0;
    v(kAddr + 1, lane) = 0;
    v(kAddr + 2, lane) = lane % 4;
    v(kAddr + 3, lane) = lane / 4 % 2;
  }
  ASSERT_EQ(go("image_load_mip", kDim3D, 1, kDst), Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const uint32_t z = lane % 4, level = lane / 4 % 2;
    const uint64_t at = kStart + z * row * 3 + (level ? 0 : row);
    EXPECT_EQ(v(kDst, lane), level && z > 1 ? 0 : peek<uint32_t>(at)) << lane;
  }
}

TEST_P(ImageShapes, ShortAddresses) {
  set_resource(
      {.type = kType2DArray, .width = 8, .height = 4, .depth = 1, .last_level = 1, .max_level = 1});
  for (unsigned lane = 0; lane < 32; ++lane) {
    v(kAddr, lane) = lane % 4 | (lane / 4 % 2) << 16;
    v(kAddr + 1, lane) = lane / 8 % 2 | (lane / 16) << 16;  // layer, level
  }
  ASSERT_EQ(go("image_load_mip", kDim2DArray, 1, kDst, {{Field::a16, 1}}), Step::kNext);
  const uint64_t row = row_bytes(8, 4);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const uint64_t at = kStart + lane / 8 % 2 * row * 6 + (lane / 16 ? 0 : row * 2) +
                        lane / 4 % 2 * row + lane % 4 * 4;
    EXPECT_EQ(v(kDst, lane), peek<uint32_t>(at)) << lane;
  }
}

TEST_P(ImageShapes, SizesOfLevels) {
  set_resource({.type = kType2DArray,
                .width = 21,
                .height = 9,
                .depth = 6,
                .base_level = 1,
                .last_level = 3,
                .max_level = 4,
                .first_layer = 2});
  for (unsigned lane = 0; lane < 32; ++lane) v(kAddr, lane) = lane % 4;
  ASSERT_EQ(go("image_get_resinfo", kDim2DArray, 15, kDst), Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const uint32_t level = lane % 4, there = level < 3;
    EXPECT_EQ(v(kDst, lane), there * (21u >> (1 + level)));
    EXPECT_EQ(v(kDst + 1, lane), there * (9u >> (1 + level)));
    EXPECT_EQ(v(kDst + 2, lane), there * 5);
    EXPECT_EQ(v(kDst + 3, lane), 3u);
  }
  set_resource(
      {.type = kType3D, .width = 9, .height = 1, .depth = 7, .last_level = 2, .max_level = 2});
  ASSERT_EQ(go("image_get_resinfo", kDim3D, 6, kDst), Step::kNext);
  EXPECT_EQ(v(kDst, 2), 1u);
  EXPECT_EQ(v(kDst + 1, 2), 2u);
}

TEST_P(ImageShapes, ResidencyFollowsTheData) {
  set_resource({.width = 10, .height = 6, .format = kFmt32x2Uint});
  wave.write64(isa::kExecLo, 6);
  for (unsigned lane = 0; lane < 4; ++lane) {
    v(kAddr, lane) = lane;
    v(kAddr + 1, lane) = 0;
    for (unsigned i = 0; i < 4; ++i) v(kDst + i, lane) = 9;
  }
  ASSERT_EQ(go("image_load", kDim2D, 3, kDst, {{Field::tfe, 1}}), Step::kNext);
  for (unsigned lane = 0; lane < 4; ++lane) {
    const bool on = lane == 1 || lane == 2;
    EXPECT_EQ(v(kDst, lane), on ? peek<uint32_t>(kStart + lane * 8) : 9);
    EXPECT_EQ(v(kDst + 1, lane), on ? peek<uint32_t>(kStart + lane * 8 + 4) : 9);
    EXPECT_EQ(v(kDst + 2, lane), on ? 0 : 9u);
    EXPECT_EQ(v(kDst + 3, lane), 9u);
  }
}

TEST_P(ImageShapes, RefusalsNameTheReason) {
  const auto refused = [&](const ImageShapeOf& shape, const std::string& part) {
    set_resource(shape);
    EXPECT_EQ(go("image_load", kDim2D, 1, kDst), Step::kExit);
    expect_refused(part);
  };
  refused({.swizzle_mode = 3}, isa_ == isa::Isa::kGfx12 ? "64KB_2D" : "256B_R");
  refused({.swizzle_mode = 27}, "SW_MODE 27");
  refused({.type = 0}, "TYPE is 0");
  refused({.type = kTypeMsaa}, "multisampled");
  refused({.format = 0}, "image format 0");
  refused({.format = 109}, "image format 109");
  refused({.type = kType3D, .array_pitch = 1}, "3D image");
  refused({.base_level = 2, .last_level = 1, .max_level = 3}, "levels 2 to 1");
  refused({.last_level = 3, .max_level = 2}, "0 to 2");
  refused({.depth = 63, .last_level = 1, .max_level = 1}, "pitch");
}

TEST_F(ImageGfx11, ListedAddressesAndShortResource) {
  set_resource({.width = 10, .height = 6});
  std::fill_n(&wave.scalar[kRsrc + 4], 4, 0xffffffffu);  // not read with R128
  for (unsigned lane = 0; lane < 32; ++lane) {
    v(kAddr, lane) = lane % 10;
    v(7, lane) = lane % 6;
  }
  ASSERT_EQ(
      go("image_load", kDim2D, 1, kDst, {{Field::nsa, 1}, {Field::vaddr1, 7}, {Field::r128, 1}}),
      Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(v(kDst, lane), peek<uint32_t>(kStart + lane % 6 * 256 + lane % 10 * 4)) << lane;
}

TEST_F(ImageGfx11, LodWarningHasARegisterToo) {
  set_resource({});
  wave.write64(isa::kExecLo, 1);
  v(kAddr, 0) = v(kAddr + 1, 0) = 0;
  v(kDst + 1, 0) = 9;
  ASSERT_EQ(go("image_load", kDim2D, 1, kDst, {{Field::lwe, 1}}), Step::kNext);
  EXPECT_EQ(v(kDst, 0), peek<uint32_t>(kStart));
  EXPECT_EQ(v(kDst + 1, 0), 0u);
}

TEST_F(ImageGfx11, ReadsOfMissingMemoryFault) {
  set_resource({.base = 0x200000000});
  wave.write64(isa::kExecLo, 4);
  v(kAddr, 2) = 3;
  v(kAddr + 1, 2) = 1;
  ASSERT_EQ(go("image_load", kDim2D, 1, kDst), Step::kExit);
  expect_fault(FaultKind::kMemoryRead, 2, 0x200000000 + 256 + 12, 4);
}

TEST_F(ImageGfx12, HasLargerImages) {
  set_resource({.type = kType1D, .width = 65536});
  v(kAddr, 0) = 0;
  ASSERT_EQ(go("image_get_resinfo", kDim1D, 1, kDst), Step::kNext);
  EXPECT_EQ(v(kDst, 0), 65536u);
}

TEST_F(ImageGfx90a, TypeOfTheResourceSaysWhatTheAddressIs) {
  set_resource(
      {.type = kType2DArray, .width = 10, .height = 3, .depth = 4, .first_layer = 1, .pitch = 64});
  wave.write64(isa::kExecLo, ~uint64_t{0});
  for (unsigned lane = 0; lane < 64; ++lane) {
    v(kAddr, lane) = lane % 11;
    v(kAddr + 1, lane) = lane % 3;
    v(kAddr + 2, lane) = lane % 5;
  }
  ASSERT_EQ(go("image_load", 0, 1, kDst, {{Field::da, 1}}), Step::kNext);
  ASSERT_EQ(go("image_load", 0, 1, kData), Step::kNext);
  for (unsigned lane = 0; lane < 64; ++lane) {
    const auto at = [&](unsigned layer) {
      return lane % 11 == 10 || layer > 4
                 ? 0
                 : peek<uint32_t>(kStart + (layer * 3 + lane % 3) * 256 + lane % 11 * 4);
    };
    EXPECT_EQ(v(kDst, lane), at(1 + lane % 5)) << lane;
    EXPECT_EQ(v(kData, lane), at(1)) << lane;
  }
}

TEST_F(ImageGfx90a, RefusalsAndRegisters) {
  set_resource({.last_level = 1, .max_level = 1});
  EXPECT_EQ(go("image_load", 0, 1, kDst), Step::kExit);
  expect_refused("several levels");
  set_resource({.number_format = 6});
  EXPECT_EQ(go("image_load", 0, 1, kDst), Step::kExit);
  expect_refused("image format 4 with number format 6");
  set_resource({});
  EXPECT_EQ(go("image_load", 0, 1, kDst, {{Field::vaddr, 31}}), Step::kExit);
  EXPECT_EQ(c.fault.kind, FaultKind::kRegisterOutOfRange);
}

}  // namespace
}  // namespace lockstep::emu::testing
