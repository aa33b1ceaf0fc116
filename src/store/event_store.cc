#include "store/event_store.h"

namespace updraft {

AppendResult EventStore::append(std::int64_t campaign, std::uint64_t expected_version,
                                std::vector<Event> events) {
  std::vector<StoreWrite> batch;
  for (Event& event : events) {
    event.number = ++expected_version;
    batch.emplace_back(EventWrite{campaign, std::move(event)});
  }
  return write(batch);
}

}  // namespace updraft
