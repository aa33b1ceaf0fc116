#include "service/node_relay.h"

#include <fmt/format.h>
#include <httplib.h>

#include <map>
#include <memory>

namespace updraft {
namespace {

constexpr int kSecondsToConnect = 2;
/// Headers of an answer that this node does not make anew.
constexpr const char* kPassedBack[] = {"ETag", "Retry-After", "Allow"};

/// One connection to each node per thread, which stays open.
httplib::Client& client_of(const std::string& address, std::chrono::seconds patience) {
  thread_local std::map<std::string, std::unique_ptr<httplib::Client>> clients;
  std::unique_ptr<httplib::Client>& client = clients[address];
  if (client == nullptr) {
    client = std::make_unique<httplib::Client>(address);
    client->set_keep_alive(true);
    client->set_connection_timeout(kSecondsToConnect);
    client->set_read_timeout(patience);
    client->set_write_timeout(patience);
    client->set_tcp_nodelay(true);
  }
  return *client;
}

std::string escaped(std::string_view text, bool keeps_slashes) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~' || c == ':' ||
                       (keeps_slashes && c == '/');
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

HttpAnswer try_later(std::string_view message) {
  HttpAnswer answer = error_answer(503, message);
  answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

/// Counts a request for as long as it is there.
class OnItsWay {
 public:
  explicit OnItsWay(std::atomic<std::size_t>& count) : count_(count), number_(++count) {}
  ~OnItsWay() { --count_; }
  OnItsWay(const OnItsWay&) = delete;
  OnItsWay& operator=(const OnItsWay&) = delete;
  std::size_t number() const { return number_; }

 private:
  std::atomic<std::size_t>& count_;
  std::size_t number_;
};

}  // namespace

std::string target_of(std::string_view path, const Query& query) {
  std::string out = escaped(path, true);
  char before = '?';
  for (const auto& [name, value] : query) {
    out += fmt::format("{}{}={}", before, escaped(name, false), escaped(value, false));
    before = '&';
  }
  return out;
}

HttpAnswer NodeRelay::pass_on(const std::string& address, const HttpRequest& request) {
  const OnItsWay place(on_their_way_);
  if (place.number() > most_) {
    return try_later("too many requests wait for other nodes: nothing was changed; try again");
  }
  httplib::Request out;
  out.method = request.method == "HEAD" ? "GET" : std::string(request.method);
  out.path = target_of(request.path, request.query);
  out.body = request.body;
  out.headers = {{NodeHeaders::kSecret, secret_},
                 {NodeHeaders::kBy, request.by == nullptr ? "" : request.by->name}};
  if (!out.body.empty()) out.headers.emplace("Content-Type", "application/json");
  if (!request.known_tags.empty()) out.headers.emplace("If-None-Match", request.known_tags);
  const httplib::Result result = client_of(address, patience_).send(out);
  if (!result) {
    if (result.error() == httplib::Error::Connection ||
        result.error() == httplib::Error::ConnectionTimeout) {
      return try_later("the node of this campaign cannot be reached: nothing was changed");
    }
    if (result.error() == httplib::Error::SSLServerVerification ||
        result.error() == httplib::Error::SSLConnection ||
        result.error() == httplib::Error::SSLLoadingCerts) {
      return try_later(
          "the certificate of the node of this campaign cannot be verified: nothing was changed; "
          "if its CA is your own, start the nodes with SSL_CERT_FILE");
    }
    return try_later(
        "the node of this campaign did not answer, and it is unknown whether this was done: ask "
        "again with the same id");
  }
  if (result->status == 403) {  // rights were checked here
    return try_later(
        "the node of this campaign has another secret (--node-secret-file): nothing was changed");
  }
  HttpAnswer answer = {.status = result->status,
                       .type = result->get_header_value("Content-Type"),
                       .body = result->body};
  for (const char* name : kPassedBack) {
    if (result->has_header(name)) answer.headers.emplace_back(name, result->get_header_value(name));
  }
  return answer;
}

}  // namespace updraft
