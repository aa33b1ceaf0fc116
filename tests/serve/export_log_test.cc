// updraft store export --log: decisions of a campaign as a decision log.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "on_server.h"
#include "updraft/decision_log.h"

namespace updraft::service_test {
namespace {

class ExportedLog : public OnServer {
 protected:
  cli_test::Outcome export_log(const std::string& name, const std::string& form = "wide") {
    return run_to_end({"store", "export", "spring", "--store", server_.store(), "--log",
                       folder_.path(name), "--log-form", form});
  }

  std::string text_of(const std::string& name) const {
    std::ifstream in(folder_.path(name));
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ExportedLog, HasWhatWasDecidedAndPaid) {
  api_.create(shop("spring", {{"policy", "up_ts"}}));
  std::vector<Json> decided;
  for (const char* id : {"monday", "17", "9", "never"}) {
    decided.push_back(api_.decide("spring", {{"decision", id}}));
  }
  api_.pay("spring", "17", {{"payoffs", {0.5, 0, -1, 2}}});
  api_.pay("spring", "monday", {{"part", "a"}, {"complete", false}, {"payoffs", {{"tea", 3}}}});
  api_.pay("spring", "9", {{"payoffs", {1, 1, 1, 1}}});
  api_.pay("spring", "monday", {{"part", "b"}, {"payoffs", {{"cake", 1.5}}}});

  for (const auto& [name, form] :
       {std::pair("a.csv", "wide"), {"b.ndjson", "wide"}, {"c.csv.gz", "long"}}) {
    const cli_test::Outcome outcome = export_log(name, form);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "wrote 3 decisions to " + folder_.path(name) + "\n");
    LogReader reader(folder_.path(name), {.absent_is_zero = true,
                                          .actions = {"news", "discount"},
                                          .variables = {"coffee", "tea", "bread", "cake"}});
    // In the order in which payoffs were complete.
    const std::vector<std::pair<std::size_t, double>> expected = {{1, 1.5}, {2, 4.0}, {0, 4.5}};
    LoggedRound round;
    for (const auto& [which, reward] : expected) {
      ASSERT_TRUE(reader.next(round)) << name;
      EXPECT_EQ(round.action, decided[which]["action"]) << name;
      EXPECT_EQ(round.probability, decided[which]["probability"].get<double>()) << name;
      EXPECT_EQ(std::accumulate(round.values.begin(), round.values.end(), 0.0), reward) << name;
    }
    EXPECT_FALSE(reader.next(round)) << name;
  }
  const std::string csv = text_of("a.csv");
  EXPECT_TRUE(csv.starts_with("decision,time,action,probability,coffee,tea,bread,cake\n#17,20"))
      << csv;
  EXPECT_NE(csv.find("\nmonday,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",0,3,0,1.5\n"), std::string::npos) << csv;

  const cli_test::Outcome evaluated =
      run_to_end({"evaluate", folder_.path("a.csv"), "--json", "--policy", "ts"});
  EXPECT_EQ(evaluated.exit_code, 0) << evaluated.err;
}

TEST_F(ExportedLog, RefusesWhatIsNoDecisionLog) {
  const auto refused = [&](std::vector<std::string> more, const std::string& what) {
    std::vector<std::string> arguments = {"store", "export", "--store", server_.store()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const cli_test::Outcome outcome = run_to_end(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
  };
  const std::string log = folder_.path("log.csv");
  api_.create(shop("spring"));
  api_.create(shop(
      "columns",
      {{"variables", {"time", "a", "b", "c"}}, {"policy", "ts"}, {"knowledge", Json::object()}}));
  api_.create({{"name", "mail"},
               {"policy", "c2_up_ucb(beta=1)"},
               {"treatments", 1},
               {"budget", 1},
               {"features", 2}});
  refused({"spring", "--log", log, "--log-form", "tall"}, "--log-form = tall");
  refused({"spring", "--log", log, "--file", log}, "--log");
  refused({"autumn", "--log", log}, "campaign = autumn");
  refused({"mail", "--log", log}, "plain policies");
  refused({"columns", "--log", log}, "a variable is named time");
  EXPECT_FALSE(std::filesystem::exists(log));
}

}  // namespace
}  // namespace updraft::service_test
