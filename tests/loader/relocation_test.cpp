// SPDX-License-Identifier: MIT
// Loading: every relocation kind against its definition, segments and zeroed memory, and what must
// be refused.
#include "loader/code_object.h"
#include "tests/loader/support.h"

namespace lockstep::loader {
namespace {

constexpr uint64_t kBase = 0x7f1234560000;
constexpr uint64_t kExternal = 0x7fffdeadbee8;
constexpr uint64_t kExternalLow = 0x89abcde0;

std::optional<uint64_t> resolve(std::string_view name) {
  if (name == "external") return kExternal;
  if (name == "external_low") return kExternalLow;
  return std::nullopt;
}

class RelocationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto object = parse_code_object(object_bytes("relocations.o"));
    ASSERT_TRUE(object) << object.error();
    object_ = std::move(*object);
    memory_.assign(object_.image_size, 0xcc);
    const auto loaded = load_code_object(object_, memory_, kBase, resolve);
    ASSERT_TRUE(loaded) << loaded.error();
  }
  uint64_t symbol(std::string_view name) const {
    const auto it = std::ranges::find(object_.symbols, name, &Symbol::name);
    EXPECT_NE(it, object_.symbols.end()) << name;
    return it == object_.symbols.end() ? 0 : it->value;
  }
  uint64_t text(uint64_t offset) const { return object_.find_section(".text")->address + offset; }
  uint64_t data(uint64_t offset) const { return object_.find_section(".data")->address + offset; }
  uint32_t word(uint64_t address) const { return read_at<uint32_t>(memory_, address); }
  uint64_t quad(uint64_t address) const { return read_at<uint64_t>(memory_, address); }
  /// The address that s_getpc_b64 at `getpc`, then add and add-with-carry of the two literals give.
  uint64_t pc_relative(uint64_t getpc, uint64_t low, uint64_t high) const {
    return kBase + getpc + 4 + (word(low) | uint64_t{word(high)} << 32);
  }
  void expect_error(const std::string& text, size_t relocation, auto change) {
    CodeObject broken = object_;
    change(broken.relocations.at(relocation));
    const auto loaded = load_code_object(broken, memory_, kBase, resolve);
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().find(text), std::string::npos)
        << "wanted: " << text << "\ngot: " << loaded.error();
  }

  CodeObject object_;
  FileBytes memory_;
};

TEST_F(RelocationTest, CodeReachesItsTargets) {
  EXPECT_EQ(pc_relative(text(0), text(8), text(16)), kBase + symbol("target"));  // REL32_LO/HI
  const uint64_t slot = pc_relative(text(20), text(28), text(36)) - kBase;       // GOTPCREL32_LO/HI
  const uint64_t external_slot = pc_relative(text(40), text(48), text(56)) - kBase;
  const Section* got = object_.find_section(".got");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->size, 16u);  // one slot a symbol, although `target` is asked for twice
  EXPECT_GE(slot, got->address);
  EXPECT_LT(slot, got->address + got->size);
  EXPECT_NE(slot, external_slot);
  EXPECT_EQ(quad(slot), kBase + symbol("target"));
  EXPECT_EQ(quad(external_slot), kExternal);
  EXPECT_EQ(word(text(64)), static_cast<uint32_t>(kBase + symbol("target")));     // ABS32_LO
  EXPECT_EQ(word(text(72)), (kBase + symbol("target")) >> 32);                    // ABS32_HI
  EXPECT_EQ(word(text(80)), static_cast<uint32_t>(symbol("target") - text(80)));  // REL32
  // REL16: dwords from the instruction behind the branch.
  const auto branch = read_at<int16_t>(memory_, text(84));
  EXPECT_EQ(text(84) + 4 + 4 * branch, symbol("elsewhere"));
  EXPECT_EQ(word(text(84)) >> 16, 0xbfa0u) << "the opcode of s_branch must stay";
  EXPECT_EQ(got->address % 8, 0u);
}

TEST_F(RelocationTest, DataPointsWhereItShould) {
  const uint64_t target = symbol("target");
  EXPECT_EQ(target, data(48));
  EXPECT_EQ(quad(data(48)), kBase + target + 0x10);  // ABS64
  EXPECT_EQ(quad(data(56)), kExternal);
  EXPECT_EQ(quad(data(64)), 0u) << "an undefined weak symbol is 0";
  EXPECT_EQ(quad(data(72)), symbol("kernel") - data(72));                         // REL64
  EXPECT_EQ(word(data(80)), static_cast<uint32_t>(symbol("kernel") - data(80)));  // REL32
  EXPECT_EQ(word(data(84)), kExternalLow);                                        // ABS32
  const uint64_t slot = data(88) + static_cast<int32_t>(word(data(88)));          // GOTPCREL
  EXPECT_EQ(quad(slot), kBase + target);
  EXPECT_EQ(quad(data(92)), kBase + 0x20);  // RELATIVE64
  EXPECT_EQ(quad(data(100)), kBase + symbol("zeroed"));
  EXPECT_EQ(quad(data(108)), kBase + symbol("shared"));
  EXPECT_EQ(symbol("shared") % 32, 0u);
  EXPECT_EQ(symbol("zeroed") % 64, 4u);
  for (uint64_t i = 0; i < 128; ++i) EXPECT_EQ(memory_[symbol("zeroed") + i], 0);
}

TEST_F(RelocationTest, DescriptorOfAnUnlinkedObject) {
  ASSERT_EQ(object_.kernels.size(), 1u);
  EXPECT_EQ(object_.kernels[0].entry, symbol("kernel"));
  const auto offset = read_at<int64_t>(memory_, object_.kernels[0].descriptor_address + 16);
  EXPECT_EQ(object_.kernels[0].descriptor_address + static_cast<uint64_t>(offset),
            symbol("kernel"));
}

