#include "policies/row_checks.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/refusal.h"

namespace updraft::testing {
namespace {

constexpr RowWords kWords{"pool", "individual"};

std::vector<double> rows(const Payoffs& payoffs, std::size_t count) {
  std::vector<double> buffer;
  const auto paid = row_payoffs(kWords, payoffs, count, buffer);
  return {paid.begin(), paid.end()};
}

TEST(RowPayoffs, AbsentOnesPaidNothing) {
  const std::vector<VariableId> ids = {3, 1};
  const std::vector<double> values = {5.0, 2.0};
  EXPECT_EQ(rows(Payoffs::sparse(ids, values), 4), (std::vector<double>{0.0, 2.0, 0.0, 5.0}));
  EXPECT_EQ(rows(Payoffs::dense(values), 2), values);
}

TEST(RowPayoffs, RefusesOthers) {
  const auto said = [](const Payoffs& payoffs) { return refusal([&] { rows(payoffs, 4); }); };
  const std::vector<double> values = {5.0, 2.0};
  const std::vector<VariableId> beyond = {1, 4};
  const std::vector<VariableId> twice = {2, 2};
  const std::vector<VariableId> one = {2};
  EXPECT_EQ(said(Payoffs::sparse(beyond, values)),
            "payoffs: individual = 4: must be below the number of individuals, 4, and occur once");
  EXPECT_EQ(said(Payoffs::sparse(twice, values)),
            "payoffs: individual = 2: must be below the number of individuals, 4, and occur once");
  EXPECT_NE(said(Payoffs::sparse(one, values)), "(accepted)");
  EXPECT_EQ(said(Payoffs::dense(values)),
            "length of payoffs = 2: must be the number of individuals, 4");
  EXPECT_EQ(said(Payoffs::total(1.0)), "payoffs = sums: must be one per individual");
}

}  // namespace
}  // namespace updraft::testing
