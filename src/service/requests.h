#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/campaign_definition.h"
#include "service/request_fields.h"
#include "updraft/ids.h"
#include "updraft/variable_set.h"

namespace updraft {

/// Where a decision is among those that were made at once.
struct BatchPlace {
  std::uint32_t position = 0;  ///< from 1; 0: in no batch, or of a request for the whole batch
  std::uint32_t size = 0;      ///< 0: in no batch

  bool operator==(const BatchPlace&) const = default;
};

/// A body of POST .../decisions.
struct DecisionRequest {
  std::string id;  ///< empty if the service is to give one

  // Targeted campaigns, and campaigns with contexts.
  std::vector<double> features;  ///< one individual, or variable, after the other
  std::vector<double> baseline;  ///< empty if not given

  // Campaigns with contexts.
  std::vector<VariableSet> affected = {};  ///< per action; empty if not given

  /// Plain campaigns, and campaigns with contexts: the actions that may be taken, ids increasing;
  /// empty if all may.
  std::vector<ActionId> allowed = {};

  /// Plain campaigns: of so many decisions. `id` is that of the batch.
  BatchPlace batch = {};

  // Shadow mode: what the caller took, and with which probability if it knows.
  std::optional<ActionId> action = {};
  std::optional<double> probability = {};
};

/// A body of PUT .../payoffs: what some variables (or rows of a pool or context) paid.
struct PayoffPart {
  std::string part;
  bool complete = true;         ///< nothing more will come
  bool dense = false;           ///< one value for every variable, and `ids` is empty
  std::vector<VariableId> ids;  ///< increasing
  std::vector<double> values;

  bool operator==(const PayoffPart&) const = default;
};

/// A round of the time before the campaign.
struct PastRound {
  ActionId action = 0;
  PayoffPart payoffs;  ///< part and complete are of no meaning

  bool operator==(const PastRound&) const = default;
};

/// Sums over all variables stay below the 1e100 that policies take.
inline constexpr double kLargestPayoff = 1e90;

/// As large as policies take features and baselines.
inline constexpr double kLargestFeature = 1e100;

struct RequestLimits {
  std::size_t pool_rows = 1'000'000;  ///< and rows of a context
  /// Multiplications that the rows take, each once for each regression. About 2e10 take a second.
  std::uint64_t row_work = 40'000'000'000;
  std::size_t batch = 1000;  ///< decisions at once
  /// Multiplications of all of them: those of the slowest decision that a campaign may have.
  std::uint64_t batch_work = 4'000'000'000;
  std::size_t past_rounds = 10'000;  ///< of a batch
  std::size_t past_payoffs = std::size_t{1} << 22;
};

// All throw InvalidInput that names the field: not JSON, other keys, values that cannot be. What
// only the state can tell (how many rows a pool had, who paid already) is not looked at.

/// Past rounds: a body of POST .../history.
struct HistoryRequest {
  std::string batch;
  std::vector<PastRound> rounds;
};

/// The payoffs of a round, in any of the forms that PUT .../payoffs takes, from the members of its
/// object. A part that is not complete must have some.
void read_payoffs(RequestFields& fields, const CampaignDefinition& campaign, PayoffPart& part);

/// The id of a decision of a batch that has an id.
std::string batch_decision(std::string_view batch, std::uint32_t position);

DecisionRequest parse_decision(std::string_view body, const CampaignDefinition& campaign,
                               const RequestLimits& limits = {});
PayoffPart parse_payoffs(std::string_view body, const CampaignDefinition& campaign);
HistoryRequest parse_history(std::string_view body, const CampaignDefinition& campaign,
                             const RequestLimits& limits = {});

}  // namespace updraft
