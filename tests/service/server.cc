#include "server.h"

#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace updraft::service_test {
namespace {

constexpr std::chrono::seconds kPatience(60);

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The port in a whole line `listening on http[s]://ADDRESS:PORT`.
std::optional<int> port_in(const std::string& text) {
  const std::size_t begin = text.find("listening on http");
  if (begin == text.npos) return std::nullopt;
  const std::size_t end = text.find('\n', begin);
  if (end == text.npos) return std::nullopt;
  return std::atoi(text.c_str() + text.rfind(':', end) + 1);
}

}  // namespace

Server::Server(Options options) : options_(std::move(options)) {
  if (options_.store.empty()) options_.store = folder_.path("campaigns.db");
  start();
}

Server::~Server() { kill(); }

void Server::kill() {
  if (process_ == nullptr) return;
  ::kill(process_->id(), SIGKILL);
  process_->wait();
  process_.reset();
}

cli_test::Outcome Server::terminate() {
  ::kill(process_->id(), SIGTERM);
  cli_test::Outcome outcome = process_->wait();
  process_.reset();
  return outcome;
}

bool Server::ended() const {
  siginfo_t info = {};
  return ::waitid(P_PID, static_cast<id_t>(process_->id()), &info, WEXITED | WNOHANG | WNOWAIT) ==
             0 &&
         info.si_pid != 0;
}

void Server::start() {
  kill();
  const std::string number = std::to_string(starts_++);
  const cli_test::Process::Streams streams = {.out = folder_.path("out-" + number),
                                              .err = folder_.path("err-" + number)};
  std::vector<std::string> words = {"serve", "--store", options_.store, "--listen", "127.0.0.1:0"};
  words.insert(words.end(), options_.further.begin(), options_.further.end());
  process_ = std::make_unique<cli_test::Process>(words, streams);

  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    const bool over = ended() || std::chrono::steady_clock::now() > deadline;
    if (const auto port = port_in(file_text(streams.out))) {
      port_ = *port;
      return;
    }
    if (over) {
      kill();
      throw std::runtime_error("updraft serve does not listen: " + file_text(streams.err));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace updraft::service_test
