// The API over a real socket, with a real service and store.
#include "service/http_api.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "service/http_server.h"
#include "service/running_server.h"
#include "support/folder.h"

namespace updraft {
namespace {

using nlohmann::json;

struct Answer {
  int status = 0;
  json body;

  std::string message() const { return body["error"]["message"]; }
};

class HttpApiTest : public ::testing::Test {
 protected:
  HttpApiTest() : client_("127.0.0.1", server_.port()) {
    api_.set_service(&service_);
    client_.set_keep_alive(true);
    serving_ = std::thread([this] { server_.run(); });
  }
  ~HttpApiTest() override {
    client_.stop();
    server_.stop();
    serving_.join();
  }

  Answer get(const std::string& path) { return answer_of(client_.Get(path)); }
  Answer post(const std::string& path, const json& body) {
    return answer_of(client_.Post(path, body.dump(), "application/json"));
  }
  Answer put(const std::string& path, const json& body) {
    return answer_of(client_.Put(path, body.dump(), "application/json"));
  }

  httplib::Client& client() { return client_; }
  int port() const { return server_.port(); }

  /// httplib waits for the body of a 304, which has none.
  std::string ask_again(const std::string& path, const std::string& tag) {
    return testing::answer_to(port(), "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" +
                                          "Connection: close\r\nIf-None-Match: " + tag +
                                          "\r\n\r\n");
  }

  /// The first campaign of docs/service.md.
  static json spring() {
    return json::parse(R"({"name": "spring", "policy": "up_ts",
        "actions": ["news", "discount"], "variables": ["coffee", "tea", "bread", "cake"],
        "knowledge": {"affected": [["coffee", "tea"], ["bread", "cake"]]}})");
  }

 private:
  static HttpServerOptions on_free_port() {
    HttpServerOptions options;
    options.listen.port = 0;
    return options;
  }

  static Answer answer_of(const httplib::Result& result) {
    if (!result) {
      ADD_FAILURE() << httplib::to_string(result.error());
      return {};
    }
    return {result->status, json::parse(result->body)};
  }

  testing::TemporaryFolder folder_;
  Service service_{ServiceOptions{.store = folder_.path("campaigns.db")}};
  ServiceLog log_{"off"};
  HttpApi api_{[](const std::string&) {}};
  HttpServer server_{on_free_port(), api_, log_};
  httplib::Client client_;
  std::thread serving_;
};

TEST_F(HttpApiTest, PlaysTheFirstCampaignOfTheDocumentation) {
  const Answer made = post("/v1/campaigns", spring());
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.body["name"], "spring");

  const Answer decided = post("/v1/campaigns/spring/decisions", {{"decision", "monday"}});
  EXPECT_EQ(decided.status, 200);
  EXPECT_EQ(decided.body["decision"], "monday");
  EXPECT_EQ(decided.body["action"], 0);
  EXPECT_EQ(decided.body["action_name"], "news");
  EXPECT_TRUE(decided.body["index"].is_null()) << "untried";
  EXPECT_EQ(decided.body["probability"], 1.0);
  EXPECT_EQ(decided.body["state_version"], 0);

  const json payoffs = {{"payoffs", {{"bread", 3.5}, {"coffee", 1}}}};
  const Answer paid = put("/v1/campaigns/spring/decisions/monday/payoffs", payoffs);
  EXPECT_EQ(paid.status, 200);
  EXPECT_EQ(paid.body,
            json({{"decision", "monday"}, {"status", "complete"}, {"state_version", 2}}));

  const Answer report = get("/v1/campaigns/spring/report");
  EXPECT_EQ(report.status, 200);
  EXPECT_EQ(report.body["decisions"]["decided"], 1);
  EXPECT_EQ(report.body["decisions"]["complete"], 1);
  EXPECT_EQ(report.body["actions"][0]["probability"], 0.0);
  EXPECT_EQ(report.body["actions"][1]["probability"], 1.0) << "untried, so it is next";
  post("/v1/campaigns/spring/stop", json::object());
  EXPECT_TRUE(get("/v1/campaigns/spring/report").body["actions"][1]["probability"].is_null());
}

