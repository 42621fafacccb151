// SPDX-License-Identifier: MIT
// Reads and writes whole files.
#include "cli/files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace lockstep::cli {
namespace {

struct Closer {
  void operator()(FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

Error failed(const char* verb, const std::string& path, int error) {
  return Error{fmt::format("cannot {} {}: {}", verb, path, std::strerror(error))};
}

}  // namespace

Result<std::vector<uint8_t>> read_file(const std::string& path) {
  std::unique_ptr<FILE, Closer> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) return failed("read", path, errno);
  struct stat info;
  if (fstat(fileno(file.get()), &info) == 0 && S_ISDIR(info.st_mode)) {
    return failed("read", path, EISDIR);
  }
  std::vector<uint8_t> bytes;
  uint8_t chunk[65536];
  while (const size_t n = std::fread(chunk, 1, sizeof chunk, file.get())) {
    bytes.insert(bytes.end(), chunk, chunk + n);
  }
  if (std::ferror(file.get())) return failed("read", path, errno);
  return bytes;
}

Result<void> write_file(const std::string& path, std::span<const uint8_t> bytes) {
  FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) return failed("write", path, errno);
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const int error = errno;
  // A full disk may show itself only here.
  if (std::fclose(file) != 0 || !written) return failed("write", path, written ? errno : error);
  return {};
}

Result<void> write_file(const std::string& path, const std::string& text) {
  return write_file(path, std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

}  // namespace lockstep::cli
