// up_ts and up_ts_bl with forgetting = auto decide and explain as the plain reference does.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "reference/reference_policy.h"
#include "reference/tally.h"
#include "updraft/instance_environment.h"
#include "updraft/registry.h"

namespace updraft::testing {

namespace {

/// What both know of the instance, and the same noise for both.
class ForgettingDuel {
 public:
  /// With `counts`, payoffs are made whole numbers that are not negative.
  ForgettingDuel(const std::string& instance, const std::string& spec, std::uint64_t seed,
                 bool counts)
      : ForgettingDuel(load_instance(instance), PolicySpec::parse(spec), seed) {
    counts_ = counts;
  }

  /// Plays rounds until `end`. With `rotate` > 0 the actions take turns in every such round.
  void play(std::uint32_t end, std::uint32_t rotate = 0) {
    for (; round_ < end; ++round_) {
      SCOPED_TRACE("round " + std::to_string(round_));
      ActionId action = fast_->select(stream_);
      ASSERT_TRUE(tally_.judge(*reference_, stream_, action, RandomCase::Payoffs::kGaussian));
      reference_->offer(action);
      if (rotate > 0 && round_ % rotate == 0) {
        action = static_cast<ActionId>(round_ / rotate % reference_->actions());
      }
      std::vector<double> payoffs =
          dense(environment_.draw(round_, action, Resolution::variables()));
      if (counts_) {
        for (double& y : payoffs) y = std::max(0.0, std::round(2.0 * y + 3.0));
      }
      fast_->observe(action, Payoffs::dense(payoffs));
      reference_->observe(action, payoffs);
      ASSERT_NO_FATAL_FAILURE(compare_changes());
      if (round_ % 100 != 99) continue;
      ASSERT_NO_FATAL_FAILURE(compare_errors());
    }
  }

  const std::vector<FoundChange>& changes() const { return changes_; }
  const Tally& tally() const { return tally_; }

 private:
  ForgettingDuel(const std::shared_ptr<const Instance>& instance, const PolicySpec& spec,
                 std::uint64_t seed)
      : stream_(seed, 0, Purpose::kPolicy),
        environment_(prepare_payoffs(instance), seed, 0),
        fast_(make_policy(spec, knowledge_for(spec, instance->knowledge(2000)))),
        reference_(make_reference(spec, knowledge_for(spec, instance->knowledge(2000)))) {}

  std::vector<double> dense(const Payoffs& payoffs) const {
    if (payoffs.kind() == Payoffs::Kind::kDense) {
      return {payoffs.values().begin(), payoffs.values().end()};
    }
    std::vector<double> values(reference_->variables());
    for (std::size_t j = 0; j < payoffs.ids().size(); ++j) {
      values[payoffs.ids()[j]] = payoffs.values()[j];
    }
    return values;
  }

  void compare_changes() {
    changes_ = fast_->explain(Detail::kCheap).changes;
    std::vector<FoundChange> expected = reference_->changes();
    if (expected.size() > Explanation::kMostChanges) {
      expected.erase(expected.begin(), expected.end() - Explanation::kMostChanges);
    }
    ASSERT_EQ(changes_.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE("change " + std::to_string(i));
      ASSERT_EQ(changes_[i].action, expected[i].action);
      ASSERT_EQ(changes_[i].of_baseline, expected[i].of_baseline);
      ASSERT_EQ(changes_[i].round, expected[i].round);
      ASSERT_EQ(changes_[i].found, expected[i].found);
      ASSERT_NEAR(changes_[i].before, expected[i].before, 1e-7);
      ASSERT_NEAR(changes_[i].after, expected[i].after, 1e-7);
    }
  }

  void compare_errors() {
    const Explanation explanation = fast_->explain(Detail::kCheap);
    const LearnedNoise noise = *reference_->learned_noise();
    for (ActionId a = 0; a < reference_->actions(); ++a) {
      SCOPED_TRACE("action " + std::to_string(a));
      const ActionExplanation& about = explanation.actions[a];
      ASSERT_NEAR(about.index, *reference_->explained_index(a), 1e-7);
      ASSERT_NEAR(*about.standard_error, noise.standard_errors[a], 1e-7);
      ASSERT_NEAR(about.interval->high - *about.uplift, noise.reaches[a], 1e-6);
      ASSERT_NEAR(*about.difference->standard_error, noise.difference_errors[a], 1e-7);
    }
  }

  Stream stream_;
  InstanceEnvironment environment_;
  std::unique_ptr<Policy> fast_;
  std::unique_ptr<ReferencePolicy> reference_;
  std::uint32_t round_ = 0;
  bool counts_ = false;
  std::vector<FoundChange> changes_;
  Tally tally_;
};

struct ForgettingCase {
  std::string instance;
  std::uint32_t rounds;
  bool changes;  ///< whether some are found
  std::uint32_t rotate = 0;
  bool counts = false;
};

void PrintTo(const ForgettingCase& one, std::ostream* out) {
  *out << one.instance << ", " << one.rounds << " rounds" << (one.counts ? ", counts" : "");
}

class ForgettingReference : public ::testing::TestWithParam<ForgettingCase> {};

TEST_P(ForgettingReference, DecidesAndExplainsAsTheReference) {
  const ForgettingCase& one = GetParam();
  for (const char* spec : {"up_ts(forgetting=auto)", "up_ts_bl(forgetting=auto)"}) {
    SCOPED_TRACE(spec);
    ForgettingDuel duel(one.instance, spec, 3, one.counts);
    ASSERT_NO_FATAL_FAILURE(duel.play(one.rounds, one.rotate));
    EXPECT_EQ(!duel.changes().empty(), one.changes);
    expect_rarely_rounding(duel.tally());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Instances, ForgettingReference,
    ::testing::Values(ForgettingCase{"steady", 400, false}, ForgettingCase{"flip", 1300, true},
                      ForgettingCase{"wear-out", 900, true}, ForgettingCase{"walk", 900, true},
                      ForgettingCase{"trend", 900, true}, ForgettingCase{"seasonal", 400, false},
                      ForgettingCase{"walk", 900, true, 2}, ForgettingCase{"trend", 1200, true, 2},
                      ForgettingCase{"rare", 300, false},
                      ForgettingCase{"flip", 1100, true, 0, true},
                      ForgettingCase{"walk", 900, true, 2, true}));

}  // namespace

}  // namespace updraft::testing
