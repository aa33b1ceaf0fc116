#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/process.h"
#include "support/eventually.h"

namespace updraft::service_test {

/// `updraft serve` on a store, on a free port of the loopback. Killed when the object goes.
class Server {
 public:
  struct Options {
    std::string store;                 ///< a path; the store of a folder of its own unless given
    std::vector<std::string> further;  ///< command line options
    std::string err = {};              ///< where standard error goes; a file unless given
    int port = 0;                      ///< any that is free unless given
  };

  Server() : Server(Options()) {}
  /// Returns once it is healthy. Throws std::runtime_error with what the program said where it
  /// ended before, or is not healthy within a minute.
  explicit Server(Options options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const { return port_; }
  const std::string& store() const { return options_.store; }

  /// SIGKILL, and waits until the process is gone.
  void kill();

  /// SIGTERM, and what the program left behind.
  cli_test::Outcome terminate();

  /// The same once it has ended by itself; SIGKILL after a minute.
  cli_test::Outcome wait();

  void signal(int number);
  pid_t process() const { return process_->id(); }
  /// What it has written to standard error so far.
  std::string log() const;

  /// Starts it again on the same store, on another port.
  void start();

 private:
  std::string program_file(const char* stream) const;

  testing::TemporaryFolder folder_;
  Options options_;
  std::unique_ptr<cli_test::Process> process_;
  int starts_ = 0;
  int port_ = 0;
};

using testing::eventually;

/// Runs updraft to its end; kills it after a minute.
cli_test::Outcome run_to_end(const std::vector<std::string>& arguments);

}  // namespace updraft::service_test
