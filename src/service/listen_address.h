#pragma once

#include <string>
#include <string_view>

namespace updraft {

/// Where a server listens.
struct ListenAddress {
  std::string host = "127.0.0.1";  ///< a name or an address, IPv6 without its brackets
  int port = 8080;                 ///< 0: any that is free

  bool operator==(const ListenAddress&) const = default;

  /// HOST:PORT, IPv6 addresses in brackets. Throws InvalidInput.
  static ListenAddress parse(std::string_view text);

  /// Whether only this machine can reach it: 127.0.0.0/8, ::1 or localhost.
  bool is_loopback() const;

  std::string text() const;
};

/// Whether a Host header (a name with or without a port) is that of this machine alone.
bool is_loopback_host(std::string_view header);

}  // namespace updraft
