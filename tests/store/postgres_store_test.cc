// Several writers of a store in PostgreSQL: only who claimed a campaign last can write it, and a
// commit whose answer is lost is in doubt until it is claimed again.

#include "store/postgres_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <thread>

#include "store/committer.h"
#include "store/store_writer.h"
#include "support/eventually.h"
#include "support/postgres.h"
#include "support/proxy.h"

namespace updraft {
namespace {

using testing::Postgres;

const StoredCampaign kSpring = {1, "spring", "{}"};
const StoredCampaign kAutumn = {2, "autumn", "{}"};

EventWrite event(std::int64_t campaign, std::uint64_t number, std::string body = "body") {
  return {campaign, {number, EventKind::kDecided, "d", 1000, std::move(body)}};
}

std::vector<std::string> bodies(const EventStore& store, const StoredCampaign& campaign) {
  std::vector<std::string> out;
  store.for_each_event(campaign, 0, [&](const Event& one) { out.push_back(one.body); });
  return out;
}

using Ids = std::set<std::int64_t>;

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const StoreError& error) {
    return error.what();
  }
  return "";
}

bool has_openssl() { return std::system("openssl version >/dev/null 2>&1") == 0; }

/// A server of these tests alone, whose settings they change, and change back.
Postgres& changeable_server() {
  static Postgres server({.tls = has_openssl()});
  return server;
}

class PostgresStores : public ::testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_POSTGRES();
    url_ = Postgres::shared()->new_database();
  }

  std::string database() const { return url_.substr(url_.rfind('/') + 1); }

  /// A node that says nothing more once it was made, as if it were halted.
  std::unique_ptr<PostgresStore> node(const std::string& name, int lease_ms = 3'600'000,
                                      const std::string& url = "") const {
    return std::make_unique<PostgresStore>(
        url.empty() ? url_ : url,
        StoreNode{name, "http://" + name, std::chrono::milliseconds(lease_ms)});
  }

  /// As if the node had said nothing for the time of its lease.
  void end_lease(const std::string& name) const {
    Postgres::shared()->sql(
        "UPDATE updraft.nodes SET until = clock_timestamp() - interval '1 s' WHERE name = '" +
            name + "'",
        database());
  }

  std::string url_;
};

TEST_F(PostgresStores, OneNodeHasACampaignUntilItIsSilent) {
  const auto a = node("a");
  const auto b = node("b");
  ASSERT_EQ(a->write({kSpring, event(1, 1, "a1")}), AppendResult::kOk);
  try {
    b->claim(kSpring);
    FAIL() << "a has it";
  } catch (const CampaignElsewhere& error) {
    EXPECT_EQ(error.address(), "http://a");
  }
  EXPECT_TRUE(b->orphans(10).empty());
  end_lease("a");
  EXPECT_EQ(b->orphans(10), std::vector<std::int64_t>{1});
  b->claim(kSpring);
  EXPECT_EQ(b->write({event(1, 2, "b2")}), AppendResult::kOk);

  // The node that had it wakes up, with an event that would fit, and one that would not.
  EXPECT_EQ(a->write_apart({event(1, 2, "a2")})->campaigns, Ids{1});
  EXPECT_EQ(a->write_apart({event(1, 3, "a3")})->campaigns, Ids{1});
  EXPECT_EQ(bodies(*b, kSpring), (std::vector<std::string>{"a1", "b2"}));
  EXPECT_THROW(a->claim(kSpring), CampaignElsewhere);
}

