#include "service/campaign_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <span>

#include "core/json_document.h"
#include "core/json_fields.h"
#include "updraft/context_policy.h"
#include "updraft/error.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using nlohmann::json;

/// Definitions nest four levels; a little more still gets a message about its key.
constexpr std::size_t kMostDepth = 8;

constexpr std::size_t kLongestName = 200;
constexpr std::size_t kLongestPolicy = 1000;
constexpr double kLongestWait = 1e9;

/// The largest whole number that every reader of JSON keeps exactly.
constexpr std::size_t kMostWhole = 9'007'199'254'740'991;

/// A message lists the names up to this many.
constexpr std::size_t kMostListed = 50;

// Names.

bool is_letter_or_digit(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/// `also`: what there may be besides letters and digits, with spaces between.
void check_word(std::string_view field, std::string_view word, std::size_t longest,
                std::string_view also) {
  const bool valid =
      !word.empty() && word.size() <= longest && std::all_of(word.begin(), word.end(), [&](char c) {
        return is_letter_or_digit(c) || (c != ' ' && also.find(c) != also.npos);
      });
  if (valid) return;
  throw InvalidInput(field,
                     json(clipped(word)).dump(-1, ' ', false, json::error_handler_t::replace),
                     fmt::format("must be 1 to {} of A-Z a-z 0-9 {}", longest, also));
}

bool has_control_characters(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F) return true;
    // U+0080 to U+009F
    if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) {
      return true;
    }
  }
  return false;
}

std::vector<std::string> read_names(const json& list, std::string_view field) {
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const json& item : list) {
    const auto place = [&] { return fmt::format("{}[{}]", field, names.size()); };
    if (!item.is_string()) text_field(item, place());
    const auto& name = item.get_ref<const std::string&>();
    if (name.empty() || name.size() > kLongestName) {
      throw InvalidInput(
          place(), fmt::format("has {} bytes; must have from 1 to {}", name.size(), kLongestName));
    }
    if (has_control_characters(name)) {
      throw InvalidInput(place(), "must not have control characters");
    }
    names.push_back(name);
  }
  return names;
}

/// The places of names in the order of names. Throws where one is repeated.
std::vector<VariableId> order_of(const std::vector<std::string>& names, std::string_view field) {
  std::vector<VariableId> order(names.size());
  std::iota(order.begin(), order.end(), VariableId{0});
  std::sort(order.begin(), order.end(), [&](VariableId a, VariableId b) {
    const int difference = names[a].compare(names[b]);
    return difference != 0 ? difference < 0 : a < b;
  });
  const auto repeated = std::adjacent_find(
      order.begin(), order.end(), [&](VariableId a, VariableId b) { return names[a] == names[b]; });
  if (repeated != order.end()) {
    throw InvalidInput(fmt::format("{}[{}]", field, *(repeated + 1)), names[*repeated],
                       "is repeated; names must be distinct");
  }
  return order;
}

// Policies.

bool is_among(std::span<const PolicyInfo> table, const PolicySpec& spec) {
  return std::any_of(table.begin(), table.end(),
                     [&](const PolicyInfo& info) { return info.name == spec.name(); });
}

/// What `make` makes; what it throws is about the field `policy`.
template <typename Make>
auto of_policy(const std::string& text, Make make) {
  try {
    return make();
  } catch (const InvalidInput& refused) {
    throw InvalidInput("policy", clipped(text),
                       refused.field() == "policy" ? refused.rule() : refused.what());
  }
}

PolicySpec read_policy(const std::string& text) {
  if (text.size() > kLongestPolicy) {
    throw InvalidInput(
        "policy", fmt::format("has {} bytes; must have at most {}", text.size(), kLongestPolicy));
  }
  PolicySpec spec = of_policy(text, [&] { return PolicySpec::parse(text); });
  if (is_among(context_policies(), spec)) {
    throw InvalidInput("policy", clipped(text),
                       "policies of contexts are not served yet; the library and Python have them");
  }
  if (spec.name() == "oracle") {
    throw InvalidInput("policy", clipped(text),
                       "needs the true uplifts, which only a simulation knows");
  }
  return spec;
}

void refuse_keys(const json& document, std::initializer_list<const char*> keys,
                 const PolicySpec& spec, std::string_view others) {
  for (const char* key : keys) {
    if (!document.contains(key)) continue;
    throw InvalidInput(
        key, fmt::format("does not go with the policy {}, which takes {}", spec.name(), others));
  }
}

