// SPDX-License-Identifier: MIT
// The `lockstep` command.
#include "cli/app.h"

int main(int argc, char** argv) {
  return lockstep::cli::run_command(std::vector<std::string>(argv + 1, argv + argc));
}
