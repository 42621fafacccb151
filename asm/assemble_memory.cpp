// SPDX-License-Identifier: MIT
// FLAT family and buffer operations: the inverse of read_flat and read_buffer in
// isa/operand_memory.cpp.
#include <fmt/format.h>

#include "asm/assembler.h"
#include "asm/printer.h"
#include "asm/strict.h"
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

/// A memory data register; gfx9 lets it be an ACCVGPR.
bool data(Assembler& a, Field field, const ParsedOperand& o, Operand want) {
  if (!a.no_operand_modifiers(o)) return false;
  if (o.is_register(OperandKind::kAgpr)) {
    if (!a.set(Field::acc, 1)) return a.fail(o.at, "accumulation registers cannot stand here");
    want.kind = OperandKind::kAgpr;
  } else {
    if (a.inst.get(Field::acc))
      return a.fail(o.at, "the data must be in the same kind of registers");
    want.kind = OperandKind::kVgpr;
  }
  return a.vgpr(field, o, want, -1);
}

/// The text of the hint that this word would print.
std::string printed_hint(const isa::Inst& inst) {
  const PrintOptions options;
  Printer p(inst, options);
  print_cache(p);
  const size_t at = p.text.find("th:");
  if (at == std::string::npos) return {};
  return p.text.substr(at + 3, p.text.find(' ', at) - at - 3);
}

bool hint(Assembler& a, const Modifier& m) {
  static constexpr std::string_view kDefaults[] = {"TH_DEFAULT", "TH_LOAD_RT", "TH_STORE_RT",
                                                   "TH_ATOMIC_RT"};
  isa::Inst trial = a.inst;
  const MemKind kind = a.inst.info().mem.kind;
  const bool store =
                 kind == MemKind::kStore || kind == MemKind::kStoreFormat || a.name_has("_store_"),
             atomic = kind == MemKind::kAtomic || a.name_has("image_atomic");
  // Values without a name print as numbers, which LLVM does not take.
  if (m.integer || m.text.find("_0x") != std::string_view::npos)
    return a.fail(m.at, "invalid th value");
  for (size_t i = 0; i < std::size(kDefaults); ++i)
    if (m.text == kDefaults[i])
      return i == 0 ||
             i == (atomic  ? 3u
                   : store ? 2u
                           : 1u) ||
             a.fail(m.at, "this hint belongs to another kind of operation");
  const unsigned scope = a.inst.get(Field::scope);
  constexpr unsigned kSystem = 3, kBypass = 3, kDevice = 2;
  if (atomic && m.text == "TH_ATOMIC_RT_RETURN") return a.set(Field::th, 1);
  for (const unsigned s : {scope, 0u, kDevice}) {
    if (!trial.set(Field::scope, s)) break;
    for (unsigned th = 0; th < 8; ++th)
      if (trial.set(Field::th, th) && printed_hint(trial) == m.text) {
        // At system scope this value means another hint.
        if (!atomic && th == kBypass && scope == kSystem && s != scope)
          return a.fail(m.at, "scope and th combination is not valid");
        return a.set(Field::th, th);
      }
  }
  return a.fail(m.at, "invalid th value");
}

