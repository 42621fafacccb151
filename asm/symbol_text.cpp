// SPDX-License-Identifier: MIT
// Immediates as symbolic text: what stands in the operand position of s_waitcnt, s_sendmsg,
// s_getreg and the like.
#include <fmt/format.h>

#include <bit>

#include "asm/symbols.h"

namespace lockstep::asm_ {
namespace {

using isa::Isa;

bool is_gfx9(Isa isa) { return isa::generation_of(isa) == isa::Generation::kGfx9; }

constexpr unsigned kMsgGs = 2, kMsgGsDone = 3, kMsgSystem = 15;

std::string counter(const CounterField& field, unsigned value) {
  return fmt::format("{}({})", field.name, field.get(value));
}

std::string join(std::string_view a, std::string_view separator, std::string_view b) {
  if (a.empty()) return std::string(b);
  return fmt::format("{}{}{}", a, separator, b);
}

/// Operation and stream of a gfx9 message; empty if they are not valid for it.
std::string gfx9_message(std::string_view name, unsigned id, unsigned op, unsigned stream) {
  if (id == kMsgGs || id == kMsgGsDone) {
    const std::string_view op_name = find_symbol(gs_operation_symbols(), op);
    if (op_name.empty()) return {};
    if (op == 0)
      return id == kMsgGs || stream != 0 ? std::string()
                                         : fmt::format("sendmsg({}, {})", name, op_name);
    return fmt::format("sendmsg({}, {}, {})", name, op_name, stream);
  }
  if (stream != 0) return {};
  if (id == kMsgSystem) {
    const std::string_view op_name = find_symbol(system_operation_symbols(), op);
    return op_name.empty() ? std::string() : fmt::format("sendmsg({}, {})", name, op_name);
  }
  return op == 0 ? fmt::format("sendmsg({})", name) : std::string();
}

}  // namespace

std::string hwreg_text(Isa isa, unsigned immediate) {
  const unsigned id = immediate & 63, offset = immediate >> 6 & 31,
                 width = (immediate >> 11 & 31) + 1;
  std::string_view name = find_symbol(hwreg_symbols(isa), id);
  std::string text = name.empty() ? fmt::format("hwreg({}", id) : fmt::format("hwreg({}", name);
  if (offset != 0 || width != 32) text += fmt::format(", {}, {}", offset, width);
  return text + ")";
}

std::string sendmsg_text(Isa isa, unsigned immediate) {
  const bool gfx9 = is_gfx9(isa);
  const unsigned id = immediate & (gfx9 ? 15 : 255);
  const unsigned op = gfx9 ? immediate >> 4 & 7 : 0, stream = gfx9 ? immediate >> 8 & 3 : 0;
  const std::string_view name = find_symbol(message_symbols(isa), id);
  if (!name.empty()) {
    const std::string text =
        gfx9 ? gfx9_message(name, id, op, stream) : fmt::format("sendmsg({})", name);
    if (!text.empty()) return text;
  }
  if ((id | op << 4 | stream << 8) == immediate)
    return fmt::format("sendmsg({}, {}, {})", id, op, stream);
  return fmt::format("{}", immediate);
}

std::string waitcnt_text(Isa isa, unsigned immediate) {
  std::string text, all;
  for (const CounterField& field : waitcnt_fields(isa)) {
    const std::string one = counter(field, immediate);
    all = join(all, " ", one);
    if (field.get(immediate) != field.mask()) text = join(text, " ", one);
  }
  return text.empty() ? all : text;
}

std::string depctr_text(Isa isa, unsigned immediate) {
  unsigned used = 0;
  std::string text, all;
  for (const CounterField& field : depctr_fields(isa)) {
    used |= field.place(field.mask());
    const std::string one = counter(field, immediate);
    all = join(all, " ", one);
    if (field.get(immediate) != field.mask()) text = join(text, " ", one);
  }
  if (immediate & ~used) return fmt::format("0x{:x}", immediate);
  return text.empty() ? all : text;
}

std::string delay_text(unsigned immediate) {
  const unsigned id0 = immediate & 15, skip = immediate >> 4 & 7, id1 = immediate >> 7 & 15;
  const auto name = [](std::span<const std::string_view> names, unsigned value,
                       std::string_view kind) {
    return value < names.size() ? std::string(names[value])
                                : fmt::format("/* invalid {} value */", kind);
  };
  std::string text;
  if (id0) text = fmt::format("instid0({})", name(kDelayInstIds, id0, "instid"));
  if (skip)
    text = join(text, " | ", fmt::format("instskip({})", name(kDelaySkips, skip, "instskip")));
  if (id1) text = join(text, " | ", fmt::format("instid1({})", name(kDelayInstIds, id1, "instid")));
  return text.empty() ? "0" : text;
}

std::string version_text(unsigned immediate) {
  constexpr unsigned kCodeMask = 0xff, kMdp = 0x8000, kWave32 = 0x4000, kWave64 = 0x2000;
  if (immediate & ~(kCodeMask | kMdp | kWave32 | kWave64)) return fmt::format("0x{:x}", immediate);
  const std::string_view name = find_symbol(version_symbols(), immediate & kCodeMask);
  std::string text = name.empty() ? fmt::format("{}", immediate & kCodeMask) : std::string(name);
  bool compound = false;
  const auto add = [&](std::string_view flag) {
    text = compound ? fmt::format("({})|{}", text, flag) : fmt::format("{}|{}", text, flag);
    compound = true;
  };
  if (immediate & kWave64) add("UC_VERSION_W64_BIT");
  if (immediate & kWave32) add("UC_VERSION_W32_BIT");
  if (immediate & kMdp) add("UC_VERSION_MDP_BIT");
  return text;
}

std::string swizzle_text(Isa isa, unsigned offset) {
  constexpr unsigned kQuadPerm = 0x8000, kRotate = 0xc000, kFft = 0xe000;
  if (offset >= kFft && isa == Isa::kGfx950) return fmt::format("swizzle(FFT,{})", offset & 31);
  if (offset >= kRotate && isa == Isa::kGfx950)
    return fmt::format("swizzle(ROTATE,{},{})", offset >> 10 & 1, offset >> 5 & 31);
  if ((offset & 0xff00) == kQuadPerm)
    return fmt::format("swizzle(QUAD_PERM,{},{},{},{})", offset & 3, offset >> 2 & 3,
                       offset >> 4 & 3, offset >> 6 & 3);
  if (offset & 0x8000) return fmt::format("{}", offset);
  const unsigned and_mask = offset & 31, or_mask = offset >> 5 & 31, xor_mask = offset >> 10 & 31;
  if (and_mask == 31 && or_mask == 0 && std::has_single_bit(xor_mask))
    return fmt::format("swizzle(SWAP,{})", xor_mask);
  if (and_mask == 31 && or_mask == 0 && xor_mask && std::has_single_bit(xor_mask + 1))
    return fmt::format("swizzle(REVERSE,{})", xor_mask + 1);
  const unsigned group = 32 - and_mask;
  if (group > 1 && std::has_single_bit(group) && or_mask < group && xor_mask == 0)
    return fmt::format("swizzle(BROADCAST,{},{})", group, or_mask);
  std::string pattern;
  for (unsigned bit = 16; bit; bit >>= 1) {
    const bool of_zero = (or_mask ^ xor_mask) & bit,
               of_one = ((and_mask | or_mask) ^ xor_mask) & bit;
    pattern += of_zero == of_one ? (of_zero ? '1' : '0') : (of_zero ? 'i' : 'p');
  }
  return fmt::format("swizzle(BITMASK_PERM,\"{}\")", pattern);
}

std::string dpp_ctrl_text(Isa isa, unsigned ctrl) {
  const bool gfx9 = is_gfx9(isa);
  const unsigned low = ctrl & 15;
  if (ctrl < 0x100)
    return fmt::format("quad_perm:[{},{},{},{}]", ctrl & 3, ctrl >> 2 & 3, ctrl >> 4 & 3,
                       ctrl >> 6 & 3);
  if (ctrl > 0x100 && ctrl < 0x110) return fmt::format("row_shl:{}", low);
  if (ctrl > 0x110 && ctrl < 0x120) return fmt::format("row_shr:{}", low);
  if (ctrl > 0x120 && ctrl < 0x130) return fmt::format("row_ror:{}", low);
  if (ctrl == 0x140) return "row_mirror";
  if (ctrl == 0x141) return "row_half_mirror";
  if (gfx9) {
    switch (ctrl) {
      case 0x130:
        return "wave_shl:1";
      case 0x134:
        return "wave_rol:1";
      case 0x138:
        return "wave_shr:1";
      case 0x13c:
        return "wave_ror:1";
      case 0x142:
        return "row_bcast:15";
      case 0x143:
        return "row_bcast:31";
      default:
        break;
    }
    if (ctrl >= 0x150 && ctrl < 0x160) return fmt::format("row_newbcast:{}", low);
    if (ctrl >= 0x160 && ctrl < 0x170)
      return "/* row_xmask is not supported on ASICs earlier than GFX10 */";
  } else {
    if (ctrl >= 0x150 && ctrl < 0x160) return fmt::format("row_share:{}", low);
    if (ctrl >= 0x160 && ctrl < 0x170) return fmt::format("row_xmask:{}", low);
    if (ctrl == 0x130) return "/* wave_shl is not supported starting from GFX10 */";
    if (ctrl == 0x134) return "/* wave_rol is not supported starting from GFX10 */";
    if (ctrl == 0x138) return "/* wave_shr is not supported starting from GFX10 */";
    if (ctrl == 0x13c) return "/* wave_ror is not supported starting from GFX10 */";
    if (ctrl == 0x142 || ctrl == 0x143)
      return "/* row_bcast is not supported starting from GFX10 */";
  }
  return "/* Invalid dpp_ctrl value */";
}

std::string export_target_text(unsigned target) {
  if (target < 8) return fmt::format("mrt{}", target);
  if (target == 8) return "mrtz";
  if (target >= 12 && target <= 16) return fmt::format("pos{}", target - 12);
  if (target == 20) return "prim";
  if (target == 21 || target == 22) return fmt::format("dual_src_blend{}", target - 21);
  return fmt::format("invalid_target_{}", target);
}

}  // namespace lockstep::asm_
