#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/requests.h"
#include "updraft/campaign_policy.h"
#include "updraft/ids.h"

namespace updraft {

/// What was decided: for policies of actions an action, for targeted campaigns a treatment for each
/// individual of the pool, which is kept because the policy learns from it later.
struct Decided {
  ActionId action = 0;
  std::optional<double> index;  ///< absent where infinite
  std::vector<double> pool;
  std::vector<double> baseline;
  std::vector<Treatment> treatments;

  bool operator==(const Decided&) const = default;
};

// Bodies of events, as docs/formats/store.md describes them: equal ones have equal bytes. Reading
// throws InvalidInput.

std::string encode(const Decided& decided);
std::string encode(const PayoffPart& part);
Decided decode_decided(std::string_view body);
PayoffPart decode_payoffs(std::string_view body);

}  // namespace updraft
