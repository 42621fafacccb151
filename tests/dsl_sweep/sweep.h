// SPDX-License-Identifier: MIT
// Compares one builder call with LLVM's bytes; the calls are written by generate.py.
#pragma once
#include <cstdio>
#include <string>

#include "asm/dsl/program.h"

namespace sweep {

using namespace lockstep::dsl;
using lockstep::isa::Target;

inline int good = 0, bad = 0;

inline void check(const Program& program, const char* want, const char* text) {
  const auto bytes = program.assemble();
  std::string got = bytes ? "" : bytes.error();
  for (size_t i = 0; bytes && i < bytes->size(); ++i) {
    got += "0123456789abcdef"[(*bytes)[i] >> 4];
    got += "0123456789abcdef"[(*bytes)[i] & 15];
  }
  if (got == want) {
    ++good;
    return;
  }
  ++bad;
  std::printf("%s\n  want %s\n  got  %s\n", text, want, got.c_str());
}

}  // namespace sweep
