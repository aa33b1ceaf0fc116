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
  /// With which the policy took it: the propensity. Absent if it is too small for a double, and in
  /// events of stores before version 4.
  std::optional<double> probability = {};
  std::uint32_t revision = 0;  ///< PolicyInfo::revision of who decided; 0: before version 4

  /// How much is kept for it, in numbers of eight bytes.
  std::size_t numbers() const;
  /// Whether it is the answer to such a request, the id left aside.
  bool answers(const DecisionRequest& request) const;
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
std::string encode(const PayoffPart& part);
Decided decode_decided(std::string_view body);
PayoffPart decode_payoffs(std::string_view body);

}  // namespace updraft
