// SPDX-License-Identifier: MIT
// zlib and zstd, each if its library was there at build time.
#include "loader/decompress.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#ifdef LOCKSTEP_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef LOCKSTEP_HAVE_ZSTD
#include <zstd.h>
#endif

namespace lockstep::loader {
namespace {

constexpr uint64_t kMaxStep = uint64_t{1} << 24;

/// Makes room for the next piece, never for more than one byte over the promised size (that byte
/// shows excess).
[[maybe_unused]] size_t grow(std::vector<uint8_t>& out, size_t used, uint64_t size) {
  const uint64_t want = std::min(std::max<uint64_t>(2 * used, 65536), used + kMaxStep);
  out.resize(std::min(want, size + 1));
  return out.size() - used;
}

[[maybe_unused]] Result<std::vector<uint8_t>> finish(std::vector<uint8_t> out, size_t used,
                                                     uint64_t size, const char* method) {
  if (used != size)
    return Error{fmt::format("{}: {} bytes came out, the header promises {:#x}", method,
                             used > size ? "more" : fmt::format("{:#x}", used), size)};
  out.resize(used);
  return out;
}

#ifdef LOCKSTEP_HAVE_ZLIB
Result<std::vector<uint8_t>> inflate_all(std::span<const uint8_t> data, uint64_t size) {
  z_stream stream = {};
  if (inflateInit(&stream) != Z_OK) return Error{"zlib: cannot start"};
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  std::vector<uint8_t> out;
  size_t used = 0;
  int status = Z_OK;
  while (status == Z_OK && used <= size) {
    if (stream.avail_in == 0) {
      const size_t piece = std::min<size_t>(data.size(), kMaxStep);
      stream.next_in = const_cast<uint8_t*>(data.data());
      stream.avail_in = static_cast<uInt>(piece);
      data = data.subspan(piece);
    }
    const size_t room = grow(out, used, size);
    stream.next_out = out.data() + used;
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    used += room - stream.avail_out;
  }
  if (status != Z_STREAM_END && status != Z_OK)
    return Error{fmt::format("zlib: {}", stream.msg              ? stream.msg
                                         : status == Z_BUF_ERROR ? "the data ends too early"
                                                                 : "damaged data")};
  return finish(std::move(out), used, size, "zlib");
}
#endif

#ifdef LOCKSTEP_HAVE_ZSTD
Result<std::vector<uint8_t>> unzstd(std::span<const uint8_t> data, uint64_t size) {
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                        ZSTD_freeDStream);
  if (!stream) return Error{"zstd: cannot start"};
  ZSTD_inBuffer in = {data.data(), data.size(), 0};
  std::vector<uint8_t> out;
  size_t used = 0;
  size_t hint = 1;
  while (hint != 0 && used <= size) {
    const size_t room = grow(out, used, size);
    ZSTD_outBuffer piece = {out.data() + used, room, 0};
    hint = ZSTD_decompressStream(stream.get(), &piece, &in);
    if (ZSTD_isError(hint)) return Error{fmt::format("zstd: {}", ZSTD_getErrorName(hint))};
    used += piece.pos;
    if (hint != 0 && in.pos == in.size && piece.pos < room)
      return Error{"zstd: the data ends too early"};
  }
  return finish(std::move(out), used, size, "zstd");
}
#endif

}  // namespace

Result<std::vector<uint8_t>> decompress(CompressionMethod method, std::span<const uint8_t> data,
                                        uint64_t size) {
  switch (method) {
    case CompressionMethod::kZlib:
#ifdef LOCKSTEP_HAVE_ZLIB
      return inflate_all(data, size);
#else
      return Error{
          "compressed with zlib, but this build has no zlib (install zlib1g-dev and rebuild)"};
#endif
    case CompressionMethod::kZstd:
#ifdef LOCKSTEP_HAVE_ZSTD
      return unzstd(data, size);
#else
      return Error{
          "compressed with zstd, but this build has no zstd (install libzstd-dev and rebuild)"};
#endif
  }
  return Error{fmt::format("unknown compression method {} (0 is zlib, 1 is zstd)",
                           static_cast<int>(method))};
}

}  // namespace lockstep::loader
