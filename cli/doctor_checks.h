// SPDX-License-Identifier: MIT
// What `doctor` looks at. Each check says in plain words what was found, what follows, and how to
// mend it.
#pragma once
#include <string>
#include <vector>

namespace lockstep::cli {

enum class Health { kOk, kNote, kWarning, kProblem };

struct Check {
  Health health = Health::kOk;
  std::string topic;  ///< "processor"
  std::string found;  ///< one sentence
  std::string mend;   ///< what to do; empty if nothing
};

// The machine: doctor_machine.cpp.
Check check_processor();
Check check_threads();
Check check_memory();
Check check_shared_files();
Check check_limits();
Check check_real_gpu();

// What programs need: doctor_software.cpp.
Check check_preload();
Check check_environment_variables();
Check check_llvm();
Check check_python();
Check check_compilers();

/// The child's side of check_preload(): opens the emulated device. Returns an exit status.
int probe_preload();

/// Contents of a small file without the newline at its end; empty if it cannot be read.
std::string read_text(const std::string& path);

}  // namespace lockstep::cli