bool hints(Assembler& a) {
  static constexpr std::string_view kScopes[] = {"SCOPE_CU", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS"};
  if (const Modifier* m = a.take("scope")) {
    bool found = false;
    for (unsigned i = 0; i < 4; ++i)
      if (m->text == kScopes[i] || (m->integer && *m->integer == i)) found = a.set(Field::scope, i);
    if (!found) return a.fail(m->at, "invalid scope value");
  }
  if (const Modifier* m = a.take("th"))
    if (!a.inst.has(Field::th) || !hint(a, *m)) return a.fail(m->at, "invalid th value");
  return true;
}

bool offset(Assembler& a) {
  const bool plain_flat = a.inst.format == Format::FLAT && !a.gfx12();
  if (plain_flat) return a.number("offset", Field::offset, 0, 0xfff);
  const int64_t half = a.gfx12() ? 1 << 23 : 1 << 12;
  return a.number("offset", Field::offset, -half, half - 1);
}

/// The scalar address of GLOBAL and SCRATCH, which comes last but decides the size of the vector
/// address.
bool scalar_address(Assembler& a, const ParsedOperand& o) {
  if (o.kind == ParsedKind::kOff) return true;
  const bool scratch = a.inst.format == Format::SCRATCH;
  const bool exec = o.is_register(OperandKind::kScalar) &&
                    (scratch ? o.code == isa::kExecHi : o.code == isa::kExecLo);
  if (exec && (scratch || a.options.like_llvm_22)) return a.fail(o.at, "exec cannot be an address");
  return a.scalar(Field::saddr, o, a.inst.format == Format::SCRATCH ? 1 : 2);
}

bool vector_address(Assembler& a, const ParsedOperand& o) {
  const bool scratch = a.inst.format == Format::SCRATCH;
  if (scratch && o.kind == ParsedKind::kOff) return true;
  if (scratch && a.inst.isa != Isa::kGfx90a) a.set(Field::sve, 1);
  const Operands want = isa::operands_of(a.inst, a.options.wave_size);
  if (!present(want, isa::kMemAddr) || want.src[isa::kMemAddr].kind != OperandKind::kVgpr)
    return a.fail(o.at, "a vector and a scalar address exclude each other here");
  return a.no_operand_modifiers(o) && a.vgpr(Field::addr, o, want.src[isa::kMemAddr], -1);
}

bool flat(Assembler& a) {
  constexpr unsigned kNoAddressOnGfx9 = 127;
  if (!assemble_cache(a)) return false;
  const bool has_saddr = a.inst.format != Format::FLAT;
  if (has_saddr || !a.gfx9())
    a.set(Field::saddr, a.gfx9() ? kNoAddressOnGfx9 : unsigned{isa::kNull});
  const MemKind kind = a.inst.info().mem.kind;
  if (may_load_to_lds_by_address(a.inst) && !a.flag("lds", Field::sve)) return false;
  Operands want = isa::operands_of(a.inst, a.options.wave_size);
  if (want.n_dst + want.n_src == 0) {  // cache control
    if (!a.gfx12()) a.set(Field::saddr, 0);
    return a.operand_count(0) && a.all_modifiers_used();
  }
  // LLVM looks at the operands only: without a result the hint may still ask for it.
  const uint32_t th = a.inst.get(Field::th);
  if (a.gfx12() && kind == MemKind::kAtomic && a.line.operands.size() == (has_saddr ? 3u : 2u) &&
      (th & 1)) {
    a.set(Field::th, th & ~1u);
    want = isa::operands_of(a.inst, a.options.wave_size);
  }
  const bool has_address = present(want, isa::kMemAddr), has_data = present(want, isa::kMemData);
  const size_t count = static_cast<size_t>(want.n_dst) + has_address + has_data + has_saddr;
  if (!a.operand_count(count)) return false;
  // Only later targets can do without any address.
  const bool no_addresses = has_saddr && a.line.operands[count - 1].kind == ParsedKind::kOff &&
                            a.line.operands[want.n_dst > 0].kind == ParsedKind::kOff;
  if (a.inst.isa == Isa::kGfx90a && no_addresses)
    return a.fail(a.line.operands[count - 1].at, "an address is needed here");
  size_t next = 0;
  if (has_saddr && !scalar_address(a, a.line.operands[count - 1])) return false;
  if (want.n_dst && !data(a, Field::vdst, a.line.operands[next++], want.dst[0])) return false;
  const ParsedOperand* address = has_address ? &a.line.operands[next++] : nullptr;
  if (address && !vector_address(a, *address)) return false;
  if (has_data) {
    const ParsedOperand& o = a.line.operands[next];
    if (want.n_dst && o.is_register(OperandKind::kAgpr) != (a.inst.get(Field::acc) != 0))
      return a.fail(o.at, "the data must be in the same kind of registers");
    const bool acc = a.inst.get(Field::acc);
    if (acc) a.set(Field::acc, 0);
    if (!data(a, Field::data, o, want.src[isa::kMemData])) return false;
  }
  if (a.gfx12()) a.set(Field::th, th);
  return offset(a) && a.all_modifiers_used();
}

std::optional<unsigned> format_code(std::string_view name) {
  constexpr unsigned kDefault = 1;
  if (name == "BUF_FMT_8_UNORM") return kDefault;
  if (const auto code = find_code(buffer_format_symbols(), name)) return *code;
  return std::nullopt;
}

/// gfx9: data and number format, by names in any order.
bool split_format(Assembler& a, std::string_view text) {
  unsigned data_format = 1, number_format = 0;
  bool data_seen = false, number_seen = false;
  const Tokens tokens = tokenize(text);
  for (const Token& t : tokens.list) {
    if (t.kind == TokenKind::kPunctuation || t.kind == TokenKind::kEnd) continue;
    auto code = find_code(data_format_symbols(), t.text);
    if (t.text == "BUF_DATA_FORMAT_8") code = uint16_t{1};
    if (code) {
      if (data_seen) return false;
      data_format = *code;
      data_seen = true;
      continue;
    }
    code = find_code(number_format_symbols(), t.text);
    if (t.text == "BUF_NUM_FORMAT_UNORM") code = uint16_t{0};
    if (!code || number_seen) return false;
    number_format = *code;
    number_seen = true;
  }
  if (a.gfx9()) return a.set(Field::dfmt, data_format) && a.set(Field::nfmt, number_format);
  // Later generations have one code for the pair: its name is made of both.
  static constexpr std::string_view kNumbers[] = {"UNORM", "SNORM", "USCALED", "SSCALED",
                                                  "UINT",  "SINT",  "",        "FLOAT"};
  constexpr std::string_view kPrefix = "BUF_DATA_FORMAT_";
  const std::string_view data_name =
      data_format == 1 ? "BUF_DATA_FORMAT_8" : find_symbol(data_format_symbols(), data_format);
  if (!data_name.starts_with(kPrefix)) return false;
  const auto code = format_code(
      fmt::format("BUF_FMT_{}_{}", data_name.substr(kPrefix.size()), kNumbers[number_format]));
  if (data_name == "BUF_DATA_FORMAT_INVALID") return a.set(Field::format, 0);
  return code && a.set(Field::format, *code);
}

bool buffer_format(Assembler& a) {
  if (a.gfx9()) {
    a.set(Field::dfmt, 1);
    for (const Modifier& m : a.line.modifiers)
      if ((m.name == "dfmt" || m.name == "nfmt") && m.operands_before == a.line.operands.size())
        return a.fail(m.at, "dfmt and nfmt stand in front of the last operand");
    if (a.number("dfmt", Field::dfmt, 0, 15) && a.number("nfmt", Field::nfmt, 0, 7)) {
    } else {
      return false;
    }
  } else {
    a.set(Field::format, 1);
  }
  const Modifier* m = a.take("format");
  if (!m) return true;
  if (m->integer) {
    const int64_t most = 127;
    if (*m->integer < 0 || *m->integer > most) return a.fail(m->at, "out of range format");
    const auto v = static_cast<unsigned>(*m->integer);
    if (!a.gfx9()) return a.set(Field::format, v);
    return a.set(Field::dfmt, v & 15) && a.set(Field::nfmt, v >> 4);
  }
  std::string_view text = m->text;
  if (!m->is_list || text.size() < 2) return a.fail(m->at, "format takes [NAME] or a number");
  if (!m->list.empty()) return a.fail(m->at, "expected a format string");
  text = text.substr(1, text.size() - 2);
  if (!a.gfx9())
    if (const auto code = format_code(text)) return a.set(Field::format, *code);
  return split_format(a, text) || a.fail(m->at, "unsupported format");
}

/// Twelve bits, of the sixteen that LLVM takes.
bool short_offset(Assembler& a) {
  const Modifier* m = a.take("offset");
  if (!m) return true;
  constexpr int64_t kMost = 0xffff, kMask = 0xfff;
  if (!m->integer || *m->integer < 0 || *m->integer > kMost)
    return a.fail(m->at, "expected a 12-bit unsigned offset");
  return a.set(Field::offset, static_cast<uint32_t>(*m->integer & kMask));
}

bool buffer(Assembler& a) {
  const bool typed = a.inst.format == Format::MTBUF;
  if (typed && !buffer_format(a)) return false;
  if (a.gfx12() && !typed) a.set(Field::format, 1);  // LLVM writes it there too
  if (!a.flag("idxen", Field::idxen) || !a.flag("offen", Field::offen)) return false;
  if (!assemble_cache(a)) return false;
  const MemKind kind = a.inst.info().mem.kind;
  const bool loads = kind == MemKind::kLoad || kind == MemKind::kLoadFormat;
  if (a.inst.has(Field::tfe) && loads && !a.flag("tfe", Field::tfe)) return false;
  const bool may_use_lds = may_load_to_lds(a.inst) || a.named("buffer_store_lds_b32");
  if (a.inst.has(Field::lds) && may_use_lds && !a.flag("lds", Field::lds)) return false;
  if (a.named("buffer_store_lds_b32") && !a.inst.get(Field::lds))
    return a.fail(a.line.at, "this operation is written with lds");
  Operands want = isa::operands_of(a.inst, a.options.wave_size);
  if (want.n_dst + want.n_src == 0) {
    if (a.gfx12()) a.set(Field::soffset, isa::kNull);
    return a.operand_count(0) && a.all_modifiers_used();
  }
  const bool has_data = present(want, isa::kMemData) || want.n_dst > 0,
             has_address = present(want, isa::kMemAddr);
  if (!a.operand_count(static_cast<size_t>(has_data) + has_address + 2)) return false;
  size_t next = 0;
  if (has_data) {
    const Operand& w = present(want, isa::kMemData) ? want.src[isa::kMemData] : want.dst[0];
    if (!data(a, Field::vdata, a.line.operands[next++], w)) return false;
  }
  if (has_address) {
    const ParsedOperand& o = a.line.operands[next++];
    const Operand& w = want.src[isa::kMemAddr];
    if (w.kind == OperandKind::kOff) {
      if (o.kind != ParsedKind::kOff)
        return a.fail(o.at, "without idxen and offen the address is off");
    } else if (!a.no_operand_modifiers(o) || !a.vgpr(Field::vaddr, o, w, -1)) {
      return false;
    }
  }
  const ParsedOperand& resource = a.line.operands[next++];
  if (resource.is_register(OperandKind::kScalar) && resource.code == isa::kNull)
    return a.fail(resource.at, "a resource is needed here");
  if (!a.scalar(Field::srsrc, resource, 4, a.gfx12() ? 1 : 4)) return false;
  const ParsedOperand& soffset = a.line.operands[next];
  // LLVM also takes SCC where the field has seven bits (it becomes M0).
  const bool cut_scc = a.gfx12() && soffset.is_register(OperandKind::kSpecial) &&
                       soffset.code == isa::kScc && a.set(Field::soffset, isa::kScc & 127);
  if (!a.no_operand_modifiers(soffset)) return false;
  if (!cut_scc &&
      !a.source(Field::soffset, soffset, want.src[isa::kMemSoffset], isa::Place::kScalar, -1))
    return false;
  const int64_t half = 1 << 23;
  const bool ok = a.gfx12() ? a.number("offset", Field::offset, 0, half - 1) : short_offset(a);
  return ok && a.all_modifiers_used();
}

}  // namespace

