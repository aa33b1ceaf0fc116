// Policies and rounds of the caller's own in simulations.

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include "support/refusal.h"
#include "updraft/policy.h"
#include "updraft/registry.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

using testing::refusal;

/// Takes the actions in turn, from the number of its run on.
class InTurn final : public Policy {
 public:
  InTurn(const Knowledge& knowledge, std::uint32_t run)
      : Policy(PolicySpec::own("in turn", {}), knowledge), run_(run) {}

 private:
  ActionId choose(const Stream&) override {
    return static_cast<ActionId>((run_ + decisions()) % actions());
  }
  void absorb(ActionId, const Payoffs&) override {}
  void write_statistics(StateWriter&) const override {}
  void read_statistics(StateReader&) override {}

  std::uint32_t run_;
};

PolicySpec in_turn() {
  return PolicySpec::own("in turn", [](const Knowledge& knowledge, std::uint32_t run) {
    return std::make_unique<InTurn>(knowledge, run);
  });
}

/// Action a pays 10 * run + a, and the payoffs are what is measured.
class Ladder final : public Environment {
 public:
  explicit Ladder(std::uint32_t run) : run_(run) {}

  Round begin(std::uint32_t) override { return {}; }
  Payoffs pay(const Decision& decision, const Resolution&) override {
    EXPECT_EQ(std::this_thread::get_id(), caller_);
    payoff_[0] = 10.0 * run_ + decision.action;
    return Payoffs::dense(payoff_);
  }
  void measure(const Decision&, Measures& sums) override { sums.regret += payoff_[0]; }

 private:
  std::uint32_t run_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::array<double, 1> payoff_ = {};
};

OwnRounds ladder() {
  const auto caller = std::this_thread::get_id();
  return {.knowledge = Knowledge(3, 1), .start = [caller](std::uint32_t run) {
            EXPECT_EQ(std::this_thread::get_id(), caller);
            return std::make_unique<Ladder>(run);
          }};
}

TEST(OwnRounds, AreMeasuredAsTheySayForEveryKindOfSpec) {
  const SimulationResult result =
      simulate(ladder(), {in_turn(), PolicySpec::parse("ucb(alpha=100)")},
               {.rounds = 6, .runs = 2, .threads = 3, .curve_points = 2});
  ASSERT_EQ(result.policies.size(), 2u);
  const PolicyResult& own = result.policies[0];
  EXPECT_EQ(own.spec, "in turn");
  EXPECT_EQ(own.curve_rounds, (std::vector<std::uint32_t>{3, 6}));
  EXPECT_EQ(own.final_regrets, (std::vector<double>{6.0, 66.0}));  // twice 0 + 1 + 2, and 6 x 10
  EXPECT_EQ(own.curve[0].mean, 0.5 * (3.0 + 33.0));
  EXPECT_EQ(own.pulls, (std::vector<double>{2.0, 2.0, 2.0}));
  // So wide an interval takes the actions in turn, too.
  EXPECT_EQ(result.policies[1].final_regrets, own.final_regrets);
}

TEST(OwnRounds, GiveNoMoreKnowledgeThanIsAllowed) {
  OwnRounds rounds = ladder();
  rounds.knowledge.set_baseline({1.0});
  rounds.knowledge.set_affected(
      std::vector<VariableSet>(3, VariableSet::from_ids(std::vector<VariableId>{0})));
  rounds.knowledge.set_observations({{5.0}, {1.0}});
  const std::vector<PolicySpec> known = {PolicySpec::parse("up_ucb_bl(alpha=1)")};
  EXPECT_EQ(simulate(rounds, known, {.rounds = 3, .runs = 1}).policies.size(), 1u);
  EXPECT_NE(refusal([&] {
              simulate(rounds, known, {.rounds = 3, .runs = 1, .may_know = Need::kAffected});
            }).find("baseline"),
            std::string::npos);
  const std::vector<PolicySpec> observed = {PolicySpec::parse("up_ucb_obs(alpha=1)")};
  EXPECT_NO_THROW(
      simulate(rounds, observed,
               {.rounds = 3, .runs = 1, .may_know = Need::kAffected | Need::kMaxAffected}));
}

TEST(OwnRounds, RefuseWhatOnlyInstancesHave) {
  EXPECT_EQ(refusal([] { simulate(ladder(), {in_turn()}, {.check_assumptions = true}); }),
            "check_assumptions: is for instances of single actions");
  EXPECT_EQ(refusal([] { simulate(ladder(), {}, {}); }), "policies: give at least one");
}

TEST(OwnRounds, StopAndShowProgressOnTheCallingThread) {
  std::vector<double> shares;
  SimulationOptions options{.rounds = 100, .runs = 3};
  options.progress = [&](double share) { shares.push_back(share); };
  simulate(ladder(), {in_turn(), in_turn()}, options);
  ASSERT_GE(shares.size(), 2u);  // the first round, and the end
  EXPECT_EQ(shares.front(), 1.0 / 600.0);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1.0);

  std::stop_source stop;
  options.rounds = 4000000000u;
  options.stop = stop.get_token();
  options.progress = [&](double) { stop.request_stop(); };
  EXPECT_THROW(simulate(ladder(), {in_turn()}, options), Cancelled);
}

TEST(OwnPolicy, PlaysOnAnInstanceBesideThoseOfTheRegistry) {
  const auto instance = load_instance("gaussian");
  const SimulationOptions options{.rounds = 20, .runs = 2, .seed = 4};
  const PolicySpec ucb = PolicySpec::parse("ucb(alpha=2)");
  const SimulationResult mixed = simulate(instance, {in_turn(), ucb}, options);
  EXPECT_EQ(mixed.policies[1].final_regrets,
            simulate(instance, {ucb}, options).policies[0].final_regrets);
  double regret = 0.0;
  for (const double gap : instance->gaps()) regret += 2.0 * gap;
  EXPECT_NEAR(mixed.policies[0].final_regrets[1], regret, 1e-9);
  EXPECT_EQ(mixed.policies[0].pulls, std::vector<double>(10, 2.0));
}

TEST(OwnPolicy, HasItsNameAndNoRevision) {
  const InTurn policy(Knowledge(2, 1), 0);
  EXPECT_EQ(policy.spec().text(), "in turn");
  EXPECT_EQ(policy.revision(), 0u);
  EXPECT_EQ(in_turn() == in_turn(), false);  // two makers
  EXPECT_EQ(PolicySpec::parse("ucb(alpha=2)").maker(), nullptr);
}

}  // namespace
}  // namespace updraft
