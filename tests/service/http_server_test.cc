#include "service/http_server.h"

#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "service/running_server.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "web/assets.h"

namespace updraft {
namespace {

using nlohmann::json;
using testing::answer_to;
using testing::answers_in;
using testing::answers_to;
using testing::RawClient;
using testing::refusal;
using testing::Running;

const std::string kToken = "0123456789abcdef";

/// Writes a key and a certificate for it that it has signed itself.
void write_certificate(const std::string& certificate_path, const std::string& key_path) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, void (*)(X509*)> certificate(X509_new(), X509_free);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  FILE* file = std::fopen(certificate_path.c_str(), "w");
  PEM_write_X509(file, certificate.get());
  std::fclose(file);
  file = std::fopen(key_path.c_str(), "w");
  PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);
}

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
  for (const char* path : {"/readyz", "/v1/campaigns", "/v1/campaigns/a/report"}) {
    const auto result = running.client().Get(path);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, 503) << path;
    EXPECT_EQ(result->get_header_value("Retry-After"), "1");
  }
  EXPECT_EQ(running.client().Get("/metrics")->status, 200);
  EXPECT_EQ(running.client().Get("/v1/openapi.json")->status, 200);
  EXPECT_EQ(json::parse(running.client().Get("/v1/schema")->body).size(), 4u);
}

TEST(HttpServer, GivesThePageToEverybodyWithoutAnythingOfCampaigns) {
  Running running(with_tokens());
  const auto page = running.client().Get("/");
  ASSERT_EQ(page->status, 200);
  EXPECT_EQ(page->get_header_value("Content-Type"), "text/html; charset=utf-8");
  const std::string policy = page->get_header_value("Content-Security-Policy");
  EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"));
  EXPECT_EQ(policy.find("unsafe"), policy.npos);
  EXPECT_NE(policy.find("frame-ancestors 'none'"), policy.npos);
  EXPECT_EQ(running.client().Get("/v1/campaigns")->status, 401);
  EXPECT_EQ(running.client().Get("/v1/campaigns/a/report")->status, 401);
  EXPECT_EQ(running.client().Get("/v1/campaigns/a/history")->status, 401);
  EXPECT_EQ(running.client().Get("/metrics")->status, 401);
}