// Knowledge. What is read is also written into the shortest form, `out`.

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

/// A variable by number or name. `path()` names the field, where that is needed.
template <typename Path>
VariableId read_variable(const json& value, const CampaignDefinition& campaign, Path path) {
  const std::size_t variables = campaign.knowledge->variables();
  if (value.is_number_unsigned() && value.get<std::size_t>() < variables) {
    return value.get<VariableId>();
  }
  if (value.is_number()) {
    return static_cast<VariableId>(whole_field(value, path(), 0, variables - 1));
  }
  if (!value.is_string()) throw InvalidInput(path(), "must be the number or name of a variable");
  const auto& name = value.get_ref<const std::string&>();
  if (campaign.variable_names.empty()) {
    throw InvalidInput(path(), clipped(name), "must be a number: variables have no names here");
  }
  if (const auto id = find_variable(campaign, name)) return *id;
  throw unknown_variable(path(), name, campaign);
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
      ids.push_back(
          read_variable(item, campaign, [&] { return fmt::format("{}[{}]", at, ids.size()); }));
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
  } else {
    read_observations(value, knowledge, out);
  }
}

void read_knowledge(const json& value, CampaignDefinition& campaign, json& shortest) {
  check_keys(value, "knowledge",
             {"baseline", "affected", "max_affected", "min_uplift", "effect_gap", "horizon",
              "reward_prior", "observations"});
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

// The two kinds of campaigns.

/// A number, or a list of names, which are then left in `names`.
std::size_t read_count(const json& document, const char* key, std::size_t most,
                       std::vector<std::string>& names, json& shortest) {
  const json& value = required(document, "", key);
  if (!value.is_array()) {
    if (!value.is_number()) {
      throw InvalidInput(key, "must be a whole number, or a list of names");
    }
    const std::size_t count = whole_field(value, key, 1, most);
    shortest[key] = count;
    return count;
  }
  if (value.empty() || value.size() > most) {
    throw InvalidInput(key, fmt::format("{} names", value.size()),
                       fmt::format("must have from 1 to {}", most));
  }
  names = read_names(value, key);
  shortest[key] = names;
  return names.size();
}

/// Policies that learn the noise keep a covariance of the atoms.
void check_atoms(const CampaignDefinition& campaign, std::size_t most) {
  const PolicyInfo& info = policy_info(campaign.spec.name());
  const bool learns_noise =
      std::any_of(info.parameters.begin(), info.parameters.end(),
                  [](const ParameterInfo& parameter) { return parameter.name == "refit"; });
  if (!learns_noise || !campaign.knowledge->affected()) return;
  const std::size_t atoms = campaign.knowledge->affected()->atoms()->groups();
  if (atoms <= most) return;
  throw InvalidInput("knowledge.affected",
                     fmt::format("cuts the variables into {} groups that the same actions affect; "
                                 "{} takes at most {}",
                                 atoms, info.name, most));
}

void read_actions(const json& document, const std::string& policy, const DefinitionLimits& limits,
                  CampaignDefinition& campaign, json& shortest) {
  refuse_keys(document, {"treatments", "budget", "features"}, campaign.spec,
              "actions, variables and knowledge");
  const std::size_t actions =
      read_count(document, "actions", limits.actions, campaign.action_names, shortest);
  const std::size_t variables =
      read_count(document, "variables", limits.variables, campaign.variable_names, shortest);
  if (actions > limits.cells / variables) {
    throw InvalidInput("variables", std::to_string(variables),
                       fmt::format("times {} actions must be at most {}", actions, limits.cells));
  }
  order_of(campaign.action_names, "actions");
  campaign.variables_by_name = order_of(campaign.variable_names, "variables");
  campaign.knowledge.emplace(actions, variables);
  if (document.contains("knowledge")) read_knowledge(document["knowledge"], campaign, shortest);

  of_policy(policy, [&] {
    if (campaign.spec.name() == "auto") {
      campaign.spec = pick_policy(campaign.spec, *campaign.knowledge).spec;
    }
    return true;
  });
  check_atoms(campaign, limits.atoms);
  of_policy(policy, [&] { return make_policy(campaign.spec, *campaign.knowledge); });
}

void read_shape(const json& document, const std::string& policy, const DefinitionLimits& limits,
                CampaignDefinition& campaign, json& shortest) {
  refuse_keys(document, {"actions", "variables", "knowledge"}, campaign.spec,
              "treatments, budget and features");
  const auto count = [&](const char* key, std::size_t most) {
    const std::size_t value = whole_field(required(document, "", key), key, 1, most);
    shortest[key] = value;
    return value;
  };
  CampaignShape& shape = campaign.shape.emplace();
  shape.treatments = count("treatments", limits.actions);
  shape.budget = count("budget", limits.variables);
  shape.features = count("features", limits.features);
  const std::size_t square = shape.features * shape.features;
  if (shape.treatments + 1 > limits.cells / square) {
    throw InvalidInput("features", std::to_string(shape.features),
                       fmt::format("squared, times {} treatments and none, must be at most {}",
                                   shape.treatments, limits.cells));
  }
  of_policy(policy, [&] { return make_campaign_policy(campaign.spec, shape); });
}

void read_loss(const json& document, CampaignDefinition& campaign, json& shortest) {
  if (document.contains("wait")) {
    const double wait = number_field(document["wait"], "wait");
    if (!(wait > 0.0 && wait <= kLongestWait)) {
      throw InvalidInput("wait", wait, "must be > 0 and at most 1e9 seconds");
    }
    campaign.wait_seconds = wait;
    shortest["wait"] = wait;
  }
  if (document.contains("lost")) {
    const std::string lost = text_field(document["lost"], "lost");
    if (lost != "skip" && lost != "zeros") {
      throw unknown_name("lost", clipped(lost), {"skip", "zeros"});
    }
    if (lost == "zeros") campaign.lost = LostPayoffs::kZeros;
  }
  shortest["lost"] = campaign.lost == LostPayoffs::kZeros ? "zeros" : "skip";
}

}  // namespace

