// The server itself: methods, limits, tokens, TLS, health, metrics, pages.

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>
#include <thread>

#include "on_server.h"
#include "support/folder.h"

namespace updraft::service_test {
namespace {

using OneServer = OnServer;

TEST_F(OneServer, RefusesUnknownPathsAndMethods) {
  api_.create(shop("spring"));
  for (const char* path : {"/v1", "/v1/nothing", "/nothing", "/v1/campaigns/spring/nothing",
                           "/v1/campaigns/spring/decisions/a/nothing", "/v2/campaigns"}) {
    expect_refused(api_.get(path), 404, "");
  }
  const auto refused = [&](const char* method, const char* path) {
    const auto answer = api_.send(method, path, "{}");
    ASSERT_TRUE(answer) << method << " " << path;
    EXPECT_EQ(answer->status, 405) << method << " " << path << " " << answer->text;
  };
  refused("DELETE", "/v1/campaigns");
  refused("PUT", "/v1/campaigns");
  refused("PATCH", "/v1/campaigns/spring");
  refused("POST", "/v1/campaigns/spring");
  refused("GET", "/v1/campaigns/spring/stop");
  refused("POST", "/v1/campaigns/spring/report");
  refused("PUT", "/v1/campaigns/spring/decisions");
  refused("POST", "/v1/campaigns/spring/decisions/a/payoffs");
  refused("POST", "/healthz");
  refused("POST", "/metrics");
}

TEST_F(OneServer, AnswersInJson) {
  api_.create(shop("spring"));
  for (const char* path : {"/v1/campaigns", "/v1/campaigns/spring", "/v1/campaigns/spring/report",
                           "/v1/campaigns/winter", "/v1/schema", "/v1/openapi.json"}) {
    const Answer answer = api_.get(path);
    EXPECT_EQ(answer.type.rfind("application/json", 0), 0u) << path << " is " << answer.type;
    EXPECT_FALSE(answer.json().is_discarded()) << path;
  }
  EXPECT_EQ(api_.get("/v1/schema").status, 200);
  EXPECT_EQ(api_.get("/v1/openapi.json").status, 200);
  EXPECT_TRUE(api_.get("/v1/openapi.json").json().contains("openapi"));
}

TEST_F(OneServer, IsHealthy) { EXPECT_EQ(api_.get("/healthz").status, 200); }

/// Every line of a Prometheus page is empty, a comment, or a sample with a number.
void expect_metrics(const std::string& page) {
  const std::regex sample(
      R"re([a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\]|\\.)*",?)*\})? (\S+)( -?[0-9]+)?)re");
  std::istringstream lines(page);
  std::string line;
  std::size_t samples = 0;
  while (std::getline(lines, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(line, parts, sample)) << line;
    const std::string number = parts[4];
    char* end = nullptr;
    std::strtod(number.c_str(), &end);
    EXPECT_EQ(*end, '\0') << line;
    ++samples;
  }
  EXPECT_GT(samples, 0u);
  EXPECT_EQ(page.back(), '\n');
}

TEST_F(OneServer, HasMetrics) {
  expect_metrics(api_.get("/metrics").text);
  api_.create(shop("spring"));
  api_.decide("spring");
  const Answer page = api_.get("/metrics");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.type.rfind("text/plain", 0), 0u) << page.type;
  expect_metrics(page.text);
  EXPECT_NE(page.text.find("spring"), std::string::npos);
}

TEST_F(OneServer, ServesMoreConnectionsThanCores) {
  api_.create(shop("spring"));
  // All of these stay open.
  std::vector<Api> clients;
  for (int i = 0; i < 40; ++i) clients.emplace_back(server_.port());
  for (Api& client : clients) EXPECT_TRUE(client.post(decisions_path("spring")).ok());
  EXPECT_EQ(api_.report("spring").at("state_version"), 40);
}

TEST_F(OneServer, EndsInOrderWhenAsked) {
  api_.create(shop("spring"));
  api_.decide("spring");
  EXPECT_EQ(server_.terminate().exit_code, 0);
  restart();
  EXPECT_EQ(api_.report("spring").at("state_version"), 1);
}

