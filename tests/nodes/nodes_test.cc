// Several nodes on one store in PostgreSQL: they are killed, halted beyond their lease and cut off,
// and the database fails over, while clients work with all of them. What was acknowledged is there
// afterwards, once, and the state is what the library makes of the same events.

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <thread>

#include "nodes/cluster.h"
#include "nodes/crowd.h"
#include "serve/api.h"

namespace updraft::service_test {
namespace {

using namespace std::chrono_literals;
using testing::Postgres;

/// How often; ./dev nodes sets another number.
int times(const char* variable, int otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::atoi(wanted);
}

/// Until each node can write again: it finds out by a write that its connection to a database that
/// is gone is lost.
void write_on_all(Cluster& cluster) {
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    Json other = a_campaign().definition;
    other["name"] = "of-node-" + std::to_string(i);
    ASSERT_TRUE(eventually(
        [&] { return Api(cluster.node(i).port()).post("/v1/campaigns", other.dump()).ok(); }));
  }
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
  // Nobody knows the secret of a service that has none.
  const Server alone;
  EXPECT_EQ(httplib::Client("127.0.0.1", alone.port())
                .Get("/v1/campaigns", {{"X-Updraft-Node", ""}})
                ->status,
            403);
}

TEST_F(Nodes, WhoHasNoMemoryForACampaignLeavesItToOthers) {
  const std::string store = Postgres::shared()->new_database();
  const auto node = [&](const std::string& name, const std::string& memory) {
    return std::make_unique<Server>(Server::Options{
        .store = store, .further = {"--node", name, "--node-lease", "1", "--memory", memory}});
  };
  auto large = node("large", "400");
  const Json wide = {
      {"name", "wide"}, {"policy", "ucb(alpha=1)"}, {"actions", {"a", "b"}}, {"variables", 40000}};
  Api(large->port()).create(wide);
  EXPECT_EQ(large->terminate().exit_code, 0);
  const auto small = node("small", "1");
  const Answer refused = Api(small->port()).post(decisions_path("wide"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(refused.text.find("start with a larger --memory"), std::string::npos) << refused.text;
  large = node("large", "400");
  EXPECT_TRUE(eventually([&] { return Api(large->port()).post(decisions_path("wide")).ok(); }));
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
  expect_same_reports(cluster);
  EXPECT_GT(crowd.in_doubt(), 0u);
  check_visitors(a_campaign(), crowd.visitors(), cluster.node(0).port(), store);
}

TEST_F(Nodes, AnOwnerThatWasHaltedAcrossATakeoverWritesNothing) {
  const std::string store = Postgres::shared()->new_database();
  Cluster cluster(store, {});
  Api(cluster.node(0).port()).create(a_campaign().definition);
  Crowd crowd(a_campaign(), cluster);
  int takeovers = 0;
  std::chrono::steady_clock::duration longest = {};
  const std::string thrown = crowd.play([&] {
    for (int halt = 0; halt < times("UPDRAFT_NODE_HALTS", 3); ++halt) {
      crowd.wait_for_traffic();
      const std::size_t owner = owner_in(store);
      cluster.node(owner).signal(SIGSTOP);
      const auto begin = std::chrono::steady_clock::now();
      takeovers += eventually([&] { return owner_in(store) != owner; }) ? 1 : 0;
      longest = std::max(longest, std::chrono::steady_clock::now() - begin);
      crowd.wait_for_traffic();
      cluster.node(owner).signal(SIGCONT);
    }
  });
  ASSERT_EQ(thrown, "");
  expect_same_reports(cluster);
  EXPECT_EQ(takeovers, times("UPDRAFT_NODE_HALTS", 3));
  // With a lease of one second.
  std::cout << "longest takeover: " << longest / 1ms << " ms\n";
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
  expect_same_reports(cluster);
  write_on_all(cluster);
  check_visitors(a_campaign(), crowd.visitors(), cluster.node(0).port(), postgres.url());
}

/// Kills, halts and promotions in turns; clients know only the load balancer.
TEST_F(Nodes, BehindALoadBalancerWithAStandbyLoseNothing) {
  if (!LoadBalancer::is_installed()) GTEST_SKIP() << "HAProxy is not installed";
  ReplicatedPostgres postgres;
  Cluster cluster(postgres.url(), {.further = {"--snapshot-every", "300"}, .same_ports = true});
  const LoadBalancer balancer(cluster);
  Api(balancer.port()).create(a_campaign().definition);
  Crowd crowd(a_campaign(), cluster);
  for (std::size_t i = 0; i < cluster.size(); ++i) crowd.at(i).port = balancer.port();
  std::mt19937_64 generator(43);
  const std::string thrown = crowd.play([&] {
    for (int turn = 0; turn < times("UPDRAFT_BALANCED_TURNS", 6); ++turn) {
      crowd.wait_for_traffic();
      std::this_thread::sleep_for(std::chrono::milliseconds(20 + generator() % 281));
      Server& node = cluster.node(generator() % cluster.size());
      switch (turn % 6) {
        case 5:
          postgres.fail_over();
          break;
        case 2:
          node.signal(SIGSTOP);
          std::this_thread::sleep_for(2500ms);  // beyond its lease
          node.signal(SIGCONT);
          break;
        default:
          node.kill();
          crowd.wait_for_traffic();
          node.start();
      }
    }
    crowd.wait_for_traffic();
  });
  ASSERT_EQ(thrown, "");
  expect_same_reports(cluster);
  write_on_all(cluster);
  check_visitors(a_campaign(), crowd.visitors(), cluster.node(0).port(), postgres.url());
}

/// Whether a file is mapped into a process.
bool has_loaded(pid_t process, const std::string& file) {
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  const std::string text{std::istreambuf_iterator<char>(maps), {}};
  return text.find(file) != text.npos;
}

TEST_F(Nodes, OnlyAStoreInPostgresLoadsItsLibrary) {
  const Server file;
  EXPECT_FALSE(has_loaded(file.process(), "libpq"));
  const Server tables({.store = Postgres::shared()->new_database(), .further = {}});
  EXPECT_TRUE(has_loaded(tables.process(), "libpq"));
}

/// From a file to PostgreSQL and back, and what the other commands do there.
TEST_F(Nodes, StoresAreMigratedAndChecked) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.path("campaigns.db");
  const std::string tables = Postgres::shared()->new_database();
  const std::string back = folder.path("back.db");
  const std::string& name = a_campaign().name;
  const auto run = [](const std::vector<std::string>& words) {
    std::vector<std::string> all = {"store"};
    all.insert(all.end(), words.begin(), words.end());
    return run_to_end(all);
  };
  Json before;
  {
    Server server({.store = file, .further = {"--snapshot-every", "10"}});
    Api api(server.port());
    api.create(a_campaign().definition);
    for (int i = 0; i < 25; ++i) {
      const std::string id = "d" + std::to_string(i);
      api.decide(name, {{"decision", id}});
      if (i % 3 != 0) api.pay(name, id, {{"payoffs", std::vector<double>(24, 0.5)}});
    }
    before = api.report(name);
    EXPECT_NE(run({"migrate", file, tables}).err.find("is in use by another process"),
              std::string::npos);
    EXPECT_EQ(server.terminate().exit_code, 0);
  }
  const cli_test::Outcome there = run({"migrate", file, tables});
  EXPECT_EQ(there.exit_code, 0) << there.err;
  EXPECT_NE(there.out.find("1 campaigns, 41 events, replayed and the same"), std::string::npos)
      << there.out;
  EXPECT_NE(run({"migrate", file, tables}).err.find("has campaigns already"), std::string::npos);
  {
    Server server({.store = tables, .further = {"--node", "only"}});
    Api api(server.port());
    EXPECT_EQ(api.report(name), before);
    EXPECT_NE(run({"migrate", tables, back}).err.find("is in use by node only"), std::string::npos);
    EXPECT_EQ(run({"check", "--store", tables}).exit_code, 0);
    EXPECT_EQ(server.terminate().exit_code, 0);
  }
  EXPECT_EQ(run({"migrate", tables, back}).exit_code, 0);
  EXPECT_NE(run({"migrate", tables, back}).err.find("exists"), std::string::npos);
  {
    Server server({.store = back, .further = {}});
    EXPECT_EQ(Api(server.port()).report(name), before);
  }

  // A copy by PostgreSQL's own tools.
  const std::string restored = Postgres::shared()->new_database();
  Postgres::shared()->dump(tables, restored, "updraft");
  EXPECT_EQ(run({"check", "--store", restored}).exit_code, 0);
  EXPECT_EQ(run({"export", name, "--store", restored}).out,
            run({"export", name, "--store", tables}).out);

  const std::string log = folder.path("log.jsonl");
  EXPECT_EQ(run({"export", name, "--store", tables, "--file", log}).exit_code, 0);
  EXPECT_EQ(run({"audit", "--store", tables, "--file", log}).exit_code, 0);
  const std::string other = Postgres::shared()->new_database();
  EXPECT_EQ(run({"import", "--store", other, "--file", log}).exit_code, 0);
  EXPECT_EQ(run({"audit", "--store", other, "--file", log}).exit_code, 0);
  EXPECT_EQ(run({"export", name, "--store", other}).out,
            run({"export", name, "--store", file}).out);
  EXPECT_NE(run({"backup", "--store", tables, "--file", folder.path("copy.db")})
                .err.find("PostgreSQL's own tools"),
            std::string::npos);
}

/// A trigger changes what is written, as a fault of the copy would.
TEST_F(Nodes, ACopyThatIsNotTheSameIsRemoved) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.path("campaigns.db");
  {
    Server server({.store = file, .further = {"--snapshot-every", "10"}});
    Api api(server.port());
    api.create(a_campaign().definition);
    for (int i = 0; i < 25; ++i) api.decide(a_campaign().name);
    EXPECT_EQ(server.terminate().exit_code, 0);
  }
  const auto migrated = [&](const std::string& table, const std::string& change) {
    const std::string tables = Postgres::shared()->new_database();
    { const Server makes_them({.store = tables, .further = {}}); }
    asked(tables,
          "DELETE FROM updraft.nodes; CREATE FUNCTION change() RETURNS trigger LANGUAGE "
          "plpgsql AS 'BEGIN " +
              change + " END'; CREATE TRIGGER change BEFORE INSERT ON updraft." + table +
              " FOR EACH ROW EXECUTE FUNCTION change(); SELECT 1");
    const cli_test::Outcome out = run_to_end({"store", "migrate", file, tables});
    EXPECT_EQ(out.exit_code, 1) << out.out << out.err;
    EXPECT_NE(out.err.find("the copy is not the same"), std::string::npos) << out.err;
    EXPECT_EQ(asked(tables, "SELECT count(*) FROM updraft.campaigns"), "0");
    EXPECT_EQ(asked(tables, "SELECT count(*) FROM updraft.events"), "0");
  };
  migrated("events", "NEW.time_ms := NEW.time_ms + 1; RETURN NEW;");
  migrated("snapshots", "RETURN NULL;");
}

TEST_F(Nodes, PayoffsComeFromAQueryAndMayComeTwice) {
  const testing::TemporaryFolder folder;
  Server server;
  Api api(server.port());
  const std::string& name = a_campaign().name;
  api.create(a_campaign().definition);
  const std::string& variable = a_campaign().variable_names[3];
  std::string rows;
  for (int i = 0; i < 30; ++i) {
    api.decide(name, {{"decision", "d" + std::to_string(i)}});
    rows += (i > 0 ? ", ('d" : "('d") + std::to_string(i) + "', '" + variable + "', " +
            std::to_string(i) + ".5), ('d" + std::to_string(i) + "', '" +
            a_campaign().variable_names[7] + "', 0.25)";
  }
  const std::string shop = Postgres::shared()->new_database();
  const std::string database = shop.substr(shop.rfind('/') + 1);
  Postgres::shared()->sql("CREATE TABLE sold (id text, product text, amount numeric)", database);
  Postgres::shared()->sql("INSERT INTO sold VALUES " + rows, database);
  const auto pay = [&](const std::string& query) {
    return run_to_end({"pay", name, "--from", shop, "--query", query, "--service",
                       "http://127.0.0.1:" + std::to_string(server.port())});
  };
  const std::string query =
      "SELECT id AS decision, product AS variable, amount AS payoff FROM sold;";
  const cli_test::Outcome first = pay(query);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.out, "paid 30 decisions\n");
  const Json report = api.report(name);
  EXPECT_EQ(count_of(report, "complete"), 30u);
  EXPECT_EQ(pay(query).out, "paid 30 decisions\n");
  EXPECT_EQ(api.report(name), report) << "nothing was counted twice";
  const Json event = api.get(campaign_path(name) + "/events?after=30&count=100").json();
  EXPECT_EQ(event.at("events").size(), 30u);

