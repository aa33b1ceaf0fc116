#include "service/http_server.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "support/folder.h"
#include "support/refusal.h"

namespace updraft {
namespace {

using nlohmann::json;
using testing::refusal;

const std::string kToken = "0123456789abcdef";

/// A server on a free port of this machine, whose API has no service yet.
class Running {
 public:
  explicit Running(HttpServerOptions options = {}) : server_(on_free_port(options), api_, log_) {
    thread_ = std::thread([this] { server_.run(); });
  }
  ~Running() {
    server_.stop();
    thread_.join();
  }

  httplib::Client client() const { return httplib::Client("127.0.0.1", server_.port()); }
  HttpServer& server() { return server_; }

 private:
  static HttpServerOptions on_free_port(HttpServerOptions options) {
    options.listen.port = 0;
    return options;
  }

  ServiceLog log_{"off"};
  HttpApi api_{[](const std::string&) {}};
  HttpServer server_;
  std::thread thread_;
};

HttpServerOptions with_tokens() {
  HttpServerOptions options;
  options.tokens = AccessTokens::parse(kToken);
  return options;
}

std::string message(const httplib::Result& result) {
  return json::parse(result->body)["error"]["message"];
}

TEST(HttpServer, SaysWhereItListens) {
  Running running;
  EXPECT_EQ(running.server().url(), "http://127.0.0.1:" + std::to_string(running.server().port()));
}

TEST(HttpServer, IsNotReadyWithoutAService) {
  Running running;
  for (const char* path : {"/healthz", "/", "/v1/campaigns", "/v1/campaigns/a/report"}) {
    const auto result = running.client().Get(path);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, 503) << path;
    EXPECT_EQ(result->get_header_value("Retry-After"), "1");
  }
  EXPECT_EQ(running.client().Get("/metrics")->status, 200);
  EXPECT_EQ(running.client().Get("/v1/openapi.json")->status, 200);
  EXPECT_EQ(json::parse(running.client().Get("/v1/schema")->body).size(), 3u);
}

TEST(HttpServer, AnswersUnknownPathsAndMethodsWithJson) {
  Running running;
  EXPECT_EQ(running.client().Get("/nothing")->status, 404);
  EXPECT_NE(message(running.client().Get("/nothing")), "");
  const auto wrong = running.client().Delete("/v1/campaigns");
  EXPECT_EQ(wrong->status, 405);
  EXPECT_EQ(wrong->get_header_value("Allow"), "GET, HEAD, POST");
  EXPECT_EQ(running.client().Get("/" + std::string(10000, 'a'))->status, 414);
  EXPECT_EQ(running.client().Head("/metrics")->status, 200);
  EXPECT_EQ(running.client().Head("/metrics")->body, "");
}

TEST(HttpServer, EveryAnswerForbidsSniffingAndKeeping) {
  Running running;
  for (const char* path : {"/healthz", "/metrics", "/nothing"}) {
    const auto result = running.client().Get(path);
    EXPECT_EQ(result->get_header_value("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(result->get_header_value("Cache-Control"), "no-store");
  }
}

TEST(HttpServer, AsksForATokenEverywhereButAtHealth) {
  Running running(with_tokens());
  EXPECT_EQ(running.client().Get("/healthz")->status, 503);
  for (const char* path : {"/", "/metrics", "/v1/schema", "/v1/campaigns", "/nothing"}) {
    const auto result = running.client().Get(path);
    EXPECT_EQ(result->status, 401) << path;
    EXPECT_EQ(result->get_header_value("WWW-Authenticate"), "Bearer realm=\"updraft\"");
  }
  const auto get = [&](const std::string& authorization) {
    return running.client().Get("/metrics", {{"Authorization", authorization}})->status;
  };
  EXPECT_EQ(get("Bearer " + kToken), 200);
  EXPECT_EQ(get("Bearer " + kToken + "0"), 401);
  EXPECT_EQ(get("Basic " + kToken), 401);
  EXPECT_EQ(running.client().Post("/v1/campaigns", "{}", "application/json")->status, 401);
}

TEST(HttpServer, WithoutTokensAnswersNoPageOfTheWeb) {
  Running running;
  const auto get = [&](const httplib::Headers& headers) {
    return running.client().Get("/metrics", headers)->status;
  };
  EXPECT_EQ(get({{"Host", "rebound.example.com"}}), 403);
  EXPECT_EQ(get({{"Host", "localhost:1"}, {"Origin", "http://example.com"}}), 403);
  EXPECT_EQ(get({{"Host", "localhost:1"}, {"Origin", "null"}}), 403);
  EXPECT_EQ(get({{"Host", "localhost:1"}, {"Origin", "http://localhost:1"}}), 200);
}

TEST(HttpServer, LimitsBodiesPackedOrNot) {
  HttpServerOptions options;
  options.body_limit = 100'000;
  Running running(options);
  httplib::Client client = running.client();
  EXPECT_EQ(client.Post("/v1/campaigns", std::string(100'000, ' '), "text/plain")->status, 503);
  EXPECT_EQ(client.Post("/v1/campaigns", std::string(100'001, ' '), "text/plain")->status, 413);
  client.set_compress(true);
  EXPECT_EQ(client.Post("/v1/campaigns", std::string(1'000'000, ' '), "application/json")->status,
            413);
}

TEST(HttpServer, LimitsHeaders) {
  Running running;
  httplib::Headers headers;
  for (int i = 0; i < 101; ++i) headers.emplace("X-" + std::to_string(i), "1");
  EXPECT_EQ(running.client().Get("/metrics", headers)->status, 431);
}

TEST(HttpServer, TakesLongBodiesWhateverTheirType) {
  Running running;
  const auto result = running.client().Post("/v1/campaigns", std::string(100'000, ' '),
                                            "application/x-www-form-urlencoded");
  EXPECT_EQ(result->status, 503) << "as curl sends them";
}

TEST(HttpServer, StopsWithoutWaitingForIdleConnections) {
  auto running = std::make_unique<Running>();
  httplib::Client client = running->client();
  client.set_keep_alive(true);
  ASSERT_EQ(client.Get("/metrics")->status, 200);
  const auto start = std::chrono::steady_clock::now();
  running.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(HttpServer, StopsBeforeItRuns) {
  ServiceLog log("off");
  HttpApi api([](const std::string&) {});
  HttpServerOptions options;
  options.listen.port = 0;
  HttpServer server(options, api, log);
  server.stop();
  server.run();
}

TEST(HttpServer, RefusesToListenElsewhereWithoutTokens) {
  const auto refused = [](HttpServerOptions options) {
    ServiceLog log("off");
    HttpApi api([](const std::string&) {});
    return refusal([&] { HttpServer server(std::move(options), api, log); });
  };
  HttpServerOptions options;
  options.listen = {"0.0.0.0", 0};
  EXPECT_EQ(refused(options).find("--listen = 0.0.0.0:0: can be reached from other machines"), 0u);
  options.tokens = AccessTokens::parse(kToken);
  EXPECT_EQ(refused(options), "(accepted)");

  const testing::TemporaryFolder folder;
  options.tls_certificate = folder.write("cert.pem", "no certificate");
  EXPECT_EQ(refused(options), "--tls-key: must be given: a certificate and its key go together");
  options.tls_key = folder.path("missing.pem");
  EXPECT_EQ(refused(options), "--tls-key = " + options.tls_key + ": cannot be read");
  options.tls_key = options.tls_certificate;
  EXPECT_NE(refused(options).find("must be a certificate in PEM form"), std::string::npos);
}

TEST(HttpServer, APortThatIsTakenIsAFailure) {
  Running running;
  ServiceLog log("off");
  HttpApi api([](const std::string&) {});
  HttpServerOptions options;
  options.listen.port = running.server().port();
  EXPECT_THROW(HttpServer(options, api, log), std::runtime_error);
}

}  // namespace
}  // namespace updraft
