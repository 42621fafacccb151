// SPDX-License-Identifier: MIT
// Offload bundles: header tables, compressed wrappers, and the .hip_fatbin section of host
// executables.
#include "loader/bundle.h"

#include <algorithm>

#include "loader/code_object.h"
#include "loader/decompress.h"
#include "loader/elf_file.h"

namespace lockstep::loader {
namespace {

constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressedMagic = "CCOB";
constexpr uint64_t kMaxBundleSize = uint64_t{1} << 32;

bool starts_with(ByteSpan bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

/// A bundle and how many bytes of the input it took.
struct Parsed {
  Bundle bundle;
  uint64_t consumed = 0;
};

BundleEntry make_entry(std::string id, uint64_t offset, uint64_t size) {
  BundleEntry entry{.id = std::move(id), .offset = offset, .size = size};
  entry.offload_kind = entry.id.substr(0, entry.id.find('-'));
  // The target id is last, but has '-' itself ("xnack-", "gfx9-4-generic").
  if (const size_t gfx = entry.id.rfind("-gfx"); gfx != std::string::npos)
    entry.target_id = entry.id.substr(gfx + 1);
  return entry;
}

Result<Parsed> parse_plain(ByteSpan bytes) {
  const auto fail = [](const std::string& what) { return Error{"offload bundle: " + what}; };
  uint64_t cursor = kMagic.size();
  if (!in_bounds(cursor, 8, bytes.size()))
    return fail(
        past_end("number of entries", "offset", cursor, "size", 8, "the file", bytes.size()));
  const auto count = load_struct<uint64_t>(bytes, cursor);
  cursor += 8;
  if (count > (bytes.size() - cursor) / 24)
    return fail(fmt::format("{:#x} entries at offset {:#x} do not fit into the file ({:#x} bytes)",
                            count, cursor, bytes.size()));
  Parsed parsed;
  uint64_t end = cursor;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string what = fmt::format("entry {}", i);
    if (!in_bounds(cursor, 24, bytes.size()))
      return fail(past_end(what, "offset", cursor, "size", 24, "the file", bytes.size()));
    const auto offset = load_struct<uint64_t>(bytes, cursor);
    const auto size = load_struct<uint64_t>(bytes, cursor + 8);
    const auto id_size = load_struct<uint64_t>(bytes, cursor + 16);
    cursor += 24;
    if (!in_bounds(cursor, id_size, bytes.size()))
      return fail(past_end(what, "id at", cursor, "id size", id_size, "the file", bytes.size()));
    std::string id(reinterpret_cast<const char*>(bytes.data()) + cursor, id_size);
    cursor += id_size;
    if (!in_bounds(offset, size, bytes.size()))
      return fail(past_end(fmt::format("{} ({})", what, id), "offset", offset, "size", size,
                           "the file", bytes.size()));
    end = std::max({end, cursor, offset + size});
    parsed.bundle.entries.push_back(make_entry(std::move(id), offset, size));
  }
  parsed.bundle.bytes.assign(bytes.begin(), bytes.begin() + end);
  parsed.consumed = end;
  return parsed;
}

/// Magic, u16 version, u16 method, [sizes of file (from version 2) and contents: u32, from version
/// 3 u64], u64 hash.
Result<Parsed> parse_compressed(ByteSpan bytes) {
  const auto fail = [](const std::string& what) {
    return Error{"compressed offload bundle: " + what};
  };
  if (bytes.size() < 8) return fail("the file ends inside the header");
  const auto version = load_struct<uint16_t>(bytes, 4);
  const auto method = load_struct<uint16_t>(bytes, 6);
  if (version < 1 || version > 3)
    return fail(fmt::format("version {} (offset 4) is not known (1 to 3 are)", version));
  const uint64_t header_size = version == 1 ? 20 : version == 2 ? 24 : 32;
  if (bytes.size() < header_size)
    return fail(
        fmt::format("the file ends after {:#x} of {:#x} header bytes", bytes.size(), header_size));
  uint64_t total = bytes.size();
  uint64_t size = 0;
  if (version == 1) size = load_struct<uint32_t>(bytes, 8);
  if (version == 2)
    total = load_struct<uint32_t>(bytes, 8), size = load_struct<uint32_t>(bytes, 12);
  if (version == 3)
    total = load_struct<uint64_t>(bytes, 8), size = load_struct<uint64_t>(bytes, 16);
  if (total < header_size || total > bytes.size())
    return fail(fmt::format("the size {:#x} (offset 8) does not fit the file ({:#x} bytes)", total,
                            bytes.size()));
  if (size > kMaxBundleSize)
    return fail(
        fmt::format("the uncompressed size {:#x} is more than {:#x}", size, kMaxBundleSize));
  auto plain = decompress(static_cast<CompressionMethod>(method),
                          bytes.subspan(header_size, total - header_size), size);
  if (!plain) return fail(plain.error());
  if (!starts_with(*plain, kMagic))
    return fail("the decompressed contents do not start with the magic of a bundle");
  auto parsed = parse_plain(*plain);
  if (parsed) parsed->consumed = total;
  return parsed;
}

Result<Parsed> parse_any(ByteSpan bytes) {
  if (starts_with(bytes, kMagic)) return parse_plain(bytes);
  if (starts_with(bytes, kCompressedMagic)) return parse_compressed(bytes);
  return Error{"offload bundle: the file does not start with the magic of a bundle"};
}

/// "+" or "-" behind ":name" in a target id, 0 if it is not there.
char feature_sign(std::string_view id, std::string_view name) {
  const size_t at = id.find(fmt::format(":{}", name));
  const size_t sign = at + 1 + name.size();
  return at == std::string_view::npos || sign >= id.size() ? 0 : id[sign];
}

std::string list_ids(const std::vector<BundleEntry>& entries) {
  std::string list;
  for (const BundleEntry& entry : entries) list += (list.empty() ? "" : ", ") + entry.id;
  return list.empty() ? "nothing" : list;
}

}  // namespace

std::span<const uint8_t> Bundle::contents(const BundleEntry& entry) const {
  return in_bounds(entry.offset, entry.size, bytes.size())
             ? std::span(bytes).subspan(entry.offset, entry.size)
             : std::span<const uint8_t>();
}

bool is_bundle(std::span<const uint8_t> bytes) {
  return starts_with(bytes, kMagic) || starts_with(bytes, kCompressedMagic);
}

Result<Bundle> parse_bundle(std::span<const uint8_t> bytes) {
  auto parsed = parse_any(bytes);
  if (!parsed) return Error{parsed.error()};
  return std::move(parsed->bundle);
}

Result<std::vector<Bundle>> find_bundles(std::span<const uint8_t> file) {
  uint64_t start = 0;
  ByteSpan area = file;
  if (is_elf64(file)) {
    auto elf = parse_elf(file);
    if (!elf) return Error{"host ELF file: " + elf.error()};
    const ElfSection* section = elf->find_section(".hip_fatbin");
    if (!section) return Error{"host ELF file: there is no .hip_fatbin section"};
    area = section->bytes;
    start = section->header.sh_offset;
  }
  std::vector<Bundle> bundles;
  uint64_t cursor = 0;
  while (cursor < area.size()) {
    if (area[cursor] == 0) {  // padding between the bundles of several source files
      ++cursor;
      continue;
    }
    auto parsed = parse_any(area.subspan(cursor));
    if (!parsed) return Error{fmt::format("at offset {:#x}: {}", start + cursor, parsed.error())};
    parsed->bundle.file_offset = start + cursor;
    bundles.push_back(std::move(parsed->bundle));
    cursor += parsed->consumed;
  }
  if (bundles.empty()) return Error{"offload bundle: there is nothing but padding"};
  return bundles;
}

Result<BundleEntry> select_entry(const Bundle& bundle, isa::Target target,
                                 std::string_view features) {
  const BundleEntry* best = nullptr;
  int best_score = 0;
  for (const BundleEntry& entry : bundle.entries) {
    if (entry.target_id.empty() || isa::find_target(entry.target_id) != target) continue;
    int score = 0;
    bool fits = true;
    for (const auto& [name, usual] : {std::pair{"xnack", '-'}, std::pair{"sramecc", '+'}}) {
      const char stated = feature_sign(entry.target_id, name);
      const char asked = feature_sign(features, name);
      if (stated == 0) continue;
      if (asked != 0 && stated != asked) fits = false;
      score += stated == (asked ? asked : usual) ? 1 : -1;
    }
    if (!fits || (best && score <= best_score)) continue;
    best = &entry;
    best_score = score;
  }
  if (best) return *best;
  return Error{fmt::format("offload bundle: nothing for {}{}; it holds {}",
                           isa::target_info(target).name, features, list_ids(bundle.entries))};
}

Result<std::vector<uint8_t>> extract_code_object(std::span<const uint8_t> file,
                                                 std::optional<isa::Target> target) {
  if (is_code_object(file)) return std::vector<uint8_t>(file.begin(), file.end());
  if (!is_elf64(file) && !is_bundle(file))
    return Error{fmt::format(
        "not a code object, an offload bundle or a host ELF file ({:#x} bytes)", file.size())};
  auto bundles = find_bundles(file);
  if (!bundles) return Error{bundles.error()};
  std::vector<BundleEntry> entries;
  std::span<const uint8_t> found;
  for (const Bundle& bundle : *bundles) {
    for (const BundleEntry& entry : bundle.entries) {
      if (entry.target_id.empty()) continue;
      entries.push_back(entry);
      found = bundle.contents(entry);
    }
    if (!target) continue;
    if (auto entry = select_entry(bundle, *target)) {
      found = bundle.contents(*entry);
      return std::vector<uint8_t>(found.begin(), found.end());
    }
  }
  if (target)
    return Error{fmt::format("offload bundle: nothing for {}; it holds {}",
                             isa::target_info(*target).name, list_ids(entries))};
  if (entries.size() != 1)
    return Error{fmt::format("offload bundle: choose a target; it holds {}", list_ids(entries))};
  return std::vector<uint8_t>(found.begin(), found.end());
}

}  // namespace lockstep::loader
