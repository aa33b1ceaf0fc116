#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "store/pq.h"

namespace updraft {

/// Connections that many threads share, at most a given number; whoever comes when all are in use
/// waits. For reading: what fails because a connection was lost is done again with another one.
class PqPool {
 public:
  PqPool(std::string url, std::size_t most) : url_(std::move(url)), most_(most) {}

  /// What read(connection) returns; it may be called twice. A connection that is lost again is a
  /// StoreError of the kind kOther, as nothing was written.
  template <typename Read>
  auto read(Read read) {
    for (int tries = 1;; ++tries) {
      const Lent lent(*this);
      try {
        return read(*lent);
      } catch (const StoreError& error) {
        if (error.kind() != StoreError::Kind::kInDoubt) throw;
        if (tries == 2) throw StoreError(error.what(), StoreError::Kind::kOther);
      }
    }
  }

 private:
  using Owned = std::unique_ptr<PqConnection>;

  class Lent {
   public:
    explicit Lent(PqPool& pool) : pool_(pool), connection_(pool.take()) {}
    ~Lent() { pool_.give_back(std::move(connection_)); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    PqConnection& operator*() const { return *connection_; }

   private:
    PqPool& pool_;
    Owned connection_;
  };

  Owned take();
  void give_back(Owned connection);

  const std::string url_;
  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<Owned> idle_;
  std::size_t lent_ = 0;
};

}  // namespace updraft
