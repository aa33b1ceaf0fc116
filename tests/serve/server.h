#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/process.h"

namespace updraft::service_test {

/// `updraft serve` on a store, on a free port of the loopback. Killed when the object goes.
class Server {
 public:
  struct Options {
    std::string store;                 ///< a path; the store of a folder of its own unless given
    std::vector<std::string> further;  ///< command line options
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

/// Runs updraft to its end; kills it after a minute.
cli_test::Outcome run_to_end(const std::vector<std::string>& arguments);

}  // namespace updraft::service_test
