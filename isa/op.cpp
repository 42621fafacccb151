// SPDX-License-Identifier: MIT
// Expands every row into OpInfo and builds the opcode and name indexes.
#include "isa/op.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa/rows.h"

namespace lockstep::isa {
namespace {

using namespace rows;

constexpr Op kNoOp = Op::kCount;

struct OpndList {
  Opnd v[3];
  uint8_t n;
};
template <class... T>
constexpr OpndList list(T... o) {
  return {{o...}, sizeof...(T)};
}

constexpr OpInfo alu(std::string_view id, Format format, Opcodes opcodes, OpndList dsts,
                     OpndList srcs, uint32_t flags, Op self, std::string_view semantics) {
  return {id,
          format,
          opcodes,
          {dsts.v[0], dsts.v[1]},
          {srcs.v[0], srcs.v[1], srcs.v[2]},
          dsts.n,
          srcs.n,
          flags,
          {},
          self,
          semantics};
}
constexpr OpInfo mem(std::string_view id, Format format, Opcodes opcodes, MemParams params, Op self,
                     std::string_view semantics) {
  return {id, format, opcodes, {}, {}, 0, 0, 0, params, self, semantics};
}

constexpr OpInfo kInfos[] = {
#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, ...)                          \
  alu(#id, Format::format, opcodes(g9, g11, g12), list dsts, list srcs, flags, Op::id, \
      #__VA_ARGS__),
#define MEM(format, id, g9, g11, g12, params, ...) \
  mem(#id, Format::format, opcodes(g9, g11, g12), params, Op::id, #__VA_ARGS__),
#define MEM_ATOMIC(format, id, g9, g11, g12, type, ...) \
  mem(#id, Format::format, opcodes(g9, g11, g12), atomic(type), Op::id, #__VA_ARGS__),
#define DUAL(id, g11, g12, base) \
  {#id, Format::VOPD, opcodes(NA, g11, g12), {}, {}, 0, 0, 0, {}, Op::base, ""},
#define IMAGE(format, id, g9, g11, g12, ...) \
  mem(#id, Format::format, opcodes(g9, g11, g12), {}, Op::id, #__VA_ARGS__),
#include "isa/ops/all.def"
};
static_assert(std::size(kInfos) == kOpCount);

struct Name {
  Op op;
  IsaMask isas;
  std::string_view name;
};
constexpr Name kNames[] = {
#define NAME(id, isas, name) {Op::id, (isas), #name},
#include "isa/ops/all.def"
};

/// VOP3 opcode of the long form of a VOP1, VOP2 or VOPC row (checked against llvm-mc: see
/// tests/isa).
int promoted_opcode(Format format, Isa isa, int opcode) {
  if (opcode < 0) return -1;
  switch (format) {
    case Format::VOPC:
      return opcode;
    case Format::VOP2:
      return opcode + 0x100;
    case Format::VOP1:
      return opcode + (generation_of(isa) == Generation::kGfx9 ? 0x140 : 0x180);
    default:
      return -1;
  }
}

bool has_long_form(const OpInfo& info, Isa isa) {
  switch (generation_of(isa)) {
    case Generation::kGfx9:
      return !(info.flags & E64_9);
    case Generation::kGfx11:
      return !(info.flags & E64_11);
    case Generation::kGfx12:
      return !(info.flags & E64_12);
  }
  return false;
}

/// Formats whose rows share one opcode space, because the same bits select them.
Format opcode_space(Format format) {
  switch (format) {
    case Format::VOP3SD:
      return Format::VOP3;
    case Format::MAI:
      return Format::VOP3P;
    default:
      return format;
  }
}

struct Index {
  static constexpr int kOpcodes = 1024;
  std::vector<Op> by_opcode = std::vector<Op>(size_t{kIsaCount} * kFormatCount * kOpcodes, kNoOp);
  std::array<std::unordered_map<std::string_view, Op>, kIsaCount> by_name;
  std::array<std::array<std::string_view, kOpCount>, kIsaCount> names;

  Op& slot(Isa isa, Format format, unsigned opcode) {
    return by_opcode[(static_cast<size_t>(isa) * kFormatCount +
                      static_cast<size_t>(opcode_space(format))) *
                         kOpcodes +
                     opcode];
  }
  Index() {
    for (int i = 0; i < kIsaCount; ++i)
      for (int o = 0; o < kOpCount; ++o) names[i][o] = kInfos[o].id;
    for (const Name& n : kNames)
      for (int i = 0; i < kIsaCount; ++i)
        if (n.isas >> i & 1) names[i][static_cast<size_t>(n.op)] = n.name;
    for (int i = 0; i < kIsaCount; ++i) {
      const Isa isa = static_cast<Isa>(i);
      for (int o = 0; o < kOpCount; ++o) {
        const OpInfo& info = kInfos[o];
        const int opcode = info.opcodes.of[i];
        if (opcode < 0) continue;
        slot(isa, info.format, static_cast<unsigned>(opcode)) = static_cast<Op>(o);
        const int promoted = promoted_opcode(info.format, isa, opcode);
        if (promoted >= 0 && has_long_form(info, isa))
          slot(isa, Format::VOP3, static_cast<unsigned>(promoted)) = static_cast<Op>(o);
        by_name[i].emplace(names[i][o], static_cast<Op>(o));
      }
    }
  }
};

Index& index() {
  static Index instance;
  return instance;
}

/// True if `word` occurs in `text` as a whole identifier after "m.".
bool mentions(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool starts = at >= 2 && text.substr(at - 2, 2) == "m.";
    const size_t end = at + word.size();
    const bool ends = end >= text.size() || text[end] == '(';
    if (starts && ends) return true;
  }
  return false;
}
bool mentions_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return mentions(text, word); });
}
/// Primitives named ..._scc and scc_nz write SCC.
bool writes_scc(std::string_view text) {
  return text.find("_scc(") != std::string_view::npos || mentions(text, "scc_nz");
}

}  // namespace

const OpInfo& op_info(Op op) { return kInfos[static_cast<size_t>(op)]; }

std::string_view op_name(Op op, Isa isa) {
  return index().names[static_cast<size_t>(isa)][static_cast<size_t>(op)];
}

std::optional<Op> find_op(std::string_view name, Isa isa) {
  const auto& map = index().by_name[static_cast<size_t>(isa)];
  const auto it = map.find(name);
  if (it == map.end()) return std::nullopt;
  return it->second;
}

bool exists_on(Op op, Isa isa) { return op_info(op).opcodes.of[static_cast<size_t>(isa)] >= 0; }

bool has_semantics(Op op) { return op_info(op_info(op).base).semantics != "NOSEM"; }

uint16_t implicit_state(Op op) {
  const std::string_view text = op_info(op_info(op).base).semantics;
  const OpInfo& info = op_info(op);
  uint16_t bits = 0;
  if (mentions_any(text, {"scc", "addc_scc", "subb_scc"})) bits |= kReadsScc;
  if (writes_scc(text) || info.format == Format::SOPC) bits |= kWritesScc;
  if (mentions_any(text, {"vcc", "vccz"})) bits |= kReadsVcc;
  if (mentions(text, "set_vcc")) bits |= kWritesVcc;
  if (mentions_any(text, {"exec", "exec_as", "execz", "subvector_begin", "subvector_end", "fork"}))
    bits |= kReadsExec;
  if (mentions_any(text, {"set_exec", "saveexec_scc", "wrexec_scc", "subvector_begin",
                          "subvector_end", "fork", "join"}))
    bits |= kWritesExec;
  if (info.n_dsts > 0 && info.dsts[0].type == Type::EXEC_MASK) bits |= kWritesExec;
  if (mentions_any(text, {"m0", "movrels", "movreld", "movrelsd_2", "append", "consume"}))
    bits |= kReadsM0;
  if (info.format == Format::DS && info.mem.address == MemAddress::kAddTid) bits |= kReadsM0;
  if (mentions_any(text,
                   {"lds_direct", "load_block", "store_block", "store_lds", "barrier_init"}) ||
      info.mem.kind == MemKind::kLoadLds)
    bits |= kReadsM0;
  if (mentions_any(text, {"gpr_index_on", "gpr_index", "gpr_index_mode"}))
    bits |= kReadsM0 | kWritesM0;
  if (mentions_any(text, {"set_pc", "branch", "branch_if", "subvector_begin", "subvector_end",
                          "fork", "join"}))
    bits |= kWritesPc;
  return bits;
}

std::optional<Op> op_at(Isa isa, Format format, unsigned opcode) {
  if (opcode >= Index::kOpcodes) return std::nullopt;
  const Op op = index().slot(isa, format, opcode);
  if (op == kNoOp) return std::nullopt;
  return op;
}

int opcode_in(Op op, Isa isa, Format format) {
  const OpInfo& info = op_info(op);
  const int native = info.opcodes.of[static_cast<size_t>(isa)];
  if (native < 0) return -1;
  if (opcode_space(format) == opcode_space(info.format)) return native;
  if (opcode_space(format) == Format::VOP3 && has_long_form(info, isa))
    return promoted_opcode(info.format, isa, native);
  return -1;
}

}  // namespace lockstep::isa
