#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "updraft/report.h"
#include "updraft/value_figure.h"

extern char** environ;

namespace updraft {
namespace {

namespace fs = std::filesystem;

/// A file that is gone when this is.
class TemporaryFile {
 public:
  explicit TemporaryFile(fs::path path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::optional<fs::path> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string folder = rest.substr(0, colon);
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    if (folder.empty()) continue;
    const fs::path program = fs::path(folder) / name;
    std::error_code ignored;
    if (fs::is_regular_file(program, ignored) && ::access(program.c_str(), X_OK) == 0) {
      return program;
    }
  }
  return std::nullopt;
}

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

/// All that comes from a descriptor until its end; closes it.
std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  ::close(descriptor);
  return text;
}

struct Outcome {
  bool succeeded = false;
  std::string said;
};

/// Runs gnuplot on a script without a shell, without the user's settings and without input.
Outcome run(const fs::path& gnuplot, const fs::path& script) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) fail(errno, "pipe");
  std::array<std::string, 3> words = {gnuplot.string(), "--default-settings",
                                      fs::absolute(script).string()};
  std::array<char*, 4> arguments = {words[0].data(), words[1].data(), words[2].data(), nullptr};

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO);
  pid_t process = 0;
  const int error =
      ::posix_spawn(&process, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  if (error != 0) {
    ::close(pipe[0]);
    fail(error, words[0]);
  }

  Outcome outcome;
  outcome.said = read_all(pipe[0]);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) fail(errno, "waitpid");
  }
  outcome.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return outcome;
}

/// The lines that say something, in one; gnuplot's echo of the script ends in a line with a caret.
std::string last_words(const std::string& said) {
  constexpr std::size_t kMost = 300;
  std::string line;
  std::string last = "no reason given";
  for (const char c : said + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    const std::size_t begin = line.find_first_not_of(" \t\r^");
    if (begin != std::string::npos) last = line.substr(begin, kMost);
    line.clear();
  }
  return last;
}

void write_script(const fs::path& path, const std::string& script) {
  std::ofstream file(path, std::ios::binary);
  file << script;
  file.close();
  if (!file) throw std::runtime_error(fmt::format("{} cannot be written", path.string()));
}

/// Draws into `output`; throws std::runtime_error with what gnuplot said if it did not.
void draw(const fs::path& gnuplot, const fs::path& script, const fs::path& output) {
  const Outcome outcome = run(gnuplot, script);
  std::error_code error;
  const bool drawn = outcome.succeeded && fs::file_size(output, error) > 0 && !error;
  if (!drawn) throw std::runtime_error(fmt::format("gnuplot: {}", last_words(outcome.said)));
}

/// Draws figure.svg and figure.png by the scripts that figure_script() makes.
template <typename Result>
std::string draw_both(const Result& result, const fs::path& folder) {
  const std::string later = fmt::format("updraft figure {}", folder.string());
  try {
    const auto gnuplot = find_program("gnuplot");
    if (!gnuplot) {
      return fmt::format("gnuplot is not installed: install gnuplot-nox, then draw with: {}",
                         later);
    }
    const std::string mark = fmt::format(".{}.tmp", ::getpid());
    const TemporaryFile script(folder / (".figure.gp" + mark));
    const TemporaryFile svg(folder / (".figure.svg" + mark));
    const TemporaryFile png(folder / (".figure.png" + mark));
    for (const auto& [terminal, output] : {std::pair("svg", &svg), std::pair("png", &png)}) {
      write_script(script.path(), figure_script(result, terminal, output->path()));
      draw(*gnuplot, script.path(), output->path());
    }
    fs::rename(svg.path(), folder / "figure.svg");
    fs::rename(png.path(), folder / "figure.png");
  } catch (const std::exception& failure) {
    return fmt::format("the figures could not be drawn: {}; draw them later with: {}",
                       failure.what(), later);
  }
  return {};
}

}  // namespace

std::string draw_figure(const Evaluation& evaluation, const fs::path& file) {
  try {
    const auto gnuplot = find_program("gnuplot");
    if (!gnuplot) return "the figure was not drawn: gnuplot is not installed (gnuplot-nox)";
    const std::string mark = fmt::format(".{}.tmp", ::getpid());
    const TemporaryFile script(file.string() + ".gp" + mark);
    const TemporaryFile svg(file.string() + mark);
    write_script(script.path(), figure_script(evaluation, "svg", svg.path()));
    draw(*gnuplot, script.path(), svg.path());
    fs::rename(svg.path(), file);
  } catch (const std::exception& failure) {
    return fmt::format("the figure was not drawn: {}", failure.what());
  }
  return {};
}

std::string draw_figures(const ExperimentResult& result, const fs::path& folder) {
  return draw_both(result, folder);
}

std::string draw_figures(const SuiteResult& result, const fs::path& folder) {
  return draw_both(result, folder);
}

}  // namespace updraft