TEST_F(RelocationTest, SegmentsAreDisjointAndPermissionsSeparate) {
  uint64_t end = 0;
  for (const Segment& s : object_.segments) {
    EXPECT_GE(s.address, end);
    EXPECT_EQ(s.address % s.alignment, 0u);
    EXPECT_LE(s.bytes.size(), s.memory_size);
    EXPECT_FALSE(s.writable && s.executable);
    end = s.address + s.memory_size;
  }
  EXPECT_EQ(end, object_.image_size);
}

TEST_F(RelocationTest, EveryKindOccurs) {
  std::map<uint32_t, int> kinds;
  for (const Relocation& r : object_.relocations) ++kinds[r.type];
  for (const uint32_t type : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14})
    EXPECT_GT(kinds[type], 0) << relocation_name(type);
}

TEST_F(RelocationTest, ErrorsNameNumberOffsetAndSymbol) {
  const auto at = [&](uint32_t type) {
    return static_cast<size_t>(std::ranges::find(object_.relocations, type, &Relocation::type) -
                               object_.relocations.begin());
  };
  char place[32];
  std::snprintf(place, sizeof place, "%#llx",
                static_cast<unsigned long long>(object_.relocations[at(3)].address));
  expect_error("relocation 99 (number 99) at " + std::string(place) + " against target+16", at(3),
               [](Relocation& r) { r.type = 99; });
  expect_error("relocation 12", at(3), [](Relocation& r) { r.type = 12; });
  expect_error("past the end of the image", at(3),
               [](Relocation& r) { r.address = ~uint64_t{0} - 3; });
  expect_error("past the end of the image", at(3),
               [&](Relocation& r) { r.address = object_.image_size - 4; });
  expect_error("does not fit in 32 bits", at(4),
               [](Relocation& r) { r.addend = int64_t{1} << 40; });
  expect_error("does not fit in 32 bits", at(6),
               [](Relocation& r) { r.addend = int64_t{1} << 40; });
  expect_error("does not fit in a branch", at(14), [](Relocation& r) { r.addend = 1 << 20; });
  expect_error("no multiple of 4", at(14), [](Relocation& r) { r.addend += 2; });
}

TEST_F(RelocationTest, UndefinedSymbolsAreNamed) {
  const auto loaded = load_code_object(object_, memory_, kBase);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().find("external"), std::string::npos) << loaded.error();
  EXPECT_NE(loaded.error().find("not defined"), std::string::npos) << loaded.error();
}

TEST_F(RelocationTest, MemoryMustBeLargeAndAligned) {
  const auto small =
      load_code_object(object_, std::span(memory_).first(memory_.size() - 1), kBase, resolve);
  ASSERT_FALSE(small);
  EXPECT_NE(small.error().find("the image needs"), std::string::npos);
  const auto crooked = load_code_object(object_, memory_, kBase + 4, resolve);
  ASSERT_FALSE(crooked);
  EXPECT_NE(crooked.error().find("multiple"), std::string::npos);
}

TEST(LinkedRelocation, PointerTableIsRelocated) {
  const auto object = parse_code_object(object_bytes("pointers.co"));
  ASSERT_TRUE(object) << object.error();
  ASSERT_EQ(object->relocations.size(), 2u);
  FileBytes memory(object->image_size, 0xcc);
  const auto loaded = load_code_object(*object, memory, kBase);
  ASSERT_TRUE(loaded) << loaded.error();
  std::vector<int32_t> firsts;
  for (const Relocation& r : object->relocations) {
    EXPECT_EQ(relocation_name(r.type), "R_AMDGPU_RELATIVE64");
    const auto pointer = read_at<uint64_t>(memory, r.address);
    EXPECT_EQ(pointer, kBase + static_cast<uint64_t>(r.addend));
    firsts.push_back(read_at<int32_t>(memory, pointer - kBase + 4));
  }
  EXPECT_EQ(firsts, (std::vector<int32_t>{3, 1}));  // primes[1], squares[1]
}

TEST(LinkedRelocation, SegmentsAreCopiedAndTheRestIsZero) {
  const FileBytes file = object_bytes("sample.gfx1100.v6.co");
  const auto object = parse_code_object(file);
  ASSERT_TRUE(object) << object.error();
  ASSERT_TRUE(object->relocations.empty());
  FileBytes memory(object->image_size, 0xcc);
  ASSERT_TRUE(load_code_object(*object, memory, kBase));
  FileBytes expected(object->image_size, 0);
  for (const Segment& s : object->segments)
    std::copy_n(file.begin() + s.file_offset, s.bytes.size(), expected.begin() + s.address);
  EXPECT_EQ(memory, expected);
}

/// A call between functions: the unlinked object, loaded by us, reaches the same function as the
/// linked one.
TEST(LinkedRelocation, UnlinkedAndLinkedAgree) {
  const auto unlinked = parse_code_object(object_bytes("sample.gfx1100.v6.o"));
  const auto linked = parse_code_object(object_bytes("sample.gfx1100.v6.co"));
  ASSERT_TRUE(unlinked && linked);
  const Section& a = *unlinked->text();
  const Section& b = *linked->text();
  const auto code_a = unlinked->bytes_at(a.address, a.size),
             code_b = linked->bytes_at(b.address, b.size);
  ASSERT_EQ(code_a.size(), code_b.size());
  EXPECT_TRUE(std::ranges::equal(code_a, code_b))
      << "calls within .text do not depend on where it lies";
}

}  // namespace
}  // namespace lockstep::loader
