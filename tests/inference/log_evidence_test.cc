#include "updraft/log_evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include "inference/made_bandit.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "support/statistics.h"

namespace updraft {
namespace {

using testing::MadeBandit;
using testing::refusal;

LogEvidenceOptions options_of() {
  LogEvidenceOptions options;
  options.format.actions = {"a", "b", "c"};
  for (std::size_t i = 0; i < MadeBandit::kVariables; ++i) {
    options.format.variables.push_back("v" + std::to_string(i));
  }
  options.knowledge = MadeBandit::knowledge();
  options.evidence.shares.control = 0;
  return options;
}

/// Takes a with the probability 0.3 and more; b more and more often.
std::vector<LoggedRound> made_log(const MadeBandit& bandit, std::uint32_t rounds,
                                  std::uint32_t run = 0) {
  std::vector<LoggedRound> log(rounds);
  const Stream stream(61, run, Purpose::kTest);
  for (std::uint32_t t = 0; t < rounds; ++t) {
    const double b = 0.2 + 0.3 * t / rounds;
    log[t].distribution = {0.6 - b * 0.5, b, 0.4 - b * 0.5};
    const double draw = stream.uniform(t, 1000);
    log[t].action = draw < log[t].distribution[0] ? 0 : draw < log[t].distribution[0] + b ? 1 : 2;
    log[t].probability = log[t].distribution[log[t].action];
    log[t].values = bandit.pay(run, t, log[t].action);
  }
  return log;
}

LoggedRounds shown(const std::vector<LoggedRound>& log) {
  return [&log](const auto& visit) {
    for (const LoggedRound& round : log) visit(round);
  };
}

TEST(LogEvidence, TellsWhatIsSettledAndTheAlarms) {
  const std::vector<LoggedRound> log = made_log({.effects = {0.0, 2.0, -2.0}}, 400);
  LogEvidenceOptions options = options_of();
  options.evidence.guardrails = {
      {.name = "v4", .variables = VariableSet::from_ids(std::vector<VariableId>{4})}};
  const LogEvidence seen = evidence_of(shown(log), options);
  EXPECT_EQ(seen.rounds, 400u);
  EXPECT_TRUE(seen.settlement.settled);
  EXPECT_EQ(seen.settlement.best, 1u);
  ASSERT_EQ(seen.alarms.size(), 1u);
  EXPECT_EQ(seen.alarms[0].action, 2u);
}

/// Over 300 logs with a trend, the gain of the log's own probabilities over the control action is
/// inside in all but a share of 0.1.
TEST(LogEvidence, TheGainHoldsTheTruth) {
  constexpr std::uint32_t kLogs = 300, kRounds = 300;
  const MadeBandit bandit{.effects = {0.0, 4.0, -2.0}, .trend = 0.01};
  LogEvidenceOptions options = options_of();
  options.evidence.error = 0.1;
  double outside = 0.0;
  double above = 0.0;
  for (std::uint32_t run = 0; run < kLogs; ++run) {
    const std::vector<LoggedRound> log = made_log(bandit, kRounds, run);
    const Gain gain = *evidence_of(shown(log), options).gain;
    double truth = 0.0;
    for (std::uint32_t t = 1; t < kRounds; ++t) {
      for (ActionId a = 1; a < 3; ++a) {
        truth += log[t].distribution[a] * (bandit.reward(a) - bandit.reward(0));
      }
    }
    truth /= kRounds - 1.0;
    const Interval& interval = *gain.estimate.interval;
    outside += interval.low <= truth && truth <= interval.high ? 0.0 : 1.0;
    above += *gain.estimate.value > truth ? 1.0 : 0.0;
  }
  EXPECT_LE(outside, 0.1 * kLogs + testing::normal_threshold() * std::sqrt(0.09 * kLogs));
  EXPECT_LE(std::abs(above - 0.5 * kLogs), testing::normal_threshold(10) * std::sqrt(0.25 * kLogs));
}

/// The mean gain of docs/stopping.md, by plain loops. The prediction follows the control's rewards.
TEST(LogEvidence, TheGainIsThatOfThePlainFormula) {
  const std::vector<LoggedRound> log = made_log({.effects = {0.0, 4.0, -2.0}}, 200);
  double predicted = 0.0, total = 0.0, counts[2] = {};
  for (std::size_t t = 0; t < log.size(); ++t) {
    double reward = 0.0;
    for (const double paid : log[t].values) reward += paid;
    const int held = log[t].action == 0 ? 1 : 0;
    if (t > 0) total += (reward - predicted) * (1.0 - held / *log[t].probability);
    counts[held] += 1.0;
    if (held == 0 && counts[1] > 0.0) continue;
    predicted += std::max(1.0 / counts[held], 1.0 / 32.0) * (reward - predicted);
  }
  const Gain gain = *evidence_of(shown(log), options_of()).gain;
  EXPECT_EQ(gain.counted, 199u);
  EXPECT_NEAR(*gain.estimate.value, total / 199.0, 1e-9);
}

TEST(LogEvidence, RefusesAGainWithoutOverlap) {
  std::vector<LoggedRound> log = made_log({}, 60);
  log[7].distribution = {0.0, 0.5, 0.5};
  log[7].action = 1;
  log[7].probability = 0.5;
  EXPECT_EQ(evidence_of(shown(log), options_of()).gain_refusal,
            "in round 8 the log could not have taken it");
  EXPECT_FALSE(evidence_of(shown(log), options_of()).gain.has_value());
  log[3].probability.reset();
  EXPECT_EQ(evidence_of(shown(log), options_of()).gain_refusal, "the log has no probabilities");
  // The log hides that the control action has no chance in most rounds.
  log.assign(2000, LoggedRound{.action = 1, .probability = 0.9});
  for (std::size_t t = 0; t < log.size(); ++t) {
    log[t].values = std::vector<double>(MadeBandit::kVariables, 1.0);
    if (t % 50 == 0) log[t].action = 0;
  }
  EXPECT_NE(evidence_of(shown(log), options_of()).gain_refusal, "");
}

TEST(LogEvidence, RefusesWhatDoesNotFit) {
  const std::vector<LoggedRound> log = made_log({}, 10);
  LogEvidenceOptions options = options_of();
  options.evidence.shares.holdout = 0.1;
  EXPECT_EQ(refusal([&] { evidence_of(shown(log), options); }),
            "evidence.holdout: must be 0: the probabilities of a log tell");
  options = options_of();
  options.knowledge.emplace(2, 8);
  EXPECT_EQ(refusal([&] { evidence_of(shown(log), options); }),
            "knowledge: must be of the log's 3 actions and 8 variables");
}

TEST(LogEvidence, ReadsAFile) {
  const testing::TemporaryFolder folder;
  std::ofstream out(folder.path("log.csv"));
  out << "action,probability,x\n";
  for (int t = 0; t < 60; ++t) {
    out << (t % 2 == 0 ? "none,0.5," : "mail,0.5,") << (t % 2 == 0 ? 0 : 5) + t % 3 << "\n";
  }
  out.close();
  LogEvidenceOptions options;
  options.evidence.shares.control = 0;
  const LogEvidence seen = evidence_of(folder.path("log.csv"), options);
  EXPECT_EQ(seen.rounds, 60u);
  EXPECT_TRUE(seen.settlement.settled);
  EXPECT_EQ(seen.settlement.best, 1u);
  EXPECT_NEAR(*seen.gain->estimate.value, 2.5, 0.5);
  EXPECT_NE(refusal([&] { evidence_of(folder.path("none.csv"), options); }), "(accepted)");
}

}  // namespace
}  // namespace updraft
