// SPDX-License-Identifier: MIT
// Image resources, encoded a second time for the tests, and instructions that use them.
#pragma once
#include "emu/image_format.h"
#include "tests/emu/wave_fixture.h"

namespace lockstep::emu::testing {

enum Dim : uint32_t { kDim1D, kDim2D, kDim3D, kDimCube, kDim1DArray, kDim2DArray, kDimMsaa };
constexpr uint32_t kType1D = 8, kType2D = 9, kType3D = 10, kTypeCube = 11, kType1DArray = 12,
                   kType2DArray = 13, kTypeMsaa = 14;
constexpr uint32_t kFmt8Uint = 5, kFmt32Uint = 20, kFmt32Float = 22, kFmt16x2Float = 29,
                   kFmt8x4Unorm = 42, kFmt8x4Uint = 46, kFmt32x2Uint = 48, kFmt32x4Uint = 61;
constexpr uint32_t kXyzw = 4 | 5 << 3 | 6 << 6 | 7 << 9;

/// Fields of a resource; the encoder takes 1 off where the hardware wants that.
struct ImageShapeOf {
  uint32_t type = kType2D, width = 16, height = 8;
  uint32_t depth = 0;  ///< the field as it is
  uint32_t format = kFmt32Uint, select = kXyzw;
  uint32_t base_level = 0, last_level = 0, max_level = 0, first_layer = 0;
  uint32_t swizzle_mode = 0, array_pitch = 0;
  uint32_t pitch = 0;                           ///< gfx9
  uint32_t data_format = 4, number_format = 4;  ///< gfx9: 32 uint
  uint64_t base = 0x100000000 + 256;
};

class ImageTest : public WaveTest {
 protected:
  static constexpr unsigned kRsrc = 8, kAddr = 2, kData = 8, kDst = 16;
  static constexpr uint64_t kStart = 256;  ///< of the image in the test's memory

  explicit ImageTest(isa::Isa isa = isa::Isa::kGfx11, uint32_t lanes = 32) : WaveTest(lanes, isa) {
    fill_random(memory);
  }

  void set_resource(const ImageShapeOf& s) {
    uint32_t* w = &wave.scalar[kRsrc];
    std::fill_n(w, 8, 0u);
    const uint32_t width = s.width - 1, height = s.height - 1;
    w[0] = static_cast<uint32_t>(s.base >> 8);
    w[1] = static_cast<uint32_t>(s.base >> 40);
    w[3] = s.select | s.swizzle_mode << 20 | s.type << 28;
    switch (isa::generation_of(isa_)) {
      case isa::Generation::kGfx9:
        w[1] |= s.data_format << 20 | s.number_format << 26;
        w[2] = width | height << 14;
        w[3] |= s.base_level << 12 | s.last_level << 16;
        w[4] = s.depth | (s.pitch ? s.pitch - 1 : width) << 13;
        w[5] = s.first_layer | s.max_level << 28;
        break;
      case isa::Generation::kGfx11:
        w[1] |= s.max_level << 16 | s.format << 20 | (width & 3) << 30;
        w[2] = width >> 2 | height << 14;
        w[3] |= s.base_level << 12 | s.last_level << 16;
        w[4] = s.depth | s.first_layer << 16;
        w[5] = s.array_pitch;
        break;
      case isa::Generation::kGfx12:
        w[1] |= s.max_level << 8 | s.format << 17 | s.base_level << 25 | (width & 3) << 30;
        w[2] = width >> 2 | height << 14;
        w[3] |= s.last_level << 15;
        w[4] = s.depth | s.first_layer << 16;
        w[5] = s.array_pitch;
        break;
    }
  }

  using Fields = std::vector<std::pair<Field, uint32_t>>;
  /// Runs a row with addresses from kAddr on. gfx12 lists them one by one.
  Step go(const std::string& name, uint32_t dim, uint32_t dmask, unsigned reg,
          const Fields& more = {}) {
    const bool gfx12 = isa_ == isa::Isa::kGfx12;
    std::optional<Op> op = isa::find_op(name, isa_);
    EXPECT_TRUE(op) << name;
    if (!op) return Step::kExit;
    isa::Inst inst = *isa::make_inst(isa_, *op, isa::op_info(*op).format);
    Fields fields = {
        {Field::dmask, dmask}, {Field::vdata, reg}, {Field::srsrc, gfx12 ? kRsrc : kRsrc / 4}};
    if (isa_ != isa::Isa::kGfx90a) fields.push_back({Field::dim, dim});
    if (gfx12) {
      constexpr Field kPlaces[] = {Field::vaddr0, Field::vaddr1, Field::vaddr2, Field::vaddr3,
                                   Field::vaddr4};
      for (unsigned i = 0; i < 5; ++i) fields.push_back({kPlaces[i], kAddr + i});
    } else {
      fields.push_back({Field::vaddr, kAddr});
    }
    fields.insert(fields.end(), more.begin(), more.end());
    for (const auto& [field, value] : fields) {
      if (field == Field::nsa) inst.size = 12;
      EXPECT_TRUE(inst.set(field, value)) << name << " field " << int(field);
    }
    Uop u;
    u.inst = inst;
    u.ops = isa::operands_of(inst, wave.wave_size);
    u.size = inst.size;
    u.exec = handlers()[static_cast<size_t>(*op)];
    EXPECT_NE(u.exec, nullptr) << name;
    return u.exec ? u.exec(c, u) : Step::kExit;
  }
  /// Row pitch of an image without one of its own.
  uint64_t row_bytes(uint32_t width, uint32_t texel) const {
    const uint64_t unit = isa_ == isa::Isa::kGfx12 ? 128 : 256;
    uint64_t bytes = uint64_t{width} * texel;
    while (bytes % unit || bytes % texel) ++bytes;
    return bytes;
  }
  void expect_refused(const std::string& part) const {
    EXPECT_EQ(c.exit, ExitReason::kFault);
    EXPECT_NE(std::string(c.fault.detail).find(part), std::string::npos) << c.fault.detail;
  }
};

}  // namespace lockstep::emu::testing
