// What the paper says of its experiments, seen in simulations with fixed seeds. Its theorems are in
// tests/theory/theorems_test.cc.
#include <gtest/gtest.h>

#include "updraft/instance.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

std::vector<PolicyResult> play(const std::shared_ptr<const Instance>& instance,
                               const std::vector<std::string>& specs, std::uint32_t rounds) {
  std::vector<PolicySpec> parsed;
  for (const std::string& spec : specs) parsed.push_back(PolicySpec::parse(spec));
  return simulate(instance, parsed, {.rounds = rounds, .runs = 20, .seed = 1}).policies;
}

TEST(Claims, UpliftPoliciesBeatUcbOnCriteo) {
  const auto results =
      play(load_instance("criteo"),
           {"ucb(alpha=7e-7)", "up_ucb_bl(alpha=8e-5)", "up_ucb(alpha=8e-5)"}, 1000);
  const double ucb = results[0].final_regret.mean;
  EXPECT_LT(results[1].final_regret.mean, 0.6 * ucb);
  EXPECT_LT(results[2].final_regret.mean, 0.6 * ucb);
}

TEST(Claims, UpliftPoliciesBeatUcbOnGaussian) {
  const auto results = play(load_instance("gaussian"),
                            {"ucb(alpha=3)", "up_ucb_bl(alpha=3)", "up_ucb(alpha=3)"}, 20000);
  const double ucb = results[0].final_regret.mean;
  EXPECT_LE(results[1].final_regret.mean, 0.25 * ucb);
  EXPECT_LE(results[2].final_regret.mean, 0.25 * ucb);
}

}  // namespace
}  // namespace updraft
