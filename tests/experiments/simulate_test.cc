#include "updraft/simulate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "support/refusal.h"
#include "updraft/instance_environment.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using testing::refusal;

std::vector<PolicySpec> specs(std::vector<std::string> texts) {
  std::vector<PolicySpec> result;
  for (const std::string& text : texts) result.push_back(PolicySpec::parse(text));
  return result;
}

TEST(Summarize, AgreesWithValuesByHand) {
  const Summary summary = summarize({4.0, 1.0, 3.0, 2.0});
  EXPECT_EQ(summary.mean, 2.5);
  EXPECT_DOUBLE_EQ(summary.sd, std::sqrt(5.0 / 3.0));
  EXPECT_DOUBLE_EQ(summary.stderr_, std::sqrt(5.0 / 3.0) / 2.0);
  EXPECT_DOUBLE_EQ(summary.p95, 3.85);  // place 2.85: 3 + 0.85 * (4 - 3)
}

TEST(Summarize, OneValueHasNoSpread) {
  const Summary summary = summarize({7.0});
  EXPECT_EQ(summary.mean, 7.0);
  EXPECT_EQ(summary.sd, 0.0);
  EXPECT_EQ(summary.p95, 7.0);
  EXPECT_EQ(refusal([] { summarize({}); }), "values: must not be empty");
}

TEST(Simulate, IsTheSameForAnyNumberOfThreads) {
  const auto instance = load_instance("gaussian");
  const auto policies = specs({"ts(sigma2=0.08)", "up_ucb(alpha=3)", "up_ucb_l(alpha=3)",
                               "up_ucb_obs(alpha=3, observations=50)"});
  SimulationOptions options{.rounds = 300, .runs = 7, .seed = 5, .threads = 1};
  const SimulationResult one = simulate(instance, policies, options);
  for (const unsigned threads : {2u, 7u, 0u}) {
    options.threads = threads;
    const SimulationResult many = simulate(instance, policies, options);
    for (std::size_t p = 0; p < policies.size(); ++p) {
      EXPECT_EQ(one.policies[p].final_regrets, many.policies[p].final_regrets);
      EXPECT_EQ(one.policies[p].pulls, many.policies[p].pulls);
      for (std::size_t j = 0; j < one.policies[p].curve.size(); ++j) {
        EXPECT_EQ(one.policies[p].curve[j].p95, many.policies[p].curve[j].p95);
      }
    }
  }
  options.seed = 6;
  EXPECT_NE(simulate(instance, policies, options).policies[0].final_regrets,
            one.policies[0].final_regrets);
}

TEST(Simulate, RegretIsTheSumOfTheGapsOfTheTakenActions) {
  const auto instance = load_instance("criteo");
  const PolicySpec spec = PolicySpec::parse("up_ucb_bl(alpha=8e-5)");
  const SimulationResult result =
      simulate(instance, {spec}, {.rounds = 250, .runs = 2, .seed = 9, .curve_points = 5});
  const PolicyResult& played = result.policies[0];
  EXPECT_EQ(played.spec, "up_ucb_bl(alpha=8e-05)");
  EXPECT_EQ(played.curve_rounds, (std::vector<std::uint32_t>{50, 100, 150, 200, 250}));
  std::vector<double> pulls(20, 0.0);
  for (std::uint32_t run = 0; run < 2; ++run) {
    InstanceEnvironment environment(prepare_payoffs(instance), 9, run);
    const auto policy = make_policy(spec, instance->knowledge(250));
    double regret = 0.0;
    for (std::uint32_t round = 0; round < 250; ++round) {
      const ActionId action = policy->select(Stream(9, run, Purpose::kPolicy));
      policy->observe(action, environment.draw(round, action, Resolution::variables()));
      regret += instance->gaps()[action];
      pulls[action] += 0.5;
    }
    EXPECT_EQ(played.final_regrets[run], regret);
  }
  EXPECT_EQ(played.pulls, pulls);
  double by_pulls = 0.0;
  for (ActionId a = 0; a < 20; ++a) by_pulls += pulls[a] * instance->gaps()[a];
  EXPECT_NEAR(played.final_regret.mean, by_pulls, 1e-9 * by_pulls);
}

