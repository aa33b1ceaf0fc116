#include "campaign_case.h"

#include <bit>
#include <cmath>
#include <map>
#include <stdexcept>

#include "updraft/registry.h"
#include "updraft/stream.h"

namespace updraft::service_test {
namespace {

std::vector<double> rows_of(const Json& pool) {
  std::vector<double> features;
  for (const Json& row : pool) {
    for (const Json& feature : row) features.push_back(feature.get<double>());
  }
  return features;
}

/// A request of a decision, with the numbers that its round refers to.
class RoundNumbers {
 public:
  RoundNumbers(const Json& request, std::size_t width) : width_(width) {
    for (const char* rows : {"pool", "context"}) {
      if (request.contains(rows)) features_ = rows_of(request.at(rows));
    }
    if (request.contains("baseline")) {
      baseline_ = request.at("baseline").get<std::vector<double>>();
    }
    if (!request.contains("affected")) return;
    for (const Json& ids : request.at("affected")) {
      sets_.push_back(VariableSet::from_ids(ids.get<std::vector<VariableId>>()));
    }
  }

  Round round() const {
    return {.features = features_, .width = width_, .baseline = baseline_, .affected = sets_};
  }

 private:
  std::size_t width_;
  std::vector<double> features_;
  std::vector<double> baseline_;
  std::vector<VariableSet> sets_;
};

/// All parts of a decision as one.
struct Collected {
  std::optional<std::vector<double>> dense;
  std::map<VariableId, double> sparse;
};

Collected collect(const CampaignCase& campaign, std::span<const Json> parts) {
  Collected all;
  for (const Json& part : parts) {
    if (part.contains("indices")) {
      for (std::size_t j = 0; j < part["indices"].size(); ++j) {
        all.sparse[part["indices"][j].get<VariableId>()] = part["values"][j].get<double>();
      }
    } else if (part.contains("payoffs") && part["payoffs"].is_object()) {
      for (std::size_t i = 0; i < campaign.variable_names.size(); ++i) {
        const auto found = part["payoffs"].find(campaign.variable_names[i]);
        if (found != part["payoffs"].end()) all.sparse[static_cast<VariableId>(i)] = *found;
      }
    } else if (part.contains("payoffs")) {
      all.dense = part["payoffs"].get<std::vector<double>>();
    }
  }
  return all;
}

/// Whether a number of a report is this one, bit for bit; null where it is not finite.
bool same_number(const Json& reported, double value) {
  if (!std::isfinite(value)) return reported.is_null();
  return reported.is_number() && std::bit_cast<std::uint64_t>(reported.get<double>()) ==
                                     std::bit_cast<std::uint64_t>(value);
}

}  // namespace

CampaignCase case_with_known_sets(const std::string& policy) {
  constexpr std::size_t kActions = 5;
  constexpr std::size_t kVariables = 24;
  CampaignCase made;
  made.name = "known-sets";
  made.policy = policy;
  made.seed = 7;
  std::vector<std::string> actions;
  for (std::size_t a = 0; a < kActions; ++a) actions.push_back("offer " + std::to_string(a));
  for (std::size_t i = 0; i < kVariables; ++i) {
    made.variable_names.push_back("product-" + std::to_string(i));
  }
  std::vector<VariableSet> sets;
  Json affected = Json::array();
  for (std::size_t a = 0; a < kActions; ++a) {
    std::vector<VariableId> ids;
    Json listed = Json::array();
    for (std::size_t i = 4 * a; i < 4 * a + 8 && i < kVariables; ++i) {
      ids.push_back(static_cast<VariableId>(i));
      if (a % 2 == 0) listed.push_back(i);
      if (a % 2 == 1) listed.push_back(made.variable_names[i]);
    }
    sets.push_back(VariableSet::from_ids(ids));
    affected.push_back(listed);
  }
  made.knowledge.emplace(kActions, kVariables);
  made.knowledge->set_affected(std::move(sets));
  made.definition = {{"name", made.name},
                     {"policy", policy},
                     {"actions", actions},
                     {"variables", made.variable_names},
                     {"knowledge", {{"affected", affected}}},
                     {"seed", made.seed}};
  return made;
}

CampaignCase targeted_case(const std::string& policy) {
  CampaignCase made;
  made.name = "targeted";
  made.policy = policy;
  made.seed = 11;
  made.shape = TargetingShape{.features = 4, .treatments = 2, .budget = 6};
  made.rows = 20;
  made.definition = {{"name", made.name}, {"policy", policy}, {"treatments", 2},
                     {"budget", 6},       {"features", 4},    {"seed", made.seed}};
  return made;
}

CampaignCase contextual_case(const std::string& policy) {
  CampaignCase made;
  made.name = "contextual";
  made.policy = policy;
  made.seed = 13;
  made.contexts = ContextualShape{.features = 4, .actions = 3};
  made.rows = 12;
  made.definition = {{"name", made.name},
                     {"policy", policy},
                     {"actions", {"news", "discount", "nothing"}},
                     {"features", {"price", "age", "stock", "season"}},
                     {"seed", made.seed}};
  return made;
}

Twin::Twin(const CampaignCase& campaign)
    : campaign_(campaign),
      stream_(campaign.seed, 0, Purpose::kPolicy),
      policy_(make_policy(campaign.policy, campaign.shape      ? Knowledge(*campaign.shape)
                                           : campaign.contexts ? Knowledge(*campaign.contexts)
                                                               : *campaign.knowledge)) {}

Json Twin::decide(const Json& request) {
  const RoundNumbers numbers(request, policy_->knowledge().features());
  const Decision decision = policy_->decide(numbers.round(), stream_);
  Json decided = {{"probability", decision.probability}};
  if (campaign_.targeted()) {
    decided["treatments"] = decision.treatments;
  } else {
    decided["action"] = decision.action;
  }
  return decided;
}

void Twin::pay(const Json& request, const Json& answer, std::span<const Json> parts) {
  const Collected all = collect(campaign_, parts);
  const RoundNumbers numbers(request, policy_->knowledge().features());
  Decision decision;
  if (campaign_.targeted()) {
    decision.treatments = answer.at("treatments").get<std::vector<Treatment>>();
  } else {
    decision.action = answer.at("action").get<ActionId>();
  }
  if (all.dense) {
    policy_->learn(decision, numbers.round(), Payoffs::dense(*all.dense));
    return;
  }
  std::vector<VariableId> ids;
  std::vector<double> values;
  for (const auto& [id, value] : all.sparse) {
    ids.push_back(id);
    values.push_back(value);
  }
  policy_->learn(decision, numbers.round(), Payoffs::sparse(ids, values));
}

std::string Twin::report_differences(const Json& report) const {
  std::string differences;
  const auto differs = [&](ActionId action, const char* field, const Json& reported) {
    differences +=
        "action " + std::to_string(action) + ": " + field + " is " + reported.dump() + "\n";
  };
  if (policy_->kind() == PolicyKind::kContextual) {
    for (ActionId a = 0; a < campaign_.contexts->actions; ++a) {
      const Json& pulls = report.at("taken").at(a).at("pulls");
      if (pulls != policy_->pulls(a)) differs(a, "pulls", pulls);
    }
    if (report.at("rows") != policy_->rows()) differs(0, "rows", report["rows"]);
  }
  if (policy_->kind() != PolicyKind::kPlain) return differences;
  const Explanation explained = policy_->explain();
  const Json& actions = report.at("actions");
  if (actions.size() != explained.actions.size()) return "another number of actions\n";
  for (ActionId a = 0; a < actions.size(); ++a) {
    const ActionExplanation& mine = explained.actions[a];
    const Json& theirs = actions[a];
    const double unknown = std::numeric_limits<double>::infinity();
    if (theirs.at("pulls") != mine.pulls) differs(a, "pulls", theirs["pulls"]);
    if (!same_number(theirs.at("index"), mine.index)) differs(a, "index", theirs["index"]);
    if (!same_number(theirs.at("radius"), mine.radius)) differs(a, "radius", theirs["radius"]);
    if (!same_number(theirs.at("uplift"), mine.uplift.value_or(unknown))) {
      differs(a, "uplift", theirs["uplift"]);
    }
    if (mine.difference &&
        !same_number(theirs.at("difference").at("estimate"), mine.difference->estimate)) {
      differs(a, "difference", theirs["difference"]);
    }
    if (mine.interval && (!same_number(theirs.at("interval").at(0), mine.interval->low) ||
                          !same_number(theirs.at("interval").at(1), mine.interval->high))) {
      differs(a, "interval", theirs["interval"]);
    }
  }
  return differences;
}

Json decided_part(const Json& answer) {
  const char* field = answer.contains("treatments") ? "treatments" : "action";
  Json decided = {{field, answer.at(field)}};
  if (answer.contains("probability")) decided["probability"] = answer["probability"];
  return decided;
}

std::uint64_t count_of(const Json& report, std::string_view which) {
  return report.at("decisions").at(std::string(which)).get<std::uint64_t>();
}

}  // namespace updraft::service_test
