// SPDX-License-Identifier: MIT
// Finds the preload driver relative to the executable, so that builds and installations can be
// moved.
#include "cli/preload.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace lockstep::cli {

namespace fs = std::filesystem;

Result<std::string> find_preload_library() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return Error{"cannot read /proc/self/exe: " + error.message()};
  const fs::path prefix = self.parent_path().parent_path();
  std::string tried;
  // bin/ and lib/ are neighbours; the second is Debian's multiarch folder or lib64.
  for (const fs::path& folder : {fs::path("lib"), fs::path(LOCKSTEP_LIBDIR)}) {
    const fs::path candidate = (prefix / folder / "liblockstep-kfd.so").lexically_normal();
    if (fs::exists(candidate, error)) return candidate.string();
    tried += (tried.empty() ? "" : ", ") + candidate.string();
  }
  return Error{fmt::format("the preload driver is not installed; looked for: {}", tried)};
}

}  // namespace lockstep::cli
