// What may be wrong around nodes that are well: the clock of one, the network, and programs of
// different versions side by side.

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "nodes/cluster.h"
#include "nodes/crowd.h"
#include "serve/api.h"

namespace updraft::service_test {
namespace {

using namespace std::chrono_literals;
using testing::Postgres;

/// The library of libfaketime for programs with threads; empty if it is not installed.
std::string faketime() {
  for (const auto& architecture : std::filesystem::directory_iterator("/usr/lib")) {
    const auto library = architecture.path() / "faketime" / "libfaketimeMT.so.1";
    if (std::filesystem::exists(library)) return library;
  }
  return "";
}

/// Starts a node again with a clock that is wrong by what the file says, in seconds.
void start_with_clock(Server& node, const std::string& file) {
  const std::pair<const char*, std::string> variables[] = {{"LD_PRELOAD", faketime()},
                                                           {"FAKETIME_TIMESTAMP_FILE", file},
                                                           {"FAKETIME_NO_CACHE", "1"},
                                                           {"FAKETIME_DONT_FAKE_MONOTONIC", "1"},
                                                           {"NO_FAKE_STAT", "1"}};
  for (const auto& [name, value] : variables) ::setenv(name, value.c_str(), 1);
  node.start();
  for (const auto& [name, value] : variables) ::unsetenv(name);
}

void set_clock(const std::string& file, int seconds) {
  std::ofstream(file + ".new") << (seconds < 0 ? "" : "+") << seconds << "\n";
  std::filesystem::rename(file + ".new", file);
}

/// By how many seconds a node's time is before ours.
double lead_of(Server& node) {
  const Json report = Api(node.port()).get(campaign_path(a_campaign().name) + "/report").json();
  const std::chrono::duration<double> ours = std::chrono::system_clock::now().time_since_epoch();
  return report.at("now_ms").get<double>() / 1000.0 - ours.count();
}

/// Until another node than `owner` has the campaign, and it is one of those that run.
void wait_for_takeover(const std::string& store, std::size_t owner) {
  if (!eventually([&] { return owner_in(store) != owner; })) {
    throw std::runtime_error("nobody took over");
  }
}

std::string epoch_in(const std::string& store) {
  return asked(store, "SELECT max(epoch) FROM updraft.leases");
}

class NodeFailures : public ::testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_POSTGRES(); }
};

TEST_F(NodeFailures, AWrongClockDecidesNothing) {
  if (faketime().empty()) GTEST_SKIP() << "libfaketime is not installed (Debian: faketime)";
  const std::string store = Postgres::shared()->new_database();
  const testing::TemporaryFolder folder;
  const std::string clock = folder.path("clock");
  Cluster cluster(store, {});
  set_clock(clock, 3600);
  start_with_clock(cluster.node(0), clock);
  Api(cluster.node(0).port()).create(a_campaign().definition);
  EXPECT_GT(lead_of(cluster.node(0)), 1800.0) << "its clock is right";
  ASSERT_EQ(owner_in(store), 0u);
  const std::string epoch = epoch_in(store);
  Crowd crowd(a_campaign(), cluster);
  const std::string thrown = crowd.play([&] {
    // It jumps, back and forth, and the lease of one second is neither longer nor shorter.
    for (const int wrong : {-7200, 86400, -86400, 3600}) {
      crowd.wait_for_traffic();
      set_clock(clock, wrong);
      std::this_thread::sleep_for(600ms);
    }
    crowd.wait_for_traffic();
    EXPECT_EQ(epoch_in(store), epoch) << "somebody took the campaign";
    // It is halted across a takeover, as one with a right clock.
    cluster.node(0).signal(SIGSTOP);
    wait_for_takeover(store, 0);
    crowd.wait_for_traffic();
    set_clock(clock, -86400);
    cluster.node(0).signal(SIGCONT);
    crowd.wait_for_traffic();
    // It takes over, and is a day late.
    for (std::size_t other : {1, 2}) cluster.node(other).signal(SIGSTOP);
    start_with_clock(cluster.node(0), clock);
    crowd.at(0).port = cluster.node(0).port();
    if (!eventually([&] { return owner_in(store) == 0; })) {
      throw std::runtime_error("it did not take over");
    }
    crowd.wait_for_traffic();
    EXPECT_LT(lead_of(cluster.node(0)), 1800.0);
    for (std::size_t other : {1, 2}) cluster.node(other).signal(SIGCONT);
    crowd.wait_for_traffic();
  });
  ASSERT_EQ(thrown, "");
  expect_same_reports(cluster);
  check_visitors(a_campaign(), crowd.visitors(), cluster.node(0).port(), store);
}

