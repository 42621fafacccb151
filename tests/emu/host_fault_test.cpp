// SPDX-License-Identifier: MIT
// Memory that the program has unmapped while the device still knows it: a guest fault that names
// instruction and address, on every engine and every way of access. Other signals go elsewhere.
#include "emu/host_fault.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>

#include "asm/dsl/program.h"
#include "emu/dispatch.h"
#include "emu/jit/engine.h"
#include "tests/emu/torn_pages.h"

namespace lockstep::emu {
namespace {

using namespace dsl;

/// Not the host address of the memory.
constexpr uint64_t kGuestBase = 0x7200000000;

struct Access {
  const char* name;
  FaultKind kind;  ///< kNone: a read or a write
  void (*emit)(Program&);
  uint32_t first;  ///< offset of lane 0; lanes are a dword apart
  uint32_t step;
  const char* instruction;
};

constexpr Access kAccesses[] = {
    {"contiguous load", FaultKind::kMemoryRead,
     [](Program& p) { p.global_load_b32(v[3], v[1], s(0, 1)); }, kPage, 4, "global_load_b32"},
    {"contiguous store", FaultKind::kMemoryWrite,
     [](Program& p) { p.global_store_b32(v[1], v[3], s(0, 1)); }, kPage, 4, "global_store_b32"},
    {"load across the edge", FaultKind::kMemoryRead,
     [](Program& p) { p.global_load_b32(v[3], v[1], s(0, 1)); }, kPage - 64, 4, "global_load_b32"},
    {"scattered load", FaultKind::kMemoryRead,
     [](Program& p) { p.global_load_b32(v[3], v[1], s(0, 1)); }, kPage - 256, 20,
     "global_load_b32"},
    {"scattered store", FaultKind::kMemoryWrite,
     [](Program& p) { p.global_store_b64(v[1], v(2, 3), s(0, 1)); }, kPage - 256, 40,
     "global_store_b64"},
    // It may read first or do both at once.
    {"atomic", FaultKind::kNone, [](Program& p) { p.global_atomic_add_u32(v[1], v[3], s(0, 1)); },
     kPage, 4, "global_atomic_add_u32"},
    {"scalar load", FaultKind::kMemoryRead, [](Program& p) { p.s_load_b32(s[8], s(0, 1), kPage); },
     kPage, 0, "s_load_b32"},
};

DispatchResult run(const Access& a, Engine engine, int touches, uint8_t* host) {
  Program code(isa::Target::kGfx1100);
  code.v_and_b32(v[2], 63, v[0]);
  code.v_mul_lo_u32(v[1], v[2], static_cast<int>(a.step));
  // The first one is in memory that is there: generated code then knows the allocation.
  code.global_load_b32(v[4], v[2], s(0, 1));
  code.s_mov_b32(s[6], static_cast<int>(a.first));
  code.v_add_nc_u32(v[1], s[6], v[1]);
  for (int i = 0; i < touches; ++i) a.emit(code);
  code.s_endpgm();
  const auto bytes = code.assemble();
  EXPECT_TRUE(bytes) << bytes.error();
  std::vector<uint8_t> words(bytes->begin(), bytes->end());
  words.resize(words.size() + 64);
  MemoryMap memory;
  memory.add({reinterpret_cast<uint64_t>(words.data()), words.size(), words.data(), false, "code"});
  memory.add({kGuestBase, 2 * kPage, host, true, "user memory"});
  DispatchRequest r;
  r.kernel_name = "torn";
  r.rsrc1 = 0xf << 16 | 7;
  r.rsrc2 = 2 << 1;
  r.grid = r.block = {32, 1, 1};
  r.user_sgprs = {static_cast<uint32_t>(kGuestBase), static_cast<uint32_t>(kGuestBase >> 32)};
  r.entry = reinterpret_cast<uint64_t>(words.data());
  r.memory = &memory;
  DispatcherOptions options;
  options.threads = 1;
  options.engine = engine;
  Dispatcher dispatcher(options);
  return dispatcher.run(r);
}

class HostFault : public ::testing::TestWithParam<Engine> {
 protected:
  void SetUp() override {
    if (!check_engine(GetParam())) GTEST_SKIP() << "this host has no such engine";
  }
};

TEST_P(HostFault, NamesInstructionAndAddress) {
  const TornPages memory;
  for (const Access& a : kAccesses)
    for (int again = 0; again < 2; ++again) {
      SCOPED_TRACE(a.name);
      const DispatchResult result = run(a, GetParam(), 2, memory.host());
      ASSERT_FALSE(result.ok);
      const Fault& f = result.fault;
      if (a.kind == FaultKind::kNone)
        EXPECT_TRUE(f.kind == FaultKind::kMemoryRead || f.kind == FaultKind::kMemoryWrite)
            << f.describe();
      else
        EXPECT_EQ(f.kind, a.kind) << f.describe();
      EXPECT_TRUE(f.instruction.starts_with(a.instruction)) << f.describe();
      EXPECT_GE(f.address, kGuestBase + kPage) << f.describe();
      EXPECT_LT(f.address, kGuestBase + 2 * kPage) << f.describe();
      EXPECT_NE(f.detail.find("unmapped"), std::string::npos) << f.describe();
      EXPECT_NE(f.nearest.find("user memory"), std::string::npos) << f.describe();
    }
}

TEST_P(HostFault, ALaterDispatchRuns) {
  const TornPages torn;
  EXPECT_FALSE(run(kAccesses[0], GetParam(), 1, torn.host()).ok);
  std::vector<uint8_t> whole(2 * kPage);
  const DispatchResult result = run(kAccesses[0], GetParam(), 1, whole.data());
  EXPECT_TRUE(result.ok) << result.fault.describe();
}

INSTANTIATE_TEST_SUITE_P(Engines, HostFault,
                         ::testing::Values(Engine::kInterp, Engine::kJit, Engine::kVerify));

TEST(HostFaultDeathTest, OthersGoToTheHandlerThatWasThere) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own: nothing is installed yet
  const auto wild_read = [] { static_cast<void>(*reinterpret_cast<volatile int*>(64)); };
  EXPECT_EXIT(
      {
        struct sigaction before = {};
        before.sa_handler = [](int) { _exit(42); };
        sigaction(SIGSEGV, &before, nullptr);
        watch_host_faults();
        wild_read();
      },
      ::testing::ExitedWithCode(42), "");
  EXPECT_EXIT(
      {
        watch_host_faults();
        wild_read();
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace lockstep::emu
