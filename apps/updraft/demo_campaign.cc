#include "demo_campaign.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "updraft/instance.h"

namespace updraft::cli {
namespace {

constexpr const char* kName = "demo";
constexpr std::uint64_t kSeed = 1;

CampaignDefinition definition_of(const Instance& instance) {
  nlohmann::json affected = nlohmann::json::array();
  for (ActionId action = 0; action < instance.actions(); ++action) {
    affected.push_back(instance.affected()->of(action).ids());
  }
  return parse_definition(nlohmann::json{{"name", kName},
                                         {"policy", "up_ts"},
                                         {"actions", instance.definition().action_names},
                                         {"variables", instance.variables()},
                                         {"knowledge", {{"affected", std::move(affected)}}},
                                         {"wait", 60}}
                              // loses decisions that were outstanding when the program ended
                              .dump());
}

PayoffPart part_of(const Payoffs& payoffs) {
  PayoffPart part;
  part.dense = payoffs.kind() == Payoffs::Kind::kDense;
  part.ids.assign(payoffs.ids().begin(), payoffs.ids().end());
  part.values.assign(payoffs.values().begin(), payoffs.values().end());
  return part;
}

}  // namespace

std::shared_ptr<DemoCampaign> DemoCampaign::start(Service& service) {
  const auto instance = load_instance("marketing");
  try {
    service.create(definition_of(*instance));
  } catch (const Conflict&) {
    return nullptr;
  }
  return std::shared_ptr<DemoCampaign>(
      new DemoCampaign(service, InstanceEnvironment(prepare_payoffs(instance), kSeed, 0)));
}

void DemoCampaign::play() {
  DecisionAnswer decision;
  try {
    decision = service_.decide(kName, DecisionRequest());
  } catch (const Conflict&) {
    return;
  }
  // State versions grow, so no round is drawn twice, not even after a restart.
  const auto round = static_cast<std::uint32_t>(decision.state_version);
  service_.pay(kName, decision.id,
               part_of(environment_.draw(round, decision.action, Resolution::variables())));
}

}  // namespace updraft::cli
