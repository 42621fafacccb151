// SPDX-License-Identifier: MIT
// Many dispatches of a tiny kernel: LOAD_DISPATCHES of them (200,000 where it is not set), without growth of memory or of
// handles. Every dispatch adds one to a counter, so that none may be lost.
#include <dirent.h>

#include <chrono>

#include "check.h"

__global__ void add_one(unsigned* counter) { *counter += 1; }

namespace {

long resident_kib() {
  long pages = 0, resident = 0;
  FILE* file = std::fopen("/proc/self/statm", "r");
  if (file && std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  if (file) std::fclose(file);
  return resident * 4;
}

long open_files() {
  long count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (folder && readdir(folder)) ++count;
  if (folder) closedir(folder);
  return count;
}

}  // namespace

int main() {
  const char* asked = std::getenv("LOAD_DISPATCHES");
  const unsigned total = asked ? std::strtoul(asked, nullptr, 10) : 200000;
  const unsigned warm = total / 4;
  constexpr unsigned kBatch = 1000;
  unsigned* counter;
  HIP(hipMalloc(&counter, sizeof(unsigned)));
  HIP(hipMemset(counter, 0, sizeof(unsigned)));
  long memory = 0, files = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (unsigned done = 0; done < total; ++done) {
    if (done % kBatch == 0) HIP(hipDeviceSynchronize());
    if (done == warm) {
      memory = resident_kib();
      files = open_files();
    }
    add_one<<<1, 1>>>(counter);
    HIP(hipGetLastError());
  }
  HIP(hipDeviceSynchronize());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  unsigned counted = 0;
  HIP(hipMemcpy(&counted, counter, sizeof counted, hipMemcpyDeviceToHost));
  expect("counter", 0, counted, total);
  // Pools of a runtime may still grow a little; what grows with every dispatch is far larger than this.
  constexpr long kSlackKib = 4096;
  const long growth = resident_kib() - memory;
  expect("memory grows", growth, growth <= kSlackKib, true);
  expect("open files", 0, open_files(), files);
  std::printf("%u dispatches, %.2f us each, memory %+ld KiB of %ld, %ld files\n", total,
              seconds.count() * 1e6 / total, growth, memory, files);
  return finish();
}
