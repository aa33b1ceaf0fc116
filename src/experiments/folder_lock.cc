#include "experiments/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <stdexcept>

#include "core/files.h"

namespace updraft {

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kFile;
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_on("write", path);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    throw std::runtime_error(fmt::format(
        "another process is working on {}: wait for it, or give another folder with --out",
        folder.string()));
  }
}

FolderLock::~FolderLock() { ::close(descriptor_); }

}  // namespace updraft
