#include "server.h"

#include <httplib.h>
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

class Deadline {
 public:
  bool over() const { return std::chrono::steady_clock::now() > end_; }

 private:
  std::chrono::steady_clock::time_point end_ =
      std::chrono::steady_clock::now() + std::chrono::minutes(1);
};

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The whole line `listening on http[s]://ADDRESS:PORT`.
std::optional<std::string> address_in(const std::string& text) {
  const std::size_t begin = text.find("http");
  const std::size_t end = text.find('\n');
  if (text.rfind("listening on http", 0) != 0 || end == text.npos) return std::nullopt;
  return text.substr(begin, end - begin);
}

bool healthy(const std::string& address) {
  httplib::Client client(address);
  client.enable_server_certificate_verification(false);
  client.set_read_timeout(60);
  const httplib::Result result = client.Get("/readyz");
  return result && result->status == 200;
}

bool ended(pid_t process) {
  siginfo_t info = {};
  return ::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid != 0;
}

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

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
  return wait();
}

cli_test::Outcome Server::wait() {
  for (const Deadline deadline; !ended(process_->id()) && !deadline.over();) rest();
  ::kill(process_->id(), SIGKILL);
  cli_test::Outcome outcome = process_->wait();
  process_.reset();
  return outcome;
}

void Server::signal(int number) { ::kill(process_->id(), number); }

std::string Server::log() const { return file_text(program_file("err")); }

std::string Server::program_file(const char* stream) const {
  return folder_.path(stream + std::to_string(starts_));
}

void Server::start() {
  kill();
  ++starts_;
  std::vector<std::string> words = {"serve", "--store", options_.store, "--listen",
                                    "127.0.0.1:" + std::to_string(options_.port)};
  words.insert(words.end(), options_.further.begin(), options_.further.end());
  process_ = std::make_unique<cli_test::Process>(
      words,
      cli_test::Process::Streams{.out = program_file("out"),
                                 .err = options_.err.empty() ? program_file("err") : options_.err});

  for (const Deadline deadline; !ended(process_->id()) && !deadline.over(); rest()) {
    const auto address = address_in(file_text(program_file("out")));
    if (!address || !healthy(*address)) continue;
    port_ = std::atoi(address->c_str() + address->rfind(':') + 1);
    return;
  }
  kill();
  throw std::runtime_error("updraft serve is not healthy: " + file_text(program_file("err")));
}

cli_test::Outcome run_to_end(const std::vector<std::string>& arguments) {
  cli_test::Process process(arguments);
  for (const Deadline deadline; !ended(process.id()) && !deadline.over();) rest();
  ::kill(process.id(), SIGKILL);
  return process.wait();
}

}  // namespace updraft::service_test
