// Notices, and how they are posted.

#include "service/webhook.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "store/sqlite.h"
#include "support/eventually.h"
#include "support/folder.h"
#include "support/refusal.h"

namespace updraft {
namespace {

using nlohmann::json;
using testing::eventually;
using testing::refusal;

const std::string kSecret = "a-secret-of-some-length";

/// Takes what is posted, after some failures.
class Receiver {
 public:
  explicit Receiver(int failures) : failures_(failures) {
    server_.Post("/hook", [this](const httplib::Request& request, httplib::Response& response) {
      const std::lock_guard lock(mutex_);
      tried_.push_back(request);
      response.status = --failures_ >= 0 ? 500 : 204;
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~Receiver() {
    server_.stop();
    thread_.join();
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/hook"; }
  std::vector<httplib::Request> tried() {
    const std::lock_guard lock(mutex_);
    return tried_;
  }

 private:
  httplib::Server server_;
  std::mutex mutex_;
  std::vector<httplib::Request> tried_;
  int failures_;
  int port_ = 0;
  std::thread thread_;
};

WebhookOptions quick(std::string url) {
  WebhookOptions options;
  options.url = std::move(url);
  options.secret = kSecret;
  options.first_pause = std::chrono::milliseconds(1);
  options.longest_pause = std::chrono::milliseconds(2);
  return options;
}

const auto kNoLog = [](const std::string&) {};

// By Python's hmac: hmac.new(b"Jefe", b"1700000000.{}", hashlib.sha256).hexdigest()
TEST(Webhook, SignsAsHmacSha256) {
  EXPECT_EQ(webhook_signature("Jefe", "1700000000", "{}"),
            "d3793e2b4103edfbd98cc19591832f5fad701d413db9fcae0ae7dab8184ed207");
}

TEST(Webhook, RepeatsUntilItIsTaken) {
  Receiver receiver(3);
  Webhook webhook(quick(receiver.url()), kNoLog);
  webhook.send({"stopped", "spring", "campaign spring was stopped", 7});
  webhook.send({"warning", "spring", "\xff scale", 8});
  ASSERT_TRUE(eventually([&] { return webhook.counts().sent == 2; }));
  EXPECT_EQ(webhook.counts().failed, 3u);
  const std::vector<httplib::Request> tried = receiver.tried();
  ASSERT_EQ(tried.size(), 5u);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(tried[i].body, tried[0].body) << "the same notice, the same id";
  const json first = json::parse(tried[3].body);
  EXPECT_EQ(first.at("kind"), "stopped");
  EXPECT_EQ(first.at("campaign"), "spring");
  EXPECT_EQ(first.at("message"), "campaign spring was stopped");
  EXPECT_EQ(first.at("time_ms"), 7);
  EXPECT_NE(first.at("id"), json::parse(tried[4].body).at("id"));
  for (const httplib::Request& request : tried) {
    const std::string time = request.get_header_value("X-Updraft-Time");
    EXPECT_EQ(request.get_header_value("X-Updraft-Signature"),
              "sha256=" + webhook_signature(kSecret, time, request.body));
  }
}

TEST(Webhook, GivesUpAndGoesOn) {
  Receiver receiver(3);
  WebhookOptions options = quick(receiver.url());
  options.tries = 3;
  std::atomic<int> logged = 0;
  Webhook webhook(options, [&](const std::string& text) {
    EXPECT_EQ(text, "a notice was given up after 3 tries: status 500");
    ++logged;
  });
  webhook.send({"stopped", "spring", "", 7});
  webhook.send({"stopped", "autumn", "", 7});
  ASSERT_TRUE(eventually([&] { return webhook.counts().sent == 1; }));
  EXPECT_EQ(webhook.counts().dropped, 1u);
  EXPECT_EQ(logged, 1);
  EXPECT_EQ(json::parse(receiver.tried().back().body).at("campaign"), "autumn");
}

// The port takes connections and answers nothing: no test would end if anybody waited for it.
TEST(Webhook, NobodyWaitsForAReceiver) {
  httplib::Server silent;
  const int port = silent.bind_to_any_port("127.0.0.1");
  WebhookOptions options = quick("http://127.0.0.1:" + std::to_string(port));
  options.most_waiting = 2;
  options.first_pause = options.longest_pause = std::chrono::hours(1);
  Webhook webhook(options, kNoLog);
  for (int i = 0; i < 10; ++i) webhook.send({"stopped", "spring", "", i});
  EXPECT_GE(webhook.counts().dropped, 7u);  // one may be under way
}

TEST(Webhook, RefusesAddressesAndSecrets) {
  const auto refused = [](const std::string& url, const std::string& secret) {
    WebhookOptions options;
    options.url = url;
    options.secret = secret;
    return refusal([&] { Webhook::check(options); });
  };
  for (const char* url :
       {"ftp://a/b", "http://", "http:///x", "a", "http://a b/", "http://u:p@a/"}) {
    EXPECT_EQ(refused(url, kSecret), "--webhook = " + std::string(url) +
                                         ": must be http://HOST/PATH or https://HOST/PATH");
  }
  for (const char* url : {"http://a", "https://a:1/b?c=d"}) {
    EXPECT_EQ(refused(url, kSecret), "(accepted)");
  }
  EXPECT_EQ(refused("http://a", "short"),
            "--webhook-secret-file: must have a line of at least 16 characters");
}

CampaignDefinition shop(const std::string& name) {
  return parse_definition(R"json({"policy": "up_ucb_bl(alpha=1)", "actions": 2, "variables": 2,
      "knowledge": {"baseline": [0, 0], "affected": [[0], [1]]}, "name": ")json" +
                          name + "\"}");
}

TEST(Notices, TellWhatIsNewOnce) {
  const testing::TemporaryFolder folder;
  Service service(
      {.store = folder.path() / "campaigns.db", .clock = [] { return std::int64_t{9}; }});
  service.create(shop("old"));
  service.stop("old");
  service.create(shop("spring"));
  NoticeFinder finder(service);
  EXPECT_TRUE(finder.look().empty()) << "it was stopped before";
  // Each action moves the variable that only the other one may move.
  for (int i = 0; i < 400; ++i) {
    const DecisionAnswer decision =
        service.decide("spring", {.id = "", .features = {}, .baseline = {}});
    std::vector<double> payoffs = {0.0, 0.0};
    payoffs[1 - decision.action] = 1.0 + 0.1 * (i % 7);
    service.pay("spring", decision.id, {"", true, true, {}, payoffs});
  }
  const std::vector<Notice> warnings = finder.look();
  ASSERT_FALSE(warnings.empty());
  EXPECT_EQ(warnings.front().kind, "warning");
  for (const Notice& notice : warnings) {
    EXPECT_TRUE(notice.kind == "warning" || notice.kind == "settled") << notice.kind;
    EXPECT_EQ(notice.campaign, "spring");
    EXPECT_FALSE(notice.message.empty());
    EXPECT_EQ(notice.time_ms, 9);
  }
  service.decide("spring", {.id = "", .features = {}, .baseline = {}});
  EXPECT_TRUE(finder.look().empty()) << "they last";
  service.stop("spring");
  const std::vector<Notice> stopped = finder.look();
  ASSERT_EQ(stopped.size(), 1u);
  EXPECT_EQ(stopped[0].kind, "stopped");
  EXPECT_TRUE(finder.look().empty());
  service.archive("spring");
  EXPECT_TRUE(finder.look().empty());
}

TEST(Notices, TellWhatIsSettledAndWhichGuardrailIsBroken) {
  const testing::TemporaryFolder folder;
  Service service({.store = folder.path() / "campaigns.db", .clock = [] { return 9; }});
  service.create(parse_definition(
      R"json({"name": "spring", "policy": "up_ts", "actions": ["none", "sale"], "variables": 2,
              "knowledge": {"affected": [[], [0, 1]]}, "holdout": {"control": 0, "share": 0.3},
              "guardrails": [{"name": "returns", "variables": [1], "tolerance": 0.5}]})json"));
  NoticeFinder finder(service);
  EXPECT_TRUE(finder.look().empty());
  for (int i = 0; i < 200; ++i) {
    const DecisionAnswer decision = service.decide("spring", {});
    const double noise = 0.1 * (i % 7);
    const double returns = 0.1 * (i % 5) - 2.0 * decision.action;
    service.pay("spring", decision.id,
                {"", true, true, {}, {9.0 * decision.action + noise, returns}});
  }
  std::map<std::string, std::string> found;
  for (const Notice& notice : finder.look()) found[notice.kind] = notice.message;
  EXPECT_EQ(found["settled"].find("settled: sale is best"), 0u) << found["settled"];
  EXPECT_EQ(found["guardrail"].find("guardrail returns: sale broke it"), 0u) << found["guardrail"];
  service.decide("spring", {});
  EXPECT_TRUE(finder.look().empty()) << "they last";
}

// A report that takes long is not made anew for a while; what came meanwhile must not be missed.
TEST(Notices, TellWhatAnOldReportDidNotSay) {
  const testing::TemporaryFolder folder;
  Service service({.store = folder.path() / "campaigns.db", .clock = [] { return 9; }});
  service.create(parse_definition(
      R"json({"name": "spring", "policy": "up_ucb_bl(alpha=1)", "actions": 2, "variables": 300000,
              "knowledge": {"affected": [[0], [1]], "baseline": )json" +
      json(std::vector<double>(300'000, 0.0)).dump() + "}}"));
  NoticeFinder finder(service);
  EXPECT_TRUE(finder.look().empty());
  std::set<std::string> kinds;
  for (int i = 0; i < 100; ++i) {
    const DecisionAnswer decision = service.decide("spring", {});
    // Each action moves the variable that only the other one may move.
    const VariableId moved = 1 - decision.action;
    service.pay("spring", decision.id, {"", true, false, {moved}, {1.0 + 0.1 * (i % 7)}});
    service.view("spring");
    for (const Notice& notice : finder.look()) kinds.insert(notice.kind);
  }
  const auto heard = [&] {
    for (const Notice& notice : finder.look()) kinds.insert(notice.kind);
    return service.view("spring")->state_version == 200;
  };
  ASSERT_TRUE(eventually(heard)) << "the report is made anew";
  heard();
  EXPECT_EQ(kinds.count("warning"), 1u);
}

TEST(Notices, TellWhatIsQuarantined) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "campaigns.db";
  {
    Service service({.store = path});
    service.create(shop("spring"));
    service.decide("spring", {.id = "a", .features = {}, .baseline = {}});
  }
  Connection(path, Connection::Mode::kReadWrite).execute("UPDATE events SET time_ms = 1");
  Service service({.store = path});
  NoticeFinder finder(service);
  const std::vector<Notice> found = finder.look();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "quarantined");
  EXPECT_NE(found[0].message.find("event 1 of campaign spring"), std::string::npos);
  EXPECT_TRUE(finder.look().empty());
}

}  // namespace
}  // namespace updraft
