// Several nodes on one store in PostgreSQL: they are killed, halted beyond their lease and cut off,
// and the database fails over, while clients work with all of them. What was acknowledged is there
// afterwards, once, and the state is what the library makes of the same events.

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "nodes/cluster.h"
#include "serve/api.h"
#include "serve/verdict.h"

namespace updraft::service_test {
namespace {

using namespace std::chrono_literals;
using testing::Postgres;

constexpr std::size_t kVisitors = 6;

/// How often; ./dev nodes sets another number.
int times(const char* variable, int otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::atoi(wanted);
}

/// Clients of all nodes, for each node some.
class Crowd {
 public:
  Crowd(const CampaignCase& campaign, Cluster& cluster) : nodes_(cluster.size()) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].port = cluster.node(i).port();
    for (std::size_t i = 0; i < kVisitors; ++i) {
      visitors_.emplace_back(campaign, nodes_[i % nodes_.size()], i);
    }
  }

  Whereabouts& at(std::size_t node) { return nodes_[node]; }
  std::deque<Visitor>& visitors() { return visitors_; }

  /// Until some request was answered after now.
  void wait_for_traffic() {
    const std::uint64_t before = answered();
    if (!eventually([&] { return answered() > before; })) throw std::runtime_error("no traffic");
  }
  std::uint64_t in_doubt() const {
    std::uint64_t sum = 0;
    for (const Whereabouts& node : nodes_) sum += node.in_doubt;
    return sum;
  }

  /// Plays while `disturb` runs.
  std::string play(const std::function<void()>& disturb) {
    return in_threads(
        visitors_, [](Visitor& visitor) { visitor.play(); },
        [&] {
          try {
            disturb();
          } catch (...) {
            end();
            throw;
          }
          end();
        });
  }

 private:
  std::uint64_t answered() const {
    std::uint64_t sum = 0;
    for (const Whereabouts& node : nodes_) sum += node.answered;
    return sum;
  }
  void end() {
    for (Whereabouts& node : nodes_) node.over = true;
  }

  std::deque<Whereabouts> nodes_;
  std::deque<Visitor> visitors_;
};

const CampaignCase& a_campaign() {
  static const CampaignCase kCampaign = case_with_known_sets("up_ts");
  return kCampaign;
}

class Nodes : public ::testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_POSTGRES(); }
};

TEST_F(Nodes, PassRequestsOnToTheOwner) {
  Cluster cluster(Postgres::shared()->new_database(), {});
  Api first(cluster.node(0).port());
  Api second(cluster.node(1).port());
  first.create(a_campaign().definition);
  const std::string& name = a_campaign().name;
  const Json decided = second.decide(name, {{"decision", "one"}});
  EXPECT_EQ(first.decide(name, {{"decision", "one"}}), decided);
  EXPECT_EQ(second.report(name), first.report(name));
  // Errors and queries, too.
  EXPECT_EQ(second.get(campaign_path(name) + "/events?after=0&count=1").json().at("events").size(),
            1u);
  EXPECT_EQ(second.get(campaign_path(name) + "/events?after=no").status, 400);
  EXPECT_EQ(second.get(decision_path(name, "none")).status, 404);
  EXPECT_EQ(second.get(campaign_path("none")).status, 404);
  // The list has the campaigns of all nodes, once each.
  Json other = a_campaign().definition;
  other["name"] = "other";
  second.create(other);
  for (Api* node : {&first, &second}) {
    const Json all = node->get("/v1/campaigns").json().at("campaigns");
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].at("name") == "other", all[1].at("name") != "other");
  }
  // The same definition again is no conflict on any node, another one is.
  EXPECT_EQ(second.post("/v1/campaigns", a_campaign().definition.dump()).status, 200);
  other["seed"] = 99;
  EXPECT_EQ(first.post("/v1/campaigns", other.dump()).status, 409);
}

TEST_F(Nodes, RefuseWhoDoesNotKnowTheirSecret) {
  Cluster cluster(Postgres::shared()->new_database(), {.nodes = 1});
  httplib::Client client("127.0.0.1", cluster.node(0).port());
  for (const char* secret : {"", "a-secret-of-all-node", "another-secret-of-theirs"}) {
    const auto answer = client.Get("/v1/campaigns", {{"X-Updraft-Node", secret}});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 403) << secret;
  }
  EXPECT_EQ(client.Get("/v1/campaigns", {{"X-Updraft-Node", "a-secret-of-all-nodes"}})->status,
            200);
}

TEST_F(Nodes, ArchivedAndDeletedCampaignsAreSoForAll) {
  Cluster cluster(Postgres::shared()->new_database(), {.nodes = 2});
  Api first(cluster.node(0).port());
  Api second(cluster.node(1).port());
  const std::string path = campaign_path(a_campaign().name);
  first.create(a_campaign().definition);
  EXPECT_EQ(second.get(path).status, 200);
  EXPECT_EQ(second.post(path + "/archive").status, 200);
  EXPECT_EQ(first.post(decisions_path(a_campaign().name)).status, 409);
  cluster.node(0).terminate();
  EXPECT_TRUE(eventually([&] { return second.get(path).status == 200; }));
  EXPECT_EQ(second.post(decisions_path(a_campaign().name)).status, 409);
  cluster.node(0).start();
  Api again(cluster.node(0).port());
  EXPECT_EQ(again.send("DELETE", path)->status, 200);
  EXPECT_EQ(second.get(path).status, 404);
  EXPECT_EQ(second.post("/v1/campaigns", a_campaign().definition.dump()).status, 201);
  EXPECT_EQ(again.get(path).status, 200);
}

