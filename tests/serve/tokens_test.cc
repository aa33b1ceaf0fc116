// Who may do what, how often, and under which name it is kept.

#include <gtest/gtest.h>
#include <signal.h>

#include "on_server.h"
#include "store/sqlite.h"
#include "support/folder.h"

namespace updraft::service_test {
namespace {

const std::string kReader = "reader-token-0123456789";
const std::string kShop = "shop-token-0123456789";
const std::string kManager = "manager-token-0123456789";
const std::string kOld = "old-token-0123456789";

const std::string kTokens = kReader + " name=reader roles=read campaigns=spring,shop-*\n" +  //
                            kShop + " name=shop roles=decide campaigns=spring\n" +           //
                            kManager + " name=manager roles=manage campaigns=spring,shop-*\n" +
                            kOld + "\n";

class Tokens : public ::testing::Test {
 protected:
  Api as(const std::string& token) {
    Api api(server_.port());
    api.set_token(token);
    return api;
  }

  testing::TemporaryFolder folder_;
  Server server_{{.store = "", .further = {"--token-file", folder_.write("tokens", kTokens)}}};
};

TEST_F(Tokens, RolesAllowWhatTheyNameAndNothingElse) {
  ASSERT_EQ(as(kManager).post("/v1/campaigns", shop("spring").dump()).status, 201);
  ASSERT_TRUE(as(kShop).post(decisions_path("spring"), Json({{"decision", "a"}}).dump()).ok());
  const std::string payoffs = R"({"payoffs": [1, 0, 0, 0]})";
  struct Case {
    std::string method;
    std::string path;
    std::string allowed;  ///< r(ead), d(ecide), m(anage)
  };
  const std::string campaign = "/v1/campaigns/spring";
  const std::vector<Case> cases = {{"GET", "/metrics", "r"},
                                   {"GET", "/v1/campaigns", "r"},
                                   {"POST", "/v1/campaigns", "m"},
                                   {"GET", campaign, "rm"},
                                   {"GET", campaign + "/report", "r"},
                                   {"GET", campaign + "/history", "r"},
                                   {"GET", campaign + "/events", "r"},
                                   {"GET", campaign + "/actions/0/variables", "r"},
                                   {"GET", campaign + "/decisions/a", "rd"},
                                   {"PUT", campaign + "/decisions/a/payoffs", "d"},
                                   {"POST", campaign + "/decisions", "d"},
                                   {"GET", "/v1/schema", "rdm"},
                                   {"POST", campaign + "/stop", "m"}};
  const std::vector<std::pair<char, std::string>> holders = {
      {'r', kReader}, {'d', kShop}, {'m', kManager}};
  for (const Case& one : cases) {
    for (const auto& [role, token] : holders) {
      Api api = as(token);
      const Answer answer =
          one.method == "GET" ? api.get(one.path)
          : one.method == "PUT"
              ? api.put(one.path, payoffs)
              : api.post(one.path, one.path == "/v1/campaigns" ? shop("spring").dump() : "{}");
      const bool allowed = one.allowed.find(role) != std::string::npos;
      EXPECT_EQ(answer.status, allowed ? 200 : 403)
          << role << " " << one.method << " " << one.path << answer.text;
      EXPECT_NE(allowed, answer.text.find("needs the role") != std::string::npos) << answer.text;
    }
  }
}

TEST_F(Tokens, HoldForTheirCampaignsOnly) {
  for (const char* name : {"spring", "shop-1", "autumn"}) {
    ASSERT_EQ(as(kOld).post("/v1/campaigns", shop(name).dump()).status, 201);
  }
  std::vector<std::string> seen;
  const Json list = as(kReader).get("/v1/campaigns").json();
  for (const Json& one : list.at("campaigns")) seen.push_back(one.at("name"));
  EXPECT_EQ(seen, (std::vector<std::string>{"shop-1", "spring"}));
  EXPECT_EQ(as(kReader).get("/v1/campaigns/shop-1/report").status, 200);
  EXPECT_EQ(as(kReader).get("/v1/campaigns/autumn/report").status, 403);
  EXPECT_EQ(as(kReader).get("/v1/campaigns/none/report").status, 403) << "like one that exists";
  const std::string metrics = as(kReader).get("/metrics").text;
  EXPECT_NE(metrics.find("{campaign=\"spring\"}"), std::string::npos);
  EXPECT_EQ(metrics.find("autumn"), std::string::npos);
  EXPECT_EQ(as(kShop).post(decisions_path("shop-1")).status, 403);
  EXPECT_EQ(as(kManager).post("/v1/campaigns", shop("winter").dump()).status, 403);
  EXPECT_EQ(as(kManager).post("/v1/campaigns", shop("shop-2").dump()).status, 201);
  EXPECT_EQ(as(kOld).get("/v1/campaigns").json().at("campaigns").size(), 4u);
}

TEST_F(Tokens, EventsSayWhoBroughtThem) {
  ASSERT_EQ(as(kManager).post("/v1/campaigns", shop("spring").dump()).status, 201);
  as(kShop).post(decisions_path("spring"), Json({{"decision", "a"}}).dump());
  as(kOld).post(decisions_path("spring"), Json({{"decision", "b"}}).dump());
  as(kShop).put(payoffs_path("spring", "b"),
                R"({"indices": [2], "values": [1.5], "part": "x", "complete": false})");
  as(kManager).post("/v1/campaigns/spring/stop");
  server_.start();  // what is kept is on disk
  EXPECT_EQ(as(kOld).get("/v1/campaigns/spring").json().at("created_by"), "manager");
  const Json page = as(kReader).get("/v1/campaigns/spring/events").json();
  ASSERT_EQ(page.at("events").size(), 4u) << page;
  EXPECT_EQ(page.at("next"), 4);
  const auto expect_event = [&](std::size_t at, const Json& expected) {
    Json event = page["events"][at];
    EXPECT_GT(event.at("time_ms").get<std::int64_t>(), 0);
    event.erase("time_ms");
    EXPECT_EQ(event, expected);
  };
  expect_event(
      0, {{"event", 1}, {"kind", "decided"}, {"by", "shop"}, {"decision", "a"}, {"action", 0}});
  EXPECT_EQ(page["events"][1]["by"].get<std::string>().rfind("token-", 0), 0u) << page;
  expect_event(2, {{"event", 3},
                   {"kind", "payoffs"},
                   {"by", "shop"},
                   {"decision", "b"},
                   {"part", "x"},
                   {"complete", false}});
  expect_event(3, {{"event", 4}, {"kind", "stopped"}, {"by", "manager"}});
  EXPECT_TRUE(
      eventually([&] { return server_.log().find(R"("by":"reader")") != std::string::npos; }));
  EXPECT_EQ(server_.log().find(kReader), std::string::npos);
}

TEST_F(OnServer, EventsComeInPages) {
  api_.create(shop("spring", {{"wait", 0.001}}));
  for (int i = 0; i < 5; ++i) api_.decide("spring");
  const std::string path = "/v1/campaigns/spring/events";
  std::vector<std::uint64_t> numbers;
  Json after = 0;
  for (int i = 0; i < 10; ++i) {
    const Json page = api_.get(path + "?count=2&after=" + after.dump()).json();
    EXPECT_LE(page.at("events").size(), 2u);
    if (page.at("events").empty()) {
      EXPECT_EQ(page.at("next"), nullptr);
      break;
    }
    for (const Json& event : page["events"]) {
      numbers.push_back(event.at("event"));
      EXPECT_EQ(event.at("by"), nullptr) << "nobody needs a token";
    }
    after = page.at("next");
  }
  ASSERT_GE(numbers.size(), 5u);  // some may be lost by now
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i + 1);
  EXPECT_EQ(api_.get(path + "?after=1000").json(),
            Json({{"events", Json::array()}, {"next", nullptr}}));
  expect_refused(api_.get(path + "?count=0"), 400, "count");
  expect_refused(api_.get(path + "?count=1001"), 400, "count");
  expect_refused(api_.get(path + "?after=-1"), 400, "after");
  expect_refused(api_.get(path + "?after=1&after=1"), 400, "once");
  expect_refused(api_.get(path + "?from=1"), 400, "query");
  expect_refused(api_.get("/v1/campaigns/none/events"), 404, "none");
}

// A store by a program that kept no names has none, and is whole.
TEST_F(OnServer, EventsWithoutNamesStayWhole) {
  api_.create(shop("spring"));
  api_.decide("spring");
  ASSERT_EQ(server_.terminate().exit_code, 0);
  EXPECT_EQ(run_to_end({"store", "check", "--store", server_.store()}).exit_code, 0);
  Connection(server_.store(), Connection::Mode::kReadWrite)
      .execute("UPDATE events SET done_by = 'somebody'");
  EXPECT_EQ(run_to_end({"store", "check", "--store", server_.store()}).exit_code, 1)
      << "a name that was changed is damage";
}

TEST(TokenRates, RefuseWithTheTimeToWait) {
  testing::TemporaryFolder folder;
  const std::string file =
      folder.write("tokens", kShop + " name=shop rate=1\n" + kOld + " name=free\n");
  Server server({.store = "", .further = {"--token-file", file}});
  Api shop_api(server.port());
  shop_api.set_token(kShop);
  Answer refused;
  for (int i = 0; i < 50 && refused.status != 429; ++i) refused = shop_api.get("/v1/schema");
  ASSERT_EQ(refused.status, 429);
  EXPECT_NE(refused.text.find("token shop may send 1 requests per second"), std::string::npos);
  EXPECT_EQ(refused.retry_after, "1");
  Api free_api(server.port());
  free_api.set_token(kOld);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(free_api.get("/v1/schema").status, 200);
  EXPECT_EQ(shop_api.get("/healthz").status, 200);
}

}  // namespace
}  // namespace updraft::service_test
