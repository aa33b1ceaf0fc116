#include "experiments/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/checksum.h"
#include "core/files.h"

namespace updraft {
namespace {

/// How long a finished task may sit in the page cache before it is synced to the disk.
constexpr std::chrono::seconds kSyncEvery{1};

void put(std::string& record, const void* value, std::size_t size) {
  record.append(static_cast<const char*>(value), size);
}

std::uint64_t u64_at(std::string_view bytes, std::size_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Adds the sound records at the beginning of `bytes`; returns the bytes that they take.
std::size_t scan(std::string_view bytes, std::size_t values, JournalRecords& records) {
  const std::size_t length = sizeof(std::uint64_t) * (values + 2);
  const std::size_t sealed = length - sizeof(std::uint64_t);
  std::size_t size = 0;
  for (; size + length <= bytes.size(); size += length) {
    const std::string_view record = bytes.substr(size, length);
    if (u64_at(record, sealed) != checksum(record.substr(0, sealed))) break;
    std::vector<double> numbers(values);
    std::memcpy(numbers.data(), record.data() + sizeof(std::uint64_t), values * sizeof(double));
    records.insert_or_assign(u64_at(record, 0), std::move(numbers));
  }
  return size;
}

}  // namespace

JournalRecords read_journal(const std::filesystem::path& path, std::size_t values) {
  JournalRecords records;
  scan(read_file(path), values, records);
  return records;
}

Journal::Journal(std::filesystem::path path, std::size_t values)
    : path_(std::move(path)), values_(values), last_sync_(std::chrono::steady_clock::now()) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_on("write", path_);
  try {
    const std::string bytes = read_file(path_);
    size_ = scan(bytes, values_, recovered_);
    if (size_ < bytes.size() && ::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) {
      fail_on("write", path_);
    }
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

Journal::~Journal() { ::close(descriptor_); }

void Journal::append(std::uint64_t task, std::span<const double> values) {
  std::string record;
  put(record, &task, sizeof task);
  put(record, values.data(), values.size_bytes());
  const std::uint64_t sum = checksum(record);
  put(record, &sum, sizeof sum);

  const std::scoped_lock lock(mutex_);
  ssize_t written = 0;
  do {
    written = ::write(descriptor_, record.data(), record.size());
  } while (written < 0 && errno == EINTR);
  if (written != static_cast<ssize_t>(record.size())) {
    const int error = written < 0 ? errno : ENOSPC;  // a short write: the disk is full
    if (::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) {
      // The torn record stays; it is cut off when the journal is opened again.
    }
    errno = error;
    fail_on("write", path_);
  }
  size_ += record.size();
  if (std::chrono::steady_clock::now() - last_sync_ >= kSyncEvery) sync();
}

void Journal::sync() {
  if (::fdatasync(descriptor_) != 0) fail_on("write", path_);
  last_sync_ = std::chrono::steady_clock::now();
}

}  // namespace updraft
