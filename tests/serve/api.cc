#include "api.h"

#include <signal.h>

#include <stdexcept>
#include <utility>

namespace updraft::service_test {
namespace {

constexpr int kPatienceSeconds = 60;

void set_up(httplib::ClientImpl& client) {
  // Writing to a connection whose server was killed must fail, not end the program.
  ::signal(SIGPIPE, SIG_IGN);
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);
  client.set_connection_timeout(kPatienceSeconds);
  client.set_read_timeout(kPatienceSeconds);
  client.set_write_timeout(kPatienceSeconds);
}

Json json_of(const Answer& answer, const std::string& what) {
  if (!answer.ok()) {
    throw std::runtime_error(what + ": status " + std::to_string(answer.status) + " " +
                             answer.text);
  }
  return Json::parse(answer.text);
}

}  // namespace

Api::Api(int port) : client_(std::make_unique<httplib::ClientImpl>("127.0.0.1", port)) {
  set_up(*client_);
}

Api::Api(int port, const std::string& trusted) {
  auto client = std::make_unique<httplib::SSLClient>("127.0.0.1", port);
  client->set_ca_cert_path(trusted);
  client->enable_server_certificate_verification(true);
  client_ = std::move(client);
  set_up(*client_);
}

Api::~Api() = default;

void Api::set_token(const std::string& token) { headers_ = {{"Authorization", "Bearer " + token}}; }

std::optional<Answer> Api::send(const std::string& method, const std::string& path,
                                const std::string& body) {
  httplib::Request request;
  request.method = method;
  request.path = path;
  request.headers = headers_;
  request.body = body;
  if (!body.empty()) request.set_header("Content-Type", "application/json");
  const httplib::Result result = client_->send(request);
  if (!result) return std::nullopt;
  return Answer{result->status, result->body, result->get_header_value("Content-Type"),
                result->get_header_value("Retry-After")};
}

Json Api::create(const Json& definition) {
  return json_of(post("/v1/campaigns", definition.dump()), "create");
}

Json Api::decide(const std::string& campaign, const Json& request) {
  return json_of(post(decisions_path(campaign), request.dump()), "decide");
}

Json Api::decision(const std::string& campaign, const std::string& id) {
  return json_of(get(decision_path(campaign, id)), "decision");
}

Json Api::pay(const std::string& campaign, const std::string& id, const Json& payoffs) {
  return json_of(put(payoffs_path(campaign, id), payoffs.dump()), "pay");
}

Json Api::report(const std::string& campaign) {
  Json report = json_of(get(campaign_path(campaign) + "/report"), "report");
  report.erase("now_ms");
  return report;
}

std::string campaign_path(const std::string& campaign) { return "/v1/campaigns/" + campaign; }

std::string decisions_path(const std::string& campaign) {
  return campaign_path(campaign) + "/decisions";
}

std::string decision_path(const std::string& campaign, const std::string& id) {
  return decisions_path(campaign) + "/" + id;
}

std::string payoffs_path(const std::string& campaign, const std::string& id) {
  return decision_path(campaign, id) + "/payoffs";
}

}  // namespace updraft::service_test