TEST(HttpServer, FilesOfThePageAreKeptForEverAndComePacked) {
  Running running(with_tokens());
  const std::string page = running.client().Get("/")->body;
  const std::pair<std::string, std::string> types[] = {{"js", "text/javascript; charset=utf-8"},
                                                       {"css", "text/css; charset=utf-8"}};
  for (const auto& [extension, type] : types) {
    const std::regex named("\"(assets/dashboard-[0-9a-f]{16}\\." + extension + ")\"");
    std::smatch found;
    ASSERT_TRUE(std::regex_search(page, found, named)) << page;
    const std::string path = "/" + found[1].str();
    const auto plain = running.client().Get(path);
    EXPECT_EQ(plain->get_header_value("Content-Type"), type);
    EXPECT_EQ(plain->get_header_value("Cache-Control"), "public, max-age=31536000, immutable");
    EXPECT_EQ(plain->get_header_value("Vary"), "Accept-Encoding");
    EXPECT_EQ(plain->body, web_asset("dashboard." + extension));
    EXPECT_FALSE(plain->has_header("Content-Encoding"));
    auto client = running.client();
    client.set_decompress(false);
    const auto packed = client.Get(path, {{"Accept-Encoding", "gzip"}});
    EXPECT_EQ(packed->get_header_value("Content-Encoding"), "gzip");
    EXPECT_EQ(packed->get_header_value("Cache-Control"), plain->get_header_value("Cache-Control"));
    const auto asset = std::find_if(web_assets().begin(), web_assets().end(),
                                    [&](const WebAsset& one) { return one.path == path; });
    ASSERT_NE(asset, web_assets().end());
    EXPECT_EQ(packed->body, asset->packed) << "not as it was built in";
    const auto refused = client.Get(path, {{"Accept-Encoding", "gzip;q=0, identity"}});
    EXPECT_EQ(refused->body, plain->body);
  }
  EXPECT_EQ(running.client().Get("/")->get_header_value("Cache-Control"), "no-store");
  for (const char* path : {"/assets/dashboard.js", "/assets/", "/assets/style.css",
                           "/assets/dashboard-0000000000000000.js"}) {
    EXPECT_EQ(running.client().Get(path)->status, 404) << path;
  }
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

TEST(HttpServer, AsksForATokenWhereverThereIsSomethingToKnow) {
  Running running(with_tokens());
  EXPECT_EQ(running.client().Get("/healthz")->status, 200);
  EXPECT_EQ(running.client().Get("/readyz")->status, 503);
  for (const char* path : {"/metrics", "/v1/schema", "/v1/campaigns", "/nothing"}) {
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
  options.limits.body_bytes = 100'000;
  options.limits.farewell = std::chrono::minutes(1);
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

TEST(HttpServer, LimitsTheBytesOfHeadersWhileTheyCome) {
  HttpServerOptions options;
  options.limits.head_bytes = 1000;
  Running running(options);
  const std::string start = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ";
  EXPECT_EQ(
      answers_to(running.port(), start + std::string(800, 'x') + "\r\n\r\n").find("HTTP/1.1 200"),
      0u);
  const std::string refused = answer_to(running.port(), start + std::string(2000, 'x'));
  EXPECT_EQ(refused.find("HTTP/1.1 431 "), 0u) << refused;
  EXPECT_TRUE(refused.ends_with("(closed)")) << refused;
}

TEST(HttpServer, LimitsTheTimeOfHeadersEvenWhereTheyTrickle) {
  const std::string line = "GET /metrics HTTP/1.1\r\n";
  {
    Running patient;
    RawClient client(patient.port());
    for (const std::string& piece : {line, std::string("Host: localhost\r\n")}) {
      client.send(piece);
      EXPECT_TRUE(client.is_silent_for(50));
    }
    EXPECT_EQ(client.ask("\r\n").find("HTTP/1.1 200"), 0u);
  }
  HttpServerOptions options;
  options.limits.head_time = std::chrono::milliseconds(200);
  Running running(options);
  RawClient client(running.port());
  client.send(line);
  for (int i = 0; i < 1000 && client.is_silent_for(50); ++i) client.send("X: y\r\n");
  EXPECT_EQ(client.until_closed(), "(closed)");
}

TEST(HttpServer, AnswersRequestsThatCameAtOnceOneByOne) {
  Running running;
  const std::string one = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
  EXPECT_EQ(answers_in(answers_to(running.port(), one + one + one)), 3u);
}

TEST(HttpServer, TakesNoBodyForARequest) {
  Running running(with_tokens());
  const std::string inner = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string rest =
      "Host: localhost\r\nContent-Length: " + std::to_string(inner.size()) + "\r\n\r\n" + inner;
  for (const std::string line :
       {"GET /healthz HTTP/1.1\r\n", "POST /healthz HTTP/1.1\r\n",
        "POST /healthz HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\n"}) {
    const std::string answer = answers_to(running.port(), line + rest);
    EXPECT_EQ(answers_in(answer), 1u) << line << answer;
  }
  // Without a token nobody reads the body, and so the connection ends.
  const std::string refused = answer_to(running.port(), "POST /v1/campaigns HTTP/1.1\r\n" + rest);
  EXPECT_EQ(refused.find("HTTP/1.1 401 "), 0u) << refused;
  EXPECT_EQ(answers_in(refused), 1u) << refused;
  EXPECT_TRUE(refused.ends_with("(closed)")) << refused;
}

TEST(HttpServer, APostWithoutALengthHasNoBody) {
  Running running;
  const std::string answer =
      answers_to(running.port(), "POST /v1/campaigns/a/stop HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(answer.find("HTTP/1.1 503"), 0u) << answer;
}

TEST(HttpServer, SpeaksTls) {
  const testing::TemporaryFolder folder;
  HttpServerOptions options = with_tokens();
  options.tls_certificate = folder.path("cert.pem");
  options.tls_key = folder.path("key.pem");
  write_certificate(options.tls_certificate, options.tls_key);
  Running running(options);
  EXPECT_EQ(running.server().url().find("https://127.0.0.1:"), 0u);

  httplib::SSLClient client("127.0.0.1", running.port());
  client.enable_server_certificate_verification(false);
  client.set_keep_alive(true);
  const httplib::Headers token = {{"Authorization", "Bearer " + kToken}};
  const auto first = client.Get("/metrics", token);
  ASSERT_TRUE(first) << httplib::to_string(first.error());
  EXPECT_EQ(first->status, 200);
  const auto large = client.Post("/v1/campaigns", token, std::string(3'000'000, ' '), "text/plain");
  ASSERT_TRUE(large);
  EXPECT_EQ(large->status, 503);
  EXPECT_EQ(client.Get("/metrics")->status, 401);
  EXPECT_EQ(answers_in(answer_to(running.port(), "GET / HTTP/1.1\r\n\r\n")), 0u);
}

TEST(HttpServer, TakesLongBodiesWhateverTheirType) {
  Running running;
  const auto result = running.client().Post("/v1/campaigns", std::string(100'000, ' '),
                                            "application/x-www-form-urlencoded");
  EXPECT_EQ(result->status, 503) << "as curl sends them";
}

TEST(HttpServer, StopsWithoutWaitingForIdleConnections) {
  HttpServerOptions options;
  options.limits.keep_alive = options.limits.stopping = std::chrono::hours(24);
  auto running = std::make_unique<Running>(options);
  RawClient client(running->port());
  ASSERT_EQ(client.ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").find("HTTP/1.1 200"),
            0u);
  running.reset();  // which would take a day
  EXPECT_EQ(client.until_closed(), "(closed)");
}

TEST(HttpServer, StopsBeforeItRuns) {
  ServiceLog log("off");
  HttpApi api([](const std::string&) {});
  HttpServerOptions options;
  options.listen.port = 0;
  HttpServer server(options, api, log);
  server.stop();
  server.run();  // returns
  RawClient client(server.port());
  client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(client.is_silent_for(200));
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
  EXPECT_EQ(refused(options),
            "--tls-key: must be given: a certificate and its key are needed together");
  options.tls_key = folder.path("missing.pem");
  EXPECT_EQ(refused(options), "--tls-key = " + options.tls_key + ": cannot be read");
  options.tls_key = options.tls_certificate;
  EXPECT_NE(refused(options).find("must be a certificate in PEM format"), std::string::npos);
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
