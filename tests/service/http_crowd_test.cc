// Many clients, slow clients, and a server that is to stop.

#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <future>

#include "service/running_server.h"
#include "service/service.h"
#include "store/sqlite.h"
#include "support/eventually.h"
#include "support/folder.h"

namespace updraft {
namespace {

using testing::answers_in;
using testing::eventually;
using testing::RawClient;
using testing::Running;

const std::string kGet = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
const std::string kHalfBody =
    "POST /v1/campaigns/a/stop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc";

/// 0 if it is not there, or if the server has no room for those who ask.
std::uint64_t metric(Running& running, const std::string& name) {
  const std::string text = "\n" + RawClient(running.port(), "127.0.0.3").ask(kGet);
  const std::size_t at = text.find("\n" + name + " ");
  return at == text.npos ? 0 : std::stoull(text.substr(at + name.size() + 2));
}

/// A client whose body the server waits for: all of its 100 bytes are still to come.
RawClient with_a_body_to_come(int port) {
  RawClient client(port);
  EXPECT_EQ(client.ask("POST /v1/campaigns/a/stop HTTP/1.1\r\nHost: localhost\r\n"
                       "Content-Length: 100\r\nExpect: 100-continue\r\n\r\n"),
            "HTTP/1.1 100 Continue\r\n\r\n");
  return client;
}

TEST(HttpCrowd, ConnectionsThatDoNothingHoldNobodyUp) {
  HttpServerOptions options;
  options.threads = 1;
  Running running(options);
  std::vector<RawClient> idle;
  for (int i = 0; i < 100; ++i) {
    idle.emplace_back(running.port());                                      // silent
    idle.emplace_back(running.port()).send("GET /metrics HTTP/1.1\r\nHo");  // half a head
    idle.emplace_back(running.port()).send(kHalfBody);
  }
  EXPECT_EQ(running.client().Get("/metrics")->status, 200);
  EXPECT_EQ(running.client().Get("/v1/schema")->status, 200);
  // It may notice a little later that the two before are gone.
  EXPECT_TRUE(eventually([&] { return metric(running, "updraft_connections") == 301; }));
}

TEST(HttpCrowd, OneAddressCannotTakeAllConnections) {
  HttpServerOptions options;
  options.limits.connections_per_client = 3;
  Running running(options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(answers_in(clients.emplace_back(running.port()).ask(kGet)), 1u) << i;
  }
  EXPECT_EQ(RawClient(running.port()).ask(kGet), "(closed)");
  EXPECT_EQ(answers_in(RawClient(running.port(), "127.0.0.2").ask(kGet)), 1u) << "another address";
  clients.pop_back();
  // The server may notice a little later that it is gone.
  EXPECT_TRUE(eventually([&] { return answers_in(RawClient(running.port()).ask(kGet)) == 1; }));
  EXPECT_GE(metric(running, "updraft_connections_refused_total"), 1u);
}

TEST(HttpCrowd, WhereThereIsNoRoomTheOneThatWaitsLongestGoes) {
  HttpServerOptions options;
  options.limits.connections = 3;
  Running running(options);
  RawClient first(running.port());
  RawClient second(running.port());
  RawClient third(running.port());
  EXPECT_EQ(answers_in(first.ask(kGet)), 1u);  // so the second waits longest
  EXPECT_EQ(answers_in(third.ask(kGet)), 1u);
  EXPECT_EQ(answers_in(RawClient(running.port()).ask(kGet)), 1u);
  EXPECT_EQ(second.ask(kGet), "(closed)");
  EXPECT_EQ(answers_in(first.ask(kGet)), 1u);
}

TEST(HttpCrowd, ABodyThatIsComingIsNotClosedForAnother) {
  HttpServerOptions options;
  options.limits.connections = 1;
  Running running(options);
  RawClient sending = with_a_body_to_come(running.port());
  EXPECT_EQ(RawClient(running.port()).ask(kGet), "(closed)");
  EXPECT_EQ(answers_in(sending.ask(std::string(100, ' '))), 1u);
}

TEST(HttpCrowd, LargeBodiesShareABudgetThatSmallOnesDoNotNeed) {
  HttpServerOptions options;
  options.limits.all_body_bytes = 1'000'000;
  options.limits.farewell = std::chrono::minutes(1);
  Running running(options);
  const std::string head =
      "POST /v1/campaigns/a/stop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n";
  RawClient first(running.port());
  first.send(head + std::string(800'000, ' '));
  EXPECT_TRUE(eventually([&] { return metric(running, "updraft_body_bytes") == 800'000; }));
  RawClient second(running.port());
  const std::string refused = second.ask(head + std::string(800'000, ' '));
  EXPECT_EQ(refused.find("HTTP/1.1 503 "), 0u) << refused;
  EXPECT_NE(refused.find("nothing was changed; try again"), refused.npos) << refused;
  const auto small = running.client().Post("/v1/campaigns/a/stop", "{}", "application/json");
  EXPECT_NE(small->body.find("starting:"), std::string::npos) << small->body;
  EXPECT_EQ(answers_in(first.ask(std::string(100'000, ' '))), 1u);
  // What the first one took is free again.
  const std::string later = RawClient(running.port()).ask(head + std::string(900'000, ' '));
  EXPECT_NE(later.find("starting:"), later.npos) << later;
}

TEST(HttpCrowd, StopBetweenHeadAndBodyAnswers503) {
  auto running = std::make_unique<Running>();
  RawClient sending = with_a_body_to_come(running->port());
  running.reset();
  const std::string answer = sending.until_closed();
  EXPECT_EQ(answer.find("HTTP/1.1 503 "), 0u) << answer;
  EXPECT_TRUE(answer.ends_with("(closed)")) << answer;
}

TEST(HttpCrowd, SendsContinueToThoseWhoWaitForIt) {
  Running running;
  RawClient client = with_a_body_to_come(running.port());
  EXPECT_EQ(client.ask(std::string(100, ' ')).find("HTTP/1.1 503 "), 0u);
}

/// A service on a store that another connection keeps from committing.
class BlockedService : public ::testing::Test {
 protected:
  BlockedService() {
    HttpServerOptions options;
    options.threads = 2;
    running_.emplace(options);
    service_.emplace(ServiceOptions{.store = folder_.path("campaigns.db")});
    running_->api().set_service(&*service_);
    const std::string definition =
        R"json({"name": "a", "policy": "ucb(alpha=1)", "actions": 2, "variables": 2})json";
    const auto made = running_->client().Post("/v1/campaigns", definition, "application/json");
    EXPECT_EQ(made->status, 201);
    other_.emplace(folder_.path("campaigns.db"), Connection::Mode::kReadWrite);
    other_->execute("BEGIN IMMEDIATE");
  }
  ~BlockedService() override {
    running_.reset();  // before the service
  }

  std::future<int> decision() {
    return std::async(std::launch::async, [this] {
      return running_->client().Post("/v1/campaigns/a/decisions", "{}", "application/json")->status;
    });
  }

  std::future<int> creation(const std::string& name) {
    return std::async(std::launch::async, [this, name] {
      const std::string definition =
          R"({"name": ")" + name +
          R"json(", "policy": "ucb(alpha=1)", "actions": 2, "variables": 2})json";
      return running_->client().Post("/v1/campaigns", definition, "application/json")->status;
    });
  }

  testing::TemporaryFolder folder_;
  std::optional<Service> service_;
  std::optional<Connection> other_;
  std::optional<Running> running_;
};

TEST_F(BlockedService, HealthAndMetricsAnswerWhileAllThreadsWait) {
  std::future<int> making = creation("b");
  std::future<int> stopping = std::async(std::launch::async, [this] {
    return running_->client().Post("/v1/campaigns/a/stop")->status;
  });
  while (service_->gauges().queued < 2) std::this_thread::yield();
  for (const char* path : {"/healthz", "/readyz", "/metrics"}) {
    const auto answer = running_->client().Get(path);
    ASSERT_TRUE(answer) << path;
    EXPECT_EQ(answer->status, 200) << path;
  }
  EXPECT_EQ(making.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  EXPECT_EQ(stopping.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  other_->execute("ROLLBACK");
  EXPECT_EQ(making.get(), 201);
  EXPECT_EQ(stopping.get(), 200);
}

TEST_F(BlockedService, RequestsOfOneKindLeaveThreadsToOthers) {
  std::vector<std::future<int>> waiting;
  for (const char* name : {"b", "c", "d", "e"}) waiting.push_back(creation(name));
  while (service_->gauges().queued == 0) std::this_thread::yield();
  for (int i = 0; i < 8; ++i) {
    const auto shown = running_->client().Get("/v1/campaigns/a");
    ASSERT_TRUE(shown) << i;
    EXPECT_EQ(shown->status, 200);
  }
  other_->execute("ROLLBACK");
  for (auto& one : waiting) EXPECT_EQ(one.get(), 201);
}

TEST_F(BlockedService, StopAnswersWhatIsComplete) {
  std::future<int> waiting = decision();
  while (service_->gauges().queued == 0) std::this_thread::yield();
  std::thread stopping([&] { running_->server().stop(); });
  other_->execute("ROLLBACK");
  EXPECT_EQ(waiting.get(), 200);
  stopping.join();
}

}  // namespace
}  // namespace updraft
