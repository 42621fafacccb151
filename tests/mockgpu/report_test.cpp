// SPDX-License-Identifier: MIT
// The report: counters, merging of several processes, replacement of an older run's file.
#include "mockgpu/report.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace lockstep::mockgpu {
namespace {

using nlohmann::json;

class ReportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    file = ::testing::TempDir() + "lockstep-report-" + std::to_string(getpid()) + ".json";
    std::filesystem::remove(file);
  }
  void TearDown() override { std::filesystem::remove(file); }
  static void fill(Report& report) {
    report.set_devices({{"Card", "gfx1100"}, {"Other", "gfx1201"}});
    report.queue(0);
    report.dispatch(0, "k", {.workgroups = 1, .waves = 2, .wave_instructions = 10, .seconds = 0.5});
    report.dispatch(0, "k",
                    {.workgroups = 1, .waves = 3, .wave_instructions = 20, .seconds = 0.25});
    report.dispatch(1, "\xff bad utf-8", {.waves = 1});
    report.copy(1, 100);
    report.fault(0, "memory read", "text");
  }
  json load() {
    std::ifstream in(file);
    return json::parse(in);
  }
  std::string file;
};

TEST_F(ReportTest, CountsAndTotals) {
  Report report;
  EXPECT_FALSE(report.used());
  fill(report);
  EXPECT_TRUE(report.used());
  ASSERT_TRUE(report.write(file, "s1"));
  const json root = load();
  ASSERT_EQ(root["processes"].size(), 1u);
  const json& kernel = root["processes"][0]["devices"][0]["kernels"][0];
  EXPECT_EQ(kernel["name"], "k");
  EXPECT_EQ(kernel["dispatches"], 2);
  EXPECT_EQ(kernel["waves"], 5);
  EXPECT_EQ(kernel["wave_instructions"], 30);
  EXPECT_EQ(kernel["seconds"], 0.75);
  EXPECT_EQ(root["totals"]["dispatches"], 3);
  EXPECT_EQ(root["totals"]["waves"], 6);
  EXPECT_EQ(root["totals"]["copied_bytes"], 100);
  EXPECT_EQ(root["totals"]["faults"], 1);
  EXPECT_EQ(root["totals"]["seconds"], 0.75);
}

TEST_F(ReportTest, ProcessesOfOneSessionMerge) {
  Report report;
  fill(report);
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(report.write(file, "s1") ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const json root = load();
  EXPECT_EQ(root["processes"].size(), 8u);
  EXPECT_EQ(root["totals"]["dispatches"], 24);
}

TEST_F(ReportTest, AnotherSessionOrGarbageIsReplaced) {
  Report report;
  fill(report);
  ASSERT_TRUE(report.write(file, "old"));
  ASSERT_TRUE(report.write(file, "new"));
  EXPECT_EQ(load()["processes"].size(), 1u);
  std::ofstream(file) << "not json {";
  ASSERT_TRUE(report.write(file, "new"));
  EXPECT_EQ(load()["processes"].size(), 1u);
}

TEST_F(ReportTest, UnwritablePlaceIsAnError) {
  Report report;
  fill(report);
  const auto written = report.write("/nonexistent/r.json", "s");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().find("/nonexistent/r.json"), std::string::npos);
}

TEST_F(ReportTest, StatusLinesAppend) {
  append_status(file, "one");
  append_status(file, "two");
  std::ifstream in(file);
  std::string a, b;
  std::getline(in, a);
  std::getline(in, b);
  EXPECT_EQ(a, "one");
  EXPECT_EQ(b, "two");
}

}  // namespace
}  // namespace lockstep::mockgpu
