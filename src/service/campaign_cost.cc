#include "service/campaign_cost.h"

#include <fmt/format.h>

#include <algorithm>

#include "updraft/error.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

// Rounded up from the growth of resident memory with 250, 500 and 1,000 features.
constexpr std::uint64_t kBytesOfEach = 64 * 1024;   // a campaign without anything
constexpr std::uint64_t kBytesPerMatrixCell = 40;   // a Gram matrix with what is derived from it
constexpr std::uint64_t kBytesPerCell = 8;          // action times variable: sums of payoffs
constexpr std::uint64_t kBytesPerWatchedCell = 16;  // the monitor's sums
constexpr std::uint64_t kMostWatchedCells = 2'097'152;
constexpr std::uint64_t kMostAtoms = 256;  // of evidence that looks at more than the total
constexpr std::uint64_t kBytesPerVariable = 64;
constexpr std::uint64_t kBytesPerAction = 256;
constexpr std::uint64_t kBytesPerName = 64;  // besides its letters

std::uint64_t bytes_of(const std::vector<std::string>& names) {
  std::uint64_t bytes = 0;
  for (const std::string& name : names) bytes += kBytesPerName + 2 * name.size();
  return bytes;
}

/// `models` regressions with a matrix of features each.
CampaignCost of_regressions(std::uint64_t features, std::uint64_t models) {
  const std::uint64_t cells = features * features * models;
  return {.bytes = cells * kBytesPerMatrixCell, .work = cells * features};
}

CampaignCost of_sums(const CampaignDefinition& campaign) {
  const std::uint64_t variables = campaign.knowledge->variables();
  const std::uint64_t actions = campaign.knowledge->actions();
  const std::uint64_t cells = variables * actions;
  const bool on_total = policy_info(campaign.spec.name()).traits.on_total;
  std::uint64_t atoms = 1;
  if (const auto& sets = campaign.knowledge->affected()) {
    atoms = sets->atoms()->groups() <= kMostAtoms ? sets->atoms()->groups() : 1;
  }
  const std::uint64_t evidence = (3 * atoms + 3 * actions) * atoms * sizeof(double);
  return {.bytes = (on_total ? 0 : cells * kBytesPerCell) +
                   std::min(cells, kMostWatchedCells) * kBytesPerWatchedCell +
                   variables * kBytesPerVariable + actions * kBytesPerAction + evidence,
          .work = on_total ? actions : cells};
}

}  // namespace

CampaignCost cost_of(const CampaignDefinition& campaign) {
  CampaignCost cost;
  if (campaign.shape) {
    cost = of_regressions(campaign.shape->features, campaign.shape->treatments + 1);
  } else if (campaign.contexts) {
    cost = of_regressions(campaign.contexts->features, campaign.contexts->actions + 1);
  } else {
    cost = of_sums(campaign);
  }
  cost.bytes += kBytesOfEach + bytes_of(campaign.action_names) + bytes_of(campaign.variable_names) +
                bytes_of(campaign.feature_names);
  return cost;
}

void check_cost(const CampaignDefinition& campaign, const DefinitionLimits& limits) {
  const CampaignCost cost = cost_of(campaign);
  const bool regressions = campaign.shape || campaign.contexts;
  const std::string field = regressions ? "features" : "variables";
  const std::string value =
      campaign.shape ? std::to_string(campaign.shape->features)
                     : (campaign.contexts ? std::to_string(campaign.contexts->features)
                                          : std::to_string(campaign.knowledge->variables()));
  const std::string_view times = campaign.shape ? "treatments" : "actions";
  if (cost.work > limits.work) {
    throw InvalidInput(
        field, value,
        fmt::format("with these {} a decision takes {} multiplications; must be at most {}", times,
                    cost.work, limits.work));
  }
  if (cost.bytes > limits.bytes) {
    throw InvalidInput(field, value,
                       fmt::format("with these {} the campaign takes {} MiB of memory; must be at "
                                   "most {} MiB",
                                   times, cost.bytes >> 20, limits.bytes >> 20));
  }
}

}  // namespace updraft
