// SPDX-License-Identifier: MIT
// Puts machine code together for tests and benchmarks: instructions by row and field names.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <utility>
#include <vector>

#include "emu/memory_map.h"
#include "isa/inst.h"

namespace lockstep::test {

using isa::Field;
using isa::Format;
using isa::Op;

class Program {
 public:
  explicit Program(isa::Isa isa) : isa_(isa) {}

  /// Appends an instruction; a field that does not exist or fit ends the process: the program would
  /// be wrong.
  void add(Op op, Format format, std::initializer_list<std::pair<Field, uint32_t>> fields) {
    Result<isa::Inst> inst = isa::make_inst(isa_, op, format);
    bool ok = static_cast<bool>(inst);
    for (const auto& [field, value] : fields) ok = ok && inst->set(field, value);
    if (!ok) {
      std::fprintf(stderr, "cannot encode %s\n", std::string(isa::op_info(op).id).c_str());
      std::exit(1);
    }
    words_.insert(words_.end(), inst->words, inst->words + inst->size / 4);
  }
  size_t position() const { return words_.size(); }
  std::vector<uint32_t>& words() { return words_; }

 private:
  isa::Isa isa_;
  std::vector<uint32_t> words_;
};

}  // namespace lockstep::test
