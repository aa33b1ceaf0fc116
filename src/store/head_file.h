#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace updraft {

/// A small file beside a store that says how many commits it has had, so that a store that has lost
/// the last of them is noticed. It is written after each commit and never waits for the disk: after
/// a power cut it may say too little, and never too much.
class HeadFile {
 public:
  explicit HeadFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~HeadFile();
  HeadFile(const HeadFile&) = delete;
  HeadFile& operator=(const HeadFile&) = delete;

  /// Nothing if there is no such file, or if it is not whole.
  std::optional<std::uint64_t> commits() const;

  /// Failures are ignored: the file then says too little.
  void set_commits(std::uint64_t commits);

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace updraft
