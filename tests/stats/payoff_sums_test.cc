#include "stats/payoff_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/draws.h"

namespace updraft {
namespace {

using testing::Draws;

constexpr std::size_t kActions = 3;

/// What a raise() said.
struct Raise {
  VariableId variable;
  std::uint16_t before;
  std::uint16_t after;

  bool operator==(const Raise&) const = default;
};

/// Plain sums, and what the form of PayoffSums must be.
struct PlainSums {
  std::vector<std::vector<double>> sums;
  std::vector<double> bound = std::vector<double>(kActions, 0.0);
  bool whole = true;

  explicit PlainSums(std::size_t m) : sums(kActions, std::vector<double>(m, 0.0)) {}

  std::vector<Raise> add(ActionId action, const std::vector<double>& payoffs) {
    double largest = 0.0;
    bool fits = true;
    for (const double y : payoffs) {
      fits = fits && y >= 0.0 && y == std::floor(y);
      largest = std::max(largest, y);
    }
    bound[action] += largest;
    whole = whole && fits && bound[action] <= 65535.0;
    std::vector<Raise> raises;
    for (VariableId i = 0; i < payoffs.size(); ++i) {
      const double before = sums[action][i];
      sums[action][i] += payoffs[i];
      if (whole && payoffs[i] != 0.0) {
        raises.push_back(
            {i, static_cast<std::uint16_t>(before), static_cast<std::uint16_t>(sums[action][i])});
      }
    }
    return raises;
  }
};

std::vector<Raise> add_dense(PayoffSums& sums, ActionId action, const std::vector<double>& y) {
  std::vector<Raise> raises;
  sums.add(action, Payoffs::dense(y), [&](VariableId i, std::uint16_t before, std::uint16_t after) {
    raises.push_back({i, before, after});
  });
  return raises;
}

std::vector<Raise> add_sparse(PayoffSums& sums, ActionId action, const std::vector<double>& y) {
  std::vector<VariableId> ids;
  std::vector<double> values;
  for (VariableId i = 0; i < y.size(); ++i) {
    if (y[i] == 0.0) continue;
    ids.push_back(i);
    values.push_back(y[i]);
  }
  std::vector<Raise> raises;
  sums.add(action, Payoffs::sparse(ids, values),
           [&](VariableId i, std::uint16_t before, std::uint16_t after) {
             raises.push_back({i, before, after});
           });
  return raises;
}

void expect_equal(const PayoffSums& sums, const PlainSums& plain) {
  ASSERT_EQ(sums.whole(), plain.whole);
  for (ActionId a = 0; a < kActions; ++a) {
    const PayoffRow row = sums.of(a);
    ASSERT_EQ(row.whole(), plain.whole);
    ASSERT_EQ(row.size(), plain.sums[a].size());
    double total = 0.0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      ASSERT_EQ(row[i], plain.sums[a][i]) << "action " << a << ", variable " << i;
      total += row[i];
      if (plain.whole) {
        ASSERT_EQ(row.counts()[i], plain.sums[a][i]);
        ASSERT_LE(row[i], sums.largest(a));
      } else {
        ASSERT_EQ(row.sums()[i], plain.sums[a][i]);
      }
    }
    if (plain.whole) {
      ASSERT_EQ(sums.total(a), total);
    }
  }
}

/// Writes down and reads into sums that held something else.
PayoffSums round_trip(const PayoffSums& sums, std::size_t m, bool into_doubles) {
  StateWriter writer;
  sums.write(writer);
  PayoffSums read(kActions, m);
  add_dense(read, 1, std::vector<double>(m, into_doubles ? 0.5 : 3.0));
  StateReader reader(writer.bytes());
  read.read(reader);
  reader.finish();
  return read;
}

/// Payoffs of a round. Most kinds are whole numbers; 0.25 steps add up exactly.
std::vector<double> draw_payoffs(std::size_t m, Draws& d) {
  const double kind = d.uniform(0.0, 1.0);
  std::vector<double> y(m, 0.0);
  for (double& payoff : y) {
    payoff = kind < 0.5   ? (d.chance(0.3) ? 1.0 : 0.0)
             : kind < 0.7 ? 1.0
             : kind < 0.9 ? static_cast<double>(d.integer(0, 300))
                          : (d.chance(0.2) ? static_cast<double>(d.integer(0, 20000)) : 0.0);
  }
  if (d.chance(0.01)) y[d.integer(0, m - 1)] = 0.25;
  if (d.chance(0.01)) y[d.integer(0, m - 1)] = -1.0;
  return y;
}

TEST(PayoffSums, AgreesWithPlainSumsThroughTheChangeOfForm) {
  std::size_t still_whole = 0, changed = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Draws d(seed);
    const std::size_t m = d.integer(1, 40);
    PayoffSums dense(kActions, m), sparse(kActions, m);
    PlainSums plain(m);
    for (int round = 0; round < 60; ++round) {
      const auto action = static_cast<ActionId>(d.integer(0, kActions - 1));
      const std::vector<double> y = draw_payoffs(m, d);
      const std::vector<Raise> raises = plain.add(action, y);
      ASSERT_EQ(add_dense(dense, action, y), raises);
      ASSERT_EQ(add_sparse(sparse, action, y), raises);
      expect_equal(dense, plain);
      expect_equal(sparse, plain);
      if (HasFatalFailure()) return;
    }
    ++(plain.whole ? still_whole : changed);
  }
  EXPECT_GT(still_whole, 20u);
  EXPECT_GT(changed, 20u);
}

