#include "store/event_store.h"

#include <algorithm>
#include <iterator>
#include <type_traits>

namespace updraft {

std::int64_t campaign_of(const StoreWrite& write) {
  return std::visit(
      [](const auto& what) -> std::int64_t {
        using What = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<What, StoredCampaign>) {
          return what.id;
        } else if constexpr (std::is_same_v<What, PurgeWrite>) {
          return 0;
        } else {
          return what.campaign;
        }
      },
      write);
}

AppendResult EventStore::append(std::int64_t campaign, std::uint64_t expected_version,
                                std::vector<Event> events) {
  std::vector<StoreWrite> batch;
  for (Event& event : events) {
    event.number = ++expected_version;
    batch.emplace_back(EventWrite{campaign, std::move(event)});
  }
  return write(batch);
}

AppendResult EventStore::write_all(const std::function<std::vector<StoreWrite>()>& next) {
  std::vector<StoreWrite> all;
  for (std::vector<StoreWrite> batch = next(); !batch.empty(); batch = next()) {
    std::move(batch.begin(), batch.end(), std::back_inserter(all));
  }
  return write(all);
}

std::optional<Taken> EventStore::write_apart(const std::vector<StoreWrite>& batch) {
  if (write(batch) == AppendResult::kConflict) return std::nullopt;
  return Taken();
}

}  // namespace updraft
