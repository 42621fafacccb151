// SPDX-License-Identifier: MIT
// Image rows that need no sampler, on the executing machine.
#include <algorithm>
#include <bit>

#include "emu/global_memory.h"
#include "emu/image_resource.h"
#include "emu/mem_element.h"
#include "emu/mem_rows.h"
#include "isa/image_shape.h"
#include "isa/memory_shape.h"

namespace lockstep::emu {
namespace {

using namespace isa::rows;
using namespace isa;

enum class Conversion : uint8_t { kOfFormat, kUnsigned, kSigned };

/// The parts of an address that the instruction brings, in order.
struct AddressParts {
  bool x = true, y = false, z = false, sample = false;
};
AddressParts parts_of(ImageType type, bool is_array) {
  switch (type) {
    case ImageType::k1D:
      return {};
    case ImageType::k1DArray:
      return {true, false, is_array, false};
    case ImageType::k2D:
      return {true, true, false, false};
    case ImageType::k2DArray:
      return {true, true, is_array, false};
    case ImageType::k2DMsaa:
      return {true, true, false, true};
    case ImageType::k2DMsaaArray:
      return {true, true, is_array, true};
    case ImageType::k3D:
    case ImageType::kCube:
      break;
  }
  return {true, true, true, false};
}

/// Image and address registers of one instruction, resolved once for all lanes.
class ImageAccess {
 public:
  explicit ImageAccess(Context& context, const Uop& uop) : c(context), u(uop) {}

  /// False with a fault raised. `has_level`: the last part of the address is a level;
  /// `has_place`: there are coordinates before it.
  bool prepare(bool has_place, bool has_level) {
    uint32_t words[8] = {};
    const Operand& o = u.ops.src[kMemScalar];
    for (unsigned i = 0; i < std::min<unsigned>(o.dwords, std::size(words)); ++i)
      words[i] = c.wave->scalar[o.code + i];
    image_ = LinearImage::open(c, ImageResource::decode(generation_of(c.isa), words));
    return image_ && list_registers(has_place, has_level);
  }
  const LinearImage& image() const { return *image_; }

  TexelPlace place(unsigned lane) const {
    unsigned next = 0;
    const auto take = [&](bool present) { return present ? part(next++, lane) : 0; };
    TexelPlace out;
    out.x = take(parts_.x);
    out.y = take(parts_.y);
    out.z = take(parts_.z);
    out.sample = take(parts_.sample);
    out.level = take(has_level_);
    return out;
  }

 private:
  static constexpr unsigned kMaxParts = 5;

  /// With A16 two parts share a register.
  uint32_t part(unsigned i, unsigned lane) const {
    if (!u.inst.get(Field::a16)) return c.wave->vgpr(registers_[i])[lane];
    return c.wave->vgpr(registers_[i / 2])[lane] >> (i % 2 ? 16 : 0) & 0xffff;
  }

  bool list_registers(bool has_place, bool has_level) {
    constexpr unsigned kFirstType = static_cast<unsigned>(ImageType::k1D);
    const bool gfx9 = generation_of(c.isa) == Generation::kGfx9;
    has_level_ = has_level;
    // gfx9 has no DIM: the resource says, and DA whether a layer is given.
    const unsigned type = gfx9 ? image().resource().type : kFirstType + u.inst.get(Field::dim);
    parts_ = has_place ? parts_of(static_cast<ImageType>(type), !gfx9 || u.inst.get(Field::da))
                       : AddressParts{false};
    unsigned listed = 0;
    const auto list = [&](const Operand& o, unsigned dwords) {
      for (unsigned i = 0; i < dwords && listed < kMaxParts; ++i)
        registers_[listed++] = static_cast<uint16_t>(o.code + i);
    };
    if (gfx9) {
      unsigned count = parts_.x + parts_.y + parts_.z + parts_.sample + has_level;
      if (u.inst.get(Field::a16)) count = (count + 1) / 2;
      if (u.ops.src[kMemAddr].code + count > c.wave->num_vgprs) {
        c.raise(FaultKind::kRegisterOutOfRange, -1, 0, 0,
                "the address registers of the image lie outside what the kernel descriptor grants");
        return false;
      }
      list(u.ops.src[kMemAddr], count);
      return true;
    }
    list(u.ops.src[kMemAddr], u.ops.src[kMemAddr].dwords);
    for (unsigned i = kImageAddr1; i < u.ops.n_src; ++i) list(u.ops.src[i], u.ops.src[i].dwords);
    return true;
  }

