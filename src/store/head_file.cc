#include "store/head_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

#include "core/checksum.h"

namespace updraft {
namespace {

/// One line of the same length whatever the number is, so that writing it again replaces it.
std::string line_of(std::uint64_t commits) {
  const std::string text = fmt::format("updraft-head 1 {:020}", commits);
  return fmt::format("{} {:010}\n", text, checksum(text));
}

}  // namespace

HeadFile::~HeadFile() {
  if (file_ >= 0) ::close(file_);
}

std::optional<std::uint64_t> HeadFile::commits() const {
  std::ifstream file(path_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.size() != line_of(0).size()) return std::nullopt;
  constexpr std::size_t kBegin = std::string_view("updraft-head 1 ").size();
  std::uint64_t commits = 0;
  std::from_chars(text.data() + kBegin, text.data() + kBegin + 20, commits);
  if (text != line_of(commits)) return std::nullopt;
  return commits;
}

void HeadFile::set_commits(std::uint64_t commits) {
  if (file_ < 0) file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file_ < 0) return;
  const std::string line = line_of(commits);
  if (::pwrite(file_, line.data(), line.size(), 0) < 0) return;
}

}  // namespace updraft
