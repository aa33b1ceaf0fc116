#include "service/content_encoding.h"

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>

namespace updraft {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib: the largest window, with the header of gzip
constexpr std::size_t kPiece = 64 * 1024;

Bytef* bytes_of(const char* text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text)); }

}  // namespace

std::string to_gzip(std::string_view text, int level) {
  z_stream stream = {};
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, deflateEnd);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = bytes_of(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = bytes_of(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("cannot pack an answer");
  out.erase(out.size() - stream.avail_out);
  return out;
}

std::optional<Unpacked> from_gzip(std::string_view packed, std::size_t limit) {
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  stream.next_in = bytes_of(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  Unpacked out;
  for (;;) {
    const std::size_t had = out.text.size();
    if (had == limit + 1) {
      out.text.resize(limit);
      out.too_large = true;
      return out;
    }
    out.text.resize(had + std::min(kPiece, limit + 1 - had));
    stream.next_out = bytes_of(out.text.data() + had);
    stream.avail_out = static_cast<uInt>(out.text.size() - had);
    const int code = inflate(&stream, Z_NO_FLUSH);
    out.text.erase(out.text.size() - stream.avail_out);
    if (code == Z_STREAM_END) break;
    if (code != Z_OK) return std::nullopt;  // malformed, or nothing more comes
  }
  if (stream.avail_in > 0) return std::nullopt;
  return out;
}

}  // namespace updraft
