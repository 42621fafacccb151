// SPDX-License-Identifier: MIT
// Memory operations: SMEM, FLAT family, DS, MUBUF and MTBUF.
#include "asm/printer.h"
#include "asm/symbols.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Format;
using isa::Isa;
using isa::MemKind;
using isa::Operand;
using isa::OperandKind;
using isa::Operands;

bool present(const Operands& list, unsigned i) {
  return i < list.n_src && list.src[i].kind != OperandKind::kNone;
}

void source(Printer& p, const Operands& list, unsigned i) {
  if (present(list, i)) p.operand(p.plain(list.src[i]));
}

void results(Printer& p, const Operands& list) {
  for (int i = 0; i < list.n_dst; ++i) p.operand(p.plain(list.dst[i]));
}

std::string_view load_hint(unsigned th, bool system) {
  static constexpr std::string_view kNames[] = {"",
                                                "TH_LOAD_NT",
                                                "TH_LOAD_HT",
                                                "TH_LOAD_LU",
                                                "TH_LOAD_NT_RT",
                                                "TH_LOAD_RT_NT",
                                                "TH_LOAD_NT_HT",
                                                "0x7"};
  return th == 3 && system ? "TH_LOAD_BYPASS" : kNames[th];
}

std::string_view store_hint(unsigned th, bool system) {
  static constexpr std::string_view kNames[] = {"",
                                                "TH_STORE_NT",
                                                "TH_STORE_HT",
                                                "TH_STORE_RT_WB",
                                                "TH_STORE_NT_RT",
                                                "TH_STORE_RT_NT",
                                                "TH_STORE_NT_HT",
                                                "TH_STORE_NT_WB"};
  return th == 3 && system ? "TH_STORE_BYPASS" : kNames[th];
}

std::string atomic_hint(unsigned th, unsigned scope) {
  static constexpr std::string_view kNames[] = {"", "TH_ATOMIC_RETURN", "TH_ATOMIC_NT",
                                                "TH_ATOMIC_NT_RETURN"};
  if (th < 4) return std::string(kNames[th]);
  if (scope >= 2) return th & 2 ? "TH_ATOMIC_CASCADE_NT" : "TH_ATOMIC_CASCADE_RT";
  return fmt::format("TH_ATOMIC_0x{:x}", th);
}

/// gfx12: temporal hint, scope.
void print_hints(Printer& p) {
  static constexpr std::string_view kScopes[] = {"", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS"};
  const unsigned th = p.get(Field::th), scope = p.get(Field::scope);
  const MemKind kind = p.inst.info().mem.kind;
  std::string hint;
  if (kind == MemKind::kAtomic || p.name_has("image_atomic"))
    hint = atomic_hint(th, scope);
  else if (kind == MemKind::kStore || kind == MemKind::kStoreFormat || p.name_has("_store_"))
    hint = store_hint(th, scope == 3);
  else
    hint = load_hint(th, scope == 3);
  if (!hint.empty()) p.modifier("th:" + hint);
  if (scope) p.modifier(fmt::format("scope:{}", kScopes[scope]));
}

void print_flat(Printer& p, const Operands& list) {
  if (list.n_dst + list.n_src == 0) return;  // cache control
  results(p, list);
  source(p, list, isa::kMemAddr);
  source(p, list, isa::kMemData);
  if (p.inst.format != Format::FLAT) source(p, list, isa::kMemScalar);
  const bool is_signed = p.inst.format != Format::FLAT || p.gfx12();
  const int offset =
      is_signed ? p.inst.get_signed(Field::offset) : static_cast<int>(p.get(Field::offset));
  if (offset) p.modifier(fmt::format("offset:{}", offset));
}

void print_buffer_format(Printer& p) {
  if (!p.gfx9()) {
    const unsigned format = p.get(Field::format);
    const std::string_view name = find_symbol(buffer_format_symbols(), format);
    if (format == 1) return;  // the default, BUF_FMT_8_UNORM
    p.modifier(name.empty() ? fmt::format("format:{}", format) : fmt::format("format:[{}]", name));
    return;
  }
  const unsigned data = p.get(Field::dfmt), number = p.get(Field::nfmt);
  const std::string_view data_name = find_symbol(data_format_symbols(), data),
                         number_name = find_symbol(number_format_symbols(), number);
  if (data == 1 && number == 0) return;
  if (number == 0)
    p.modifier(fmt::format("format:[{}]", data_name));
  else if (data == 1)
    p.modifier(fmt::format("format:[{}]", number_name));
  else
    p.modifier(fmt::format("format:[{},{}]", data_name, number_name));
}

void print_buffer(Printer& p, const Operands& list) {
  // A returning atomic writes over its data: one register group.
  if (present(list, isa::kMemData))
    source(p, list, isa::kMemData);
  else
    results(p, list);
  source(p, list, isa::kMemAddr);
  source(p, list, isa::kMemScalar);
  source(p, list, isa::kMemSoffset);
  if (p.inst.format == Format::MTBUF) print_buffer_format(p);
  if (list.n_src > 0) {
    p.flag(Field::idxen, "idxen");
    p.flag(Field::offen, "offen");
    const int offset =
        p.gfx12() ? p.inst.get_signed(Field::offset) : static_cast<int>(p.get(Field::offset));
    if (offset) p.modifier(fmt::format("offset:{}", offset));
  }
}

}  // namespace

