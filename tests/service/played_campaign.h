#pragma once

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "service/live_campaign.h"

namespace updraft::testing {

inline LiveCampaign campaign_of(const std::string& body) {
  return LiveCampaign(std::make_shared<CampaignDefinition>(parse_definition(body)));
}

/// Payoffs of all variables in a round of an action.
using Pays = std::function<double(ActionId action, VariableId variable, std::mt19937_64& random)>;

inline PayoffPart dense_part(std::vector<double> values) {
  return {.part = "", .complete = true, .dense = true, .ids = {}, .values = std::move(values)};
}

/// Decides and pays at once, `rounds` times.
inline void play(LiveCampaign& live, int rounds, std::uint64_t seed, const Pays& pays) {
  std::mt19937_64 random(seed);
  for (int round = 0; round < rounds; ++round) {
    const auto now = static_cast<std::int64_t>(live.version());
    const Event decided = live.decide({}, now);
    const ActionId action = live.find(decided.decision)->decided.action;
    std::vector<double> payoffs(live.definition().knowledge->variables());
    for (VariableId i = 0; i < payoffs.size(); ++i) payoffs[i] = pays(action, i, random);
    const Event paid = live.pay(decided.decision, dense_part(std::move(payoffs)), now + 1);
    live.forget(paid.decision, paid.number);
  }
}

inline double normal(std::mt19937_64& random, double mean = 0.0, double sd = 1.0) {
  return std::normal_distribution<double>(mean, sd)(random);
}

inline double coin(std::mt19937_64& random, double rate) {
  return std::bernoulli_distribution(rate)(random) ? 1.0 : 0.0;
}

/// Four payoffs of normal noise, the same in each call for a round; that of the action's own
/// variable is 1 more.
inline std::vector<double> paid_by(ActionId action, int round) {
  std::mt19937_64 random(static_cast<std::uint64_t>(round));
  std::vector<double> payoffs(4);
  for (double& value : payoffs) value = normal(random);
  payoffs[action] += 1.0;
  return payoffs;
}

/// The message of the Conflict that `call` throws; "(accepted)" if it throws none.
template <typename Call>
std::string conflict(Call call) {
  try {
    call();
  } catch (const Conflict& error) {
    return error.what();
  }
  return "(accepted)";
}

}  // namespace updraft::testing
