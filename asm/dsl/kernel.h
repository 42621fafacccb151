// SPDX-License-Identifier: MIT
// KernelBuilder: a program with its arguments and resources, as a code object that ROCr and HIP
// load and `lockstep exec` runs.
#pragma once
#include <string>
#include <type_traits>
#include <vector>

#include "asm/dsl/program.h"

namespace lockstep::dsl {

/// An argument in the kernarg segment.
struct Argument {
  std::string name;
  uint32_t offset = 0, size = 0;
  bool is_pointer = false;
};

/// At entry s[0:1] hold the address of the arguments and v0 the work-item ids; group_id() and
/// local_id() fetch ids the same way on every target. Registers are counted, not declared.
class KernelBuilder : public Program {
 public:
  KernelBuilder(isa::Target target, std::string name, unsigned wave_size = 0);

  /// Arguments, in the order of the kernel's parameters. A pointer is one to global memory.
  Argument pointer(std::string name) { return add_argument(std::move(name), 8, true); }
  template <class T>
    requires(std::is_arithmetic_v<T>)
  Argument value(std::string name) {
    return add_argument(std::move(name), sizeof(T), false);
  }
  /// Bytes of LDS of a workgroup; gives back where they start.
  uint32_t lds(uint32_t bytes);
  /// The most work-items that a workgroup may have; 1024 if not said.
  void max_workgroup(uint32_t items) { max_workgroup_ = items; }
  /// Bytes of private memory of a work-item.
  void scratch(uint32_t bytes) { scratch_ = bytes; }

  static constexpr S<2> kernarg() { return s.at<2>(0); }
  /// The first SGPR that nothing is in at entry.
  static constexpr int kFirstFreeSgpr = 5;

  /// One register for arguments of up to four bytes, two for those of eight.
  using ArgumentRegisters = Arg<Spec{kTakesSgpr, count_of(1) | count_of(2)}>;
  void load_argument(ArgumentRegisters to, const Argument& argument,
                     Where where = Where::current());
  /// Id of the workgroup, or of the work-item in it; dimension 0, 1 or 2.
  void group_id(S<1> to, int dimension, Where where = Where::current());
  void local_id(V<1> to, int dimension, Where where = Where::current());
  /// Waits until all that was loaded is there and all that was stored is seen.
  void wait_all(Where where = Where::current());
  /// The barrier of the workgroup, after wait_all().
  void barrier(Where where = Where::current());

  /// The whole kernel in the assembler's syntax, or what is wrong with the program.
  Result<std::string> source() const;
  /// A shared object (ELF).
  Result<std::vector<uint8_t>> code_object() const;

 private:
  Argument add_argument(std::string name, uint32_t size, bool is_pointer);
  std::string descriptor() const;
  std::string metadata() const;

  std::string name_;
  std::vector<Argument> arguments_;
  uint32_t kernarg_size_ = 0, lds_ = 0, scratch_ = 0, max_workgroup_ = 1024;
};

}  // namespace lockstep::dsl
