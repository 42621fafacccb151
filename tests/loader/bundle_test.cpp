// SPDX-License-Identifier: MIT
// Offload bundles: plain and compressed ones of the real tool, host executables, choice by target,
// damage.
#include "loader/bundle.h"

#ifdef LOCKSTEP_HAVE_ZLIB
#include <zlib.h>
#endif

#include "loader/code_object.h"
#include "tests/loader/support.h"

namespace lockstep::loader {
namespace {

using isa::Target;

void expect_same(std::span<const uint8_t> contents, const std::string& name) {
  EXPECT_TRUE(std::ranges::equal(contents, object_bytes(name))) << name;
}

void expect_sample_bundle(const Bundle& bundle) {
  ASSERT_EQ(bundle.entries.size(), 5u);
  EXPECT_EQ(bundle.entries[0].offload_kind, "host");
  EXPECT_EQ(bundle.entries[0].target_id, "");
  EXPECT_EQ(bundle.entries[1].id, "hipv4-amdgcn-amd-amdhsa--gfx1100");
  EXPECT_EQ(bundle.entries[1].offload_kind, "hipv4");
  EXPECT_EQ(bundle.entries[1].target_id, "gfx1100");
  EXPECT_EQ(bundle.entries[3].target_id, "gfx90a:xnack+");
  expect_same(bundle.contents(bundle.entries[1]), "sample.gfx1100.v6.co");
  expect_same(bundle.contents(bundle.entries[2]), "sample.gfx1201.v6.co");
  expect_same(bundle.contents(bundle.entries[3]), "sample.gfx90a_xnack+.co");
}

TEST(Bundle, Plain) {
  const auto bundle = parse_bundle(object_bytes("plain.hipfb"));
  ASSERT_TRUE(bundle) << bundle.error();
  expect_sample_bundle(*bundle);
}

TEST(Bundle, SelectsByTargetAndFeature) {
  const auto bundle = parse_bundle(object_bytes("plain.hipfb"));
  ASSERT_TRUE(bundle) << bundle.error();
  const auto id = [&](Target target, const char* features = "") {
    const auto entry = select_entry(*bundle, target, features);
    return entry ? entry->target_id : "error: " + entry.error();
  };
  EXPECT_EQ(id(Target::kGfx1201), "gfx1201");
  EXPECT_EQ(id(Target::kGfx90a), "gfx90a:xnack-");
  EXPECT_EQ(id(Target::kGfx90a, ":xnack+"), "gfx90a:xnack+");
  EXPECT_EQ(id(Target::kGfx90a, ":sramecc+:xnack-"), "gfx90a:xnack-");
  const std::string missing = id(Target::kGfx1150);
  EXPECT_NE(missing.find("nothing for gfx1150"), std::string::npos) << missing;
  EXPECT_NE(missing.find("hipv4-amdgcn-amd-amdhsa--gfx1100"), std::string::npos) << missing;
}

TEST(Bundle, CompressedByTheTool) {  // zstd is the tool's choice
  const auto bundle = parse_bundle(object_bytes("compressed.hipfb"));
#ifdef LOCKSTEP_HAVE_ZSTD
  ASSERT_TRUE(bundle) << bundle.error();
  expect_sample_bundle(*bundle);
#else
  ASSERT_FALSE(bundle);
  EXPECT_NE(bundle.error().find("zstd"), std::string::npos) << bundle.error();
#endif
}

/// A compressed bundle of any version around `payload`.
FileBytes wrap(uint16_t version, uint16_t method, const FileBytes& payload, uint64_t size) {
  FileBytes out = {'C', 'C', 'O', 'B'};
  const auto append = [&](auto value) {
    const auto* p = reinterpret_cast<const uint8_t*>(&value);
    out.insert(out.end(), p, p + sizeof value);
  };
  append(version);
  append(method);
  const uint64_t total = payload.size() + (version == 1 ? 20 : version == 2 ? 24 : 32);
  if (version == 2) append(static_cast<uint32_t>(total));
  if (version == 3) append(total);
  if (version == 3)
    append(size);
  else
    append(static_cast<uint32_t>(size));
  append(uint64_t{0x1234});  // the hash; nobody checks it
  out.insert(out.end(), payload.begin(), payload.end());
  return out;
}

#ifdef LOCKSTEP_HAVE_ZLIB
FileBytes deflate_bytes(const FileBytes& plain) {
  FileBytes out(compressBound(plain.size()));
  uLongf size = out.size();
  EXPECT_EQ(compress(out.data(), &size, plain.data(), plain.size()), Z_OK);
  out.resize(size);
  return out;
}

TEST(Bundle, CompressedWithZlibInEveryHeaderVersion) {
  const FileBytes plain = object_bytes("plain.hipfb");
  const FileBytes deflated = deflate_bytes(plain);
  for (uint16_t version : {1, 2, 3}) {
    const auto bundle = parse_bundle(wrap(version, 0, deflated, plain.size()));
    ASSERT_TRUE(bundle) << bundle.error();
    expect_sample_bundle(*bundle);
  }
}

TEST(Bundle, DamagedCompressionGivesErrors) {
  const FileBytes plain = object_bytes("plain.hipfb");
  const FileBytes deflated = deflate_bytes(plain);
  for (const uint64_t size : {plain.size() - 1, plain.size() + 1, uint64_t{0}})
    EXPECT_NE(parse_bundle(wrap(3, 0, deflated, size)).error().find("promises"), std::string::npos);
  EXPECT_NE(parse_bundle(wrap(3, 0, deflated, uint64_t{1} << 40)).error().find("uncompressed size"),
            std::string::npos);
  FileBytes cut = deflated;
  cut.resize(cut.size() / 2);
  EXPECT_NE(parse_bundle(wrap(1, 0, cut, plain.size())).error().find("zlib"), std::string::npos);
}
#endif

TEST(Bundle, CompressionErrorsNameVersionAndMethod) {
  const auto error = [](const FileBytes& bytes) {
    const auto bundle = parse_bundle(bytes);
    EXPECT_FALSE(bundle);
    return bundle ? "" : bundle.error();
  };
  EXPECT_NE(error(wrap(3, 7, {1, 2, 3}, 100)).find("method 7"), std::string::npos);
  EXPECT_NE(error(wrap(9, 0, {1, 2, 3}, 100)).find("version 9"), std::string::npos);
  EXPECT_NE(error(wrap(2, 1, {1, 2, 3}, 100)).find("zstd"), std::string::npos);
  EXPECT_NE(error({'C', 'C', 'O', 'B', 2, 0}).find("header"), std::string::npos);
}

TEST(Bundle, FoundInHostExecutables) {
  const auto bundles = find_bundles(object_bytes("host.o"));
  ASSERT_TRUE(bundles) << bundles.error();
  ASSERT_EQ(bundles->size(), 2u);
  expect_sample_bundle((*bundles)[0]);
  EXPECT_EQ((*bundles)[1].entries[1].target_id, "gfx942");
  EXPECT_GT((*bundles)[1].file_offset, (*bundles)[0].file_offset);
  const auto none = find_bundles(object_bytes("empty.o"));
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().find(".hip_fatbin"), std::string::npos);
}

TEST(Bundle, ExtractsFromWhateverThereIs) {
  const auto extract = [](const std::string& name, std::optional<Target> target = std::nullopt) {
    auto bytes = extract_code_object(object_bytes(name), target);
    EXPECT_TRUE(bytes) << name << ": " << (bytes ? "" : bytes.error());
    return bytes ? *bytes : FileBytes{};
  };
  expect_same(extract("sample.gfx1201.v6.co"), "sample.gfx1201.v6.co");
  expect_same(extract("plain.hipfb", Target::kGfx1201), "sample.gfx1201.v6.co");
  expect_same(extract("host.o", Target::kGfx942), "sample.gfx942.v6.co");  // in its second bundle
  expect_same(extract("second.hipfb"), "sample.gfx942.v6.co");             // the only one
  EXPECT_NE(extract_code_object(object_bytes("plain.hipfb")).error().find("choose a target"),
            std::string::npos);
  EXPECT_NE(extract_code_object(object_bytes("host.o"), Target::kGfx950)
                .error()
                .find("nothing for gfx950"),
            std::string::npos);
  EXPECT_NE(extract_code_object(FileBytes(100, 'x')).error().find("not a code object"),
            std::string::npos);
}

TEST(Bundle, DamagedTablesNameTheEntry) {
  const FileBytes good = object_bytes("plain.hipfb");
  const auto error = [&](size_t offset, uint64_t value) {
    FileBytes bytes = good;
    write_at(bytes, offset, value);
    const auto bundle = parse_bundle(bytes);
    EXPECT_FALSE(bundle);
    return bundle ? "" : bundle.error();
  };
  EXPECT_NE(error(24, ~uint64_t{0}).find("0xffffffffffffffff entries"), std::string::npos);
  EXPECT_NE(error(32, ~uint64_t{0} - 8).find("entry 0"), std::string::npos);  // offset
  EXPECT_NE(error(40, ~uint64_t{0}).find("entry 0"), std::string::npos);      // size
  EXPECT_NE(error(48, ~uint64_t{0}).find("id size"), std::string::npos);      // length of the id
  for (size_t length = 0; length < 400; ++length) {
    const auto cut = parse_bundle(std::span(good).first(length));
    ASSERT_FALSE(cut);
    ASSERT_FALSE(cut.error().empty());
  }
}

}  // namespace
}  // namespace lockstep::loader