std::string action_name(const CampaignDefinition& campaign, ActionId action) {
  return campaign.action_names.empty() ? fmt::format("action {}", action)
                                       : campaign.action_names[action];
}

std::optional<VariableId> find_variable(const CampaignDefinition& campaign, std::string_view name) {
  const std::vector<std::string>& names = campaign.variable_names;
  const std::vector<VariableId>& order = campaign.variables_by_name;
  const auto found =
      std::lower_bound(order.begin(), order.end(), name,
                       [&](VariableId id, std::string_view text) { return names[id] < text; });
  if (found == order.end() || names[*found] != name) return std::nullopt;
  return *found;
}

InvalidInput unknown_variable(std::string_view field, std::string_view name,
                              const CampaignDefinition& campaign) {
  const std::vector<std::string>& names = campaign.variable_names;
  if (names.size() <= kMostListed) return unknown_name(field, clipped(name), names);
  return InvalidInput(
      field, clipped(name),
      fmt::format("unknown; must be one of the names of the {} variables", names.size()));
}

void check_campaign_name(std::string_view name) { check_word("name", name, 100, ". _ -"); }

void check_decision_id(std::string_view id) { check_word("decision", id, 200, ". _ : -"); }

CampaignDefinition parse_definition(std::string_view body, const DefinitionLimits& limits) {
  const json document = parse_json_document(body, kMostDepth);
  if (!document.is_object()) throw InvalidInput("request", "must be an object");
  check_keys(document, "",
             {"name", "policy", "actions", "variables", "knowledge", "treatments", "budget",
              "features", "seed", "wait", "lost"});
  const std::string name = text_field(required(document, "", "name"), "name");
  check_campaign_name(name);
  const std::string policy = text_field(required(document, "", "policy"), "policy");

  CampaignDefinition campaign;
  campaign.name = name;
  campaign.spec = read_policy(policy);
  json shortest = {{"name", name}};
  if (document.contains("seed")) {
    campaign.seed = whole_field(document["seed"], "seed", 0, kMostWhole);
  }
  shortest["seed"] = campaign.seed;
  read_loss(document, campaign, shortest);
  if (is_among(policies(), campaign.spec)) {
    read_actions(document, policy, limits, campaign, shortest);
  } else {
    read_shape(document, policy, limits, campaign, shortest);
  }
  shortest["policy"] = campaign.spec.text();
  campaign.canonical = shortest.dump();
  return campaign;
}

}  // namespace updraft
