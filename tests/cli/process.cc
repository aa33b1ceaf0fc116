#include "process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace updraft::cli_test {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The program under test; tests/faults/run.py names one with a fault.
const char* program() {
  const char* other = std::getenv("TESTED_UPDRAFT");
  return other == nullptr ? UPDRAFT_BINARY : other;
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments, const Streams& streams) {
  const std::string out = streams.out.empty() ? folder_.path("out") : streams.out;
  const std::string err = streams.err.empty() ? folder_.path("err") : streams.err;
  constexpr int kFlags = O_WRONLY | O_CREAT | O_NOCTTY;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), kFlags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), kFlags, 0600);
  if (streams.close_out) posix_spawn_file_actions_addclose(&actions, STDOUT_FILENO);

  std::vector<std::string> words = {program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int error = posix_spawn(&id_, program(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(std::string("cannot start ") + program());
}

bool Process::wait_until_blocked(int signal) const {
  const std::string path = "/proc/" + std::to_string(id_) + "/status";
  for (;;) {
    const std::string status = read_file(path);
    const std::size_t at = status.find("SigBlk:");
    if (at == std::string::npos || status.find("\nState:\tZ") != std::string::npos) return false;
    const std::uint64_t blocked = std::strtoull(status.c_str() + at + 7, nullptr, 16);
    if ((blocked >> (signal - 1)) & 1) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Outcome Process::wait() {
  int status = 0;
  if (waitpid(id_, &status, 0) != id_) throw std::runtime_error("waitpid failed");
  Outcome outcome;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = read_file(folder_.path("out"));
  outcome.err = read_file(folder_.path("err"));
  return outcome;
}

Outcome updraft(const std::vector<std::string>& arguments) { return Process(arguments).wait(); }

}  // namespace updraft::cli_test
