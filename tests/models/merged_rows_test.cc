#include "models/merged_rows.h"

#include <gtest/gtest.h>

#include "models/treatment_model.h"
#include "support/refusal.h"
#include "updraft/state_io.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

TEST(MergedRows, KeepsEqualRowsOnce) {
  MergedRows rows(2);
  rows.add(std::vector{1.0, 2.0}, 1.0);
  rows.add(std::vector{2.0, 1.0}, 0.25);
  rows.add(std::vector{1.0, 2.0}, 0.5);
  rows.add(std::vector{1.0, 2.0}, 0.0);
  EXPECT_EQ(rows.total(), 4u);
  ASSERT_EQ(rows.rows().rows(), 2u);
  EXPECT_EQ(rows.rows().value(0, 1), 2.0);
  EXPECT_EQ(rows.rows().value(1, 1), 1.0);
  ASSERT_EQ(rows.counts().size(), 8u);  // a whole block
  EXPECT_EQ(rows.counts()[0], 3.0);
  EXPECT_EQ(rows.payoffs()[0], 1.5);
  EXPECT_EQ(rows.counts()[1], 1.0);
  EXPECT_EQ(rows.payoffs()[1], 0.25);
  EXPECT_EQ(rows.counts()[2], 0.0);
}

TEST(MergedRows, TellsManyRowsApart) {
  MergedRows rows(3);
  const Stream stream(5, 0, Purpose::kTest);
  for (int again = 0; again < 3; ++again) {
    for (std::uint32_t r = 0; r < 20000; ++r) {
      rows.add(std::vector{stream.uniform(r, 0), static_cast<double>(r % 7), 1.0}, 1.0);
    }
  }
  EXPECT_EQ(rows.total(), 60000u);
  EXPECT_EQ(rows.rows().rows(), 20000u);
  for (std::size_t r = 0; r < 20000; ++r) ASSERT_EQ(rows.counts()[r], 3.0);
}

/// Adding the same rows one by one or as other rows that differ by nothing gives the same model.
TEST(MergedRows, OfAModelDoNotChangeWhatItLearns) {
  const auto merged = make_logistic_model(3, 1.0, LogisticRefit::kExact);
  const auto apart = make_logistic_model(3, 1.0, LogisticRefit::kExact);
  const Stream stream(6, 0, Purpose::kTest);
  for (std::uint32_t r = 0; r < 600; ++r) {
    const std::uint32_t who = r % 40;
    const double payoff = stream.uniform(r, 9) < 0.4 ? 1.0 : 0.0;
    std::vector<double> row = {stream.uniform(who, 0), stream.uniform(who, 1) - 0.5, 1.0};
    merged->add(row, payoff);
    row[0] *= 1.0 + 1e-15 * r;  // different bits, so that nothing is merged
    apart->add(row, payoff);
    if (r % 20 != 19) continue;
    merged->update();
    apart->update();
    for (std::size_t f = 0; f < 3; ++f) {
      EXPECT_NEAR(merged->theta()[f], apart->theta()[f], 2e-6) << "after " << r;
    }
  }
}

TEST(MergedRows, RefuseAStateThatCannotBe) {
  const auto read = [](double count, std::uint64_t total,
                       const std::vector<double>& rows = {1.0, 2.0}) {
    StateWriter writer;
    writer.f64s(rows);
    writer.f64s(std::vector<double>(rows.size() / 2, count));
    writer.f64s(std::vector<double>(rows.size() / 2, 0.0));
    writer.u64(total);
    return testing::refusal([&] {
      StateReader reader(writer.bytes());
      MergedRows(2).read(reader);
    });
  };
  EXPECT_EQ(read(3.0, 3), "(accepted)");
  EXPECT_EQ(read(0.0, 0), "policy state: counts = 0: must be at least 1");
  EXPECT_EQ(read(3.0, 4), "policy state: rows = 4: must be the sum of counts");
  EXPECT_EQ(read(1.0, 2, {1.0, 2.0, 1.0, 2.0}), "policy state: rows: must all be different");
  EXPECT_EQ(read(1.0, 1, {1.0, 2.0, 3.0}),
            "policy state: rows: must be of as many features each as the policy's");
}

}  // namespace
}  // namespace updraft