TEST_F(Nodes, KilledNodesLoseNothing) {
  const std::string store = Postgres::shared()->new_database();
  Cluster cluster(store, {.further = {"--snapshot-every", "300"}});
  Api(cluster.node(0).port()).create(a_campaign().definition);
  Crowd crowd(a_campaign(), cluster);
  std::mt19937_64 generator(42);
  const std::string thrown = crowd.play([&] {
    for (int kill = 0; kill < times("UPDRAFT_NODE_KILLS", 6); ++kill) {
      crowd.wait_for_traffic();
      std::this_thread::sleep_for(std::chrono::milliseconds(20 + generator() % 281));
      const std::size_t node = generator() % cluster.size();
      cluster.node(node).kill();
      crowd.at(node).port = 0;
      crowd.wait_for_traffic();  // of the others, which take over
      cluster.node(node).start();
      crowd.at(node).port = cluster.node(node).port();
    }
  });
  ASSERT_EQ(thrown, "");
  EXPECT_GT(crowd.in_doubt(), 0u);
  check_visitors(a_campaign(), crowd.visitors(), cluster.node(0).port(), store);
}

/// Which node has the campaign, by the database.
std::size_t owner_in(const std::string& store) {
  const std::string owner = Postgres::shared()->sql("SELECT max(owner) FROM updraft.leases",
                                                    store.substr(store.rfind('/') + 1));
  return static_cast<std::size_t>(owner.at(owner.size() - 2) - '0');
}

TEST_F(Nodes, AnOwnerThatWasHaltedAcrossATakeoverWritesNothing) {
  const std::string store = Postgres::shared()->new_database();
  Cluster cluster(store, {});
  Api(cluster.node(0).port()).create(a_campaign().definition);
  Crowd crowd(a_campaign(), cluster);
  int takeovers = 0;
  const std::string thrown = crowd.play([&] {
    for (int halt = 0; halt < times("UPDRAFT_NODE_HALTS", 3); ++halt) {
      crowd.wait_for_traffic();
      const std::size_t owner = owner_in(store);
      cluster.node(owner).signal(SIGSTOP);
      takeovers += eventually([&] { return owner_in(store) != owner; }) ? 1 : 0;
      crowd.wait_for_traffic();
      cluster.node(owner).signal(SIGCONT);
    }
  });
  ASSERT_EQ(thrown, "");
  EXPECT_EQ(takeovers, times("UPDRAFT_NODE_HALTS", 3));
  check_visitors(a_campaign(), crowd.visitors(), cluster.node(0).port(), store);
}

TEST_F(Nodes, ANodeThatIsCutOffFromTheDatabaseLosesItsCampaigns) {
  const std::string store = Postgres::shared()->new_database();
  Cluster cluster(store, {.proxied_port = Postgres::shared()->port()});
  Api(cluster.node(0).port()).create(a_campaign().definition);
  Crowd crowd(a_campaign(), cluster);
  const std::string thrown = crowd.play([&] {
    for (int cut = 0; cut < times("UPDRAFT_NODE_CUTS", 2); ++cut) {
      crowd.wait_for_traffic();
      const std::size_t owner = owner_in(store);
      cluster.proxy(owner).halt(true);
      if (!eventually([&] { return owner_in(store) != owner; })) {
        throw std::runtime_error("nobody took over");
      }
      cluster.proxy(owner).halt(false);
    }
    // A slow network is no reason to take anything.
    for (std::size_t i = 0; i < cluster.size(); ++i) cluster.proxy(i).set_delay(20);
    crowd.wait_for_traffic();
    std::this_thread::sleep_for(1s);
    for (std::size_t i = 0; i < cluster.size(); ++i) cluster.proxy(i).set_delay(0);
  });
  ASSERT_EQ(thrown, "");
  check_visitors(a_campaign(), crowd.visitors(), cluster.node(0).port(), store);
}

TEST_F(Nodes, AStandbyThatIsPromotedHasAllThatWasAcknowledged) {
  ReplicatedPostgres postgres;
  Cluster cluster(postgres.url(), {.further = {"--snapshot-every", "300"}});
  Api(cluster.node(0).port()).create(a_campaign().definition);
  Crowd crowd(a_campaign(), cluster);
  const std::string thrown = crowd.play([&] {
    for (int promotion = 0; promotion < times("UPDRAFT_PROMOTIONS", 1); ++promotion) {
      crowd.wait_for_traffic();
      std::this_thread::sleep_for(200ms);
      postgres.fail_over();
      crowd.wait_for_traffic();
    }
  });
  ASSERT_EQ(thrown, "");
  check_visitors(a_campaign(), crowd.visitors(), cluster.node(0).port(), postgres.url());
}

}  // namespace
}  // namespace updraft::service_test