  Context& c;
  const Uop& u;
  std::optional<LinearImage> image_;
  AddressParts parts_;
  bool has_level_ = false;
  uint16_t registers_[kMaxParts] = {};
};

bool writes_status(const Uop& u) { return u.inst.get(Field::tfe) || u.inst.get(Field::lwe); }

template <class F>
Step for_lanes(const WaveState& w, F&& f) {
  for (uint64_t left = w.exec(); left; left &= left - 1)
    if (!f(static_cast<unsigned>(std::countr_zero(left)))) return Step::kExit;
  return Step::kNext;
}

class ImageLane {
 public:
  ImageLane(Context& context, const Uop& uop) : c(context), u(uop) {}

  ImageLane& mip() {
    has_level_ = true;
    return *this;
  }
  ImageLane& raw() {
    conversion_ = Conversion::kUnsigned;
    return *this;
  }
  ImageLane& raw_signed() {
    conversion_ = Conversion::kSigned;
    return *this;
  }

  /// Texels outside read as 0 before the destination select.
  Step load() {
    ImageAccess access(c, u);
    if (!access.prepare(true, has_level_)) return Step::kExit;
    const ImageFormat format = format_of(access.image());
    const uint8_t* select = access.image().resource().select;
    LaneMemory memory(c);
    return for_lanes(*c.wave, [&](unsigned lane) {
      uint32_t raw[kMaxElementDwords] = {}, component[4];
      const auto at = access.image().address(access.place(lane));
      if (at && !memory.load({Space::kGlobal, *at}, lane, format.bytes(), raw)) return false;
      format.load(raw, d16(), component);
      put(lane, [&](unsigned i) -> uint32_t {
        if (conversion_ == Conversion::kOfFormat)
          return select_component(format.element.type, select[i], component, d16());
        return format.element.bits[i] ? component[i] : 0;
      });
      return true;
    });
  }

  /// The destination select works backwards: component i of the data goes where a load would take
  /// it from. What DMASK leaves out is stored as 0.
  Step store() {
    ImageAccess access(c, u);
    if (!access.prepare(true, has_level_)) return Step::kExit;
    const ImageFormat format = format_of(access.image());
    if (!format.can_store())
      return c.raise(FaultKind::kUnsupportedInstruction, -1, 0, 0,
                     "images with sRGB or shared-exponent formats can only be read");
    WaveState& w = *c.wave;
    const uint32_t* src = registers(w, u.ops.src[kMemData]);
    const uint8_t* select = access.image().resource().select;
    const unsigned dmask = this->dmask();
    LaneMemory memory(c);
    return for_lanes(w, [&](unsigned lane) {
      const auto at = access.image().address(access.place(lane));
      if (!at) return true;
      uint32_t texel[kMaxElementDwords] = {};
      for (unsigned i = 4; i-- > 0;) {
        constexpr unsigned kFirstSelect = 4;
        const unsigned to = conversion_ != Conversion::kOfFormat ? i
                            : select[i] >= kFirstSelect          ? select[i] - kFirstSelect
                                                                 : 4u;
        if (to > 3 || !format.element.bits[to] || !(dmask >> i & 1)) continue;
        const auto from = static_cast<unsigned>(std::popcount(dmask & ((1u << i) - 1)));
        pack_component(format.element, to, get_component(src, w.wave_size, lane, from, d16()),
                       d16(), texel);
      }
      return memory.store({Space::kGlobal, *at}, lane, format.bytes(), texel);
    });
  }

  /// Width, height, slices or layers, and number of levels. A level that is not there has no size.
  Step describe() {
    ImageAccess access(c, u);
    if (!access.prepare(false, has_level_)) return Step::kExit;
    return for_lanes(*c.wave, [&](unsigned lane) {
      const LinearImage::Size s = access.image().size(access.place(lane).level);
      const uint32_t values[] = {s.width, s.height, s.depth, s.levels};
      put(lane, [&](unsigned i) { return values[i]; });
      return true;
    });
  }

 private:
  bool d16() const { return u.inst.get(Field::d16); }
  /// No component at all means x.
  unsigned dmask() const { return std::max(u.inst.get(Field::dmask), 1u); }
  ImageFormat format_of(const LinearImage& image) const {
    return conversion_ == Conversion::kOfFormat
               ? image.format()
               : image.format().unconverted(conversion_ == Conversion::kSigned);
  }
  /// Writes value(i) of the components in DMASK to consecutive registers; texels are resident.
  template <class F>
  void put(unsigned lane, F&& value) {
    WaveState& w = *c.wave;
    const Operand& o = u.ops.dst[0];
    uint32_t* dst = registers(w, o);
    unsigned n = 0;
    for (unsigned i = 0; i < 4; ++i)
      if (dmask() >> i & 1) put_component(dst, w.wave_size, lane, n++, d16(), value(i));
    if (writes_status(u)) dst[(o.dwords - 1u) * w.wave_size + lane] = 0;
  }

