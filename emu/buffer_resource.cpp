// SPDX-License-Identifier: MIT
// V# decoding, swizzled addressing, range checks. ISA guides, "Memory buffer instructions" and
// "Buffer addressing".
#include "emu/buffer_resource.h"

#include <algorithm>

#include "emu/scalar_operand.h"

namespace lockstep::emu {

BufferResource BufferResource::decode(isa::Generation generation, const uint32_t words[4]) {
  const auto field = [&](unsigned word, unsigned low, unsigned width) {
    return words[word] >> low & ((1u << width) - 1);
  };
  BufferResource r;
  r.base = words[0] | static_cast<uint64_t>(field(1, 0, 16)) << 32;
  r.stride = field(1, 16, 14);
  r.num_records = words[2];
  for (unsigned i = 0; i < 4; ++i) r.select[i] = static_cast<uint8_t>(field(3, 3 * i, 3));
  r.index_stride = 8u << field(3, 21, 2);
  r.add_tid = field(3, 23, 1);
  if (generation == isa::Generation::kGfx9) {
    r.element_size = field(1, 31, 1) ? 4 : 0;
    r.number_format = field(3, 12, 3);
    r.data_format = field(3, 15, 4);
    // With ADD_TID the data format's bits extend the stride.
    if (r.add_tid) r.stride |= r.data_format << 14;
    r.check = r.stride == 0 || r.element_size == 0 ? RangeCheck::kRaw : RangeCheck::kIndex;
    r.checks_soffset = true;
    return r;
  }
  r.format = field(3, 12, 6);
  // Swizzle mode: 1 is by elements of 4 bytes, 3 of 16.
  static constexpr uint8_t kElement[] = {0, 4, 8, 16};
  r.element_size = kElement[field(1, 30, 2)];
  r.check = static_cast<RangeCheck>(field(3, 28, 2));
  return r;
}

std::optional<BufferFormat> BufferResource::typed(isa::Generation generation) const {
  return generation == isa::Generation::kGfx9 ? split_format(data_format, number_format)
                                              : unified_format(format);
}

bool BufferAddress::prepare(Context& c, const Uop& u) {
  WaveState& w = *c.wave;
  const isa::Operand& rsrc = u.ops.src[isa::kMemScalar];
  uint32_t words[4] = {};
  if (rsrc.code != isa::kNull) std::copy_n(&w.scalar[rsrc.code], 4, words);
  resource_ = BufferResource::decode(isa::generation_of(c.isa), words);
  if (!read_scalar(c, u.ops.src[isa::kMemSoffset], soffset_)) return false;
  soffset_ &= 0xffffffff;
  inst_offset_ = u.inst.get(isa::Field::offset);
  const isa::Operand& vaddr = u.ops.src[isa::kMemAddr];
  if (vaddr.kind == isa::OperandKind::kVgpr) {
    const bool idxen = u.inst.get(isa::Field::idxen), offen = u.inst.get(isa::Field::offen);
    if (idxen) index_ = w.vgpr(vaddr.code);
    if (offen) offset_ = w.vgpr(vaddr.code + (idxen ? 1u : 0u));
  }
  return true;
}

BufferPlace BufferAddress::at(unsigned lane, uint32_t bytes) const {
  const BufferResource& r = resource_;
  const uint64_t index = uint64_t{index_ ? index_[lane] : 0} + (r.add_tid ? lane : 0);
  const uint64_t offset = uint64_t{offset_ ? offset_[lane] : 0} + inst_offset_;
  uint64_t place = 0;  // from base, without soffset
  if (r.element_size) {
    const uint64_t index_high = index / r.index_stride, index_low = index % r.index_stride;
    const uint64_t offset_high = offset / r.element_size, offset_low = offset % r.element_size;
    place = (index_high * r.stride + offset_high * r.element_size) * r.index_stride +
            index_low * r.element_size + offset_low;
  } else {
    place = index * r.stride + offset;
  }
  BufferPlace out{r.base + soffset_ + place, 0};
  const auto whole_if = [&](bool in_range) { out.available = in_range ? bytes : 0; };
  const bool inside_element = index < r.num_records && offset + bytes <= r.stride;
  switch (r.check) {
    case RangeCheck::kStructured:
      whole_if(inside_element);
      break;
    case RangeCheck::kIndex:
      whole_if(index < r.num_records);
      break;
    case RangeCheck::kNotEmpty:
      whole_if(r.num_records != 0);
      break;
    case RangeCheck::kRaw:
      if (!r.checks_soffset && r.element_size && r.stride) {
        whole_if(inside_element);
      } else {
        const uint64_t start = place + (r.checks_soffset ? soffset_ : 0);
        if (start < r.num_records)
          out.available = static_cast<uint32_t>(std::min<uint64_t>(bytes, r.num_records - start));
      }
      break;
  }
  if (out.available < bytes) out.available &= ~3u;  // a dword is in range as a whole or not at all
  return out;
}

}  // namespace lockstep::emu