TEST_F(HttpApiTest, MakesSeveralDecisionsAtOnce) {
  ASSERT_EQ(post("/v1/campaigns", spring()).status, 201);
  const std::string decisions = "/v1/campaigns/spring/decisions";
  const Answer made = post(decisions, {{"decision", "shops"}, {"count", 3}});
  ASSERT_EQ(made.status, 200) << made.body;
  ASSERT_EQ(made.body["decisions"].size(), 3u);
  for (int j = 0; j < 3; ++j) {
    EXPECT_EQ(made.body["decisions"][j]["decision"], "shops." + std::to_string(j + 1));
    EXPECT_EQ(made.body["decisions"][j]["state_version"], j);
  }
  EXPECT_EQ(post(decisions, {{"decision", "shops"}, {"count", 3}}).body, made.body);
  EXPECT_EQ(post(decisions, {{"decision", "shops"}, {"count", 4}}).status, 409);
  EXPECT_EQ(put(decisions + "/shops.2/payoffs", {{"payoffs", {1, 2, 3, 4}}}).status, 200);
  const Answer refused = post(decisions, {{"count", 0}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.body["error"]["field"], "count");
}

TEST_F(HttpApiTest, MakesACampaignOnce) {
  EXPECT_EQ(post("/v1/campaigns", spring()).status, 201);
  EXPECT_EQ(post("/v1/campaigns", spring()).status, 200);
  json other = spring();
  other["seed"] = 7;
  EXPECT_EQ(post("/v1/campaigns", other).status, 409);
}

TEST_F(HttpApiTest, AnswersTheSameDecisionTheSame) {
  post("/v1/campaigns", spring());
  const Answer first = post("/v1/campaigns/spring/decisions", {{"decision", "a"}});
  post("/v1/campaigns/spring/decisions", json::object());
  put("/v1/campaigns/spring/decisions/a/payoffs", {{"payoffs", {1, 2, 3, 4}}});
  EXPECT_EQ(post("/v1/campaigns/spring/decisions", {{"decision", "a"}}).body, first.body);

  Answer shown = get("/v1/campaigns/spring/decisions/a");
  EXPECT_EQ(shown.status, 200);
  EXPECT_EQ(shown.body["status"], "complete");
  shown.body.erase("status");
  EXPECT_EQ(shown.body, first.body);
}

TEST_F(HttpApiTest, TakesPayoffsOnce) {
  post("/v1/campaigns", spring());
  post("/v1/campaigns/spring/decisions", {{"decision", "a"}});
  const std::string path = "/v1/campaigns/spring/decisions/a/payoffs";
  const json dense = {{"payoffs", {1, 2, 3, 4}}};
  const Answer first = put(path, dense);
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(put(path, dense).body, first.body);
  EXPECT_EQ(put(path, {{"payoffs", {1, 2, 3, 5}}}).status, 409);
  EXPECT_EQ(put("/v1/campaigns/spring/decisions/b/payoffs", dense).status, 404);
}

TEST_F(HttpApiTest, PlaysTargetedCampaigns) {
  EXPECT_EQ(post("/v1/campaigns", {{"name", "mail"},
                                   {"policy", "c2_up_ucb(beta=2)"},
                                   {"treatments", 1},
                                   {"budget", 1},
                                   {"features", 2}})
                .status,
            201);
  const json pool = {{"decision", "a"}, {"pool", {{0.1, 0.2}, {0.3, 0.4}}}};
  const Answer decided = post("/v1/campaigns/mail/decisions", pool);
  EXPECT_EQ(decided.status, 200);
  EXPECT_EQ(decided.body["treatments"].size(), 2u);
  EXPECT_FALSE(decided.body.contains("action"));
  EXPECT_EQ(
      post("/v1/campaigns/mail/decisions", {{"decision", "a"}, {"pool", {{1, 2}, {3, 4}}}}).status,
      409);
  EXPECT_EQ(put("/v1/campaigns/mail/decisions/a/payoffs", {{"payoffs", {1, 2, 3}}}).status, 400);
  EXPECT_EQ(put("/v1/campaigns/mail/decisions/a/payoffs", {{"payoffs", {1, 2}}}).status, 200);
}

TEST_F(HttpApiTest, StopsCampaignsWithoutABody) {
  post("/v1/campaigns", spring());
  const auto stopped = client().Post("/v1/campaigns/spring/stop");
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->status, 200);
  EXPECT_EQ(post("/v1/campaigns/spring/decisions", json::object()).status, 409);
}

TEST_F(HttpApiTest, SaysWhichFieldIsWrong) {
  json wrong = spring();
  wrong["policy"] = "up_ucb(alpha=-1)";
  const Answer refused = post("/v1/campaigns", wrong);
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.body["error"],
            json({{"field", "policy"},
                  {"value", "up_ucb(alpha=-1)"},
                  {"message", "policy = up_ucb(alpha=-1): up_ucb.alpha = -1: must be > 0"}}));
  const auto broken = client().Post("/v1/campaigns", "{\"name\": \xff", "application/json");
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->status, 400);
  EXPECT_TRUE(json::accept(broken->body));
}

TEST_F(HttpApiTest, UnknownNamesAre404) {
  for (const char* path : {"/v1/campaigns/x", "/v1/campaigns/x/report",
                           "/v1/campaigns/x/decisions/d", "/v1/campaigns/%FF%00%0A"}) {
    EXPECT_EQ(get(path).status, 404) << path;
  }
  EXPECT_EQ(post("/v1/campaigns/x/decisions", json::object()).status, 404);
  EXPECT_EQ(post("/v1/campaigns/x/stop", json::object()).status, 404);
}

TEST_F(HttpApiTest, ShowsItself) {
  post("/v1/campaigns", spring());
  EXPECT_EQ(get("/healthz").body, json({{"status", "ok"}}));
  EXPECT_EQ(get("/readyz").body, json({{"status", "ready"}}));
  const auto metrics = client().Get("/metrics");
  ASSERT_TRUE(metrics);
  EXPECT_NE(metrics->body.find("updraft_decisions_total{campaign=\"spring\"} 0\n"),
            std::string::npos);
}