bool assemble_cache(Assembler& a) {
  if (a.gfx12()) return hints(a);
  const auto flag = [&](std::string_view name, Field field) {
    return !a.inst.has(field) || a.flag(name, field);
  };
  if (a.gfx11())
    return flag("glc", Field::glc) && flag("slc", Field::slc) && flag("dlc", Field::dlc);
  const bool gfx90a = a.inst.isa == Isa::kGfx90a;
  // LLVM leaves the bit out of float atomics, though it takes the word.
  const bool drops_scc =
      gfx90a && a.inst.info().mem.kind == MemKind::kAtomic && (is_float(a.inst.info().mem.type));
  if (gfx90a && a.named("buffer_wbl2")) return true;
  if (drops_scc) {
    if (const Modifier* m = a.take("scc"); m && m->has_value)
      return a.fail(m->at, "scc takes no value");
    return flag("glc", Field::sc0) && flag("slc", Field::nt);
  }
  return flag(gfx90a ? "glc" : "sc0", Field::sc0) && flag(gfx90a ? "slc" : "nt", Field::nt) &&
         flag(gfx90a ? "scc" : "sc1", Field::sc1);
}

bool assemble_memory(Assembler& a) {
  return a.inst.format == Format::MUBUF || a.inst.format == Format::MTBUF ? buffer(a) : flat(a);
}