TEST_F(PostgresStores, ATakenCampaignFailsAlone) {
  const auto a = node("a");
  const auto b = node("b");
  a->write({kSpring, kAutumn, event(1, 1), event(2, 1)});
  end_lease("a");
  b->claim(kSpring);
  EXPECT_EQ(
      a->write_apart({event(1, 2, "lost"), event(2, 2, "kept"), event(1, 3, "lost")})->campaigns,
      Ids{1});
  EXPECT_EQ(bodies(*a, kSpring).size(), 1u);
  EXPECT_EQ(bodies(*a, kAutumn), (std::vector<std::string>{"body", "kept"}));
  // The same with other writes than events, which go into a transaction.
  b->claim(kSpring);
  EXPECT_EQ(a->write_apart({event(2, 3, "kept"), SnapshotWrite{2, {3, "state"}},
                            SnapshotWrite{1, {1, "stale"}}, DeleteWrite{1, 5, ""}})
                ->campaigns,
            Ids{1});
  EXPECT_EQ(a->last_snapshot(kAutumn)->body, "state");
  EXPECT_FALSE(a->last_snapshot(kSpring));
  EXPECT_EQ(a->campaigns().size(), 2u);
  // All or nothing for who asks for that.
  EXPECT_EQ(a->write({event(1, 2), event(2, 4)}), AppendResult::kConflict);
  EXPECT_EQ(bodies(*a, kAutumn).size(), 3u);
}

/// Nor deletes it: it has not found out yet that it has lost the campaign.
TEST_F(PostgresStores, ANodeThatLostACampaignWritesNoSnapshotOfIt) {
  const auto a = node("a");
  const auto b = node("b");
  a->write({kSpring, kAutumn, event(1, 1), event(2, 1)});
  end_lease("a");
  b->claim(kSpring);
  b->claim(kAutumn);
  EXPECT_EQ(a->write_apart({SnapshotWrite{1, {1, "stale"}}})->campaigns, Ids{1});
  EXPECT_FALSE(b->last_snapshot(kSpring));
  EXPECT_EQ(a->write_apart({DeleteWrite{2, 5, ""}})->campaigns, Ids{2});
  EXPECT_EQ(b->campaigns().size(), 2u);
}

TEST_F(PostgresStores, TheCommitterFailsOnlyWritesOfATakenCampaign) {
  const auto a = node("a");
  const auto b = node("b");
  a->write({kSpring, kAutumn});
  Committer committer(*a, true);
  const std::uint64_t spring = committer.epoch(1);
  const std::uint64_t autumn = committer.epoch(2);
  end_lease("a");
  b->claim(kSpring);
  const std::uint64_t lost = committer.add(event(1, 1), spring);
  const std::uint64_t kept = committer.add(event(2, 1), autumn);
  committer.wait(kept);
  EXPECT_THROW(committer.wait(lost), CommitFailed);
  EXPECT_NE(committer.epoch(1), spring);
  EXPECT_EQ(committer.epoch(2), autumn);
  EXPECT_THROW(committer.add(event(1, 1), spring), CommitFailed);
  committer.wait(committer.add(event(2, 2), autumn));
  EXPECT_EQ(bodies(*a, kAutumn).size(), 2u);
}

/// The statement of the old owner waits for the row that the new owner has locked.
TEST_F(PostgresStores, AWriteThatWaitedForATakeoverIsRefused) {
  const auto a = node("a");
  a->write({kSpring});
  PqConnection other(url_);
  other.run("BEGIN");
  other.run("UPDATE updraft.leases SET epoch = epoch + 1, owner = 'b' WHERE campaign = 1");
  auto written = std::async(std::launch::async, [&] { return a->write_apart({event(1, 1)}); });
  ASSERT_TRUE(testing::eventually([&] {
    return Postgres::shared()->sql(
               "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = "
               "'" +
               database() + "'") == "1\n";
  }));
  other.commit("COMMIT");
  EXPECT_EQ(written.get()->campaigns, Ids{1});
  EXPECT_TRUE(bodies(*a, kSpring).empty());
}

TEST_F(PostgresStores, ALostAnswerIsInDoubtUntilTheCampaignIsClaimedAgain) {
  testing::Proxy proxy(Postgres::shared()->port());
  const std::string through =
      "postgresql://updraft@127.0.0.1:" + std::to_string(proxy.port()) + "/" + database();
  const auto a = node("a", 3'600'000, through);
  a->write({kSpring, event(1, 1, "known")});

  // It is committed, and the answer never comes.
  proxy.swallow_answers(true);
  auto written =
      std::async(std::launch::async, [&] { return a->write_apart({event(1, 2, "in doubt")}); });
  ASSERT_TRUE(testing::eventually([&] {
    return Postgres::shared()->sql("SELECT count(*) FROM updraft.events", database()) == "2\n";
  }));
  proxy.close_all();
  try {
    written.get();
    FAIL() << "must be in doubt";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.kind(), StoreError::Kind::kInDoubt) << error.what();
  }
  proxy.swallow_answers(false);

  // It cannot be written from what was known, and after a new claim it is known to be there.
  EXPECT_EQ(a->write_apart({event(1, 2, "again")})->campaigns, Ids{1});
  a->claim(kSpring);
  EXPECT_EQ(bodies(*a, kSpring), (std::vector<std::string>{"known", "in doubt"}));
  EXPECT_TRUE(a->write_apart({event(1, 3, "next")})->campaigns.empty());
}

