#include "data/line_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/json_document.h"

namespace updraft {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 16;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

std::string shown(std::string_view text) {
  std::string part = clipped(text);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  std::replace_if(part.begin(), part.end(), is_control, '?');
  return part;
}

LineFile::LineFile(std::string field, std::string path)
    : field_(std::move(field)), path_(std::move(path)) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path_, error);
  if (status.type() == std::filesystem::file_type::not_found) throw refuse_file("no such file");
  if (error) throw refuse_file("cannot be read: " + error.message());
  if (status.type() != std::filesystem::file_type::regular) {
    throw refuse_file("must be a regular file, not a pipe or a folder: it is read twice");
  }
  file_bytes_ = static_cast<double>(std::filesystem::file_size(path_, error));
  errno = 0;
  file_ = gzopen(path_.c_str(), "rb");
  if (file_ == nullptr) {
    throw refuse_file("cannot be read: " + std::generic_category().message(errno));
  }
  try {
    gzbuffer(file_, static_cast<unsigned>(2 * kBlockBytes));
    fill();
  } catch (...) {
    gzclose(file_);
    throw;
  }
  if (std::string_view(buffer_).starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
}

LineFile::~LineFile() { gzclose(file_); }

bool LineFile::next_line(std::string_view& text) {
  for (;;) {
    line_ = next_line_;
    const std::size_t length = find_line_end(0);
    if (length == 0 && begin_ == buffer_.size()) return false;
    text = without_return(std::string_view(buffer_).substr(begin_, length));
    begin_ = std::min(begin_ + length + 1, buffer_.size());
    ++next_line_;
    if (!text.empty()) return true;
  }
}

double LineFile::share() const {
  if (!(file_bytes_ > 0.0)) return 1.0;
  return std::clamp(static_cast<double>(gzoffset(file_)) / file_bytes_, 0.0, 1.0);
}

InvalidInput LineFile::refuse_line(std::string_view rule) const {
  return InvalidInput(fmt::format("{}:{}", path_, line_), rule);
}

InvalidInput LineFile::refuse_field(std::string_view name, std::string_view value,
                                    std::string_view rule) const {
  return InvalidInput(fmt::format("{}:{}: {}", path_, line_, shown(name)), shown(value), rule);
}

InvalidInput LineFile::refuse_file(std::string_view rule) const {
  return InvalidInput(field_, path_, rule);
}

/// Appends a block to the buffer; false at the end of the file.
bool LineFile::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kBlockBytes);
  const int count = gzread(file_, buffer_.data() + size, static_cast<unsigned>(kBlockBytes));
  buffer_.resize(size + static_cast<std::size_t>(std::max(count, 0)));
  int code = Z_OK;
  const char* reason = gzerror(file_, &code);
  if (count < 0 && code == Z_ERRNO) {
    throw refuse_file("cannot be read to its end: " + std::generic_category().message(errno));
  }
  if (count < 0 || (count == 0 && code == Z_BUF_ERROR)) {  // which comes before the last data
    const auto more = std::count(buffer_.begin(), buffer_.end(), '\n');
    const std::uint64_t whole =
        std::max<std::uint64_t>(line_, 1) - 1 + static_cast<std::uint64_t>(more);
    throw refuse_file(fmt::format("is damaged after line {}: {}", whole,
                                  code == Z_BUF_ERROR ? "the gzip data end too soon" : reason));
  }
  at_end_ = count == 0;
  return !at_end_;
}

/// Bytes from begin_ to the first line end at or after begin_ + from, or to the end of the file.
std::size_t LineFile::find_line_end(std::size_t from) {
  for (;;) {
    const std::size_t end = buffer_.find('\n', begin_ + from);
    const std::size_t length = (end == std::string::npos ? buffer_.size() : end) - begin_;
    if (length > kMostLineBytes) {
      throw refuse_line(fmt::format("is too long; a row has at most {} bytes", kMostLineBytes));
    }
    if (end != std::string::npos) return length;
    from = length;
    if (!fill()) return length;
  }
}

}  // namespace updraft