/// 250 rounds in batches of 30, and one of 10.
TEST(Simulate, PayoffsOfABatchComeAfterItsLastDecision) {
  const auto instance = load_instance("gaussian");
  for (const char* text : {"up_ts", "up_ucb(alpha=1)"}) {
    SCOPED_TRACE(text);
    const PolicySpec spec = PolicySpec::parse(text);
    const SimulationResult result =
        simulate(instance, {spec}, {.rounds = 250, .runs = 2, .seed = 9, .batch = 30});
    for (std::uint32_t run = 0; run < 2; ++run) {
      InstanceEnvironment environment(prepare_payoffs(instance), 9, run);
      const auto policy = make_policy(spec, instance->knowledge(250));
      double regret = 0.0;
      for (std::uint32_t round = 0; round < 250;) {
        const auto batch = policy->decide_batch(std::min<std::uint32_t>(30, 250 - round), {},
                                                Stream(9, run, Purpose::kPolicy));
        std::vector<std::vector<double>> payoffs;
        for (const Decision& decision : batch) {
          const Payoffs drawn = environment.draw(round++, decision.action, Resolution::variables());
          payoffs.emplace_back(drawn.values().begin(), drawn.values().end());
          regret += instance->gaps()[decision.action];
        }
        for (std::size_t j = 0; j < batch.size(); ++j) {
          policy->observe(batch[j].action, Payoffs::dense(payoffs[j]));
        }
      }
      EXPECT_NEAR(result.policies[0].final_regrets[run], regret, 1e-9 * regret);
    }
  }
}

TEST(Simulate, ReportsProgressFromTheCallingThread) {
  double last = -1.0;
  const auto caller = std::this_thread::get_id();
  SimulationOptions options{.rounds = 2000, .runs = 4, .threads = 2};
  options.progress = [&](double share) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_GE(share, last);
    last = share;
  };
  simulate(load_instance("gaussian"), specs({"ucb(alpha=1)"}), options);
  EXPECT_EQ(last, 1.0);
}

TEST(Simulate, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  SimulationOptions options{.rounds = 4000000000u, .runs = 2, .threads = 2};
  options.stop = stop.get_token();
  EXPECT_THROW(simulate(load_instance("gaussian"), specs({"ucb(alpha=1)"}), options), Cancelled);
}

TEST(Simulate, RefusesBadInputBeforeItStarts) {
  const auto instance = load_instance("gaussian");
  EXPECT_EQ(refusal([&] { simulate(instance, {}, {}); }), "policies: give at least one");
  EXPECT_EQ(refusal([&] { simulate(instance, specs({"ucb(alpha=1)"}), {.rounds = 0}); }),
            "rounds = 0: must be at least 1");
  EXPECT_EQ(refusal([&] { simulate(instance, specs({"ucb(alpha=1)"}), {.runs = 0}); }),
            "runs = 0: must be at least 1");
  EXPECT_EQ(refusal([&] { simulate(instance, specs({"ucb(alpha=1)"}), {.curve_points = 0}); }),
            "curve_points = 0: must be at least 1");
  EXPECT_EQ(refusal([&] { simulate(instance, specs({"ucb(alpha=1)"}), {.batch = 0}); }),
            "batch = 0: must be at least 1");
  EXPECT_EQ(refusal([&] {
              simulate(instance, specs({"ucb(alpha=1)"}), {.batch = 2, .check_assumptions = true});
            }),
            "batch = 2: cannot be combined with check_assumptions, which decides one by one");
  EXPECT_EQ(refusal([&] { simulate(LinearContexts{}, specs({"lin_ucb(beta=1)"}), {.batch = 2}); }),
            "batch = 2: is for plain policies: contextual ones decide by the features of a round");
  EXPECT_EQ(refusal([&] {
              simulate(instance, specs({"ucb(alpha=1)", "up_ucb_l(alpha=1, max_affected=101)"}),
                       {.rounds = 4000000000u});
            }),
            "up_ucb_l.max_affected = 101: must be from 1 to the number of variables, 100");
}

}  // namespace
}  // namespace updraft
