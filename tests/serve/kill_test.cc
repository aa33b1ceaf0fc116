// The service is killed, asked to stop and halted again and again, and its writes fail, while
// clients work with it: what it acknowledged is there afterwards, once, it calls no valid request
// invalid, and its state is what the library makes of the same events.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <numeric>
#include <random>
#include <set>
#include <thread>

#include "api.h"
#include "campaign_case.h"
#include "replay.h"
#include "server.h"
#include "support/postgres.h"
#include "traffic.h"
#include "verdict.h"

namespace updraft::service_test {
namespace {

constexpr std::size_t kVisitors = 8;

/// How often; ./dev chaos sets another number.
int kills() {
  const char* wanted = std::getenv("UPDRAFT_KILLS");
  return wanted == nullptr ? 21 : std::atoi(wanted);
}

/// Ends the server: SIGKILL, SIGTERM, or SIGKILL after it was halted, in turns.
void end(Server& server, int turn) {
  switch (turn % 3) {
    case 0:
      return server.kill();
    case 1:
      if (const int code = server.terminate().exit_code; code != 0) {
        throw std::runtime_error("ended with status " + std::to_string(code));
      }
      return;
    default:
      server.signal(SIGSTOP);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      server.signal(SIGCONT);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return server.kill();
  }
}

double failed_commits(Server& server) {
  const std::string metrics = Api(server.port()).get("/metrics").text;
  const std::string name = "\nupdraft_failed_commits_total ";
  const std::size_t at = metrics.find(name);
  return at == metrics.npos ? 0.0 : std::stod(metrics.substr(at + name.size()));
}

/// PostgreSQL ends all connections of the server, again and again, until a commit has failed
/// because of that. Returns whether one has within a minute.
bool cut_connections(Server& server) {
  const double failed = failed_commits(server);
  return eventually([&] {
    testing::Postgres::shared()->sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = "
        "'updraft'");
    return failed_commits(server) > failed;
  });
}

/// No file of the server can grow beyond one page, as if the disk took no more, until a commit has
/// failed because of that; reading goes on. Returns whether one has within a minute.
bool refuse_writes(Server& server) {
  if (server.store().starts_with("postgresql:")) return cut_connections(server);
  rlimit before = {};
  if (prlimit(server.process(), RLIMIT_FSIZE, nullptr, &before) != 0) {
    throw std::runtime_error("no limit of the size of files");
  }
  const double failed = failed_commits(server);
  rlimit small = before;
  small.rlim_cur = 4096;
  prlimit(server.process(), RLIMIT_FSIZE, &small, nullptr);
  const bool refused = eventually([&] { return failed_commits(server) > failed; });
  prlimit(server.process(), RLIMIT_FSIZE, &before, nullptr);
  return refused;
}

/// Ends the server at random moments of traffic and starts it again, or lets its writes fail.
void kill_often(Server& server, Whereabouts& whereabouts) {
  std::mt19937_64 generator(42);
  try {
    for (int kill = 0; kill < kills(); ++kill) {
      const std::uint64_t answered = whereabouts.answered;
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (whereabouts.answered == answered) {
        if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("no traffic");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20 + generator() % 281));
      if (kill % 4 == 3) {
        whereabouts.refused += refuse_writes(server) ? 1 : 0;
        continue;
      }
      end(server, kill);
      whereabouts.port = 0;
      server.start();
      whereabouts.port = server.port();
    }
  } catch (...) {
    whereabouts.over = true;
    throw;
  }
  whereabouts.over = true;
}

struct KillCase {
  std::string label;
  CampaignCase campaign;
  std::vector<std::string> options;
  bool in_postgres = false;
};

std::vector<KillCase> kill_cases() {
  return {
      {"Index", case_with_known_sets("up_ucb(alpha=1)"), {"--snapshot-every", "300"}},
      {"Drawn", case_with_known_sets("up_ts"), {"--snapshot-every", "1000"}},
      {"Targeted", targeted_case("c2_up_ucb(beta=1)"), {"--no-group-commit"}},
      {"Contextual", contextual_case("lin_up_ucb_bl(beta=1)"), {"--snapshot-every", "300"}},
      {"Postgres", case_with_known_sets("up_ts"), {"--snapshot-every", "300"}, true},
  };
}

class Killed : public ::testing::TestWithParam<KillCase> {};

TEST_P(Killed, KeepsWhatWasAcknowledgedOnce) {
  if (GetParam().in_postgres) SKIP_WITHOUT_POSTGRES();
  const CampaignCase& campaign = GetParam().campaign;
  Server server({.store = GetParam().in_postgres ? testing::Postgres::shared()->new_database() : "",
                 .further = GetParam().options});
  Api(server.port()).create(campaign.definition);

  Whereabouts whereabouts;
  whereabouts.port = server.port();
  std::deque<Visitor> visitors;
  for (std::size_t i = 0; i < kVisitors; ++i) visitors.emplace_back(campaign, whereabouts, i);
  ASSERT_EQ(in_threads(
                visitors, [](Visitor& visitor) { visitor.play(); },
                [&] { kill_often(server, whereabouts); }),
            "");

  // Nothing is left that a restart would change.
  const Json before = Api(server.port()).report(campaign.name);
  server.start();
  whereabouts.port = server.port();
  EXPECT_EQ(Api(server.port()).report(campaign.name), before);

  check_visitors(campaign, visitors, server.port(), server.store());

  EXPECT_GT(whereabouts.in_doubt, 0u);
  EXPECT_GT(whereabouts.refused, 0u) << "no write failed";
  RecordProperty("in_doubt", static_cast<int>(whereabouts.in_doubt));
}

INSTANTIATE_TEST_SUITE_P(Service, Killed, ::testing::ValuesIn(kill_cases()),
                         [](const auto& tested) { return tested.param.label; });

}  // namespace
}  // namespace updraft::service_test