  Context& c;
  const Uop& u;
  bool has_level_ = false;
  Conversion conversion_ = Conversion::kOfFormat;
};

template <class Row, class T>
Step image_update(Context& c, const Uop& u) {
  constexpr unsigned kDwords = sizeof(T) / 4;
  ImageAccess access(c, u);
  if (!access.prepare(true, false)) return Step::kExit;
  if (access.image().format().bytes() != sizeof(T))
    return c.raise(FaultKind::kIllegalInstruction, -1, 0, 0,
                   "the texels of the image have another size than the data of the atomic");
  WaveState& w = *c.wave;
  LaneMemory memory(c);
  AtomicLane m;
  const Operand& operand = u.ops.src[kMemData];
  const uint32_t* src = registers(w, operand);
  const bool has_cmp = operand.dwords == 2 * kDwords;
  return for_lanes(w, [&](unsigned lane) {
    const T data = get_value<T>(src, w.wave_size, lane);
    const T cmp = has_cmp ? get_value<T>(src + kDwords * w.wave_size, w.wave_size, lane) : T{};
    T old{};
    const auto at = access.image().address(access.place(lane));
    if (at && !memory.update<T>({Space::kGlobal, *at}, lane, old, [&](T seen) -> T {
          return Row::template eval<AtomicLane, T>(m, seen, data, cmp);
        }))
      return false;
    if (u.ops.n_dst) {
      const Operand& o = u.ops.dst[0];
      uint32_t* dst = registers(w, o);
      put_value<T>(dst, w.wave_size, lane, old);
      if (writes_status(u)) dst[(o.dwords - 1u) * w.wave_size + lane] = 0;
    }
    return true;
  });
}

template <class Row>
Step image_atomic(Context& c, const Uop& u) {
  const unsigned groups = is_cmpswap(u.inst.info().id) ? 2 : 1;
  const unsigned dwords = u.ops.src[kMemData].dwords;
  if (dwords == groups) return image_update<Row, Value<Row::kNarrow.type>>(c, u);
  if constexpr (Row::kWide.type != Row::kNarrow.type)
    if (dwords == 2 * groups) return image_update<Row, Value<Row::kWide.type>>(c, u);
  return c.raise(FaultKind::kIllegalInstruction, -1, 0, 0,
                 "dmask of an image atomic says how many registers the data has: 0x1 for 32 bits, "
                 "0x3 for 64, and with cmpswap 0x3 and 0xf");
}

template <class Row>
Step image_row(Context& c, const Uop& u) {
  ImageLane m(c, u);
  return Row::eval(m);
}

template <class Row>
void add_row(HandlerTable& table) {
  if constexpr (other_has_semantics<Row, ImageLane>())
    table[static_cast<size_t>(Row::kOp)] = &image_row<Row>;
}
template <class Row>
void add_atomic(HandlerTable& table) {
  table[static_cast<size_t>(Row::kOp)] = &image_atomic<Row>;
}

#define IMAGE(format, id, g9, g11, g12, ...)  \
  struct Image_##id {                         \
    static constexpr Op kOp = Op::id;         \
    template <class M>                        \
    static auto eval([[maybe_unused]] M& m) { \
      return __VA_ARGS__;                     \
    }                                         \
  };
#define IMAGE_ATOMIC(format, id, g9, g11, g12, type, wide, ...)                           \
  struct Image_##id {                                                                     \
    static constexpr Op kOp = Op::id;                                                     \
    static constexpr Opnd kNarrow = type, kWide = wide;                                   \
    template <class M, class T>                                                           \
    static T eval([[maybe_unused]] M& m, [[maybe_unused]] T old, [[maybe_unused]] T data, \
                  [[maybe_unused]] T cmp) {                                               \
      return __VA_ARGS__;                                                                 \
    }                                                                                     \
  };
#include "isa/ops/mimg.def"

}  // namespace

void add_image_handlers(HandlerTable& table) {
#define IMAGE(format, id, ...) add_row<Image_##id>(table);
#define IMAGE_ATOMIC(format, id, ...) add_atomic<Image_##id>(table);
#include "isa/ops/mimg.def"
}

}  // namespace lockstep::emu
