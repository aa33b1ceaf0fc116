#include "updraft/evaluate.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "experiments/record_run.h"
#include "logs/plain_evaluation.h"
#include "reference/random_case.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "support/statistics.h"
#include "updraft/instance.h"
#include "updraft/registry.h"
#include "updraft/value_figure.h"
#include "updraft/warm_start.h"

namespace updraft {
namespace {

using testing::PlainEvaluation;
using testing::random_case;
using testing::RandomCase;

LoggedRounds shown(const std::vector<LoggedRound>& log) {
  return [&log](const auto& visit) {
    for (const LoggedRound& round : log) visit(round);
  };
}

/// Random probabilities, some of them 0; every action is taken three times first.
std::vector<LoggedRound> random_log(const RandomCase& world, std::uint32_t rounds) {
  const std::size_t actions = world.knowledge.actions();
  std::vector<LoggedRound> log;
  for (std::uint32_t t = 0; t < rounds; ++t) {
    std::vector<double> draws(actions + 1);
    world.stream.with(Purpose::kTest).uniforms(1'000'000 + t, 0, draws);
    LoggedRound round;
    double sum = 0.0;
    for (std::size_t a = 0; a < actions; ++a) {
      round.distribution.push_back(draws[a] < 0.2 && t >= 3 * actions ? 0.0 : draws[a] * draws[a]);
      sum += round.distribution.back();
    }
    if (sum == 0.0) sum = round.distribution[0] = 1.0;
    for (double& share : round.distribution) share /= sum;
    double left = draws[actions];
    round.action = 0;
    while (round.action + 1 < actions && (left -= round.distribution[round.action]) > 0.0) {
      ++round.action;
    }
    while (round.distribution[round.action] == 0.0) --round.action;
    if (t < 3 * actions) round.action = static_cast<ActionId>(t % actions);
    round.probability = round.distribution[round.action];
    round.values = world.payoffs(t, round.action);
    log.push_back(std::move(round));
  }
  return log;
}

EvaluationOptions options_for(const Knowledge& knowledge) {
  EvaluationOptions options;
  for (std::size_t a = 0; a < knowledge.actions(); ++a) {
    options.format.actions.push_back("a" + std::to_string(a));
  }
  for (std::size_t i = 0; i < knowledge.variables(); ++i) {
    options.format.variables.push_back("v" + std::to_string(i));
  }
  options.knowledge = knowledge;
  return options;
}

void expect_same(const PlainEvaluation::Estimate& plain, const std::optional<ValueEstimate>& fast,
                 double scale, const std::string& what) {
  ASSERT_TRUE(fast.has_value()) << what;
  const double near = 1e-9 * scale;
  const auto reach = static_cast<double>(testing::student_reach(0.95L, plain.degrees));
  EXPECT_NEAR(fast->value, static_cast<double>(plain.value), near) << what;
  EXPECT_NEAR(fast->standard_error, static_cast<double>(plain.error), near) << what;
  EXPECT_NEAR(fast->interval.high - fast->value, reach * static_cast<double>(plain.error),
              1e-6 * scale)
      << what;  // student_95() has an error of 1e-7
  EXPECT_NEAR(fast->gain_interval.high - fast->gain, reach * static_cast<double>(plain.gain_error),
              1e-6 * scale)
      << what;
}

TEST(Evaluate, AgreesWithThePlainFormulas) {
  std::size_t with_baseline = 0;
  for (std::uint32_t number = 0; number < 80; ++number) {
    const RandomCase world = random_case("up_ts", number);
    Knowledge knowledge = world.knowledge.only(Need::kAffected);
    if (number % 3 == 0 && world.knowledge.baseline() != nullptr) {
      knowledge.set_baseline(*world.knowledge.baseline());
      ++with_baseline;
    }
    const std::size_t actions = knowledge.actions();
    const std::vector<LoggedRound> log =
        random_log(world, static_cast<std::uint32_t>(60 * actions));
    EvaluationOptions options = options_for(knowledge);
    options.fixed.push_back({"mix", std::vector<double>(actions, 0.0)});
    options.fixed[0].probabilities[0] = 0.75;
    options.fixed[0].probabilities[actions - 1] += 0.25;
    const Evaluation evaluation = evaluate(shown(log), options);
    ASSERT_EQ(evaluation.policies.size(), actions + 1);
    const PlainEvaluation plain(log, knowledge);
    double scale = 1.0;
    for (const LoggedRound& round : log) {
      scale = std::max(scale, std::abs(static_cast<double>(PlainEvaluation::reward(round))));
    }
    scale *= 10.0;  // weights
    for (std::size_t p = 0; p <= actions; ++p) {
      const PolicyValue& value = evaluation.policies[p];
      std::vector<double> policy(actions, 0.0);
      if (p < actions) policy[p] = 1.0;
      if (p == actions) policy = options.fixed[0].probabilities;
      const std::string what = "case " + std::to_string(number) + ", " + value.policy;
      EXPECT_NEAR(value.effective_rounds, static_cast<double>(plain.effective(policy)), 1e-7)
          << what;
      if (!value.refusal.empty()) {
        EXPECT_LT(plain.effective(policy), 2.0L) << what;
        continue;
      }
      expect_same(plain.ips(policy), value[Estimator::kIps], scale, what + ", ips");
      expect_same(plain.snips(policy), value[Estimator::kSnips], scale, what + ", snips");
      expect_same(plain.dr(policy), value[Estimator::kDr], scale, what + ", dr");
      expect_same(plain.uplift_dr(policy), value[Estimator::kUpliftDr], scale,
                  what + ", uplift_dr");
    }
  }
  EXPECT_GT(with_baseline, 10u);
}

/// By hand: two actions, five rounds. The weights of b are 2, 4 and 2.
TEST(Evaluate, TheNumbersOfASmallLog) {
  std::vector<LoggedRound> log(5);
  const ActionId actions[] = {0, 1, 1, 1, 0};
  const double probabilities[] = {0.5, 0.5, 0.25, 0.5, 0.75};
  const double rewards[] = {2.0, 4.0, 8.0, 6.0, 6.0};
  for (std::size_t t = 0; t < log.size(); ++t) {
    log[t].action = actions[t];
    log[t].probability = probabilities[t];
    log[t].values = {rewards[t]};
  }
  EvaluationOptions options;
  options.format.actions = {"a", "b"};
  options.format.variables = {"sales"};
  const Evaluation evaluation = evaluate(shown(log), options);
  EXPECT_DOUBLE_EQ(evaluation.logged.value, 5.2);
  const PolicyValue& b = evaluation.policies[1];
  ASSERT_EQ(b.refusal, "");
  EXPECT_EQ(b.policy, "always b");
  EXPECT_DOUBLE_EQ(b.effective_rounds, 64.0 / 24.0);
  EXPECT_DOUBLE_EQ(b[Estimator::kIps]->value, 10.4);
  EXPECT_DOUBLE_EQ(b[Estimator::kSnips]->value, 6.5);
  EXPECT_DOUBLE_EQ(b[Estimator::kDr]->value, 6.8);
  EXPECT_DOUBLE_EQ(b[Estimator::kDr]->gain, 1.6);
  EXPECT_FALSE(b[Estimator::kUpliftDr].has_value());
  EXPECT_NE(evaluation.policies[0].refusal, "");  // 1.9 effective rounds
}

/// The estimators of Open Bandit Pipeline, written as its documentation does, for each round i:
///   iw_i = evaluation_policy(a_i | x_i) / pscore_i
///   InverseProbabilityWeighting: mean of iw_i r_i
///   SelfNormalizedInverseProbabilityWeighting: sum of iw_i r_i / sum of iw_i
///   DoublyRobust: mean of q_hat(x_i, pi) + iw_i (r_i - q_hat(x_i, a_i)),
///   q_hat(x, pi) = sum over a of pi(a | x) q_hat(x, a)
/// q_hat is a table of mean rewards, which is its regression model without features.
TEST(Evaluate, AgreesWithOpenBanditPipeline) {
  const RandomCase world = random_case("up_ts", 3);
  const std::size_t actions = world.knowledge.actions();
  std::vector<LoggedRound> log;
  for (LoggedRound& round : random_log(world, 500)) {
    for (double& share : round.distribution) {
      share = 0.7 * share + 0.3 / static_cast<double>(actions);
    }
    round.probability = round.distribution[round.action];
    log.push_back(std::move(round));
  }
  std::vector<double> pi(actions, 0.5 / static_cast<double>(actions));
  pi[1] += 0.5;
  std::vector<double> reward, pscore, q_hat(actions, 0.0), count(actions, 0.0);
  for (const LoggedRound& round : log) {
    reward.push_back(std::accumulate(round.values.begin(), round.values.end(), 0.0));
    pscore.push_back(*round.probability);
    q_hat[round.action] += reward.back();
    count[round.action] += 1.0;
  }
  double q_pi = 0.0;
  for (std::size_t a = 0; a < actions; ++a) q_pi += pi[a] * (q_hat[a] /= count[a]);
  const auto n = static_cast<double>(log.size());
  double ipw = 0.0, weights = 0.0, dr = 0.0;
  for (std::size_t i = 0; i < log.size(); ++i) {
    const double iw = pi[log[i].action] / pscore[i];
    ipw += iw * reward[i] / n;
    weights += iw / n;
    dr += (q_pi + iw * (reward[i] - q_hat[log[i].action])) / n;
  }
  EvaluationOptions options = options_for(world.knowledge.only(Need::kAffected));
  options.fixed = {{"pi", pi}};
  const PolicyValue value = evaluate(shown(log), options).policies.back();
  const double near = 1e-9 * (1.0 + std::abs(ipw));
  EXPECT_NEAR(value[Estimator::kIps]->value, ipw, near);
  EXPECT_NEAR(value[Estimator::kSnips]->value, ipw / weights, near);
  EXPECT_NEAR(value[Estimator::kDr]->value, dr, near);
}

TEST(Evaluate, RefusesWithoutOverlap) {
  // b has a probability of 0 in all but two rounds, and the log does not say so.
  std::vector<LoggedRound> log(400);
  for (std::size_t t = 0; t < log.size(); ++t) {
    log[t].action = t % 100 < 2 ? 1 : 0;
    log[t].probability = 0.5;
    log[t].values = {1.0 + static_cast<double>(t % 7)};
  }
  EvaluationOptions options;
  options.format.actions = {"a", "b", "c"};
  options.format.variables = {"x"};
  const Evaluation evaluation = evaluate(shown(log), options);
  EXPECT_NE(evaluation.policies[1].refusal.find("overlap is missing"), std::string::npos);
  EXPECT_FALSE(evaluation.policies[1][Estimator::kIps].has_value());
  EXPECT_EQ(evaluation.policies[2].refusal, "the log never takes its actions if it has the choice");
  // With all probabilities, the rounds in which b could not be taken are left out.
  for (LoggedRound& round : log) {
    round.distribution = {0.5, 0.5, 0.0};
    if (round.action == 0) round.distribution = {1.0, 0.0, 0.0};
    round.probability = round.distribution[round.action];
  }
  const Evaluation known = evaluate(shown(log), options);
  EXPECT_EQ(known.policies[1].refusal, "");
  EXPECT_EQ(known.policies[1].rounds, 8u);
}

TEST(Evaluate, RefusesWhatDoesNotFit) {
  std::vector<LoggedRound> log(2);
  for (LoggedRound& round : log) round.values = {1.0};
  EvaluationOptions options;
  options.format.actions = {"a", "b"};
  options.format.variables = {"x"};
  const auto refused = [&] { return testing::refusal([&] { evaluate(shown(log), options); }); };
  EXPECT_EQ(refused(), "probability: must be given for every decision of a log that is evaluated");
  for (LoggedRound& round : log) round.probability = 0.5;
  options.fixed = {{"half", {0.5, 0.4}}};
  EXPECT_EQ(refused(),
            "half: must have a probability for each of the 2 actions, which add up to 1");
  options.fixed = {};
  options.knowledge.emplace(3, 1);
  EXPECT_EQ(refused(), "knowledge: must be of the log's 2 actions and 1 variables");
  options.knowledge.reset();
  options.learning = {PolicySpec::parse("up_ts")};
  EXPECT_NE(refused().find("affected"), std::string::npos);
  log.resize(1);
  EXPECT_EQ(refused(), "log: must have at least 2 decisions");
}

/// Logs of an instance whose atoms count as variables, which keeps them small.
struct AtomLogs {
  AtomLogs(const std::string& name, std::uint32_t rounds, std::uint64_t seed)
      : instance(load_instance(name)),
        workload(make_workload(instance, {.rounds = rounds, .seed = seed})) {
    const AffectedSets& sets = *instance->affected();
    Knowledge knowledge(instance->actions(), sets.atoms()->groups());
    std::vector<VariableSet> affected;
    for (ActionId a = 0; a < instance->actions(); ++a) {
      const auto atoms = sets.atoms_of(a);
      affected.push_back(
          VariableSet::from_ids(std::vector<VariableId>(atoms.begin(), atoms.end())));
    }
    knowledge.set_affected(std::move(affected));
    options = options_for(knowledge);
  }

