// A library to be loaded before all others: while the file that FAILING_SYNCS names is there, the
// disk fails to keep what was written. Nothing is written then, as after a real failure the system
// may have dropped it.

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace {

int synced(long call, int file) {
  const char* sign = std::getenv("FAILING_SYNCS");
  if (sign != nullptr && access(sign, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(call, file));
}

}  // namespace

extern "C" int fsync(int file) { return synced(SYS_fsync, file); }
extern "C" int fdatasync(int file) { return synced(SYS_fdatasync, file); }
