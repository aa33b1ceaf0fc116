#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/error.h"
#include "updraft/evidence.h"
#include "updraft/ids.h"
#include "updraft/knowledge.h"
#include "updraft/policy_kind.h"
#include "updraft/policy_spec.h"

namespace updraft {

/// What counts for a decision whose payoffs did not come in time.
enum class LostPayoffs { kSkip, kZeros };

/// What a live campaign was made with. docs/service.md, 'Campaigns'.
struct CampaignDefinition {
  std::string name;
  PolicySpec spec;
  std::uint64_t seed = 1;
  std::optional<double> wait_seconds;
  LostPayoffs lost = LostPayoffs::kSkip;
  bool shadow = false;  ///< begins in shadow mode: the caller decides, the policy learns
  /// The holdout and the guardrails, of policies that take actions.
  EvidenceOptions evidence = {};
  /// The same of targeted campaigns: the share of the people chosen who are left untreated.
  double people_held_out = 0.0;

  /// Plain policies; and contextual ones if the variables are the same in every round.
  std::optional<Knowledge> knowledge;
  std::vector<std::string> action_names;      ///< empty if actions are numbers
  std::vector<std::string> variable_names;    ///< empty if variables are numbers
  std::vector<VariableId> variables_by_name;  ///< ids in the order of their names

  /// Policies of targeted campaigns.
  std::optional<TargetingShape> shape;

  /// Contextual policies.
  std::optional<ContextualShape> contexts;
  std::vector<std::string> feature_names;  ///< empty if features are numbers

  /// How many there are; not for targeted campaigns.
  std::size_t actions() const { return contexts ? contexts->actions : knowledge->actions(); }

  /// What the policy is made with.
  Knowledge policy_knowledge() const;

  /// The request in its shortest form, keys in order: equal for equal campaigns.
  std::string canonical;
};

/// Largest of what a request may ask for.
struct DefinitionLimits {
  std::size_t variables = 10'000'000;
  std::size_t actions = 100'000;
  std::size_t cells = 100'000'000;  ///< actions times variables
  std::size_t features = 10'000;
  std::size_t atoms = 3'000;  ///< of affected sets, for policies whose memory is its square
  std::uint64_t work = 4'000'000'000;            ///< CampaignCost::work
  std::uint64_t bytes = std::uint64_t{2} << 30;  ///< CampaignCost::bytes

  /// Of a campaign that exists, whatever the limits were when it was made.
  static DefinitionLimits of_stored() {
    DefinitionLimits limits;
    limits.work = limits.bytes = std::numeric_limits<std::uint64_t>::max();
    return limits;
  }
};

/// From the body of POST /v1/campaigns. Throws InvalidInput.
CampaignDefinition parse_definition(std::string_view body, const DefinitionLimits& limits = {});

/// What each decision must bring, because the policy needs it and the definition does not have it.
Needs needs_of_decision(const CampaignDefinition& campaign);

/// An action by name or number. Not for targeted campaigns. Throws InvalidInput.
ActionId action_field(const nlohmann::json& value, const CampaignDefinition& campaign,
                      std::string_view path);

/// The name of an action, or "action 3".
std::string action_name(const CampaignDefinition& campaign, ActionId action);

/// A variable by name, or by a number below `variables`. `path` names the field, where that is
/// needed. Throws InvalidInput.
VariableId variable_field(const nlohmann::json& value, const CampaignDefinition& campaign,
                          std::size_t variables, const std::function<std::string()>& path);

/// By name. Cost: O(log variables).
std::optional<VariableId> find_variable(const CampaignDefinition& campaign, std::string_view name);

/// The refusal of an unknown name: suggests the nearest, and lists all names if they are few.
InvalidInput unknown_variable(std::string_view field, std::string_view name,
                              const CampaignDefinition& campaign);

/// 1 to 100 of A-Z a-z 0-9 . _ -, and the same of decisions, which may be longer and have colons.
/// Throw InvalidInput.
void check_campaign_name(std::string_view name);
void check_decision_id(std::string_view id);
/// The same of batches of past rounds.
void check_batch_id(std::string_view id);

}  // namespace updraft
