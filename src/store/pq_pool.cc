#include "store/pq_pool.h"

namespace updraft {

PqPool::Owned PqPool::take() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [&] { return lent_ < most_; });
  ++lent_;
  if (!idle_.empty()) {
    Owned out = std::move(idle_.back());
    idle_.pop_back();
    return out;
  }
  lock.unlock();
  try {
    return std::make_unique<PqConnection>(url_);
  } catch (...) {
    give_back(nullptr);
    throw;
  }
}

void PqPool::give_back(Owned connection) {
  {
    const std::lock_guard lock(mutex_);
    --lent_;
    if (connection == nullptr || !connection->usable()) {
      idle_.clear();  // what broke one has broken the others, most likely
    } else {
      idle_.push_back(std::move(connection));
    }
  }
  returned_.notify_one();
}

}  // namespace updraft
