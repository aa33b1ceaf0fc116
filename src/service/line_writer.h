#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace updraft {

/// Writes lines to a file, a pipe or a terminal in a thread of its own. Whoever adds a line never
/// waits for its reader. Safe for use by many threads.
class LineWriter {
 public:
  /// `file` stays open. `most` lines wait at the same time; then the oldest are dropped.
  explicit LineWriter(int file, std::size_t most = 8192,
                      std::chrono::milliseconds patience = std::chrono::milliseconds(500));
  /// As flush(); what is not written then is lost.
  ~LineWriter();

  void add(std::string line);
  std::uint64_t dropped() const { return dropped_; }

  /// Until all lines are written, or nothing could be written for as long as its patience lasts.
  void flush();

 private:
  void run();
  /// False if the reader takes nothing for a moment; `line` keeps what is left of it.
  bool write_some(std::string& line) const;

  const int file_;
  const std::size_t most_;
  const std::chrono::milliseconds patience_;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  bool writing_ = false;
  bool ending_ = false;
  std::uint64_t pieces_ = 0;  // written so far
  std::thread thread_;
};

}  // namespace updraft
