// SPDX-License-Identifier: MIT
// Names of kernels: found in what the process has mapped, and only there.
#include "mockgpu/kernel_names.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "loader/code_object.h"
#include "tests/mockgpu/fixture.h"

namespace lockstep::mockgpu {
namespace {

constexpr uint64_t kEntry = 0x7000'0000'1000;

// A file in memory while this lives, as a program and its libraries are.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status{};
    EXPECT_EQ(fstat(file, &status), 0) << path;
    size_ = static_cast<size_t>(status.st_size);
    bytes_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    EXPECT_NE(bytes_, MAP_FAILED) << path;
    close(file);
  }
  ~MappedFile() { munmap(bytes_, size_); }
  std::span<const uint8_t> bytes() const { return {static_cast<const uint8_t*>(bytes_), size_}; }

 private:
  void* bytes_;
  size_t size_;
};

std::string object_path(const std::string& name) {
  return std::string(LOCKSTEP_OBJECTS) + "/" + name;
}

// The guest holds the code of the last kernel of an object, and this process nothing else of it.
class KernelNamesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const MappedFile file(object_path("sample.gfx1100.v6.co"));
    auto object = loader::parse_code_object(file.bytes());
    ASSERT_TRUE(object) << object.error();
    const loader::Kernel& kernel = object->kernels.back();
    name_ = kernel.name;
    const auto code = object->bytes_at(kernel.entry, kernel.code_size);
    ASSERT_GE(code.size(), 128u) << "too little code to be told by";
    ram_.add(kEntry, 0x1000);
    ASSERT_TRUE(GuestMemory(ram_.map).write(kEntry, code.data(), code.size()));
    for (auto& segment : object->segments) std::ranges::fill(segment.bytes, uint8_t{0});
  }
  std::string find(bool search = true) { return names_.find(kEntry, ram_.map, search); }

  testing::GuestRam ram_;
  KernelNames names_;
  std::string name_;
  const std::string unknown_ = fmt::format("kernel at {:#x}", kEntry);
};

TEST_F(KernelNamesTest, PlainBundleOfAMappedFile) {
  EXPECT_EQ(find(), unknown_);
  const MappedFile program(object_path("plain.hipfb"));
  EXPECT_EQ(find(false), unknown_) << "a search was made that nobody asked for";
  EXPECT_EQ(find(), name_);
  EXPECT_EQ(find(false), name_) << "what was found is not kept";
}

TEST_F(KernelNamesTest, CompressedBundleOfAMappedFile) {
  EXPECT_EQ(find(), unknown_);
  const MappedFile program(object_path("compressed.hipfb"));
  EXPECT_EQ(find(), name_);
}

TEST_F(KernelNamesTest, DamagedBundleIsPassedOver) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("names-{}", getpid());
  {
    const MappedFile good(object_path("compressed.hipfb"));
    std::ofstream(path).write(reinterpret_cast<const char*>(good.bytes().data()),
                              static_cast<std::streamsize>(good.bytes().size() / 2));
  }
  {
    const MappedFile program(path);
    EXPECT_EQ(find(), unknown_);
  }
  std::filesystem::remove(path);
}

TEST_F(KernelNamesTest, BareCodeOfAFileIsNamedAfterItsPlace) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("code-{}", getpid());
  std::vector<char> code(512);
  ASSERT_TRUE(GuestMemory(ram_.map).read(kEntry, code.data(), code.size()));
  std::ofstream file(path);
  file << std::string(0x1230, 'x');
  file.write(code.data(), static_cast<std::streamsize>(code.size()));
  file.close();
  {
    const MappedFile library(path);
    EXPECT_EQ(find(), fmt::format("code of {} at 0x1230", path.filename().string()));
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace lockstep::mockgpu