bool assemble_ds(Assembler& a) {
  const Operands want = isa::operands_of(a.inst, a.options.wave_size);
  size_t count = static_cast<size_t>(want.n_dst);
  for (int i = 0; i < want.n_src; ++i) count += present(want, static_cast<unsigned>(i));
  if (!a.operand_count(count)) return false;
  size_t next = 0;
  bool first_data = true;
  const auto data_operand = [&](Field field, const Operand& w) {
    const ParsedOperand& o = a.line.operands[next++];
    const bool acc = a.inst.get(Field::acc);
    if (!first_data && acc != o.is_register(OperandKind::kAgpr))
      return a.fail(o.at, "the data must be in the same kind of registers");
    if (acc) a.set(Field::acc, 0);
    first_data = false;
    return data(a, field, o, w);
  };
  if (want.n_dst && !data_operand(Field::vdst, want.dst[0])) return false;
  if (present(want, isa::kMemAddr)) {
    const ParsedOperand& o = a.line.operands[next++];
    if (!a.no_operand_modifiers(o) || !a.vgpr(Field::addr, o, want.src[isa::kMemAddr], -1))
      return false;
  }
  if (present(want, isa::kMemData)) {
    const bool gws = a.name_has("ds_gws_");
    const Field field = gws ? Field::addr : Field::data0;
    if (gws && a.gfx9() && a.line.operands[next].code % 2 != 0)
      return a.fail(a.line.operands[next].at, "this register must be an even one");
    if (!data_operand(field, want.src[isa::kMemData])) return false;
  }
  if (present(want, isa::kDsData1) && !data_operand(Field::data1, want.src[isa::kDsData1]))
    return false;
  const isa::MemAddress address = a.inst.info().mem.address;
  if (address == isa::MemAddress::kTwo || address == isa::MemAddress::kTwoStride64 ||
      a.name_has("storexchg_2addr")) {
    if (!a.number("offset0", Field::offset0, 0, 255) ||
        !a.number("offset1", Field::offset1, 0, 255))
      return false;
  } else if (const Modifier* m = a.take("offset")) {
    unsigned value = 0;
    if (m->integer) {
      constexpr int64_t kMost = 0xffff;
      if (*m->integer < 0 || *m->integer > kMost)
        return a.fail(m->at, "expected a 16-bit unsigned offset");
      value = static_cast<unsigned>(*m->integer);
    } else {
      if (!a.named("ds_swizzle_b32")) return a.fail(m->at, "offset takes a number");
      const SymbolicValue v = swizzle_value(m->text, a.inst.isa);
      if (!v.value) return a.fail(m->at, v.problem);
      value = *v.value;
    }
    a.set(Field::offset0, value & 255);
    a.set(Field::offset1, value >> 8);
  }
  if (a.named("ds_nop")) {  // has no such modifier
  } else if (a.inst.has(Field::gds) && (!a.gfx9() || a.name_has("_gws_"))) {
    if (!a.flag("gds", Field::gds)) return false;
  } else {
    a.take("nogds");  // it may be said where there is no bit for it
  }
  const bool only_gds =
      a.name_has("_gws_") || a.name_has("gs_reg_rtn") || a.name_has("ordered_count");
  if (a.inst.has(Field::gds) && only_gds && !a.inst.get(Field::gds))
    return a.fail(a.line.at, "gds is needed here");
  return a.all_modifiers_used();
}

}  // namespace lockstep::asm_
