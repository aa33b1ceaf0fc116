#pragma once

#include <array>
#include <cstddef>
#include <map>

namespace updraft {

/// How many connections there are, in all and per client, so that no client takes them all. A
/// client is an IPv4 address, or the first 64 bits of an IPv6 address. For use by one thread.
class ConnectionTable {
 public:
  using Client = std::array<unsigned char, 8>;

  ConnectionTable(std::size_t most, std::size_t most_per_client)
      : most_(most), most_per_client_(most_per_client) {}

  /// Whether the client may have one more.
  bool has_room_for(const Client& client) const;
  bool full() const { return all_ >= most_; }
  std::size_t size() const { return all_; }

  void add(const Client& client);
  void remove(const Client& client);

 private:
  std::size_t most_;
  std::size_t most_per_client_;
  std::size_t all_ = 0;
  std::map<Client, std::size_t> clients_;
};

}  // namespace updraft
