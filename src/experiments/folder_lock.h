#pragma once

#include <filesystem>

namespace updraft {

/// Holds a results folder for this process; the system lets go of it however the process ends.
class FolderLock {
 public:
  static constexpr const char* kFile = ".lock";

  /// Throws std::runtime_error if another process holds the folder, or if it cannot be written.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace updraft
