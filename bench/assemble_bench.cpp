// SPDX-License-Identifier: MIT
// Assembling: single lines, a whole file, and llvm-mc on the same file in the same run.
#include <benchmark/benchmark.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "asm/assemble.h"
#include "asm/print.h"
#include "asm/source.h"
#include "bench/compiled_kernels.h"

namespace {

using namespace lockstep;

std::filesystem::path write_file(const std::vector<std::string>& list, size_t repeats) {
  const auto path = std::filesystem::temp_directory_path() / "lockstep_assemble_bench.s";
  std::ofstream out(path);
  for (size_t i = 0; i < repeats; ++i)
    for (const std::string& line : list) out << line << '\n';
  return path;
}
std::string llvm_mc(const std::filesystem::path& path) {
  return "llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=gfx1100 -mattr=-real-true16 -filetype=obj "
         "-o /dev/null " +
         path.string() + " 2>&1";
}

/// The lists hold what LLVM 19 accepts; this takes out what LLVM 22 does not.
void drop_refused(std::vector<std::string>& list) {
  const auto path = write_file(list, 1);
  const std::string prefix = path.string() + ":";
  FILE* pipe = popen(llvm_mc(path).c_str(), "r");
  char line[4096];
  std::vector<size_t> refused;
  while (pipe && std::fgets(line, sizeof line, pipe)) {
    const std::string_view text(line);
    if (!text.starts_with(prefix) || text.find(": error:") == std::string_view::npos) continue;
    refused.push_back(std::strtoul(line + prefix.size(), nullptr, 10));
  }
  if (pipe) pclose(pipe);
  std::sort(refused.begin(), refused.end(), std::greater<>());
  for (const size_t n : refused)
    if (n >= 1 && n <= list.size()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(n - 1));
}

/// LLVM's own test instructions for gfx1100 (tests/data) that assemble for waves of 32.
std::vector<std::string> lines() {
  std::string text;
  const gzFile file = gzopen(LOCKSTEP_VECTORS, "rb");
  char buffer[1 << 16];
  for (int n; file && (n = gzread(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  if (file) gzclose(file);
  std::vector<std::string> list;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const size_t wave = line.find(' '), hex = line.find(' ', wave + 1),
                 instruction = line.find(' ', hex + 1);
    if (instruction == std::string::npos) continue;
    const std::string targets = "," + line.substr(0, wave) + ",";
    if (targets.find(",gfx1100,") == std::string::npos) continue;
    list.push_back(line.substr(instruction + 1));
    if (!asm_::assemble_line(list.back(), {})) list.pop_back();
  }
  drop_refused(list);
  return list;
}
const std::vector<std::string>& all_lines() {
  static const std::vector<std::string> list = lines();
  return list;
}

/// The code of tests/kernels for gfx1100, disassembled.
std::vector<std::string> compiled_lines() {
  std::vector<std::string> list;
  const std::vector<uint8_t> code = bench::compiled_code("gfx1100");
  std::span<const uint8_t> left(code);
  while (left.size() >= 4) {
    isa::Inst inst;
    const bool good = isa::decode(isa::Isa::kGfx11, left, inst) == isa::DecodeError::kNone;
    if (good) list.push_back(asm_::print(inst));
    if (good && !asm_::assemble_line(list.back(), {})) list.pop_back();
    left = left.subspan(good ? inst.size : 4);
  }
  drop_refused(list);
  return list;
}
const std::vector<std::string>& all_compiled_lines() {
  static const std::vector<std::string> list = compiled_lines();
  return list;
}

using Lines = const std::vector<std::string>& (*)();
constexpr size_t kRepeats = 4;

bool no_lines(benchmark::State& state, Lines lines) {
  if (!lines().empty()) return false;
  state.SkipWithError("the lines are missing: " LOCKSTEP_VECTORS ", or test_kernels is not built");
  return true;
}

void set_lines(benchmark::State& state, size_t count) {
  state.SetItemsProcessed(static_cast<int64_t>(count) * state.iterations());
}

void single_lines(benchmark::State& state, Lines lines) {
  if (no_lines(state, lines)) return;
  for (auto _ : state)
    for (const std::string& line : lines())
      benchmark::DoNotOptimize(bool(asm_::assemble_line(line, {})));
  set_lines(state, lines().size());
}

void whole_file(benchmark::State& state, Lines lines) {
  if (no_lines(state, lines)) return;
  std::string text;
  for (size_t i = 0; i < kRepeats; ++i)
    for (const std::string& line : lines()) text += line + "\n";
  asm_::SourceOptions options;
  options.target = isa::Target::kGfx1100;
  for (auto _ : state) {
    const asm_::AssembledSource result = asm_::assemble_source(text, "bench.s", options);
    if (!result.ok) {
      state.SkipWithError(result.diagnostics.front().message.c_str());
      return;
    }
    benchmark::DoNotOptimize(asm_::write_relocatable(result.object).size());
  }
  set_lines(state, lines().size() * kRepeats);
}

/// Wall time of a process, start and end included.
void llvm_mc_file(benchmark::State& state, Lines lines) {
  if (no_lines(state, lines)) return;
  const auto path = write_file(lines(), kRepeats);
  const std::string command = llvm_mc(path);
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    const int status = std::system(command.c_str());
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (status != 0) {
      state.SkipWithError("llvm-mc-22 is missing or refuses the file");
      break;
    }
    state.SetIterationTime(time.count());
  }
  std::filesystem::remove(path);
  set_lines(state, lines().size() * kRepeats);
}

BENCHMARK_CAPTURE(single_lines, vectors, all_lines);
BENCHMARK_CAPTURE(whole_file, vectors, all_lines);
BENCHMARK_CAPTURE(llvm_mc_file, vectors, all_lines)->UseManualTime()->Iterations(3);
BENCHMARK_CAPTURE(single_lines, compiled, all_compiled_lines);
BENCHMARK_CAPTURE(whole_file, compiled, all_compiled_lines);
BENCHMARK_CAPTURE(llvm_mc_file, compiled, all_compiled_lines)->UseManualTime()->Iterations(10);

}  // namespace

BENCHMARK_MAIN();