  std::vector<LoggedRound> play(const std::string& spec, std::uint32_t run, double explore) const {
    std::vector<LoggedRound> log;
    record_run(
        *workload, PolicySpec::parse(spec),
        {.run = run,
         .explore = explore,
         .resolution = Resolution::groups(instance->affected()->atoms())},
        [&](const Decision& decision, std::span<const double> shares, const Payoffs& payoffs) {
          LoggedRound round;
          round.action = decision.action;
          round.probability = decision.probability;
          round.distribution.assign(shares.begin(), shares.end());
          round.values.assign(payoffs.values().begin(), payoffs.values().end());
          log.push_back(std::move(round));
        });
    return log;
  }

  std::shared_ptr<const Instance> instance;
  std::unique_ptr<Workload> workload;
  EvaluationOptions options;
};

/// A replay has as many rounds as the thinned log has of each action, and the value of a policy
/// that learns is between those of the worst and the best action.
TEST(Evaluate, ReplaysPoliciesThatLearn) {
  AtomLogs logs("marketing", 3000, 4);
  const std::vector<LoggedRound> log = logs.play("up_ts", 0, 0.5);
  logs.options.learning = {PolicySpec::parse("up_ts"), PolicySpec::parse("ucb(alpha=2)")};
  const Evaluation evaluation = evaluate(shown(log), logs.options);
  const std::size_t actions = logs.instance->actions();
  const double least = 0.5 / static_cast<double>(actions);
  const double n = 3000.0;
  const auto rewards = logs.instance->rewards();
  for (const std::size_t p : {actions, actions + 1}) {
    const PolicyValue& played = evaluation.policies[p];
    EXPECT_LE(std::abs(static_cast<double>(played.rounds) - n * least),
              testing::normal_threshold(6) * std::sqrt(n * least * (1.0 - least)));
    const ValueEstimate& value = *played[Estimator::kReplay];
    const double most = testing::normal_threshold(6) * value.standard_error;
    EXPECT_LE(value.value - *std::max_element(rewards.begin(), rewards.end()), most);
    EXPECT_LE(*std::min_element(rewards.begin(), rewards.end()) - value.value, most);
  }
  EXPECT_EQ(evaluation.policies[actions].policy, "up_ts");
}

/// A round is dropped with probability 1 - c / p, and the policy learns from the others that it
/// agrees with.
TEST(Evaluate, ReplaysWhatThePageSays) {
  const RandomCase world = random_case("up_ts", 3);
  const std::vector<LoggedRound> log = random_log(world, 2000);
  EvaluationOptions options = options_for(world.knowledge.only(Need::kAffected));
  options.learning = {PolicySpec::parse("ucb(alpha=2)")};
  options.seed = 5;
  const Evaluation evaluation = evaluate(shown(log), options);
  double least = 1.0;
  for (const LoggedRound& round : log) least = std::min(least, *round.probability);
  const auto policy = make_policy("ucb(alpha=2)", *options.knowledge);
  std::vector<double> rewards;
  double mean = 0.0;
  for (std::uint32_t t = 0; t < log.size(); ++t) {
    bool all_possible = true;
    for (const double share : log[t].distribution) all_possible = all_possible && share > 0.0;
    const double draw = Stream(5, 0, Purpose::kResample).uniform(t, 0);
    if (!all_possible || draw * *log[t].probability >= least) continue;
    ActionId wanted = 0;
    for (ActionId a = 1; a < options.knowledge->actions(); ++a) {
      if (policy->index(a) > policy->index(wanted)) wanted = a;
    }
    if (wanted != log[t].action) continue;
    policy->take(wanted);
    policy->observe(wanted, Payoffs::dense(log[t].values));
    rewards.push_back(static_cast<double>(PlainEvaluation::reward(log[t])));
    mean += rewards.back();
  }
  ASSERT_GT(rewards.size(), 5u);
  const auto n = static_cast<double>(rewards.size());
  mean /= n;
  double squares = 0.0;
  for (const double reward : rewards) squares += (reward - mean) * (reward - mean);
  const PolicyValue& played = evaluation.policies.back();
  ASSERT_EQ(played.refusal, "");
  EXPECT_EQ(played.rounds, rewards.size());
  EXPECT_NEAR(played[Estimator::kReplay]->value, mean, 1e-9 * (1.0 + std::abs(mean)));
  EXPECT_NEAR(played[Estimator::kReplay]->standard_error, std::sqrt(squares / (n - 1.0) / n),
              1e-9 * (1.0 + std::abs(mean)));
}

/// Intervals of 300 uniform logs hold the truth as often as they say, the estimates have no bias,
/// and uplift_dr has the least error.
TEST(Evaluate, IntervalsHoldTheTruth) {
  constexpr std::uint32_t kLogs = 300;
  const AtomLogs logs("discounts", 300, 9);
  const auto rewards = logs.instance->rewards();
  double squares[4] = {};
  double covered[4] = {};
  double error[4] = {};
  for (std::uint32_t run = 0; run < kLogs; ++run) {
    const std::vector<LoggedRound> log = logs.play("up_ucb(alpha=1)", run, 1.0);
    const Evaluation evaluation = evaluate(shown(log), logs.options);
    const std::size_t a = run % rewards.size();  // one per log, so that they are independent
    ASSERT_EQ(evaluation.policies[a].refusal, "");
    for (std::size_t e = 0; e < 4; ++e) {
      const ValueEstimate& value = *evaluation.policies[a].estimates[e];
      const double off = value.value - rewards[a];
      squares[e] += off * off;
      error[e] += off / value.standard_error;
      covered[e] += value.interval.low <= rewards[a] && rewards[a] <= value.interval.high;
    }
  }
  for (std::size_t e = 0; e < 4; ++e) {
    EXPECT_LE(std::abs(covered[e] - 0.95 * kLogs),
              testing::normal_threshold(8) * std::sqrt(0.95 * 0.05 * kLogs))
        << e;
    EXPECT_LE(std::abs(error[e]), testing::normal_threshold(8) * std::sqrt(kLogs)) << e;
  }
  EXPECT_LE(squares[3], 0.25 * squares[0]);
  EXPECT_LE(squares[3], 0.49 * squares[2]);
}

TEST(Evaluate, DrawsAFigure) {
  const testing::TemporaryFolder folder;
  Evaluation evaluation{
      .rounds = 10, .logged = {.value = 1.0, .interval = {0.5, 1.5}}, .policies = {}};
  EXPECT_EQ(testing::refusal([&] { figure_script(evaluation, "svg", "x.svg"); }),
            "figure: no policy has an estimate");
  PolicyValue value{.policy = "always it's \"a\""};
  value.estimates[2] = ValueEstimate{.value = 2.0, .interval = {-1.0, 3.0}};
  evaluation.policies = {value, {.policy = "none", .refusal = "no overlap"}};
  EXPECT_EQ(draw_figure(evaluation, folder.path("values.svg")), "");
  std::ifstream in(folder.path("values.svg"));
  const std::string svg((std::istreambuf_iterator<char>(in)), {});
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  EXPECT_NE(svg.find("always it"), std::string::npos);
  EXPECT_NE(draw_figure(evaluation, folder.path("no/values.svg")), "");
}

class WarmStart : public ::testing::Test {
 protected:
  std::unique_ptr<Policy> policy() const {
    Knowledge knowledge(2, 3);
    knowledge.set_affected({VariableSet::from_ids(std::vector<VariableId>{0}),
                            VariableSet::from_ids(std::vector<VariableId>{1})});
    return make_policy("up_ts", knowledge);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(WarmStart, IsTheStateOfHavingPlayedTheLog) {
  const std::string path = folder_.write("log.csv", "action,2,0,1\n0,3,1,2\n1,6,4,5\n1,9,7,8\n");
  const auto fitted = policy();
  EXPECT_EQ(fit(*fitted, path), 3u);
  const auto played = policy();
  const std::vector<std::vector<double>> rows = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  for (std::size_t t = 0; t < 3; ++t) {
    const ActionId action = t == 0 ? 0 : 1;
    played->take(action);
    played->observe(action, Payoffs::dense(rows[t]));
  }
  const Stream stream(1, 0, Purpose::kPolicy);
  EXPECT_EQ(fitted->pulls(1), 2u);
  EXPECT_EQ(fitted->probabilities(stream), played->probabilities(stream));
  EXPECT_EQ(fitted->decide(stream), played->decide(stream));
}

TEST_F(WarmStart, LearnsNothingOfABadLog) {
  const auto learner = policy();
  // A reader is a row ahead, so the bad one comes two rows after one that could be learnt.
  const std::string path =
      folder_.write("log.csv", "action,0,1,2\n0,3,1,2\n1,3,1,2\n0,3,1,2\n7,6,4,5\n");
  EXPECT_NE(testing::refusal([&] { fit(*learner, path); }).find(":5: action = 7"),
            std::string::npos);
  EXPECT_EQ(learner->observations(), 0u);
  EXPECT_EQ(testing::refusal([&] { fit(*learner, path, {.actions = {"a"}}); }),
            "actions = 1: the log must have as many as the policy, 2");
  const std::string absent = folder_.write("absent.csv", "action,0,1\n0,3,1\n");
  EXPECT_NE(testing::refusal([&] { fit(*learner, absent); }).find("no payoff"), std::string::npos);
  EXPECT_EQ(learner->observations(), 0u);
}

}  // namespace
}  // namespace updraft
