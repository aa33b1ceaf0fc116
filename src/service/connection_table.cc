#include "service/connection_table.h"

namespace updraft {

bool ConnectionTable::has_room_for(const Client& client) const {
  const auto found = clients_.find(client);
  return found == clients_.end() || found->second < most_per_client_;
}

void ConnectionTable::add(const Client& client) {
  ++clients_[client];
  ++all_;
}

void ConnectionTable::remove(const Client& client) {
  const auto found = clients_.find(client);
  if (--found->second == 0) clients_.erase(found);
  --all_;
}

}  // namespace updraft
