// Those whom targeting policies treat at random are as likely as one another.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/rounds.h"
#include "support/statistics.h"

namespace updraft::testing {
namespace {

constexpr std::uint32_t kDecisions = 40000;
const Stream kPolicyStream(20221130, 0, Purpose::kPolicy);

/// Individuals with one feature each, 1, 2, 3, ...
std::vector<double> features(std::size_t individuals) {
  std::vector<double> x;
  for (std::size_t i = 0; i < individuals; ++i) x.push_back(static_cast<double>(i + 1));
  return x;
}

/// Calls judge(treated) for every decision about a pool of `individuals`.
template <typename Judge>
void decide(Policy& policy, std::size_t individuals, Judge judge) {
  const std::vector<double> x = features(individuals);
  const std::vector<double> baseline(individuals, 0.0);
  for (std::uint32_t j = 0; j < kDecisions; ++j) {
    judge(select_treatments(policy, {.features = x, .width = 1, .baseline = baseline},
                            kPolicyStream));
  }
}

/// How often each (individual, treatment) is treated where one is.
std::vector<std::uint64_t> singles(const std::string& spec, std::size_t treatments) {
  const auto policy = make_targeting(spec, {.features = 1, .treatments = treatments, .budget = 1});
  std::vector<std::uint64_t> counts(7 * treatments, 0);
  decide(*policy, 7, [&](const std::vector<Treatment>& treated) {
    for (std::size_t i = 0; i < treated.size(); ++i) {
      if (treated[i] != 0) ++counts[i * treatments + treated[i] - 1];
    }
  });
  return counts;
}

TEST(TargetingChance, RandomTreatsEachIndividualWithEachTreatmentEquallyOften) {
  EXPECT_TRUE(fits_evenly(singles("random", 3)));
}

// Without feedback every index is 0, so that nobody is chosen but by chance.
TEST(TargetingChance, ExploredIndividualsAndTreatmentsAreUniform) {
  EXPECT_TRUE(fits_evenly(singles("eps_greedy(eps=0.6)", 3), 2));
  EXPECT_TRUE(fits_evenly(singles("eps_greedy_bl(eps=0.6)", 3), 2));
}

/// How often each set of three out of six is treated: [set of bits].
std::vector<std::uint64_t> triples(const std::string& spec) {
  const auto policy = make_targeting(spec, {.features = 1, .treatments = 2, .budget = 3});
  std::vector<std::uint64_t> by_bits(64, 0);
  decide(*policy, 6, [&](const std::vector<Treatment>& treated) {
    std::size_t bits = 0;
    for (std::size_t i = 0; i < treated.size(); ++i) {
      if (treated[i] != 0) bits |= std::size_t{1} << i;
    }
    ++by_bits[bits];
  });
  std::vector<std::uint64_t> counts;
  for (std::size_t bits = 0; bits < by_bits.size(); ++bits) {
    if (__builtin_popcountll(bits) == 3) counts.push_back(by_bits[bits]);
  }
  return counts;
}

TEST(TargetingChance, SetsOfIndividualsAreUniform) {
  EXPECT_EQ(triples("random").size(), 20u);
  EXPECT_TRUE(fits_evenly(triples("random"), 2));
  EXPECT_TRUE(fits_evenly(triples("eps_greedy(eps=0.8)"), 2));
}

TEST(TargetingChance, TheNumberExploredIsBinomial) {
  const auto policy = make_targeting("eps_greedy(eps=0.3)", {1, 2, 5});
  std::vector<std::uint64_t> counts(6, 0);
  decide(*policy, 9, [&](const std::vector<Treatment>& treated) {
    std::size_t explored = 0;
    for (const Treatment z : treated) explored += z != 0;
    ++counts[explored];
  });
  const std::vector<double> ways = {1.0, 5.0, 10.0, 10.0, 5.0, 1.0};
  std::vector<double> expected;
  for (int k = 0; k <= 5; ++k) {
    const double share = std::pow(0.3, k) * std::pow(0.7, 5 - k);
    expected.push_back(kDecisions * ways[static_cast<std::size_t>(k)] * share);
  }
  EXPECT_TRUE(fits(counts, expected));
}

// Treatment 1 has paid, so that with a budget of one the last individual, whose feature is the
// largest, is chosen unless it comes to exploring: then each of the 7 x 2 is as likely.
TEST(TargetingChance, ExploringSparesNobodyAndPrefersNobody) {
  const auto policy = make_targeting("eps_greedy(eps=0.4)", {1, 2, 1});
  const std::vector<double> x = {1.0};
  teach(*policy, {.features = x, .width = 1}, std::vector<Treatment>{1}, std::vector<double>{1.0});
  std::vector<std::uint64_t> counts(14, 0);
  decide(*policy, 7, [&](const std::vector<Treatment>& treated) {
    for (std::size_t i = 0; i < 7; ++i) {
      if (treated[i] != 0) ++counts[2 * i + treated[i] - 1];
    }
  });
  std::vector<double> expected(14, kDecisions * 0.4 / 14.0);
  expected[12] += kDecisions * 0.6;
  EXPECT_TRUE(fits(counts, expected));
}

/// Decisions about the same pool, one for each seed: how often each outcome came, and the
/// probability that it was said to have.
struct Outcomes {
  std::vector<std::uint64_t> counts;
  std::vector<double> expected;
};

/// 6 individuals, 3 of whom may be treated, each with one of 2 treatments, after some feedback.
Outcomes outcomes(const std::string& spec) {
  const auto policy = make_targeting(spec, {.features = 1, .treatments = 2, .budget = 3});
  const std::vector<double> x = features(6);
  const std::vector<double> baseline(6, 0.1);
  const Round pool{.features = x, .width = 1, .baseline = baseline};
  teach(*policy, pool, std::vector<Treatment>{0, 1, 2, 0, 1, 2},
        std::vector<double>{0.1, 0.9, 0.4, 0.2, -0.1, 1.5});
  std::map<std::vector<Treatment>, std::pair<std::uint64_t, double>> found;
  for (std::uint32_t seed = 0; seed < kDecisions; ++seed) {
    const Decision decision = policy->preview(pool, Stream(seed, 0, Purpose::kPolicy));
    auto& [count, probability] = found[decision.treatments];
    EXPECT_TRUE(count == 0 || probability == decision.probability);
    ++count;
    probability = decision.probability;
  }
  Outcomes all;
  double sum = 0.0;
  for (const auto& [treatments, one] : found) {
    all.counts.push_back(one.first);
    all.expected.push_back(one.second * kDecisions);
    sum += one.second;
  }
  EXPECT_NEAR(sum, 1.0, 1e-9) << "every outcome came";
  return all;
}

// Exact: the probabilities of all outcomes add up to 1, and each comes as often as it says.
TEST(TargetingChance, DecisionsSayTheirProbability) {
  for (const char* spec : {"random", "eps_greedy(eps=0.5, fill=yes)", "eps_greedy(eps=0.7)",
                           "eps_greedy_bl(eps=0.5)"}) {
    const Outcomes all = outcomes(spec);
    EXPECT_GT(all.counts.size(), 20u) << spec;
    EXPECT_TRUE(fits(all.counts, all.expected, 4)) << spec;
  }
}

}  // namespace
}  // namespace updraft::testing
