// SPDX-License-Identifier: MIT
// Code objects: identity, symbols, sections, metadata against llvm-readelf, and what must be
// refused.
#include "loader/code_object.h"

#include <elf.h>

#include "tests/loader/support.h"

namespace lockstep::loader {
namespace {

CodeObject parse(const std::string& name) {
  auto object = parse_code_object(object_bytes(name));
  EXPECT_TRUE(object) << name << ": " << (object ? "" : object.error());
  return object ? std::move(*object) : CodeObject{};
}

std::string error_of(const FileBytes& bytes) {
  const auto object = parse_code_object(bytes);
  EXPECT_FALSE(object);
  return object ? "" : object.error();
}

TEST(CodeObject, Identity) {
  for (const std::string target : {"gfx1100", "gfx1201", "gfx90a", "gfx942", "gfx950"})
    for (int version = 4; version <= 6; ++version) {
      const std::string name = "sample." + target + ".v" + std::to_string(version);
      const CodeObject object = parse(name + ".co");
      EXPECT_EQ(isa::target_info(object.target).name, target);
      EXPECT_EQ(object.version, version);
      EXPECT_FALSE(object.relocatable);
      ASSERT_TRUE(object.metadata);
      EXPECT_EQ(object.metadata->target, "amdgcn-amd-amdhsa--" + target);
      EXPECT_EQ(object.metadata->version_major, 1u);
      EXPECT_EQ(object.metadata->version_minor, version == 4 ? 1u : 2u);
      EXPECT_TRUE(parse(name + ".o").relocatable);
    }
}

TEST(CodeObject, Features) {
  const CodeObject plain = parse("sample.gfx90a.v6.co");
  EXPECT_EQ(plain.xnack, FeatureSetting::kAny);
  EXPECT_EQ(plain.sramecc, FeatureSetting::kAny);
  EXPECT_EQ(plain.target_id(), "gfx90a");
  EXPECT_EQ(parse("sample.gfx90a_xnack+.co").target_id(), "gfx90a:xnack+");
  EXPECT_EQ(parse("sample.gfx90a_xnack-.co").target_id(), "gfx90a:xnack-");
  EXPECT_EQ(parse("sample.gfx90a_sramecc-_xnack+.co").target_id(), "gfx90a:sramecc-:xnack+");
  const CodeObject rdna = parse("sample.gfx1100.v6.co");
  EXPECT_EQ(rdna.xnack, FeatureSetting::kUnsupported);
  EXPECT_EQ(rdna.sramecc, FeatureSetting::kUnsupported);
}

TEST(CodeObject, Version3) {  // no compiler of today writes it: a V4 file with V3's header
  FileBytes bytes = object_bytes("sample.gfx90a.v4.co");
  bytes[EI_ABIVERSION] = 1;
  write_at<uint32_t>(bytes, 0x30, 0x3f | 0x100);
  const auto object = parse_code_object(bytes);
  ASSERT_TRUE(object) << object.error();
  EXPECT_EQ(object->version, 3);
  EXPECT_EQ(object->target_id(), "gfx90a:sramecc-:xnack+");
  EXPECT_EQ(object->kernels.size(), 3u);
}

TEST(CodeObject, SymbolsAndText) {
  const CodeObject object = parse("sample.gfx1100.v6.co");
  const Section* text = object.text();
  ASSERT_TRUE(text);
  EXPECT_EQ(text->name, ".text");
  const auto code = object.bytes_at(text->address, text->size);
  ASSERT_EQ(code.size(), text->size);
  for (const Kernel& kernel : object.kernels) {
    EXPECT_EQ(kernel.entry % 256, 0u);
    EXPECT_EQ(kernel.descriptor_address % 64, 0u);
    EXPECT_GE(kernel.entry, text->address);
    EXPECT_GT(kernel.code_size, 0u);
    EXPECT_LE(kernel.entry + kernel.code_size, text->address + text->size);
    const Symbol* function = object.find_function(kernel.entry + 4);
    ASSERT_TRUE(function);
    EXPECT_EQ(function->name, kernel.name);
  }
  // The device function is found too (the compiler gave it a local or hidden symbol).
  const auto helper = std::ranges::find(object.symbols, "helper", &Symbol::name);
  ASSERT_NE(helper, object.symbols.end());
  EXPECT_EQ(helper->kind, SymbolKind::kFunction);
  EXPECT_EQ(object.find_function(helper->value + 8)->name, "helper");
  EXPECT_EQ(object.find_function(0), nullptr);
  EXPECT_TRUE(std::ranges::is_sorted(object.symbols, {}, &Symbol::value));
}

TEST(CodeObject, MetadataFields) {
  const CodeObject object = parse("sample.gfx1100.v5.co");
  const Kernel* lds3d = object.find_kernel("lds3d");
  ASSERT_TRUE(lds3d && lds3d->metadata);
  const KernelMetadata& m = *lds3d->metadata;
  EXPECT_EQ(m.symbol, "lds3d.kd");
  EXPECT_EQ(m.language, "OpenCL C");
  EXPECT_EQ(m.reqd_workgroup_size, (std::array<uint32_t, 3>{8, 4, 2}));
  EXPECT_EQ(m.max_flat_workgroup_size, 64u);
  EXPECT_EQ(m.wavefront_size, 32u);
  EXPECT_EQ(m.group_segment_fixed_size, 256u);
  EXPECT_EQ(lds3d->descriptor.group_segment_fixed_size, 256u);
  ASSERT_GE(m.args.size(), 5u);
  const auto expect_arg = [&](size_t i, uint32_t offset, uint32_t size, ArgKind kind,
                              const char* space) {
    EXPECT_EQ(m.args[i].offset, offset) << i;
    EXPECT_EQ(m.args[i].size, size) << i;
    EXPECT_EQ(m.args[i].kind, kind) << i;
    EXPECT_EQ(m.args[i].address_space, space) << i;
    EXPECT_FALSE(m.args[i].hidden());
  };
  expect_arg(0, 0, 1, ArgKind::kByValue, "");
  expect_arg(1, 8, 8, ArgKind::kGlobalBuffer, "global");
  expect_arg(2, 16, 12, ArgKind::kByValue, "");
  expect_arg(3, 28, 4, ArgKind::kDynamicSharedPointer, "local");
  expect_arg(4, 32, 8, ArgKind::kByValue, "");
  EXPECT_EQ(m.args[3].pointee_align, 4u);
  EXPECT_EQ(m.args[1].type_name, "int*");

  const KernelMetadata& plain = *object.find_kernel("plain")->metadata;
  EXPECT_TRUE(plain.args[0].is_const);
  EXPECT_TRUE(plain.args[0].is_restrict);
  EXPECT_FALSE(plain.args[1].is_const);
  EXPECT_EQ(plain.args[0].actual_access, "read_only");
  const auto hidden = std::ranges::find(plain.args, ArgKind::kHiddenGroupSizeX, &KernelArg::kind);
  ASSERT_NE(hidden, plain.args.end());
  EXPECT_TRUE(hidden->hidden());
  EXPECT_EQ(hidden->size, 2u);
  EXPECT_GT(object.find_kernel("stack")->metadata->private_segment_fixed_size, 800u);
}

/// Values of `key` in llvm-readelf's note text, in order: of kernels (at their indentation), or of
/// arguments.
std::vector<std::string> note_values(const std::string& path, const std::string& key,
                                     bool of_arguments) {
  std::ifstream file(path);
  std::vector<std::string> values;
  std::string line;
  while (std::getline(file, line)) {
    const size_t start = line.find_first_not_of(" -");
    if (start == std::string::npos || (start > 6) != of_arguments) continue;
    std::istringstream words(line.substr(start));
    std::string name, value;
    words >> name >> value;
    if (name == key + ":") values.push_back(value);
  }
  return values;
}

TEST(CodeObject, MetadataMatchesReadelf) {
  for (const std::string target : {"gfx1100", "gfx1201", "gfx90a", "gfx942", "gfx950"})
    for (const std::string version : {"v4", "v5", "v6"}) {
      const std::string name = "sample." + target + "." + version;
      const std::string notes = std::string(LOCKSTEP_OBJECTS) + "/" + name + ".notes";
      const CodeObject object = parse(name + ".co");
      ASSERT_TRUE(object.metadata);
      const auto compare = [&](const std::string& key, auto KernelMetadata::* field) {
        std::vector<std::string> ours;
        for (const KernelMetadata& k : object.metadata->kernels)
          ours.push_back((std::ostringstream() << k.*field).str());
        EXPECT_EQ(ours, note_values(notes, key, false)) << name << " " << key;
      };
      compare(".name", &KernelMetadata::name);
      compare(".symbol", &KernelMetadata::symbol);
      compare(".kernarg_segment_size", &KernelMetadata::kernarg_segment_size);
      compare(".kernarg_segment_align", &KernelMetadata::kernarg_segment_align);
      compare(".group_segment_fixed_size", &KernelMetadata::group_segment_fixed_size);
      compare(".private_segment_fixed_size", &KernelMetadata::private_segment_fixed_size);
      compare(".sgpr_count", &KernelMetadata::sgpr_count);
      compare(".vgpr_count", &KernelMetadata::vgpr_count);
      compare(".sgpr_spill_count", &KernelMetadata::sgpr_spill_count);
      compare(".max_flat_workgroup_size", &KernelMetadata::max_flat_workgroup_size);
      compare(".wavefront_size", &KernelMetadata::wavefront_size);
      const auto compare_args = [&](const std::string& key, auto KernelArg::* field) {
        std::vector<std::string> ours;
        for (const KernelMetadata& k : object.metadata->kernels)
          for (const KernelArg& a : k.args)
            ours.push_back((std::ostringstream() << a.*field).str());
        EXPECT_EQ(ours, note_values(notes, key, true)) << name << " " << key;
      };
      compare_args(".offset", &KernelArg::offset);
      compare_args(".size", &KernelArg::size);
      compare_args(".value_kind", &KernelArg::value_kind);
      for (const KernelMetadata& k : object.metadata->kernels)
        for (const KernelArg& a : k.args) EXPECT_NE(a.kind, ArgKind::kUnknown) << a.value_kind;
    }
}

TEST(CodeObject, StrippedAndWithoutMetadata) {
  const CodeObject full = parse("sample.gfx1100.v6.co");
  const CodeObject stripped = parse("stripped.co");
  ASSERT_EQ(stripped.kernels.size(), 3u);
  for (const Kernel& kernel : full.kernels) {
    ASSERT_TRUE(stripped.find_kernel(kernel.name));
    EXPECT_EQ(stripped.find_kernel(kernel.name)->entry, kernel.entry);
  }
  const CodeObject bare = parse("no_note.o");
  EXPECT_FALSE(bare.metadata);
  ASSERT_EQ(bare.kernels.size(), 3u);
  for (const Kernel& kernel : bare.kernels) {
    EXPECT_FALSE(kernel.metadata);
    EXPECT_EQ(kernel.descriptor.kernarg_size,
              full.find_kernel(kernel.name)->descriptor.kernarg_size);
  }
}

TEST(CodeObject, RefusesOtherTargetsByName) {
  EXPECT_NE(error_of(object_bytes("sample.gfx1030.co")).find("gfx1030"), std::string::npos);
  EXPECT_NE(error_of(object_bytes("sample.gfx11-generic.co")).find("generic target gfx11-generic"),
            std::string::npos);
}

TEST(CodeObject, ErrorsNameFieldAndOffset) {
  const FileBytes good = object_bytes("sample.gfx1100.v6.co");
  const auto sections = read_at<uint64_t>(good, 0x28);
  const auto expect_error = [&](size_t offset, auto value, const std::string& text) {
    FileBytes bytes = good;
    write_at(bytes, offset, value);
    const std::string error = error_of(bytes);
    EXPECT_NE(error.find(text), std::string::npos) << "wanted: " << text << "\ngot: " << error;
  };
  EXPECT_NE(error_of({}).find("not an ELF file"), std::string::npos);
  expect_error(0, uint8_t{0}, "not an ELF file");
  expect_error(EI_CLASS, uint8_t{1}, "EI_CLASS (offset 4) is 1");
  expect_error(EI_OSABI, uint8_t{0}, "EI_OSABI (offset 7) is 0");
  expect_error(EI_ABIVERSION, uint8_t{0}, "code object V2");
  expect_error(EI_ABIVERSION, uint8_t{9}, "EI_ABIVERSION (offset 8) is 9");
  expect_error(0x10, uint16_t{2}, "e_type (offset 0x10) is 2");
  expect_error(0x12, uint16_t{62}, "e_machine (offset 0x12) is 62");
  expect_error(0x28, uint64_t{0xfffffffffffffff0}, "e_shoff 0xfffffffffffffff0");
  expect_error(0x20, uint64_t{0xfffffffffffffff0}, "e_phoff 0xfffffffffffffff0");
  expect_error(sections + 3 * 64 + 0x18, uint64_t{0xfffffffffffffff0},
               "section header 3: sh_offset 0xfffffffffffffff0 + sh_size");
  expect_error(sections + 3 * 64 + 0x20, uint64_t{0x100000},
               "sh_size 0x100000 is past the end of the file");
  expect_error(sections + 3 * 64, uint32_t{0x100000},
               "section header 3: the string at sh_name 0x100000");
  expect_error(64 + 56 + 0x20, uint64_t{0x100000},
               "program header 1: p_offset 0x0 + p_filesz 0x100000");
  expect_error(64 + 56 + 0x28, uint64_t{1}, "program header 1: p_filesz");
  expect_error(64 + 56 + 0x28, ~uint64_t{0},
               "program header 1: p_vaddr 0x0 + p_memsz 0xffffffffffffffff");
  expect_error(64 + 56 + 0x30, uint64_t{3}, "program header 1: p_align 0x3");
  expect_error(64 + 2 * 56 + 0x10, uint64_t{0x10}, "overlaps");
}

TEST(CodeObject, DescriptorsMustPointAtCode) {
  FileBytes bytes = object_bytes("sample.gfx1100.v6.co");
  const CodeObject object = parse("sample.gfx1100.v6.co");
  const Segment& first = object.segments.front();
  const uint64_t offset =
      first.file_offset + object.find_kernel("plain")->descriptor_address - first.address;
  write_at<int64_t>(bytes, offset + 16, -64);
  const std::string error = error_of(bytes);
  EXPECT_NE(error.find("kernel plain"), std::string::npos) << error;
  EXPECT_NE(error.find("not in an executable segment"), std::string::npos) << error;
}

}  // namespace
}  // namespace lockstep::loader
