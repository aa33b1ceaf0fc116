#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/folder.h"

namespace updraft::cli_test {

/// What a run of the program left behind.
struct Outcome {
  int exit_code = -1;  ///< 128 + signal where a signal ended it
  std::string out;
  std::string err;
};

using testing::TemporaryFolder;

/// The updraft binary under test, started with `arguments`. Standard output and error go to
/// files unless told otherwise.
class Process {
 public:
  struct Streams {
    std::string out;         ///< a path in place of the file that is read back
    std::string err;         ///< the same for standard error
    bool close_out = false;  ///< start without standard output
  };

  explicit Process(const std::vector<std::string>& arguments) : Process(arguments, Streams()) {}
  Process(const std::vector<std::string>& arguments, const Streams& streams);

  pid_t id() const { return id_; }

  /// Until the process leaves `signal` to a handler thread of its own; false if it ended before.
  bool wait_until_blocked(int signal) const;

  Outcome wait();

 private:
  TemporaryFolder folder_;
  pid_t id_ = -1;
};

/// Runs updraft to its end.
Outcome updraft(const std::vector<std::string>& arguments);

}  // namespace updraft::cli_test
