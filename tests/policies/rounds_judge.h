#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "policies/rounds_example.h"
#include "support/refusal.h"

namespace updraft::testing {

/// A policy of the example after some rounds, and what it says to calls that it must refuse, after
/// which it must be as it was.
class Judge {
 public:
  explicit Judge(const std::string& spec) : policy_(make_for_example(spec)) {
    play_example(*policy_, 0, 8);
    before_ = saved(*policy_);
  }

  PolicyKind kind() const { return policy_->kind(); }
  /// What messages call a round, and its rows.
  std::string round() const { return targeting() ? "pool" : "context"; }
  std::string rows() const { return targeting() ? "individuals" : "variables"; }

  std::string decide(const Round& round) {
    return check([&] { policy_->decide(round, kExampleStream); });
  }
  std::string explain(const Round& round) {
    return check([&] { policy_->explain(round); });
  }
  std::string learn(const Round& round, const Decision& decision,
                    const std::vector<double>& payoffs) {
    return check([&] { policy_->learn(decision, round, Payoffs::dense(payoffs)); });
  }
  /// Of a round that none of the three may take, and all refuse in the same words.
  std::string all(const Round& round) {
    const std::string said = decide(round);
    EXPECT_EQ(explain(round), said);
    EXPECT_EQ(learn(round, some_decision(round), std::vector<double>(round.size(), 0.0)), said);
    return said;
  }
  /// A decision that fits the round.
  Decision some_decision(const Round& round) const {
    if (!targeting()) return {.action = 1};
    return {.treatments = std::vector<Treatment>(round.size(), 0)};
  }

 private:
  bool targeting() const { return policy_->kind() == PolicyKind::kTargeting; }

  template <typename Call>
  std::string check(Call call) {
    const std::string said = refusal(call);
    EXPECT_EQ(saved(*policy_), before_) << said;
    return said;
  }

  std::unique_ptr<Policy> policy_;
  std::string before_;
};

}  // namespace updraft::testing
