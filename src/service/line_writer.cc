#include "service/line_writer.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace updraft {
namespace {

constexpr int kMomentMilliseconds = 50;

}  // namespace

LineWriter::LineWriter(int file, std::size_t most, std::chrono::milliseconds patience)
    : file_(file), most_(most), patience_(patience), thread_([this] { run(); }) {}

LineWriter::~LineWriter() {
  flush();
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LineWriter::add(std::string line) {
  {
    const std::lock_guard lock(mutex_);
    if (lines_.size() >= most_) {
      lines_.pop_front();
      ++dropped_;
    }
    lines_.push_back(std::move(line));
  }
  changed_.notify_all();
}

void LineWriter::flush() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const std::uint64_t before = pieces_;
    changed_.wait_for(lock, patience_,
                      [&] { return pieces_ != before || (lines_.empty() && !writing_); });
    if (pieces_ == before) return;
  }
}

/// A pipe that is ready takes PIPE_BUF bytes without waiting.
bool LineWriter::write_some(std::string& line) const {
  pollfd ready = {file_, POLLOUT, 0};
  if (poll(&ready, 1, kMomentMilliseconds) <= 0) return false;
  const ssize_t written = ::write(file_, line.data(), std::min<std::size_t>(line.size(), PIPE_BUF));
  if (written < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  // If nobody reads any more, the line is as good as written.
  line.erase(0, written < 0 ? line.size() : static_cast<std::size_t>(written));
  return true;
}

void LineWriter::run() {
  std::string line;
  std::unique_lock lock(mutex_);
  while (true) {
    if (line.empty()) {
      writing_ = false;
      changed_.notify_all();
      changed_.wait(lock, [&] { return ending_ || !lines_.empty(); });
      if (ending_) return;
      line = std::move(lines_.front());
      lines_.pop_front();
      writing_ = true;
    }
    if (ending_) return;
    lock.unlock();
    const bool moved = write_some(line);
    lock.lock();
    if (moved) ++pieces_;
  }
}

}  // namespace updraft
