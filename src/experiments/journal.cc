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

}  // namespace

Journal::Journal(std::filesystem::path path, std::size_t values)
    : path_(std::move(path)), values_(values), last_sync_(std::chrono::steady_clock::now()) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_on("write", path_);
  try {
    recover();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

Journal::~Journal() { ::close(descriptor_); }

void Journal::recover() {
  const std::string bytes = read_file(path_);
  const std::size_t length = sizeof(std::uint64_t) * (values_ + 2);
  for (; size_ + length <= bytes.size(); size_ += length) {
    const std::string_view record = std::string_view(bytes).substr(size_, length);
    const std::size_t sealed = length - sizeof(std::uint64_t);
    if (u64_at(record, sealed) != checksum(record.substr(0, sealed))) break;
    std::vector<double> values(values_);
    std::memcpy(values.data(), record.data() + sizeof(std::uint64_t), values_ * sizeof(double));
    recovered_.insert_or_assign(u64_at(record, 0), std::move(values));
  }
  if (size_ < bytes.size() && ::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) {
    fail_on("write", path_);
  }
}

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
  const auto now = std::chrono::steady_clock::now();
  if (now - last_sync_ >= kSyncEvery) {
    if (::fdatasync(descriptor_) != 0) fail_on("write", path_);
    last_sync_ = now;
  }
}

}  // namespace updraft
