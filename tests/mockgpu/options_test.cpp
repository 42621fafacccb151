// SPDX-License-Identifier: MIT
// LOCKSTEP_* variables: defaults, good values, and messages that name the bad ones.
#include "mockgpu/options.h"

#include <gtest/gtest.h>

#include <map>

namespace lockstep::mockgpu {
namespace {

using isa::Target;

Result<Options> parse(const std::map<std::string, std::string>& environment) {
  return parse_options([&](const char* name) -> const char* {
    const auto it = environment.find(name);
    return it == environment.end() ? nullptr : it->second.c_str();
  });
}

TEST(Options, Defaults) {
  for (const auto& environment : {std::map<std::string, std::string>{},
                                  {{"LOCKSTEP_DEVICE", ""}, {"LOCKSTEP_THREADS", ""}}}) {
    const auto options = parse(environment);
    ASSERT_TRUE(options) << options.error();
    EXPECT_EQ(options->devices, std::vector{Target::kGfx1100});
    EXPECT_EQ(options->dispatcher.threads, 0);
    EXPECT_EQ(options->log_level, LogLevel::kWarn);
    EXPECT_FALSE(options->exact_bounds);
  }
}

TEST(Options, EveryVariable) {
  const auto options = parse({{"LOCKSTEP_DEVICE", "gfx1100,gfx942"},
                              {"LOCKSTEP_GPUS", "2"},
                              {"LOCKSTEP_THREADS", "3"},
                              {"LOCKSTEP_ENGINE", "verify"},
                              {"LOCKSTEP_MAX_INSTRUCTIONS", "123456789012"},
                              {"LOCKSTEP_SCHEDULE_SEED", "7"},
                              {"LOCKSTEP_LOG", "trace"},
                              {"LOCKSTEP_CHECK", "bounds"},
                              {"LOCKSTEP_REPORT", "r.json"},
                              {"LOCKSTEP_STATUS_FILE", "s"},
                              {"LOCKSTEP_JIT_DUMP", "-"},
                              {"LOCKSTEP_JIT_PERF_MAP", "1"},
                              {"LOCKSTEP_JIT_GDB", "0"},
                              {"LOCKSTEP_SESSION", "id"}});
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->devices, (std::vector{Target::kGfx1100, Target::kGfx942}));
  EXPECT_EQ(options->dispatcher.threads, 3);
  EXPECT_EQ(options->dispatcher.engine, emu::Engine::kVerify);
  EXPECT_EQ(options->dispatcher.max_instructions, 123456789012u);
  EXPECT_EQ(options->dispatcher.schedule_seed, 7u);
  EXPECT_EQ(options->log_level, LogLevel::kTrace);
  EXPECT_TRUE(options->exact_bounds);
  EXPECT_EQ(options->report_file, "r.json");
  EXPECT_EQ(options->status_file, "s");
  EXPECT_EQ(options->session, "id");
  EXPECT_EQ(options->dispatcher.observers.dump_file, "-");
  EXPECT_TRUE(options->dispatcher.observers.perf_map);
  EXPECT_FALSE(options->dispatcher.observers.gdb);
}

TEST(Options, CountMultipliesOneDevice) {
  const auto options = parse({{"LOCKSTEP_DEVICE", "gfx1201"}, {"LOCKSTEP_GPUS", "8"}});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->devices, std::vector(8, Target::kGfx1201));
}

TEST(Options, BadValuesAreNamed) {
  const std::pair<std::string, std::string> cases[] = {{"LOCKSTEP_DEVICE", "gfx9999"},
                                                       {"LOCKSTEP_DEVICE", "gfx1100,"},
                                                       {"LOCKSTEP_GPUS", "0"},
                                                       {"LOCKSTEP_GPUS", "17"},
                                                       {"LOCKSTEP_GPUS", "two"},
                                                       {"LOCKSTEP_THREADS", "-1"},
                                                       {"LOCKSTEP_THREADS", "4x"},
                                                       {"LOCKSTEP_ENGINE", "fast"},
                                                       {"LOCKSTEP_LOG", "loud"},
                                                       {"LOCKSTEP_CHECK", "bounds,spelling"},
                                                       {"LOCKSTEP_MAX_INSTRUCTIONS", "1e9"}};
  for (const auto& [name, value] : cases) {
    const auto options = parse({{name, value}});
    ASSERT_FALSE(options) << name << "=" << value;
    EXPECT_NE(options.error().find(name), std::string::npos) << options.error();
  }
  EXPECT_FALSE(parse({{"LOCKSTEP_DEVICE", "gfx1100,gfx1201"}, {"LOCKSTEP_GPUS", "3"}}));
}

}  // namespace
}  // namespace lockstep::mockgpu