TEST_F(NodeFailures, ASlowNetworkOnlyDelaysAnswers) {
  const std::string store = Postgres::shared()->new_database();
  Cluster cluster(store, {.proxied_port = Postgres::shared()->port()});
  Api(cluster.node(0).port()).create(a_campaign().definition);
  Crowd crowd(a_campaign(), cluster);
  const std::string epoch = epoch_in(store);
  const std::string thrown = crowd.play([&] {
    // Within the lease, it is no reason to take anything.
    for (std::size_t i = 0; i < cluster.size(); ++i) cluster.proxy(i).set_delay(40);
    for (const auto begin = std::chrono::steady_clock::now();
         std::chrono::steady_clock::now() - begin < 3s;) {
      crowd.wait_for_traffic();
    }
    EXPECT_EQ(epoch_in(store), epoch);
    // Beyond it, others take over, and what was on its way comes too late.
    const std::size_t owner = owner_in(store);
    cluster.proxy(owner).set_delay(1500);
    wait_for_takeover(store, owner);
    for (std::size_t i = 0; i < cluster.size(); ++i) {
      if (i != owner) cluster.proxy(i).set_delay(0);
    }
    crowd.wait_for_traffic();
    std::this_thread::sleep_for(2s);
    cluster.proxy(owner).set_delay(0);
    crowd.wait_for_traffic();
  });
  ASSERT_EQ(thrown, "");
  expect_same_reports(cluster);
  check_visitors(a_campaign(), crowd.visitors(), cluster.node(0).port(), store);
}

/// The owner is killed while it has a request that another node has passed on.
TEST_F(NodeFailures, ARequestThatWasPassedOnIsInDoubtWithoutAnAnswer) {
  Cluster cluster(Postgres::shared()->new_database(), {.nodes = 2, .lease_seconds = 300});
  Api(cluster.node(0).port()).create(a_campaign().definition);
  cluster.node(0).signal(SIGSTOP);
  auto answered = std::async(std::launch::async, [&] {
    return Api(cluster.node(1).port()).post(decisions_path(a_campaign().name));
  });
  std::this_thread::sleep_for(500ms);
  cluster.node(0).kill();
  const Answer answer = answered.get();
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.text.find("it is unknown whether this was done"), std::string::npos)
      << answer.text;
  const Answer later = Api(cluster.node(1).port()).post(decisions_path(a_campaign().name));
  EXPECT_EQ(later.status, 503);
  EXPECT_NE(later.text.find("nothing was changed"), std::string::npos) << later.text;
}

/// The lease is long: nobody could go on if the nodes did not give their campaigns free.
TEST_F(NodeFailures, NodesThatAreRestartedInTurnLoseNothing) {
  const std::string store = Postgres::shared()->new_database();
  Cluster cluster(store, {.lease_seconds = 300});
  Api(cluster.node(0).port()).create(a_campaign().definition);
  Crowd crowd(a_campaign(), cluster);
  const std::string thrown = crowd.play([&] {
    for (std::size_t turn = 0; turn < 2 * cluster.size(); ++turn) {
      const std::size_t node = turn % 2 == 0 ? owner_in(store) : turn % cluster.size();
      crowd.wait_for_traffic();
      crowd.at(node).port = 0;
      EXPECT_EQ(cluster.node(node).terminate().exit_code, 0);
      crowd.wait_for_traffic();
      cluster.node(node).start();
      crowd.at(node).port = cluster.node(node).port();
    }
    crowd.wait_for_traffic();
  });
  ASSERT_EQ(thrown, "");
  expect_same_reports(cluster);
  check_visitors(a_campaign(), crowd.visitors(), cluster.node(0).port(), store);
}

/// A newer program has made its tables: those of the older one that run go on with what is theirs,
/// take nothing over, and do not start any more.
TEST_F(NodeFailures, OlderProgramsGoOnBesideNewerTables) {
  const std::string store = Postgres::shared()->new_database();
  Cluster cluster(store, {.lease_seconds = 300});
  Api(cluster.node(0).port()).create(a_campaign().definition);
  ASSERT_EQ(owner_in(store), 0u);
  Crowd crowd(a_campaign(), cluster);
  const auto set_version = [&](const std::string& change) {
    asked(store, "UPDATE updraft.store SET version = version " + change + " RETURNING version");
  };
  const std::string thrown = crowd.play([&] {
    crowd.wait_for_traffic();
    set_version("+ 1");
    for (int i = 0; i < 20; ++i) crowd.wait_for_traffic();
    EXPECT_EQ(owner_in(store), 0u);
    try {
      const Server older({.store = store, .further = {"--node", "older"}});
      ADD_FAILURE() << "an older program has started";
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("newer than"), std::string::npos) << error.what();
    }
    // The owner is gone, and the campaign waits for a newer program.
    crowd.at(0).port = 0;
    EXPECT_EQ(cluster.node(0).terminate().exit_code, 0);
    const Answer refused =
        Api(cluster.node(1).port()).get(campaign_path(a_campaign().name) + "/report");
    EXPECT_EQ(refused.status, 503) << refused.text;
    EXPECT_NE(refused.text.find("restart it with a newer updraft"), std::string::npos)
        << refused.text;
    std::this_thread::sleep_for(1500ms);
    EXPECT_EQ(asked(store, "SELECT owner FROM updraft.leases"), "");
    set_version("- 1");  // now they are the newer ones
    cluster.node(0).start();
    crowd.at(0).port = cluster.node(0).port();
    crowd.wait_for_traffic();
  });
  ASSERT_EQ(thrown, "");
  expect_same_reports(cluster);
  check_visitors(a_campaign(), crowd.visitors(), cluster.node(0).port(), store);
}

}  // namespace
}  // namespace updraft::service_test
