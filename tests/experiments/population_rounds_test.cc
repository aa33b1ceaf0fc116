// Targeting simulated: what a round is, and what the theory and the paper say of the policies.

#include "experiments/population_rounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "experiments/run_policies.h"
#include "models/ridge.h"
#include "support/refusal.h"
#include "updraft/simulate.h"
#include "updraft/theory.h"

namespace updraft {
namespace {

using testing::refusal;

Population small_population(bool logistic, std::size_t treatments = 2) {
  return synthetic_population(
      {.individuals = 500, .features = 4, .treatments = treatments, .logistic = logistic});
}

std::unique_ptr<Workload> workload_of(const SyntheticPopulationOptions& options,
                                      std::uint32_t rounds) {
  return make_workload({.population = synthetic_population(options)},
                       {.individuals = 100, .budget = 10}, {.rounds = rounds, .curve_points = 20});
}

std::vector<Measures> curve_of(const Workload& workload, const std::string& text,
                               std::uint32_t run) {
  TaskControl control;
  const PolicySpec spec = PolicySpec::parse(text);
  return run_policies(workload, {&spec, 1}, run, control).front().curve;
}

TEST(SyntheticPopulation, KeepsTheTheoremsBounds) {
  for (const bool logistic : {false, true}) {
    const Population population = synthetic_population({.individuals = 500, .logistic = logistic});
    check_population(population);
    double most = -1.0;
    double least = 1.0;
    for (std::size_t i = 0; i < population.size(); ++i) {
      double square = 0.0;
      for (const double x : population.table.row(i)) square += x * x;
      EXPECT_LE(square, 1.0 + 1e-12);
      const double uplift = population.mean(i, 1) - population.mean(i, 0);
      most = std::max(most, uplift);
      least = std::min(least, uplift);
    }
    EXPECT_GT(most, 0.02) << "treatment must help some";
    EXPECT_LT(least, -0.02) << "and put others off";
  }
}

/// The theorem asks for coefficients no longer than 1; the generator gives them one length, 0.9, or
/// 4 to scores of 0/1 payoffs.
TEST(SyntheticPopulation, CoefficientsHaveTheirLength) {
  for (const bool logistic : {false, true}) {
    const Population population = small_population(logistic);
    for (Treatment z = 0; z <= population.treatments(); ++z) {
      std::vector<double> scores;
      for (std::size_t i = 0; i < population.size(); ++i) {
        const double mean = population.mean(i, z);
        scores.push_back(logistic ? std::log(mean / (1.0 - mean)) : mean);
      }
      double square = 0.0;
      for (const double t :
           fit_ridge(population.table.values, scores, population.features(), 1e-9)) {
        square += t * t;
      }
      EXPECT_NEAR(std::sqrt(square), logistic ? 4.0 : 0.9, 1e-6) << "treatment " << z;
    }
  }
}

TEST(CheckPopulation, RefusesWhatCannotBe) {
  const auto refused = [](auto change) {
    Population population = small_population(true, 1);
    change(population);
    return refusal([&] { check_population(population); });
  };
  EXPECT_EQ(refused([](Population&) {}), "(accepted)");
  EXPECT_EQ(refused([](Population& p) { p.table = p.table.subset({}); }),
            "population = 0 individuals: must have at least 1");
  EXPECT_EQ(refused([](Population& p) { p.means.pop_back(); }),
            "length of means = 999: must be 1000");
  EXPECT_EQ(refused([](Population& p) { p.means[3] = 1.5; }), "means[3] = 1.5: must be in [0, 1]");
  EXPECT_NE(refused([](Population& p) {
              p.table.values[7] = std::numeric_limits<double>::quiet_NaN();
            }).find("values[7]"),
            std::string::npos);
  EXPECT_EQ(refused([](Population& p) {
              p.table.treatment.assign(500, 2);
              p.table.outcomes.assign(500, 0.0);
            }),
            "treatment[0] = 2: must be at most the number of treatments, 1");
  EXPECT_EQ(refused([](Population& p) { p.held_out = 500; }),
            "held_out = 500: must be less than the number of individuals, 500");
  EXPECT_EQ(refused([](Population& p) { p.table.treatment.clear(); }),
            "length of treatment = 0: must be 500");
  EXPECT_EQ(refused([](Population& p) { p.table.values.clear(); }),
            "length of values = 0: must be 2000");
  EXPECT_EQ(refused([](Population& p) { p.table.treatments.resize(1); }),
            "treatments: must have at least two, the control first");
}

TEST(PopulationRounds, AreAFunctionOfSeedRunAndRound) {
  const Population population = small_population(true);
  PopulationRounds first(population, {.individuals = 30}, 7, 3);
  PopulationRounds second(population, {.individuals = 30}, 7, 3);
  const Round a = first.begin(5);
  second.begin(2);
  const Round b = second.begin(5);
  EXPECT_EQ(std::vector<double>(a.features.begin(), a.features.end()),
            std::vector<double>(b.features.begin(), b.features.end()));
  for (std::size_t i = 0; i < 30; ++i) {
    for (Treatment z = 0; z <= 2; ++z) EXPECT_EQ(first.payoff(i, z), second.payoff(i, z));
    EXPECT_EQ(first.truth().values[2 * i + 1], first.uplift(i, 2));
  }
}

TEST(PopulationRounds, RecordedPayoffsCountForTheRecordedTreatmentAlone) {
  Population population = small_population(true, 1);
  population.table.treatment.assign(population.size(), 1);
  population.table.outcomes.assign(population.size(), 1.0);
  population.replay = true;
  for (std::size_t i = 0; i < population.size(); ++i) {
    population.means[2 * i] = 0.0;
    population.means[2 * i + 1] = 0.0;
  }
  PopulationRounds rounds(population, {.individuals = 50}, 1, 0);
  rounds.begin(0);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(rounds.payoff(i, 1), 1.0);  // as recorded
    EXPECT_EQ(rounds.payoff(i, 0), 0.0);  // by the model
  }
}

TEST(PopulationWorkload, TheOracleHasNoRegretAndTheBestUplift) {
  const auto workload = workload_of({.individuals = 2000, .features = 5}, 100);
  const auto last = [&](const char* spec) {
    const std::vector<Measures> curve = curve_of(*workload, spec, 0);
    EXPECT_EQ(curve.size(), 20u);
    return curve.back();
  };
  const Measures oracle = last("oracle");
  EXPECT_EQ(oracle.regret, 0.0);
  EXPECT_EQ(oracle.realised, 0.0);
  const Measures random = last("random");
  EXPECT_GT(random.regret, 10.0);
  EXPECT_LT(random.uplift / random.treated, oracle.uplift / oracle.treated);
}

/// Mean and standard error of the last regret over 50 runs.
Summary last_regret(const Workload& workload, const std::string& spec) {
  std::vector<double> regrets;
  for (std::uint32_t run = 0; run < 50; ++run) {
    regrets.push_back(curve_of(workload, spec, run).back().regret);
  }
  return summarize(regrets);
}

TEST(TargetingClaims, C2UpUcbBeatsGreedyOnesAndC2Ucb) {
  const auto workload = workload_of({}, 2000);
  const Summary good = last_regret(*workload, "c2_up_ucb(beta=1)");
  for (const char* spec : {"eps_greedy(eps=0.1)", "greedy", "c2_ucb(beta=1)"}) {
    const Summary other = last_regret(*workload, spec);
    const double error = std::hypot(good.stderr_, other.stderr_);
    EXPECT_GT(other.mean - good.mean, 2.0 * error) << spec;
    RecordProperty(spec, std::to_string(other.mean) + " +- " + std::to_string(other.stderr_));
  }
  RecordProperty("c2_up_ucb", std::to_string(good.mean) + " +- " + std::to_string(good.stderr_));
}

TEST(TargetingClaims, TheTheoremsBetaKeepsTheTheoremsBoundAndIsSublinear) {
  const auto workload = workload_of({}, 2000);
  for (std::uint32_t run = 0; run < 10; ++run) {
    const std::vector<Measures> curve = curve_of(*workload, "c2_up_ucb(delta=0.05)", run);
    for (std::size_t j = 0; j < curve.size(); ++j) {
      const double bound =
          bound_c2_up_ucb({.features = 12,
                           .individuals = 100,
                           .budget = 10,
                           .treatments = 1,
                           .ridge = 10.0,
                           .norm_bound = 1.0,
                           .rounds = static_cast<double>(workload->curve_rounds()[j]),
                           .delta = 0.05});
      EXPECT_LT(curve[j].regret, bound);
    }
    const double slope = std::log(curve[19].regret / curve[9].regret) / std::log(2.0);
    EXPECT_LT(slope, 0.75) << "run " << run;
  }
}

}  // namespace
}  // namespace updraft
