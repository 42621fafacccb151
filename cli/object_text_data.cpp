// SPDX-License-Identifier: MIT
// Data of an object as text: kernel descriptors, metadata, everything else.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "asm/metadata.h"
#include "cli/object_text.h"
#include "isa/descriptor_fields.h"
#include "isa/relocation.h"

namespace lockstep::cli {
namespace {

std::string escaped(std::span<const uint8_t> bytes) {
  std::string out;
  for (const uint8_t b : bytes) {
    if (b == '"' || b == '\\')
      out += std::string("\\") + static_cast<char>(b);
    else if (b >= ' ' && b <= '~')
      out += static_cast<char>(b);
    else
      out += fmt::format("\\{:03o}", b);
  }
  return out;
}

bool all_zero(std::span<const uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; });
}

}  // namespace

std::string ObjectText::reference_text(const Reference& r) {
  switch (r.type) {
    case isa::kRelocAbs64:
      return ".quad " + label_of(r);
    case isa::kRelocRelative64: {
      const auto target = place_of(static_cast<uint64_t>(r.addend));
      return target ? ".quad " + label(*target) : std::string();
    }
    case isa::kRelocRel64:
      return ".quad " + label_of(r) + "-.";
    case isa::kRelocAbs32:
      return ".long " + label_of(r);
    case isa::kRelocRel32:
      return ".long " + label_of(r) + "-.";
    default:
      break;
  }
  static constexpr std::pair<uint32_t, const char*> kSpecifiers[] = {
      {isa::kRelocRel32Lo, "rel32@lo"},           {isa::kRelocRel32Hi, "rel32@hi"},
      {isa::kRelocAbs32Lo, "abs32@lo"},           {isa::kRelocAbs32Hi, "abs32@hi"},
      {isa::kRelocGotPcRel, "gotpcrel"},          {isa::kRelocGotPcRel32Lo, "gotpcrel32@lo"},
      {isa::kRelocGotPcRel32Hi, "gotpcrel32@hi"},
  };
  const Name& n = names_[r.symbol];
  const bool by_section = n.type == STT_SECTION;
  const std::string name =
      by_section ? label({n.section, static_cast<uint64_t>(r.addend)}) : n.text;
  for (const auto& [type, specifier] : kSpecifiers)
    if (type == r.type)
      return fmt::format(".long {}@{}{}", name, specifier,
                         by_section || r.addend == 0 ? "" : fmt::format("{:+d}", r.addend));
  return {};
}

void ObjectText::bytes(uint32_t index, uint64_t from, uint64_t to) {
  const loader::ElfSection& s = elf_.sections[index];
  const std::span<const uint8_t> all = s.bytes;
  constexpr uint64_t kLongRun = 16, kLine = 16, kWord = 4;
  if ((s.header.sh_flags & SHF_STRINGS) && s.header.sh_entsize == 1) {
    while (from < to) {
      const auto zero = std::find(all.begin() + from, all.begin() + to, 0) - all.begin();
      const bool ends = static_cast<uint64_t>(zero) < to;
      out_ += fmt::format("\t{} \"{}\"\n", ends ? ".asciz" : ".ascii",
                          escaped(all.subspan(from, static_cast<uint64_t>(zero) - from)));
      from = static_cast<uint64_t>(zero) + ends;
    }
    return;
  }
  while (from < to) {
    uint64_t zeros = 0;
    while (from + zeros < to && all[from + zeros] == 0) ++zeros;
    if (zeros >= kLongRun) {
      out_ += fmt::format("\t.zero {}\n", zeros);
      from += zeros;
      continue;
    }
    const uint64_t n = std::min(kLine, to - from);
    const bool words = n % kWord == 0;
    out_ += words ? "\t.long " : "\t.byte ";
    for (uint64_t i = 0; i < n; i += words ? kWord : 1) {
      uint32_t value = all[from + i];
      if (words) std::memcpy(&value, all.data() + from + i, kWord);
      out_ += fmt::format("{}{:#x}", i ? ", " : "", value);
    }
    out_ += '\n';
    from += n;
  }
}

void ObjectText::data(uint32_t index) {
  const loader::ElfSection& s = elf_.sections[index];
  const bool has_bytes = s.header.sh_type != SHT_NOBITS;
  const uint64_t size = s.header.sh_size;
  for (uint64_t offset = 0; offset < size;) {
    if (has_bytes && descriptor(index, offset)) {
      offset += isa::kDescriptorSize;
      continue;
    }
    labels_at({index, offset});
    uint64_t stop = next_stop({index, offset}, size);
    if (!has_bytes) {
      out_ += fmt::format("\t.zero {}\n", stop - offset);
      offset = stop;
      continue;
    }
    const auto here = references_.find({index, offset});
    if (here != references_.end()) {
      const std::string text = reference_text(here->second);
      const uint64_t width = text.starts_with(".quad") ? 8 : 4;
      if (!text.empty() && offset + width <= stop) {
        out_ += '\t' + text + '\n';
        offset += width;
        continue;
      }
    }
    const auto next = references_.upper_bound({index, offset});
    if (next != references_.end() && next->first.section == index)
      stop = std::min(stop, next->first.offset);
    bytes(index, offset, stop);
    offset = stop;
  }
}

