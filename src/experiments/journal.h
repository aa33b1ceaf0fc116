#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace updraft {

using JournalRecords = std::map<std::uint64_t, std::vector<double>>;  ///< by task

/// The records of a journal up to the first that is torn or damaged. Leaves the file alone. Throws
/// std::runtime_error if it cannot be read.
JournalRecords read_journal(const std::filesystem::path& path, std::size_t values);

/// Finished tasks of a run that may be stopped at any moment: an append-only file of records
///   u64 task, f64 x `values`, u64 CRC-32 of the bytes before
/// Each is written by one call. A torn or damaged record and all after it are cut off when the
/// journal is opened, so at most the tasks in flight are lost. Appends come from many threads.
class Journal {
 public:
  /// Opens or makes the file. Throws std::runtime_error if it cannot.
  Journal(std::filesystem::path path, std::size_t values);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// What was there when the journal was opened.
  const JournalRecords& recovered() const { return recovered_; }

  /// Throws std::runtime_error, leaving the file as it was, if the record cannot be written.
  void append(std::uint64_t task, std::span<const double> values);

  /// Syncs all records to the disk. Throws std::runtime_error if that fails.
  void sync();

 private:
  std::filesystem::path path_;
  std::size_t values_;
  int descriptor_ = -1;
  std::mutex mutex_;
  std::uint64_t size_ = 0;  // of the whole records
  std::chrono::steady_clock::time_point last_sync_;
  JournalRecords recovered_;
};

}  // namespace updraft
