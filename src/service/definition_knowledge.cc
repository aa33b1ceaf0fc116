#include "service/definition_knowledge.h"

#include <fmt/format.h>

#include <map>

#include "core/json_fields.h"
#include "updraft/error.h"

namespace updraft {
namespace {

using nlohmann::json;

// What is read is also written into the shortest form, `out`.

/// A list of numbers, one per variable.
std::vector<double> read_column(const json& value, const std::string& path, std::size_t variables,
                                json& out) {
  std::vector<double> numbers = numbers_field(value, path);
  if (numbers.size() != variables) {
    throw InvalidInput(path, fmt::format("{} numbers", numbers.size()),
                       fmt::format("must have one for each of the {} variables", variables));
  }
  for (double& number : numbers) number += 0.0;  // -0 becomes 0
  out = numbers;
  return numbers;
}

void read_affected(const json& value, CampaignDefinition& campaign, json& out) {
  const std::string path = "knowledge.affected";
  Knowledge& knowledge = *campaign.knowledge;
  if (!value.is_array()) {
    throw InvalidInput(path, "must be a list with a list of variables per action");
  }
  if (value.size() != knowledge.actions()) {
    throw InvalidInput(
        path, fmt::format("{} lists", value.size()),
        fmt::format("must have one for each of the {} actions", knowledge.actions()));
  }
  std::vector<VariableSet> sets;
  sets.reserve(value.size());
  out = json::array();
  for (const json& list : value) {
    const std::string at = fmt::format("{}[{}]", path, sets.size());
    if (!list.is_array()) throw InvalidInput(at, "must be a list of variables");
    std::vector<VariableId> ids;
    ids.reserve(list.size());
    for (const json& item : list) {
      ids.push_back(variable_field(item, campaign, knowledge.variables(),
                                   [&] { return fmt::format("{}[{}]", at, ids.size()); }));
    }
    sets.push_back(VariableSet::from_ids(ids, at));
    out.push_back(sets.back().ids());
  }
  knowledge.set_affected(std::move(sets));
}

/// One bound, or one per action.
void read_max_affected(const json& value, Knowledge& knowledge, json& out) {
  const std::string path = "knowledge.max_affected";
  if (!value.is_array()) {
    const std::size_t most = whole_field(value, path, 1, knowledge.variables());
    knowledge.set_max_affected(most);
    out = most;
    return;
  }
  std::vector<std::size_t> bounds;
  bounds.reserve(value.size());
  for (const json& item : value) {
    bounds.push_back(
        whole_field(item, fmt::format("{}[{}]", path, bounds.size()), 0, knowledge.variables()));
  }
  out = bounds;
  knowledge.set_max_affected(std::move(bounds));
}

void read_reward_prior(const json& value, Knowledge& knowledge, json& out) {
  const std::string path = "knowledge.reward_prior";
  check_keys(value, path, {"mean", "variance"});
  const RewardPrior prior = {
      number_field(required(value, path, "mean"), path + ".mean") + 0.0,
      number_field(required(value, path, "variance"), path + ".variance") + 0.0};
  knowledge.set_reward_prior(prior);
  out = {{"mean", prior.mean}, {"variance", prior.variance}};
}

void read_observations(const json& value, Knowledge& knowledge, json& out) {
  const std::string path = "knowledge.observations";
  const std::size_t variables = knowledge.variables();
  check_keys(value, path, {"counts", "means"});
  BaselineObservations observations;
  observations.counts =
      read_column(required(value, path, "counts"), path + ".counts", variables, out["counts"]);
  observations.means =
      read_column(required(value, path, "means"), path + ".means", variables, out["means"]);
  knowledge.set_observations(std::move(observations));
}

/// The segment of every variable, by any labels: a list, or an object with the names of variables.
void read_segments(const json& value, CampaignDefinition& campaign, json& out) {
  const std::string path = "knowledge.segments";
  Knowledge& knowledge = *campaign.knowledge;
  if (!value.is_array() && !value.is_object()) {
    throw InvalidInput(path, "must be a list of labels, or an object of variables and labels");
  }
  if (value.size() != knowledge.variables()) {
    throw InvalidInput(
        path, fmt::format("{} labels", value.size()),
        fmt::format("must have one for each of the {} variables", knowledge.variables()));
  }
  out = json::array();
  VariableId next = 0;
  for (const auto& member : value.items()) {
    const std::string at = fmt::format("{}[{}]", path, member.key());
    if (!member.value().is_string() && !member.value().is_number_integer()) {
      throw InvalidInput(at, "must be a label: text or a whole number");
    }
    out[value.is_array() ? next++
                         : variable_field(member.key(), campaign, knowledge.variables(),
                                          [&] { return at; })] = member.value();
  }
  std::map<json, GroupId> numbers;
  std::vector<GroupId> groups;
  groups.reserve(out.size());
  for (const json& label : out) {
    groups.push_back(numbers.emplace(label, static_cast<GroupId>(numbers.size())).first->second);
  }
  knowledge.set_segments(Partition::of_groups(groups));
}

void read_item(const std::string& key, const json& value, CampaignDefinition& campaign, json& out) {
  Knowledge& knowledge = *campaign.knowledge;
  const std::string path = "knowledge." + key;
  if (key == "baseline") {
    knowledge.set_baseline(read_column(value, path, knowledge.variables(), out));
  } else if (key == "affected") {
    read_affected(value, campaign, out);
  } else if (key == "max_affected") {
    read_max_affected(value, knowledge, out);
  } else if (key == "min_uplift") {
    const double least = number_field(value, path);
    knowledge.set_min_uplift(least);
    out = least;
  } else if (key == "effect_gap") {
    const double least = number_field(value, path);
    knowledge.set_effect_gap(least);
    out = least;
  } else if (key == "horizon") {
    const std::size_t rounds = whole_field(value, path, 1, kMostWhole);
    knowledge.set_horizon(rounds);
    out = rounds;
  } else if (key == "reward_prior") {
    read_reward_prior(value, knowledge, out);
  } else if (key == "segments") {
    read_segments(value, campaign, out);
  } else {
    read_observations(value, knowledge, out);
  }
}

}  // namespace

void read_knowledge(const json& value, CampaignDefinition& campaign, json& shortest) {
  check_keys(value, "knowledge",
             {"baseline", "affected", "max_affected", "min_uplift", "effect_gap", "horizon",
              "reward_prior", "segments", "observations"});
  if (value.empty()) return;
  json& out = shortest["knowledge"] = json::object();
  for (const auto& member : value.items()) {
    try {
      read_item(member.key(), member.value(), campaign, out[member.key()]);
    } catch (const InvalidInput& refused) {
      if (refused.field().starts_with("knowledge") || refused.field().starts_with("key of")) throw;
      throw InvalidInput("knowledge." + refused.field(), refused.value(), refused.rule());
    }
  }
}

}  // namespace updraft
