#include "service/listen_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::string_view kField = "--listen";
constexpr std::string_view kRule =
    "must be HOST:PORT, such as 127.0.0.1:8080, [::1]:8080 or localhost:0 (any free port)";

std::optional<int> parse_port(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (port < 0 || port > 65535 || text.front() == '-') return std::nullopt;
  return port;
}

bool is_host_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

bool is_ipv6(const std::string& host) {
  in6_addr address;
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool is_loopback_name(const std::string& host) {
  if (host == "localhost") return true;
  in_addr four;
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six;
  return inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

/// The host of "host", "host:port", "[v6]" or "[v6]:port".
std::string_view host_of(std::string_view text) {
  if (text.starts_with('[')) return text.substr(1, std::min(text.find(']'), text.size()) - 1);
  return text.substr(0, text.find(':'));
}

}  // namespace

ListenAddress ListenAddress::parse(std::string_view text) {
  const InvalidInput refusal(kField, text.empty() ? "\"\"" : text, kRule);
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos || colon + 1 == text.size()) throw refusal;
  const auto port = parse_port(text.substr(colon + 1));
  if (!port) throw refusal;
  ListenAddress address;
  address.port = *port;
  address.host = text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
    if (!is_ipv6(address.host)) throw refusal;
  } else if (address.host.empty() ||
             !std::all_of(address.host.begin(), address.host.end(), is_host_character)) {
    throw refusal;
  }
  return address;
}

bool ListenAddress::is_loopback() const { return is_loopback_name(host); }

std::string ListenAddress::text() const {
  return host.find(':') == host.npos ? fmt::format("{}:{}", host, port)
                                     : fmt::format("[{}]:{}", host, port);
}

bool is_loopback_host(std::string_view header) {
  return is_loopback_name(std::string(host_of(header)));
}

}  // namespace updraft
