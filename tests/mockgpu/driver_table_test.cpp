// SPDX-License-Identifier: MIT
// docs/driver.md says what the driver does: it must list every ioctl, and say the truth of each.
#include <algorithm>
#include <fstream>
#include <regex>

#include "tests/mockgpu/kfd_fixture.h"

namespace lockstep::mockgpu {
namespace {

struct Row {
  std::string name;
  uint32_t number = 0;
  std::string result;
};

// The rows "| NAME | 0xNN | RESULT |" below a heading.
std::vector<Row> rows_below(const std::string& heading) {
  std::ifstream in(LOCKSTEP_SOURCE_DIR "/docs/driver.md");
  EXPECT_TRUE(in);
  const std::regex row(R"(\| (\w+) \| (0x[0-9a-f]+) \| (\w+) \|.*)");
  std::vector<Row> rows;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) inside = line == "## " + heading;
    std::smatch match;
    if (inside && std::regex_match(line, match, row)) {
      rows.push_back(
          {match[1], static_cast<uint32_t>(std::stoul(match[2], nullptr, 16)), match[3]});
    }
  }
  return rows;
}

std::string result_of(int refusal) {
  return refusal == 0        ? "works"
         : refusal == EPERM  ? "EPERM"
         : refusal == EACCES ? "EACCES"
         : refusal == EINVAL ? "EINVAL"
                             : std::to_string(refusal);
}

TEST(DriverTable, SaysWhatTheIoctlTableDoes) {
  const std::vector<Row> rows = rows_below("ioctls of /dev/kfd");
  const std::vector<IoctlSupport> table = kfd_ioctl_support();
  ASSERT_EQ(rows.size(), table.size());
  for (size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(rows[i].name, table[i].name);
    EXPECT_EQ(rows[i].number, table[i].number) << rows[i].name;
    EXPECT_EQ(rows[i].result, result_of(table[i].refusal)) << rows[i].name;
  }
}

TEST(DriverTable, HasEveryIoctlOfTheKernelHeader) {
  std::ifstream in("/usr/include/linux/kfd_ioctl.h");
  if (!in) GTEST_SKIP() << "no kernel headers at their usual place";
  const std::vector<IoctlSupport> table = kfd_ioctl_support();
  const std::regex define(R"(#define AMDKFD_IOC_(\w+).*)");
  const std::regex number(R"(.*AMDKFD_IO\w*\((0x[0-9a-fA-F]+).*)");
  std::string name;
  size_t found = 0;
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (std::regex_match(line, match, define)) name = match[1];
    if (name.empty() || !std::regex_match(line, match, number)) continue;
    const auto value = static_cast<uint32_t>(std::stoul(match[1], nullptr, 16));
    const auto row = std::ranges::find(table, value, &IoctlSupport::number);
    ASSERT_NE(row, table.end()) << name;
    EXPECT_EQ(row->name, name);
    name.clear();
    ++found;
  }
  EXPECT_GE(found, 35u);
}

TEST_F(KfdTest, RefusedIoctlsAnswerAsTheTableSays) {
  for (const IoctlSupport& row : kfd_ioctl_support()) {
    if (row.refusal == 0) continue;
    uint64_t args[64] = {};
    EXPECT_EQ(call(_IOC(_IOC_READ | _IOC_WRITE, 'K', row.number, 64), args), -row.refusal)
        << row.name;
  }
}

}  // namespace
}  // namespace lockstep::mockgpu
