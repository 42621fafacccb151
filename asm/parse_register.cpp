// SPDX-License-Identifier: MIT
// Register names.
#include <algorithm>
#include <charconv>

#include "asm/parse.h"

namespace lockstep::asm_ {
namespace {

using isa::Isa;
using isa::OperandKind;

ParsedOperand make(OperandKind bank, unsigned code, unsigned dwords) {
  ParsedOperand o;
  o.kind = ParsedKind::kRegister;
  o.bank = bank;
  o.code = code;
  o.dwords = dwords;
  return o;
}

std::optional<unsigned> digits(std::string_view s) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (s.empty() || error != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return value;
}

struct Named {
  std::string_view name;
  OperandKind bank;
  uint8_t code, dwords;
};
constexpr Named kCommon[] = {
    {"vcc", OperandKind::kScalar, isa::kVccLo, 2},
    {"vcc_lo", OperandKind::kScalar, isa::kVccLo, 1},
    {"vcc_hi", OperandKind::kScalar, isa::kVccHi, 1},
    {"exec", OperandKind::kScalar, isa::kExecLo, 2},
    {"exec_lo", OperandKind::kScalar, isa::kExecLo, 1},
    {"exec_hi", OperandKind::kScalar, isa::kExecHi, 1},
    {"m0", OperandKind::kScalar, isa::kM0, 1},
    {"src_shared_base", OperandKind::kSpecial, isa::kSharedBase, 0},
    {"shared_base", OperandKind::kSpecial, isa::kSharedBase, 0},
    {"src_shared_limit", OperandKind::kSpecial, isa::kSharedLimit, 0},
    {"shared_limit", OperandKind::kSpecial, isa::kSharedLimit, 0},
    {"src_private_base", OperandKind::kSpecial, isa::kPrivateBase, 0},
    {"private_base", OperandKind::kSpecial, isa::kPrivateBase, 0},
    {"src_private_limit", OperandKind::kSpecial, isa::kPrivateLimit, 0},
    {"private_limit", OperandKind::kSpecial, isa::kPrivateLimit, 0},
    {"src_scc", OperandKind::kSpecial, isa::kScc, 0},
    {"scc", OperandKind::kSpecial, isa::kScc, 0},
};
constexpr Named kOnlyGfx9[] = {
    {"flat_scratch", OperandKind::kScalar, 102, 2},
    {"flat_scratch_lo", OperandKind::kScalar, 102, 1},
    {"flat_scratch_hi", OperandKind::kScalar, 103, 1},
    {"xnack_mask", OperandKind::kScalar, 104, 2},
    {"xnack_mask_lo", OperandKind::kScalar, 104, 1},
    {"xnack_mask_hi", OperandKind::kScalar, 105, 1},
    {"src_vccz", OperandKind::kSpecial, isa::kVccz, 0},
    {"vccz", OperandKind::kSpecial, isa::kVccz, 0},
    {"src_execz", OperandKind::kSpecial, isa::kExecz, 0},
    {"execz", OperandKind::kSpecial, isa::kExecz, 0},
    {"src_pops_exiting_wave_id", OperandKind::kSpecial, isa::kPopsExitingWaveId, 0},
    {"pops_exiting_wave_id", OperandKind::kSpecial, isa::kPopsExitingWaveId, 0},
    {"src_lds_direct", OperandKind::kSpecial, isa::kLdsDirect, 0},
    {"lds_direct", OperandKind::kSpecial, isa::kLdsDirect, 0},
};

}  // namespace

bool is_reserved_name(std::string_view name) {
  static constexpr std::string_view kOthers[] = {"tba",
                                                 "tba_lo",
                                                 "tba_hi",
                                                 "tma",
                                                 "tma_lo",
                                                 "tma_hi",
                                                 "null",
                                                 "pc",
                                                 "src_flat_scratch_base_lo",
                                                 "src_flat_scratch_base_hi"};
  const auto named = [&](const Named& n) { return n.name == name; };
  if (std::any_of(std::begin(kCommon), std::end(kCommon), named) ||
      std::any_of(std::begin(kOnlyGfx9), std::end(kOnlyGfx9), named) ||
      std::find(std::begin(kOthers), std::end(kOthers), name) != std::end(kOthers))
    return true;
  if (name.ends_with(".l") || name.ends_with(".h")) name.remove_suffix(2);
  const size_t letters = name.find_first_of("0123456789");
  if (letters == std::string_view::npos) return false;
  static constexpr std::string_view kBanks[] = {"v", "s", "a", "acc", "ttmp"};
  const std::string_view bank = name.substr(0, letters), number = name.substr(letters);
  return std::find(std::begin(kBanks), std::end(kBanks), bank) != std::end(kBanks) &&
         number.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<RegisterBank> register_bank(std::string_view name, Isa isa) {
  const bool gfx9 = isa::generation_of(isa) == isa::Generation::kGfx9;
  constexpr unsigned kSgprsGfx9 = 102, kTtmps = 16, kVgprs = 256;
  if (name == "v") return RegisterBank{OperandKind::kVgpr, 0, kVgprs};
  if (name == "a" && gfx9) return RegisterBank{OperandKind::kAgpr, 0, kVgprs};
  if (name == "s")
    return RegisterBank{OperandKind::kScalar, 0, gfx9 ? kSgprsGfx9 : unsigned{isa::kVccLo}};
  if (name == "ttmp") return RegisterBank{OperandKind::kScalar, isa::kTtmp0, kTtmps};
  if (name == "acc" && gfx9) return RegisterBank{OperandKind::kAgpr, 0, kVgprs};
  return std::nullopt;
}

std::optional<ParsedOperand> named_register(std::string_view name, Isa isa) {
  const bool gfx9 = isa::generation_of(isa) == isa::Generation::kGfx9;
  // v12, s3: nearly all.
  if (name.size() > 1 && name[1] >= '0' && name[1] <= '9')
    if (const auto bank = register_bank(name.substr(0, 1), isa))
      if (const auto number = digits(name.substr(1)); number && *number < bank->count)
        return make(bank->kind, bank->first + *number, 1);
  for (const Named& n : kCommon)
    if (n.name == name) return make(n.bank, n.code, n.dwords);
  if (gfx9) {
    for (const Named& n : kOnlyGfx9)
      if (n.name == name) return make(n.bank, n.code, n.dwords);
  } else if (name == "null") {
    return make(OperandKind::kScalar, isa::kNull, 0);
  }
  char half = 0;
  if (name.ends_with(".l") || name.ends_with(".h")) {
    half = name.back();
    name.remove_suffix(2);
    if (!name.starts_with("v")) return std::nullopt;
  }
  size_t letters = 0;
  while (letters < name.size() && (name[letters] < '0' || name[letters] > '9')) ++letters;
  const auto bank = register_bank(name.substr(0, letters), isa);
  const auto number = digits(name.substr(letters));
  if (!bank || !number || *number >= bank->count) return std::nullopt;
  ParsedOperand o = make(bank->kind, bank->first + *number, 1);
  o.half = half;
  return o;
}

}  // namespace lockstep::asm_