  // Other payoffs for the same part, and decisions that nobody knows, are refused.
  Postgres::shared()->sql("UPDATE sold SET amount = 99 WHERE id = 'd7'", database);
  Postgres::shared()->sql("INSERT INTO sold VALUES ('none', '" + variable + "', 1)", database);
  const cli_test::Outcome other = pay(query);
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.out.find("refused: d7: "), std::string::npos) << other.out;
  EXPECT_NE(other.out.find("refused: none: "), std::string::npos) << other.out;
  EXPECT_EQ(api.report(name), report);
  EXPECT_EQ(pay("SELECT 1").exit_code, 1);
  EXPECT_EQ(pay("SELECT NULL AS decision, 'a' AS variable, 1 AS payoff").exit_code, 2);
  EXPECT_NE(
      pay("DELETE FROM sold RETURNING id AS decision, 'a' AS variable, 1 AS payoff").exit_code, 0);

  // Names may be numbers.
  api.create(
      {{"name", "ids"}, {"policy", "ts"}, {"actions", {"a", "b"}}, {"variables", {"2", "1", "0"}}});
  api.decide("ids", {{"decision", "d"}});
  const std::string ids = folder.write("ids.csv", "decision,variable,payoff\nd,0,5\n");
  EXPECT_EQ(run_to_end({"pay", "ids", "--from", ids, "--service",
                        "http://127.0.0.1:" + std::to_string(server.port())})
                .out,
            "paid 1 decisions\n");
  EXPECT_EQ(api.get("/v1/campaigns/ids/decisions").json().at("decisions").at(0).at("payoffs"),
            Json({{"0", 5.0}}));

  // So are parts of what is not complete.
  api.decide(name, {{"decision", "open"}});
  const std::string part =
      folder.write("part.csv", "decision,variable,payoff\nopen," + variable + ",2\n");
  Json open;
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(run_to_end({"pay", name, "--from", part, "--incomplete", "--part", "night",
                          "--service", "http://127.0.0.1:" + std::to_string(server.port())})
                  .out,
              "paid 1 decisions\n");
    const Json now = api.get(decision_path(name, "open")).json();
    if (time == 1) {
      EXPECT_EQ(now, open);
    }
    open = now;
  }

  // The same from a file.
  api.decide(name, {{"decision", "late:one"}});
  const std::string file =
      folder.write("payoffs.csv", "variable,payoff,decision\n" + variable + ",2,\"late:one\"\n");
  EXPECT_EQ(run_to_end({"pay", name, "--from", file, "--service",
                        "http://127.0.0.1:" + std::to_string(server.port())})
                .out,
            "paid 1 decisions\n");
  const std::string bad = folder.write("bad.csv", "decision,variable,payoff\na,b,much\n");
  const cli_test::Outcome refused = run_to_end({"pay", name, "--from", bad});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("bad.csv:2: payoff = much: must be a finite number"),
            std::string::npos)
      << refused.err;
}

}  // namespace
}  // namespace updraft::service_test
