#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/knowledge.h"
#include "updraft/policy.h"

namespace updraft::service_test {

using Json = nlohmann::json;

/// A campaign twice: as the service is asked for it, and as the library is.
struct CampaignCase {
  std::string name;
  std::string policy;
  std::uint64_t seed = 1;
  Json definition;  ///< body of POST /v1/campaigns

  // One of the three.
  std::optional<Knowledge> knowledge;
  std::optional<TargetingShape> shape;
  std::optional<ContextualShape> contexts;

  std::vector<std::string> variable_names;
  std::size_t rows = 0;  ///< of a pool or a context

  bool targeted() const { return shape.has_value(); }
  /// Of a row of a pool or a context; 0 where there are none.
  std::size_t features() const {
    return shape ? shape->features : contexts ? contexts->features : 0;
  }
  /// How many numbers a dense payoff has.
  std::size_t payoffs() const { return knowledge ? knowledge->variables() : rows; }
};

/// Five named actions, 24 named variables, known affected sets that overlap.
CampaignCase case_with_known_sets(const std::string& policy);

/// Two treatments, a budget of 6, four features, pools of 20 rows.
CampaignCase targeted_case(const std::string& policy);

/// Three named actions, four features, contexts of 12 variables with sets and a baseline.
CampaignCase contextual_case(const std::string& policy);

/// The library's own policy of a campaign, beside the service's.
class Twin {
 public:
  explicit Twin(const CampaignCase& campaign);

  /// What the policy determines of the answer to a decision: {"action": 2}, or
  /// {"treatments": [...]}.
  Json decide(const Json& request);

  /// Learns from all parts of the payoffs of a decision.
  void pay(const Json& request, const Json& answer, std::span<const Json> parts);

  /// Every difference between the numbers of a report and those of this policy, bit for bit, in
  /// words; empty where there is none.
  std::string report_differences(const Json& report) const;

  /// Null unless it is plain.
  const Policy* policy() const {
    return policy_->kind() == PolicyKind::kPlain ? policy_.get() : nullptr;
  }

 private:
  const CampaignCase& campaign_;
  Stream stream_;
  std::unique_ptr<Policy> policy_;
};

/// The part of an answer that Twin::decide predicts.
Json decided_part(const Json& answer);

/// `decided`, `complete`, `outstanding` or `lost` of a report or a shown campaign.
std::uint64_t count_of(const Json& report, std::string_view which);

}  // namespace updraft::service_test