/// Cache policy bits in LLVM's order.
void print_cache(Printer& p) {
  if (p.gfx12()) {
    print_hints(p);
    return;
  }
  if (p.gfx11()) {
    p.flag(Field::glc, "glc");
    p.flag(Field::slc, "slc");
    p.flag(Field::dlc, "dlc");
    return;
  }
  const bool gfx90a = p.inst.isa == Isa::kGfx90a;
  p.flag(Field::sc0, gfx90a ? "glc" : "sc0");
  p.flag(Field::nt, gfx90a ? "slc" : "nt");
  p.flag(Field::sc1, gfx90a ? "scc" : "sc1");
}

void print_memory(Printer& p) {
  p.mnemonic();
  const Operands list = isa::operands_of(p.inst, p.options.wave_size);
  const bool buffer = p.inst.format == Format::MUBUF || p.inst.format == Format::MTBUF;
  if (buffer)
    print_buffer(p, list);
  else
    print_flat(p, list);
  const bool cache_control = list.n_dst + list.n_src == 0;
  if (cache_control && p.gfx11()) return;
  if (cache_control && p.gfx9()) {
    const bool has_scope =
        p.inst.isa != Isa::kGfx90a && (p.named("buffer_inv") || p.named("buffer_wbl2"));
    if (!has_scope) return;
    p.flag(Field::sc0, "sc0");
    p.flag(Field::sc1, "sc1");
    return;
  }
  const bool store_lds = p.named("buffer_store_lds_b32");
  if (store_lds) p.flag(Field::lds, "lds");
  print_cache(p);
  if (store_lds) return;
  if (buffer) {
    p.flag(Field::tfe, "tfe");
    p.flag(Field::lds, "lds");
  } else if (p.inst.isa == Isa::kGfx90a) {
    p.flag(Field::sve, "lds");
  }
}

void print_ds(Printer& p) {
  p.mnemonic();
  const Operands list = isa::operands_of(p.inst, p.options.wave_size);
  results(p, list);
  source(p, list, isa::kMemAddr);
  source(p, list, isa::kMemData);
  source(p, list, isa::kDsData1);
  const unsigned offset0 = p.get(Field::offset0), offset1 = p.get(Field::offset1),
                 offset = offset1 << 8 | offset0;
  const isa::MemAddress address = p.inst.info().mem.address;
  if (address == isa::MemAddress::kTwo || address == isa::MemAddress::kTwoStride64 ||
      p.name_has("storexchg_2addr")) {
    if (offset0) p.modifier(fmt::format("offset0:{}", offset0));
    if (offset1) p.modifier(fmt::format("offset1:{}", offset1));
  } else if (offset) {
    p.modifier(p.named("ds_swizzle_b32") ? "offset:" + swizzle_text(p.inst.isa, offset)
                                         : fmt::format("offset:{}", offset));
  }
  // CDNA has no GDS: the bit is only written where it belongs to a GWS operation.
  if (!p.gfx9() || p.name_has("_gws_")) p.flag(Field::gds, "gds");
}

namespace {

std::string smem_number(const Printer& p) {
  const int offset = p.inst.get_signed(Field::offset);
  return offset < 0 ? fmt::format("-0x{:x}", -offset) : fmt::format("0x{:x}", offset);
}

}  // namespace

void print_smem(Printer& p) {
  p.mnemonic();
  const Operands list = isa::operands_of(p.inst, p.options.wave_size);
  if (p.name_has("atc_probe"))
    p.operand(small_immediate(p.get(Field::sdata)));
  else if (present(list, isa::kSmemData))
    source(p, list, isa::kSmemData);  // a returning atomic writes over its data
  else
    results(p, list);
  source(p, list, isa::kSmemBase);
  if (p.name_has("prefetch")) {
    p.operand(smem_number(p));
    const Operand& offset = list.src[isa::kSmemOffset];
    p.operand(offset.kind == OperandKind::kOff ? "null" : p.plain(offset));
    p.operand(fmt::format("{}", p.get(Field::sdata)));
  } else if (present(list, isa::kSmemOffset)) {
    const bool has_register = list.src[isa::kSmemOffset].kind != OperandKind::kOff;
    const std::string number = smem_number(p);
    // gfx9 without IMM: the offset field held the register. gfx12 always writes the offset.
    const bool has_number = p.gfx12() || (p.gfx9() ? p.get(Field::imm) : p.get(Field::offset)) != 0;
    if (has_register) {
      p.operand(p.plain(list.src[isa::kSmemOffset]));
      if (has_number) p.modifier("offset:" + number);
    } else {
      p.operand(has_number ? number : "null");
    }
  }
  if (p.gfx12()) {
    if (list.n_dst > 0) print_cache(p);
  } else if (!p.gfx9() || (list.n_src > 0 && (list.n_dst > 0 || present(list, isa::kSmemData)))) {
    p.flag(Field::glc, "glc");
    p.flag(Field::dlc, "dlc");
  }
}

}  // namespace lockstep::asm_