TEST(ServerOptions, LimitTheSizeOfBodies) {
  Server server({.store = "", .further = {"--body-limit", "1"}});
  Api(server.port()).create(shop("spring"));
  Api(server.port()).decide("spring", {{"decision", "a"}});
  const std::string large =
      R"({"payoffs": [1, 0, 0, 0], "part": ")" + std::string(std::size_t{2} << 20, 'x') + "\"}";
  // The server need not read it to the end.
  const auto answer = Api(server.port()).send("PUT", payoffs_path("spring", "a"), large);
  if (answer) {
    EXPECT_EQ(answer->status, 413);
  }
  EXPECT_EQ(Api(server.port()).decision("spring", "a").at("status"), "outstanding");
  const std::string fits = R"({"payoffs": [1, 0, 0, 0]})" + std::string(900'000, ' ');
  EXPECT_EQ(Api(server.port()).put(payoffs_path("spring", "a"), fits).status, 200);
}

TEST(ServerOptions, AskForATokenWhereThereIsOne) {
  testing::TemporaryFolder folder;
  const std::string token = "0123456789abcdef0123456789abcdef";
  const std::string file = folder.write("token", token + "\n");
  Server server({.store = "", .further = {"--token-file", file}});
  Api none(server.port());
  EXPECT_EQ(none.get("/v1/campaigns").status, 401);
  expect_refused(none.post("/v1/campaigns", shop("spring").dump()), 401, "");
  EXPECT_EQ(none.get("/healthz").status, 200);
  Api wrong(server.port());
  for (const std::string& other :
       {token + "0", token.substr(1), std::string(32, '0'), std::string()}) {
    wrong.set_token(other);
    EXPECT_EQ(wrong.get("/v1/campaigns").status, 401) << other;
  }
  Api right(server.port());
  right.set_token(token);
  EXPECT_EQ(right.get("/v1/campaigns").status, 200);
  EXPECT_EQ(right.post("/v1/campaigns", shop("spring").dump()).status, 201);
}

TEST(ServerOptions, ListenToOthersOnlyWithAToken) {
  testing::TemporaryFolder folder;
  const cli_test::Outcome outcome =
      run_to_end({"serve", "--store", folder.path("campaigns.db"), "--listen", "0.0.0.0:0"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("token"), std::string::npos) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST(ServerOptions, RefuseWhatCannotBe) {
  testing::TemporaryFolder folder;
  const std::string store = folder.path("campaigns.db");
  const auto refused = [&](std::vector<std::string> further) {
    std::vector<std::string> words = {"serve", "--store", store};
    words.insert(words.end(), further.begin(), further.end());
    const cli_test::Outcome outcome = run_to_end(words);
    EXPECT_EQ(outcome.exit_code, 2) << ::testing::PrintToString(further) << outcome.err;
    EXPECT_FALSE(outcome.err.empty());
  };
  refused({"--listen", "127.0.0.1"});
  refused({"--listen", "127.0.0.1:70000"});
  refused({"--listen", "127.0.0.1:0", "--token-file", folder.path("missing")});
  refused({"--listen", "127.0.0.1:0", "--snapshot-every", "0"});
  refused({"--listen", "127.0.0.1:0", "--body-limit", "0"});
  for (const char* address :
       {"nonsense", "http://", "ftp://n1:80", "http://n1:80/", "https://n 1"}) {
    refused({"--listen", "127.0.0.1:0", "--node-address", address});
  }
}

TEST(ServerOptions, SpeakTls) {
  testing::TemporaryFolder folder;
  const std::string key = folder.path("key.pem");
  const std::string certificate = folder.path("certificate.pem");
  const std::string command =
      "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=127.0.0.1"
      " -addext subjectAltName=IP:127.0.0.1 -keyout " +
      key + " -out " + certificate + " >/dev/null 2>&1";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "no openssl command to make a certificate";
  Server server({.store = "", .further = {"--tls-cert", certificate, "--tls-key", key}});
  Api trusting(server.port(), certificate);
  EXPECT_EQ(trusting.post("/v1/campaigns", shop("spring").dump()).status, 201);
  EXPECT_EQ(trusting.get("/healthz").status, 200);
  EXPECT_EQ(Api(server.port()).get("/healthz").status, 0) << "answered without TLS";
}

}  // namespace
}  // namespace updraft::service_test
