// SPDX-License-Identifier: MIT
// Buffer resources (V#): decoding, address calculation and range checks of MUBUF and MTBUF.
#pragma once
#include <cstdint>
#include <optional>

#include "emu/buffer_format.h"
#include "emu/context.h"

namespace lockstep::emu {

/// How accesses are checked against num_records (OOB_SELECT of gfx10 and later).
enum class RangeCheck : uint8_t {
  kStructured = 0,  ///< index against records, offset against stride
  kIndex = 1,       ///< index against records
  kNotEmpty = 2,    ///< only an empty buffer is out of range
  kRaw = 3,         ///< offset against num_records in bytes; like kStructured if swizzled
};

struct BufferResource {
  uint64_t base = 0;
  uint32_t stride = 0;
  uint32_t num_records = 0;
  uint32_t index_stride = 8;
  uint32_t element_size = 0;  ///< of the swizzle; 0: linear
  bool add_tid = false;
  RangeCheck check = RangeCheck::kRaw;
  bool checks_soffset = false;  ///< gfx9: num_records counts from base, soffset included
  uint8_t select[4] = {};       ///< destination select of format loads: 0, 1, 4..7 = x..w
  unsigned format = 0;          ///< gfx11+: unified number
  unsigned data_format = 0, number_format = 0;  ///< gfx9

  static BufferResource decode(isa::Generation generation, const uint32_t words[4]);
  /// nullopt: the resource names no format.
  std::optional<BufferFormat> typed(isa::Generation generation) const;
};

/// Address of one lane's access.
struct BufferPlace {
  uint64_t address = 0;
  uint32_t available =
      0;  ///< bytes from there that are in range; an access longer than this is cut to whole dwords
};

/// The address part of a buffer instruction, resolved once for all lanes.
class BufferAddress {
 public:
  /// Reads resource and soffset; false with a fault raised in `c`.
  bool prepare(Context& c, const Uop& u);
  const BufferResource& resource() const { return resource_; }
  BufferPlace at(unsigned lane, uint32_t bytes) const;

 private:
  BufferResource resource_;
  const uint32_t* index_ = nullptr;   ///< VGPR, or nullptr
  const uint32_t* offset_ = nullptr;  ///< VGPR, or nullptr
  uint32_t inst_offset_ = 0;
  uint64_t soffset_ = 0;
};

}  // namespace lockstep::emu
