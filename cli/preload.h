// SPDX-License-Identifier: MIT
// Where the preload driver is, seen from this executable.
#pragma once
#include <string>

#include "isa/result.h"

namespace lockstep::cli {

/// Full path of liblockstep-kfd.so: beside this executable's folder in a build or an installation.
/// The error lists where it was looked for.
Result<std::string> find_preload_library();

}  // namespace lockstep::cli