/// The connection is lost while the server still works on the statement: the claim waits for it, so
/// that it is either there or never will be.
TEST_F(PostgresStores, AClaimFencesOffAStatementThatStillRuns) {
  testing::Proxy proxy(Postgres::shared()->port());
  const std::string through =
      "postgresql://updraft@127.0.0.1:" + std::to_string(proxy.port()) + "/" + database();
  const auto a = node("a", 3'600'000, through);
  a->write({kSpring});
  PqConnection other(url_);
  other.run("BEGIN");
  other.run("SELECT 1 FROM updraft.leases WHERE campaign = 1 FOR UPDATE");
  auto written = std::async(std::launch::async, [&] { return a->write_apart({event(1, 1)}); });
  ASSERT_TRUE(testing::eventually([&] {
    return Postgres::shared()->sql(
               "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = "
               "'" +
               database() + "'") == "1\n";
  }));
  proxy.close_all();
  EXPECT_THROW(written.get(), StoreError);
  // The server does not notice, and the statement waits on; so does the claim, behind it.
  auto claimed = std::async(std::launch::async, [&] { a->claim(kSpring); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  other.commit("COMMIT");
  claimed.get();
  const std::size_t known = bodies(*a, kSpring).size();
  EXPECT_TRUE(a->write_apart({event(1, known + 1, "next")})->campaigns.empty());
  EXPECT_EQ(bodies(*a, kSpring).size(), known + 1);
}

TEST_F(PostgresStores, AnEndGivesItsCampaignsFreeAtOnce) {
  auto a = node("a");
  const auto b = node("b");
  a->write({kSpring});
  EXPECT_EQ(b->other_nodes().size(), 1u);
  a.reset();
  EXPECT_TRUE(b->other_nodes().empty());
  EXPECT_NO_THROW(b->claim(kSpring));
}

TEST_F(PostgresStores, ASilentNodeIsHeardOfAgain) {
  const auto a = node("a", 400);
  const auto b = node("b");
  a->write({kSpring});
  // It renews its lease, however short.
  std::this_thread::sleep_for(std::chrono::milliseconds(900));
  EXPECT_EQ(b->other_nodes().size(), 1u);
  Postgres::shared()->sql("DELETE FROM updraft.nodes", database());
  EXPECT_TRUE(testing::eventually([&] { return b->other_nodes().size() == 1; }));
}

/// Its clock tells a node that others may have its campaigns, so that it answers nothing that is
/// old.
TEST_F(PostgresStores, ANodeThatCannotRenewItsLeaseHoldsNothing) {
  testing::Proxy proxy(Postgres::shared()->port());
  const auto a =
      node("a", 400,
           "postgresql://updraft@127.0.0.1:" + std::to_string(proxy.port()) + "/" + database());
  a->write({kSpring});
  EXPECT_FALSE(a->holds(2));
  std::this_thread::sleep_for(std::chrono::milliseconds(900));
  EXPECT_TRUE(testing::eventually([&] { return a->holds(1); }));
  proxy.halt(true);
  EXPECT_TRUE(testing::eventually([&] { return !a->holds(1); }));
  proxy.halt(false);
  proxy.close_all();
  // It is heard of again, and claims what it has lost.
  EXPECT_TRUE(testing::eventually([&] {
    try {
      a->claim(kSpring);
      return a->holds(1);
    } catch (const StoreError&) {
      return false;
    }
  }));
}

/// Others may have claimed what it had before its next beat.
TEST_F(PostgresStores, ANodeWhoseLeaseHadLapsedHoldsNothing) {
  const auto a = node("a", 400);
  const auto b = node("b");
  a->write({kSpring, event(1, 1)});
  EXPECT_TRUE(a->holds(1));
  ASSERT_TRUE(testing::eventually([&] {
    end_lease("a");
    try {
      b->claim(kSpring);
      return true;
    } catch (const CampaignElsewhere&) {  // a was faster
      return false;
    }
  }));
  EXPECT_TRUE(testing::eventually([&] { return !a->holds(1); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(900));  // it is renewed all the time
  EXPECT_FALSE(a->holds(1));
  EXPECT_THROW(a->claim(kSpring), CampaignElsewhere);
}

/// Commits wait for the standby then, and reports need not.
TEST_F(PostgresStores, ALostStandbyDoesNotEndLeases) {
  Postgres& server = changeable_server();
  const auto set = [&](const std::string& change) {
    server.sql("ALTER SYSTEM " + change);
    server.sql("SELECT pg_reload_conf()");
  };
  const auto a = node("a", 400, server.new_database());
  a->write({kSpring, event(1, 1)});
  set("SET synchronous_standby_names = 'ANY 1 (*)'");
  bool held = true;
  for (int time = 0; time < 15; ++time) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    held = held && a->holds(1);
  }
  set("RESET synchronous_standby_names");
  EXPECT_TRUE(held);
}

TEST_F(PostgresStores, ANewProgramOfTheSameNameTakesOverAtOnce) {
  const auto before = node("a");
  before->write({kSpring, event(1, 1)});
  const auto after = node("a");
  after->claim(kSpring);
  EXPECT_EQ(after->write({event(1, 2)}), AppendResult::kOk);
  EXPECT_EQ(before->write_apart({event(1, 2)})->campaigns, Ids{1});
}

TEST_F(PostgresStores, TheEndOfAnEarlierProgramGivesNothingOfALaterOneFree) {
  auto before = node("a");
  before->write({kSpring});
  const auto after = node("a");
  const auto b = node("b");
  after->claim(kSpring);
  before.reset();
  EXPECT_EQ(b->other_nodes().size(), 1u);
  EXPECT_THROW(b->claim(kSpring), CampaignElsewhere);
}

/// A standby that was promoted without the last events, as without a synchronous one: a node that
/// knows them leaves no hole.
TEST_F(PostgresStores, ANodeThatKnowsMoreThanTheDatabaseWritesNothing) {
  const auto a = node("a");
  a->write({kSpring, event(1, 1, "first")});
  const std::string head = Postgres::shared()->sql("SELECT chain FROM updraft.leases", database());
  a->write({event(1, 2, "lost")});
  Postgres::shared()->sql("UPDATE updraft.leases SET number = 1, chain = " + head, database());
  Postgres::shared()->sql("DELETE FROM updraft.events WHERE number = 2", database());
  EXPECT_EQ(a->write_apart({event(1, 3, "beyond a hole")})->campaigns, Ids{1});
  a->claim(kSpring);
  EXPECT_TRUE(a->write_apart({event(1, 2, "second")})->campaigns.empty());
  EXPECT_EQ(bodies(*a, kSpring), (std::vector<std::string>{"first", "second"}));
}

TEST_F(PostgresStores, RefuseAServerThatKeepsNothing) {
  const Postgres& careless = changeable_server();
  careless.sql("ALTER SYSTEM SET full_page_writes = off");
  careless.sql("SELECT pg_reload_conf()");
  ASSERT_TRUE(
      testing::eventually([&] { return careless.sql("SHOW full_page_writes") == "off\n"; }));
  EXPECT_NE(refusal([&] {
              PqConnection connection(careless.url());
            }).find("fsync and full_page_writes must be on"),
            std::string::npos);
  const PqConnection for_tools(careless.url(), {.keeps_commits = false});
  careless.sql("ALTER SYSTEM RESET full_page_writes");
  careless.sql("SELECT pg_reload_conf()");
  EXPECT_TRUE(testing::eventually([&] { return careless.sql("SHOW full_page_writes") == "on\n"; }));
}

TEST_F(PostgresStores, SaysWhatIsDamaged) {
  const auto a = node("a");
  a->write({kSpring, event(1, 1, "one"), event(1, 2, "two"), SnapshotWrite{1, {2, "state"}}});
  const auto complaint = [&](const std::string& sql) -> std::string {
    Postgres::shared()->sql(sql, database());
    try {
      a->campaigns();
      a->last_snapshot(kSpring);
      a->for_each_event(kSpring, 0, [](const Event&) {});
    } catch (const StoreError& error) {
      return error.kind() == StoreError::Kind::kDamaged ? error.what() : "";
    }
    return "";
  };
  EXPECT_EQ(complaint("SELECT 1"), "");
  EXPECT_NE(complaint("UPDATE updraft.snapshots SET body = 'other'")
                .find("the snapshot of campaign spring after event 2; the events give the same"),
            std::string::npos);
  Postgres::shared()->sql("DELETE FROM updraft.snapshots", database());
  EXPECT_NE(complaint("UPDATE updraft.events SET body = 'other' WHERE number = 1")
                .find("event 1 of campaign spring; restore a backup"),
            std::string::npos);
  EXPECT_NE(complaint("DELETE FROM updraft.events WHERE number = 1")
                .find("event 1 of campaign spring is missing"),
            std::string::npos);
  EXPECT_NE(complaint("DELETE FROM updraft.events").find("events 1 to 2"), std::string::npos);
  EXPECT_NE(complaint("UPDATE updraft.campaigns SET definition = '[]'").find("definition"),
            std::string::npos);
}

TEST_F(PostgresStores, RefusesTablesThatAreNewer) {
  { const auto a = node("a"); }
  Postgres::shared()->sql("UPDATE updraft.store SET version = 99", database());
  EXPECT_NE(refusal([&] { node("a"); }).find("has version 99, newer than"), std::string::npos);
  const std::string empty = Postgres::shared()->new_database();
  EXPECT_NE(refusal([&] { PostgresStore reader(empty); }).find("there is no store"),
            std::string::npos);
}

/// A newer program has made its tables while this one runs.
TEST_F(PostgresStores, TakesNothingOverOnceTablesAreNewer) {
  const auto a = node("a");
  const auto b = node("b");
  a->write({kSpring, kAutumn});
  Postgres::shared()->sql("UPDATE updraft.store SET version = version + 1", database());
  // It goes on with its own, also after it was in doubt.
  EXPECT_EQ(a->write({event(1, 1)}), AppendResult::kOk);
  EXPECT_NO_THROW(a->claim(kSpring));
  EXPECT_EQ(a->write({event(1, 2)}), AppendResult::kOk);
  EXPECT_THROW(b->claim(kSpring), CampaignElsewhere);
  end_lease("a");
  EXPECT_TRUE(b->orphans(10).empty());
  EXPECT_NE(refusal([&] { b->claim(kSpring); }).find("restart it with a newer updraft"),
            std::string::npos);
  Postgres::shared()->sql("UPDATE updraft.store SET version = version - 1", database());
  EXPECT_EQ(b->orphans(10).size(), 2u);
  EXPECT_NO_THROW(b->claim(kSpring));
}

/// Somebody cancels the wait for the standby: the primary has the event, a standby perhaps not.
TEST_F(PostgresStores, ACommitWithAWarningIsInDoubt) {
  Postgres& server = changeable_server();
  url_ = server.new_database();
  const auto a = node("a");
  a->write({kSpring, event(1, 1, "known")});
  server.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  server.sql("ALTER SYSTEM SET synchronous_commit = 'local'");  // which the service overrules
  server.sql("SELECT pg_reload_conf()");
  const auto cancel_when_it_waits = [&] {
    constexpr int kMostTries = 500;
    for (int tries = 0; tries < kMostTries; ++tries) {
      if (server.sql("SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE "
                     "wait_event = 'SyncRep'") == "1\n") {
        return true;
      }
    }
    return false;
  };
  ASSERT_TRUE(testing::eventually(
      [&] { return server.sql("SHOW synchronous_standby_names") == "nobody\n"; }));
  auto written = std::async(std::launch::async, [&] {
    try {
      // Until the session has read its settings again.
      constexpr std::uint64_t kMost = 10'000;
      for (std::uint64_t number = 2; number < kMost; ++number) {
        a->write_apart({event(1, number, "in doubt")});
      }
      return StoreError::Kind::kOther;
    } catch (const StoreError& error) {
      return error.kind();
    }
  });
  ASSERT_TRUE(cancel_when_it_waits());
  EXPECT_EQ(written.get(), StoreError::Kind::kInDoubt);
  // So is a claim.
  auto claimed = std::async(std::launch::async, [&] { a->claim(kSpring); });
  for (int tries = 0; tries < 2; ++tries) ASSERT_TRUE(cancel_when_it_waits());
  EXPECT_THROW(claimed.get(), StoreError);
  EXPECT_FALSE(a->holds(1));
  server.sql("ALTER SYSTEM RESET ALL");
  server.sql("SELECT pg_reload_conf()");
  ASSERT_TRUE(testing::eventually([&] {
    try {
      a->claim(kSpring);
      return true;
    } catch (const StoreError&) {
      return false;
    }
  }));
  EXPECT_EQ(bodies(*a, kSpring).back(), "in doubt");
}

TEST_F(PostgresStores, AskForTheCertificateOfTheServer) {
  if (!has_openssl()) GTEST_SKIP() << "there is no openssl command";
  const Postgres& server = changeable_server();
  const testing::TemporaryFolder folder;
  const std::string stranger = folder.path("ca.pem");
  ASSERT_EQ(std::system(("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
                         "-nodes -days 1 -subj '/CN=an authority' -keyout " +
                         folder.path("ca.key") + " -out " + stranger + " 2>/dev/null")
                            .c_str()),
            0);
  const auto ask = [](const Postgres& whom, const std::string& trusted, const std::string& host) {
    std::string url = whom.url();
    url.replace(url.find("127.0.0.1"), 9, host);
    PqConnection connection(url + "?sslmode=verify-full&sslrootcert=" + trusted);
    return std::string(
        connection.run("SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
            .bytes(0, 0));
  };
  EXPECT_EQ(ask(server, server.authority(), "127.0.0.1"), "true");
  EXPECT_NE(refusal([&] { ask(server, stranger, "127.0.0.1"); }).find("certificate verify failed"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              ask(server, server.authority(), "localhost");
            }).find("does not match host name"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              ask(*Postgres::shared(), server.authority(), "127.0.0.1");
            }).find("does not support SSL"),
            std::string::npos);
  // A whole store.
  const std::string url = server.url() + "?sslmode=verify-full&sslrootcert=";
  const auto a = node("a", 3'600'000, url + server.authority());
  EXPECT_EQ(a->write({kSpring, event(1, 1)}), AppendResult::kOk);
  EXPECT_NE(refusal([&] { node("b", 3'600'000, url + stranger); }), "");
}

/// The grants of docs/many-nodes.md.
TEST_F(PostgresStores, NeedsFewRightsOnceTheTablesAreThere) {
  { const auto owner = node("a"); }
  Postgres::shared()->sql(
      "DO $$ BEGIN CREATE ROLE updraft_app LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END "
      "$$; "
      "GRANT USAGE ON SCHEMA updraft "
      "TO updraft_app; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA updraft TO "
      "updraft_app; GRANT USAGE ON ALL SEQUENCES IN SCHEMA updraft TO updraft_app",
      database());
  std::string as_app = url_;
  as_app.replace(as_app.find("updraft@"), 7, "updraft_app");
  const auto app = node("b", 3'600'000, as_app);
  EXPECT_EQ(app->new_campaign_id(), 1);
  EXPECT_EQ(app->write({kSpring, event(1, 1), SnapshotWrite{1, {1, "state"}}}), AppendResult::kOk);
  app->claim(kSpring);
  EXPECT_EQ(app->write({DeleteWrite{1, 5, ""}, PurgeWrite()}), AppendResult::kOk);
}

TEST_F(PostgresStores, APoolLendsNoMoreConnectionsThanItMay) {
  PqPool pool(url_, 2);
  std::atomic<int> lent = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      for (int time = 0; time < 10; ++time) {
        pool.read([&](PqConnection& connection) {
          const int now = ++lent;
          for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
          }
          connection.run("SELECT pg_sleep(0.002)");
          --lent;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 2);
  EXPECT_EQ(Postgres::shared()->sql("SELECT count(*) FROM pg_stat_activity WHERE datname = '" +
                                    database() + "'"),
            "2\n");
  // What fails leaves its place to others.
  for (int time = 0; time < 3; ++time) {
    EXPECT_THROW(pool.read([](PqConnection& connection) { connection.run("SELECT 1 / 0"); }),
                 StoreError);
  }
}

TEST_F(PostgresStores, CopiesRowsOutAsTheyAre) {
  PqConnection connection(url_);
  std::vector<std::vector<std::optional<std::string>>> rows;
  const auto keep = [&](std::string_view row) { rows.push_back(copied_fields(row)); };
  connection.copy_out(
      "COPY (VALUES (E'a\\tb\\n\\\\N', NULL, ''), ('\\x41', 'e', E'\\r')) TO STDOUT", keep);
  using Row = std::vector<std::optional<std::string>>;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (Row{"a\tb\n\\N", std::nullopt, ""}));
  EXPECT_EQ(rows[1], (Row{"\\x41", "e", "\r"}));
  // What is wrong with the query, and a fault in its middle, leave nothing behind.
  EXPECT_NE(refusal([&] {
              connection.copy_out("COPY (SELECT 1 FROM none) TO STDOUT", keep);
            }).find("does not exist"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              connection.copy_out(
                  "COPY (SELECT 1 / (3 - n) FROM generate_series(1, 5) AS n) TO STDOUT", keep);
            }).find("division by zero"),
            std::string::npos);
  EXPECT_EQ(connection.run("SELECT 7::int8").number(0, 0), 7);
}

TEST_F(PostgresStores, ShowsNoPasswords) {
  EXPECT_EQ(shown_store("postgresql://me:secret@db:5432/shop?sslmode=verify-full"),
            "postgresql://db:5432/shop");
  EXPECT_EQ(shown_store("campaigns.db"), "campaigns.db");
  const std::string port = std::to_string(Postgres::shared()->port());
  for (const std::string& address : std::vector<std::string>{
           "postgresql://me:secret@[::1/shop", "postgresql://me:secret%zz@db/shop",
           "postgresql://me:secret/x@db/shop", "postgresql://me:a\"secret@[::1/\"x",
           "postgresql://secret@127.0.0.1:" + port + "/none?password=secret"}) {
    try {
      const PqConnection connection(address);
      ADD_FAILURE() << address;
    } catch (const StoreError& error) {
      EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos) << error.what();
    }
  }
}

TEST_F(PostgresStores, NodesMayStartTogetherOnAnEmptyDatabase) {
  for (int time = 0; time < 4; ++time) {
    const std::string url = Postgres::shared()->new_database();
    std::mutex mutex;
    std::string failed;
    std::vector<std::jthread> nodes;
    for (const char* name : {"a", "b", "c", "d"}) {
      nodes.emplace_back([&, name] {
        try {
          node(name, 1000, url);
        } catch (const StoreError& error) {
          const std::lock_guard lock(mutex);
          failed += error.what();
        }
      });
    }
    nodes.clear();
    EXPECT_EQ(failed, "");
  }
}

TEST_F(PostgresStores, WhatANodeGivesUpIsFreeForOthersAtOnce) {
  const auto a = node("a");
  const auto b = node("b");
  a->write({kSpring, event(1, 1)});
  EXPECT_THROW(b->claim(kSpring), CampaignElsewhere);
  a->give_up(kSpring);
  EXPECT_FALSE(a->holds(1));
  b->claim(kSpring);
  EXPECT_TRUE(b->holds(1));
  a->give_up(kSpring);  // not what others have
  EXPECT_THROW(a->claim(kSpring), CampaignElsewhere);
}

}  // namespace
}  // namespace updraft
