#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace updraft::testing {

/// Passes bytes on between clients and a port of this machine, and lets tests break that.
class Proxy {
 public:
  explicit Proxy(int to_port);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  int port() const { return port_; }

  /// What the server says reaches nobody; what clients say still reaches the server.
  void swallow_answers(bool on) { swallow_ = on; }
  /// Nothing goes either way, as if a cable were cut: nobody is told.
  void halt(bool on) { halted_ = on; }
  /// Milliseconds by which every piece is late.
  void set_delay(int delay) { delay_ = delay; }
  /// Closes all connections.
  void close_all() { ++generation_; }

 private:
  void accept_clients();
  void pass(int client, int server, int generation);

  const int to_port_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> ending_ = false;
  std::atomic<bool> swallow_ = false;
  std::atomic<bool> halted_ = false;
  std::atomic<int> delay_ = 0;
  std::atomic<int> generation_ = 0;
  std::vector<std::thread> passing_;
  std::thread accepting_;
};

}  // namespace updraft::testing
