#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/requests.h"
#include "updraft/ids.h"

namespace updraft {

/// What was decided: an action, or for targeted campaigns a treatment for each individual of the
/// pool. The pool, or the context, is kept because the policy learns from it later.
struct Decided {
  ActionId action = 0;
  std::optional<double> index;   ///< absent if infinite
  std::vector<double> features;  ///< of a pool or a context, row after row
  std::vector<double> baseline;
  std::vector<Treatment> treatments;
  std::vector<VariableSet> affected = {};  ///< of a context; empty if not given
  /// With which it was taken: the propensity. Absent if it is too small for a double, if somebody
  /// else decided and did not tell it, and in events of stores before version 4.
  std::optional<double> probability = {};
  std::uint32_t revision = 0;  ///< PolicyInfo::revision of who decided; 0: before version 4
  bool by_caller = false;      ///< in shadow mode
  bool held_out = false;       ///< the control action was taken because of the holdout
  bool probe = false;          ///< the action was taken to settle which one is best
  /// What the policy would have taken: in shadow mode, and if there is a holdout or a probe.
  std::optional<ActionId> proposal = {};
  /// The same of targeted campaigns with a holdout: one per individual.
  std::vector<Treatment> chosen = {};
  std::vector<ActionId> allowed = {};  ///< DecisionRequest::allowed
  BatchPlace batch = {};

  /// How much is kept for it, in numbers of eight bytes.
  std::size_t numbers() const;
  /// Why it is not the answer to such a request, the id left aside: "pool", "context", "action",
  /// "allowed" or "count". Empty if it is, or if it is a decision of the batch that was asked for.
  std::string_view differs_by(const DecisionRequest& request) const;
  /// What it was the answer to, without the id.
  DecisionRequest request() const;

  bool operator==(const Decided&) const = default;
};

/// The same of a request.
std::size_t numbers_of(const DecisionRequest& request);

/// Throws InvalidInput unless a decision can have been made with this probability.
void check_probability(double probability, std::string_view field);

// Bodies of events, as docs/formats/store.md describes them: equal ones have equal bytes. Reading
// throws InvalidInput.

std::string encode(const Decided& decided);
/// Dense payoffs that are decimal numbers with few digits are packed, unless `packed` is false: so
/// were those of stores before version 8.
std::string encode(const PayoffPart& part, bool packed = true);
std::string encode(const std::vector<PastRound>& rounds);
/// Of an event that changes the status of an action.
std::string encode_action(ActionId action);
Decided decode_decided(std::string_view body);
PayoffPart decode_payoffs(std::string_view body);
std::vector<PastRound> decode_history(std::string_view body);
ActionId decode_action(std::string_view body);
/// How many there are.
std::uint64_t history_rounds(std::string_view body);
/// Whether the body has packed payoffs.
bool is_packed(std::string_view payoffs_body);

}  // namespace updraft