struct Change {
  const char* what;
  std::vector<std::vector<double>> rounds;  // of two variables, for action 1
  bool whole;                               // after the last
};

TEST(PayoffSums, ChangesFormExactlyWhenItMust) {
  const std::vector<Change> changes = {
      {"zeros and ones", {{0, 1}, {1, 1}, {0, 0}}, true},
      {"minus zero", {{-0.0, 1}}, true},
      {"a fraction", {{1, 1}, {0.5, 1}}, false},
      {"the smallest fraction", {{std::nextafter(1.0, 2.0), 1}}, false},
      {"a negative number", {{1, 1}, {-1, 1}}, false},
      {"the largest count", {{65535, 0}}, true},
      {"one more", {{65536, 0}}, false},
      {"a huge number", {{1e300, 0}}, false},
      {"as a sum", {{65534, 0}, {1, 0}}, true},
      {"one more as a sum", {{65534, 0}, {1, 0}, {1, 0}}, false},
      {"a sum that the bound cannot exclude", {{65535, 0}, {0, 1}}, false},
  };
  for (const Change& change : changes) {
    for (const bool as_dense : {true, false}) {
      PayoffSums sums(kActions, 2);
      std::vector<double> expected = {0.0, 0.0};
      for (std::size_t r = 0; r < change.rounds.size(); ++r) {
        EXPECT_TRUE(sums.whole()) << change.what << ": too early";
        (as_dense ? add_dense : add_sparse)(sums, 1, change.rounds[r]);
        for (std::size_t i = 0; i < 2; ++i) expected[i] += change.rounds[r][i];
      }
      EXPECT_EQ(sums.whole(), change.whole) << change.what;
      for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(sums.of(1)[i], expected[i]) << change.what;
      for (const ActionId other : {0u, 2u}) EXPECT_EQ(sums.of(other)[1], 0.0);
    }
  }
}

TEST(PayoffSums, OtherActionsDoNotShareTheBound) {
  PayoffSums sums(kActions, 1);
  for (ActionId a = 0; a < kActions; ++a) add_dense(sums, a, {65000.0});
  EXPECT_TRUE(sums.whole());
  for (ActionId a = 0; a < kActions; ++a) EXPECT_EQ(sums.largest(a), 65000.0);
  EXPECT_EQ(sums.total(2), 65000.0);
}

TEST(PayoffSums, CountsKeepTheirFormAndValuesWhenWrittenAndRead) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Draws d(seed);
    const std::size_t m = d.integer(1, 30);
    PayoffSums sums(kActions, m);
    PlainSums plain(m);
    for (int round = 0; round < 40; ++round) {
      const auto action = static_cast<ActionId>(d.integer(0, kActions - 1));
      std::vector<double> y(m);
      for (double& payoff : y) payoff = static_cast<double>(d.integer(0, seed % 2 == 0 ? 1 : 900));
      plain.add(action, y);
      add_dense(sums, action, y);
    }
    PayoffSums read = round_trip(sums, m, seed % 3 == 0);
    expect_equal(read, plain);
    for (ActionId a = 0; a < kActions; ++a) {
      plain.bound[a] = *std::max_element(plain.sums[a].begin(), plain.sums[a].end());
      const std::vector<double> ones(m, 1.0);
      EXPECT_EQ(add_dense(read, a, ones), plain.add(a, ones));
    }
    expect_equal(read, plain);
    if (HasFatalFailure()) return;
  }
}

TEST(PayoffSums, DoublesKeepTheirFormAndValuesWhenWrittenAndRead) {
  for (const double odd_one : {0.5, -1.0, 70000.0, 1e300, 0x1p-1074}) {
    for (ActionId action = 0; action < kActions; ++action) {
      PayoffSums sums(kActions, 3);
      PlainSums plain(3);
      const auto add = [&](ActionId a, const std::vector<double>& y) {
        plain.add(a, y);
        add_dense(sums, a, y);
      };
      add(0, {1.0, 2.0, 0.0});
      add(2, {5.0, 0.0, 0.0});
      add(action, {0.0, 0.0, odd_one});
      add(1, {0.0, 1.0, 0.0});
      PayoffSums read = round_trip(sums, 3, action == 0);
      expect_equal(read, plain);
      const std::vector<double> more = {1.0, 0.25, 0.0};
      plain.add(1, more);
      EXPECT_TRUE(add_sparse(read, 1, more).empty());
      expect_equal(read, plain);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace updraft
