// SPDX-License-Identifier: MIT
// Runs a fuzzer without libFuzzer: every file of a folder, then as many seeded mutations of them.
//   replay_NAME CORPUS_FOLDER MUTATIONS
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "tests/fuzz/fuzz.h"

namespace {

using Bytes = std::vector<uint8_t>;

std::vector<Bytes> read_all(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file()) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> list;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    list.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return list;
}

Bytes mutated(const std::vector<Bytes>& seeds, std::mt19937& random) {
  Bytes out = seeds[random() % seeds.size()];
  constexpr unsigned kMostChanges = 8;
  for (unsigned n = random() % kMostChanges + 1; n > 0; --n) {
    const size_t at = out.empty() ? 0 : random() % out.size();
    const auto here = out.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random() % 6) {
      case 0:
        if (!out.empty()) out[at] ^= static_cast<uint8_t>(1u << random() % 8);
        break;
      case 1:
        if (!out.empty()) out[at] = static_cast<uint8_t>(random());
        break;
      case 2:
        out.insert(here, static_cast<uint8_t>(random()));
        break;
      case 3:
        if (!out.empty()) out.erase(here);
        break;
      case 4:
        out.resize(at);
        break;
      default: {  // a piece of another seed
        const Bytes& other = seeds[random() % seeds.size()];
        if (other.empty()) break;
        const size_t from = random() % other.size();
        const size_t length = std::min<size_t>(random() % 32 + 1, other.size() - from);
        const auto piece = other.begin() + static_cast<std::ptrdiff_t>(from);
        out.insert(here, piece, piece + static_cast<std::ptrdiff_t>(length));
      }
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER MUTATIONS\n", argv[0]);
    return 2;
  }
  const std::vector<Bytes> seeds = read_all(argv[1]);
  if (seeds.empty()) {
    std::fprintf(stderr, "%s has no files\n", argv[1]);
    return 1;
  }
  for (const Bytes& seed : seeds) LLVMFuzzerTestOneInput(seed.data(), seed.size());
  std::mt19937 random(1);
  const long mutations = std::strtol(argv[2], nullptr, 10);
  for (long i = 0; i < mutations; ++i) {
    const Bytes input = mutated(seeds, random);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu seeds, %ld mutations\n", seeds.size(), mutations);
  return 0;
}
