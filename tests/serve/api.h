#pragma once

#include <httplib.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace updraft::service_test {

using Json = nlohmann::json;

/// What came back in full.
struct Answer {
  int status = 0;
  std::string text;
  std::string type;         ///< Content-Type
  std::string retry_after;  ///< Retry-After

  bool ok() const { return status >= 200 && status < 300; }
  /// Of the body; discarded where that is not JSON.
  Json json() const { return Json::parse(text, nullptr, false); }
};

/// A client with one connection that stays open. For one thread.
class Api {
 public:
  explicit Api(int port);
  /// Over TLS, trusting the certificates of a file.
  Api(int port, const std::string& trusted);
  Api(Api&&) = default;
  Api& operator=(Api&&) = default;
  ~Api();

  void set_token(const std::string& token);

  /// Nothing where no whole answer came: the request may have been done or not.
  std::optional<Answer> send(const std::string& method, const std::string& path,
                             const std::string& body = "");

  /// As send; a status of 0 where no answer came.
  Answer get(const std::string& path) { return or_none(send("GET", path)); }
  Answer post(const std::string& path, const std::string& body = "{}") {
    return or_none(send("POST", path, body));
  }
  Answer put(const std::string& path, const std::string& body) {
    return or_none(send("PUT", path, body));
  }

  // The same by what they are for. Throw std::runtime_error where the status is not 2xx.
  Json create(const Json& definition);
  Json decide(const std::string& campaign, const Json& request = Json::object());
  Json decision(const std::string& campaign, const std::string& id);
  Json pay(const std::string& campaign, const std::string& id, const Json& payoffs);
  Json report(const std::string& campaign);

 private:
  static Answer or_none(std::optional<Answer> answer) { return answer.value_or(Answer()); }

  std::unique_ptr<httplib::ClientImpl> client_;
  httplib::Headers headers_;
};

std::string campaign_path(const std::string& campaign);
std::string decisions_path(const std::string& campaign);
std::string decision_path(const std::string& campaign, const std::string& id);
std::string payoffs_path(const std::string& campaign, const std::string& id);

}  // namespace updraft::service_test
