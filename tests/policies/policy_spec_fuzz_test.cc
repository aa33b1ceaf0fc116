#include <gtest/gtest.h>

#include <string>

#include "support/mutator.h"
#include "updraft/error.h"
#include "updraft/policy_spec.h"

namespace updraft {
namespace {

/// Damaged specs are read or refused; what is read prints and reads back as the same.
TEST(PolicySpecFuzz, DamagedSpecsAreReadOrRefused) {
  testing::Mutator mutator(1, {"(", ")", ",", "=", "alpha", "delta=0.5", "nan", "inf", "1e-400",
                               "-1", "ucb", "up_ucb_naff", " ", "1e999", "0x1p3"});
  std::size_t read = 0;
  std::size_t refused = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = mutator.mutated(
        i % 2 == 0 ? "up_ucb(alpha=0.25, baseline_bound=lcb)"
                   : "up_ucb_l_ilift_bl(delta=0.05, horizon=20, max_affected=8, min_uplift=0.1)");
    try {
      const PolicySpec spec = PolicySpec::parse(text);
      EXPECT_EQ(PolicySpec::parse(spec.text()), spec) << text;
      ++read;
    } catch (const InvalidInput& error) {
      EXPECT_FALSE(error.field().empty()) << text;
      ++refused;
    }
  }
  EXPECT_GT(read, 500u);
  EXPECT_GT(refused, 5000u);
}

}  // namespace
}  // namespace updraft