TEST_F(HttpApiTest, SchemasHaveTheFieldsThatTheParsersTake) {
  const json schemas = get("/v1/schema").body;
  const auto keys = [&](const char* body) {
    std::set<std::string> names;
    for (const auto& member : schemas[body]["properties"].items()) names.insert(member.key());
    return names;
  };
  EXPECT_EQ(keys("campaign"),
            (std::set<std::string>{"name", "policy", "actions", "variables", "knowledge",
                                   "treatments", "budget", "features", "seed", "wait", "lost",
                                   "mode", "holdout", "probe", "guardrails"}));
  EXPECT_EQ(keys("decision"),
            (std::set<std::string>{"decision", "pool", "context", "baseline", "affected", "allowed",
                                   "count", "action", "probability"}));
  EXPECT_EQ(keys("history"), (std::set<std::string>{"batch", "rounds"}));
  EXPECT_EQ(keys("payoffs"),
            (std::set<std::string>{"payoffs", "indices", "values", "part", "complete"}));
}

TEST_F(HttpApiTest, TheDocumentHasEveryRoute) {
  const json document = get("/v1/openapi.json").body;
  for (const Route& route : routes()) {
    if (is_page(route.endpoint)) continue;
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(std::tolower(c));
    EXPECT_TRUE(document["paths"][std::string(route.pattern)].contains(method)) << route.pattern;
  }
}

TEST_F(HttpApiTest, WhoHasSeenAVersionGetsNoMoreThanThat) {
  post("/v1/campaigns", spring());
  const std::string path = "/v1/campaigns/spring/report?sets=count";
  const auto first = client().Get(path);
  ASSERT_EQ(first->status, 200);
  EXPECT_FALSE(json::parse(first->body).contains("definition"));
  const std::string tag = first->get_header_value("ETag");
  EXPECT_TRUE(tag.size() > 2 && tag.front() == '"' && tag.back() == '"') << tag;
  const std::string unchanged = ask_again(path, tag);
  EXPECT_EQ(unchanged.find("HTTP/1.1 304 "), 0u) << unchanged;
  EXPECT_NE(unchanged.find("\r\nETag: " + tag + "\r\n"), unchanged.npos) << unchanged;
  EXPECT_TRUE(unchanged.ends_with("\r\n\r\n(closed)")) << unchanged;
  post("/v1/campaigns/spring/decisions", {{"decision", "monday"}});
  // A view that took long to make may be shown a little longer.
  for (int tries = 0; tries < 6000; ++tries) {
    if (ask_again(path, tag).starts_with("HTTP/1.1 304 ")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      continue;
    }
    const auto later = client().Get(path);
    EXPECT_NE(later->get_header_value("ETag"), tag);
    const json seen = json::parse(later->body);
    EXPECT_EQ(seen["decisions"]["decided"], 1);
    // The same view at another time.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_GT(json::parse(client().Get(path)->body)["now_ms"], seen["now_ms"]);
    return;
  }
  ADD_FAILURE() << "the decision is never seen";
}

TEST_F(HttpApiTest, ShowsHistoryAndVariables) {
  post("/v1/campaigns", spring());
  post("/v1/campaigns/spring/decisions", {{"decision", "monday"}});
  const Answer history = get("/v1/campaigns/spring/history");
  EXPECT_EQ(history.status, 200);
  EXPECT_EQ(history.body["decided"], json::array({1}));
  EXPECT_EQ(history.body["actions"][1]["name"], "discount");
  const Answer page = get("/v1/campaigns/spring/actions/1/variables?show=all&search=%62%72e");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body["total"], 1);
  EXPECT_EQ(page.body["variables"][0]["name"], "bread");
  EXPECT_EQ(get("/v1/campaigns/spring/actions/9/variables").status, 400);
  EXPECT_EQ(get("/v1/campaigns/spring/actions/1/variables?page=2").message(),
            "query = page: unknown; did you mean show? Valid: show, search, from, count");
  EXPECT_EQ(get("/v1/campaigns/autumn/actions/0/variables").status, 404);
  EXPECT_EQ(get("/v1/campaigns/autumn/history").status, 404);
  EXPECT_EQ(get("/v1/campaigns/spring/report?sets=none").status, 400);
}

TEST_F(HttpApiTest, ManyConnectionsDecideAtOnce) {
  post("/v1/campaigns", spring());
  std::vector<std::thread> threads;
  std::atomic<int> decided = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      httplib::Client own("127.0.0.1", port());
      own.set_keep_alive(true);
      for (int i = 0; i < 20; ++i) {
        const auto answer = own.Post("/v1/campaigns/spring/decisions", "{}", "application/json");
        if (answer && answer->status == 200) ++decided;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(decided, 160);
  EXPECT_EQ(get("/v1/campaigns/spring/report").body["decisions"]["outstanding"], 160);
}

}  // namespace
}  // namespace updraft