bool ObjectText::metadata(uint32_t index) {
  const std::span<const uint8_t> all = elf_.sections[index].bytes;
  constexpr uint32_t kMetadataNote = 32;
  constexpr uint64_t kHeader = 20;  // three words and the padded owner
  if (all.size() < kHeader || elf_.sections[index].name != ".note") return false;
  uint32_t words[3];
  std::memcpy(words, all.data(), sizeof words);
  const uint64_t padded = (uint64_t{words[1]} + 3) & ~uint64_t{3};
  if (words[0] != sizeof "AMDGPU" || words[2] != kMetadataNote || kHeader + padded != all.size() ||
      std::memcmp(all.data() + sizeof words, "AMDGPU\0", 8) != 0 ||
      !all_zero(all.subspan(kHeader + words[1])))
    return false;
  const auto yaml = asm_::metadata_yaml(all.subspan(kHeader, words[1]));
  if (!yaml) return false;
  out_ += "\n\t.amdgpu_metadata\n" + *yaml + "\t.end_amdgpu_metadata\n";
  return true;
}

/// A descriptor becomes directives if they say all that is in its bytes.
bool ObjectText::descriptor(uint32_t index, uint64_t offset) {
  const loader::ElfSection& s = elf_.sections[index];
  if (offset + isa::kDescriptorSize > s.bytes.size() ||
      next_stop({index, offset}, UINT64_MAX) < offset + isa::kDescriptorSize ||
      wanted_.contains({index, offset}))
    return false;
  const auto [from, to] = defined_.equal_range({index, offset});
  if (from == to || std::next(from) != to) return false;
  const Name& kd = names_[from->second];
  if (!kd.text.ends_with(".kd")) return false;
  const std::string name = kd.text.substr(0, kd.text.size() - 3);
  const auto kernel = std::find_if(names_.begin(), names_.end(), [&](const Name& n) {
    return n.text == name && n.section < elf_.sections.size() && n.section != SHN_UNDEF;
  });
  const bool same_kind = kernel != names_.end() && kernel->binding == kd.binding &&
                         (kernel->visibility == kd.visibility ||
                          (kernel->visibility == STV_PROTECTED && kd.visibility == STV_DEFAULT)) &&
                         kernel->visibility != STV_DEFAULT;
  if (!same_kind) return false;

  const std::span<const uint8_t> raw = s.bytes.subspan(offset, isa::kDescriptorSize);
  std::array<uint8_t, isa::kDescriptorSize> again = {};
  std::memcpy(again.data() + isa::kEntryOffset, raw.data() + isa::kEntryOffset, sizeof(uint64_t));
  if (linked_) {
    int64_t entry = 0;
    std::memcpy(&entry, raw.data() + isa::kEntryOffset, sizeof entry);
    const uint64_t code = elf_.sections[kernel->section].header.sh_addr + kernel->value;
    if (s.header.sh_addr + offset + static_cast<uint64_t>(entry) != code) return false;
  } else {
    const auto r = references_.find({index, offset + isa::kEntryOffset});
    if (r == references_.end() || r->second.type != isa::kRelocRel64) return false;
  }
  const isa::Target target = object_.target;
  const uint8_t set = isa::descriptor_targets(target);
  const bool gfx9 = isa::target_info(target).generation == isa::Generation::kGfx9;
  std::string text = fmt::format("\t.amdhsa_kernel {}\n", spelt(name));
  unsigned implied = 0;
  uint32_t user_sgprs = 0;
  for (const isa::DescriptorField& f : isa::descriptor_fields()) {
    if (!(f.targets & set)) continue;
    const uint32_t value = get_descriptor_field(raw, f);
    isa::set_descriptor_field(again, f, value);
    text += fmt::format("\t\t.amdhsa_{} {}\n", f.name, value);
    if (f.user_sgprs && value) implied += f.user_sgprs;
    if (f.name == "user_sgpr_kernarg_preload_length") implied += value;
    if (f.name == "user_sgpr_count") user_sgprs = value;
  }
  constexpr unsigned kMostUserSgprs = 16;
  if (user_sgprs < implied || user_sgprs > kMostUserSgprs) return false;
  const isa::DescriptorField wave32 = *isa::find_descriptor_field("wavefront_size32", target);
  const bool is_wave32 = !gfx9 && get_descriptor_field(raw, wave32);
  const uint32_t vgprs = get_descriptor_field(raw, isa::kGranulatedVgprs);
  isa::set_descriptor_field(again, isa::kGranulatedVgprs, vgprs);
  text += fmt::format("\t\t.amdhsa_next_free_vgpr {}\n",
                      (vgprs + 1) * isa::vgpr_granule(target, is_wave32));
  if (gfx9) {
    const uint32_t sgprs = get_descriptor_field(raw, isa::kGranulatedSgprs),
                   accum = get_descriptor_field(raw, isa::kAccumOffset);
    isa::set_descriptor_field(again, isa::kGranulatedSgprs, sgprs);
    isa::set_descriptor_field(again, isa::kAccumOffset, accum);
    const bool xnack = object_.xnack != loader::FeatureSetting::kOff;
    const unsigned extra = isa::extra_sgprs(target, false, false, xnack);
    const unsigned all =
        std::min((sgprs + 1) * isa::kSgprGranule, isa::target_info(target).max_sgprs + extra);
    text += fmt::format("\t\t.amdhsa_next_free_sgpr {}\n\t\t.amdhsa_reserve_vcc 0\n", all - extra);
    if (!isa::has_architected_flat_scratch(target)) text += "\t\t.amdhsa_reserve_flat_scratch 0\n";
    text += fmt::format("\t\t.amdhsa_accum_offset {}\n", (accum + 1) * 4);
  } else {
    text += "\t\t.amdhsa_next_free_sgpr 0\n";
  }
  if (!std::equal(again.begin(), again.end(), raw.begin())) return false;
  if (kd.visibility == STV_DEFAULT) protected_by_descriptor_.insert(name);
  out_ += '\n' + text + "\t.end_amdhsa_kernel\n";
  return true;
}

}  // namespace lockstep::cli
