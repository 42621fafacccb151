// SPDX-License-Identifier: MIT
// Damaged files: every truncation and thousands of random changes give a value or an error, never a
// crash.
#include <cstdlib>
#include <random>

#include "loader/bundle.h"
#include "loader/code_object.h"
#include "tests/loader/support.h"

namespace lockstep::loader {
namespace {

/// Parses and, if that works, uses everything as a caller would. Returns false if it was refused.
bool exercise(std::span<const uint8_t> bytes) {
  // A copy of just this size on the heap: a read behind it is seen by AddressSanitizer.
  const FileBytes copy(bytes.begin(), bytes.end());
  const auto object = parse_code_object(copy);
  if (!object) {
    EXPECT_FALSE(object.error().empty());
    return false;
  }
  for (const Kernel& kernel : object->kernels) {
    const auto checked = check_kernel_descriptor(kernel.descriptor, object->target);
    EXPECT_TRUE(checked || !checked.error().empty());
    EXPECT_EQ(object->bytes_at(kernel.entry, 4).size(), 4u);
    (void)object->find_function(kernel.entry);
  }
  if (const Section* text = object->text()) (void)object->bytes_at(text->address, text->size);
  (void)object->target_id();
  if (object->image_size <= 1 << 20) {
    FileBytes memory(object->image_size);
    const auto loaded =
        load_code_object(*object, memory, 0x100000000, [](std::string_view) { return 0x1000; });
    EXPECT_TRUE(loaded || !loaded.error().empty());
  }
  return true;
}

uint64_t seed() {
  const char* text = std::getenv("LOCKSTEP_SEED");
  return text ? std::strtoull(text, nullptr, 0) : std::random_device()();
}

/// Random changes of one to eight bytes; half of them values that tend to hurt.
void flip(const std::string& name, int rounds) {
  const FileBytes good = object_bytes(name);
  ASSERT_TRUE(exercise(good)) << name;
  const uint64_t start = seed();
  std::printf("%s: seed %llu (LOCKSTEP_SEED repeats it)\n", name.c_str(),
              static_cast<unsigned long long>(start));
  std::mt19937_64 random(start);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    FileBytes bytes = good;
    for (uint64_t change = random() % 3 + 1; change > 0; --change) {
      static constexpr uint64_t kNasty[] = {
          0, ~uint64_t{0}, 1, 0x7fffffffffffffff, 0x8000000000000000, 0xfffffffffffffff0};
      const uint64_t value = random() % 2 ? random() : kNasty[random() % std::size(kNasty)];
      const size_t width = size_t{1} << random() % 4;
      std::memcpy(bytes.data() + random() % (bytes.size() - width), &value, width);
    }
    refused += !exercise(bytes);
  }
  EXPECT_GT(refused, rounds / 100) << name << ": the changes never mattered";
  EXPECT_LT(refused, rounds) << name;
}

TEST(Damage, EveryTruncation) {
  for (const std::string name :
       {"sample.gfx1100.v6.co", "sample.gfx90a.v4.o", "relocations.o", "pointers.co"}) {
    const FileBytes good = object_bytes(name);
    ASSERT_TRUE(exercise(good)) << name;
    for (size_t length = 0; length < good.size(); ++length) {
      // The section headers come last, so that nothing may be missing.
      ASSERT_FALSE(exercise(std::span(good).first(length))) << name << " of " << length << " bytes";
    }
  }
}

TEST(Damage, RandomChangesOfLinkedObjects) { flip("sample.gfx1100.v6.co", 4000); }
TEST(Damage, RandomChangesOfRelocations) { flip("pointers.co", 4000); }
TEST(Damage, RandomChangesOfUnlinkedObjects) { flip("relocations.o", 6000); }
TEST(Damage, RandomChangesOfUnlinkedKernels) { flip("sample.gfx90a.v4.o", 2000); }

/// The headers are a small part of the file: every byte of them, and of the section table, with
/// hostile values.
TEST(Damage, EveryHeaderByte) {
  for (const std::string name : {"sample.gfx1100.v6.co", "relocations.o"}) {
    const FileBytes good = object_bytes(name);
    std::vector<size_t> places;
    for (size_t i = 0; i < 0x240; ++i) places.push_back(i);
    for (size_t i = read_at<uint64_t>(good, 0x28); i < good.size() && places.size() < 3000; ++i)
      places.push_back(i);
    for (const size_t place : places)
      for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
        FileBytes bytes = good;
        bytes[place] = static_cast<uint8_t>(value);
        exercise(bytes);
      }
  }
}

TEST(Damage, RandomChangesOfBundles) {
  for (const std::string name : {"second.hipfb", "compressed.hipfb"}) {
    const FileBytes good = object_bytes(name);
    const uint64_t start = seed();
    std::printf("%s: seed %llu (LOCKSTEP_SEED repeats it)\n", name.c_str(),
                static_cast<unsigned long long>(start));
    std::mt19937_64 random(start);
    for (int round = 0; round < 1000; ++round) {
      FileBytes bytes = good;
      for (int change = 0; change < 2; ++change)
        bytes[random() % std::min<size_t>(bytes.size(), 256)] = random();
      const auto bundles = find_bundles(bytes);
      ASSERT_TRUE(bundles || !bundles.error().empty());
      const auto object = extract_code_object(bytes, isa::Target::kGfx942);
      ASSERT_TRUE(object || !object.error().empty());
    }
  }
}

}  // namespace
}  // namespace lockstep::loader
