#include "service/campaign_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <span>

#include "core/json_document.h"
#include "core/json_fields.h"
#include "service/campaign_cost.h"
#include "service/definition_evidence.h"
#include "service/definition_knowledge.h"
#include "updraft/error.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using nlohmann::json;

/// Definitions nest four levels; a little more still gets a message about its key.
constexpr std::size_t kDefinitionDepth = 8;

/// A list of as many numbers as there may be variables fits.
constexpr std::size_t kLargestTree = std::size_t{192} << 20;

constexpr std::size_t kLongestName = 200;
constexpr std::size_t kLongestPolicy = 1000;
constexpr double kLongestWait = 1e9;

/// A message lists the names up to this many.
constexpr std::size_t kMostListed = 50;

// Names.

bool is_letter_or_digit(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/// `also`: the characters allowed besides letters and digits, separated by spaces.
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
      throw InvalidInput(place(), "must not contain control characters");
    }
    names.push_back(name);
  }
  return names;
}

/// The positions of names, sorted by name. Throws if one is repeated.
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

/// The result of `make`; exceptions are about the field `policy`.
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
  if (policy_info(spec.name()).make == nullptr) {
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
        key, fmt::format("cannot be used with the policy {}, which takes {}", spec.name(), others));
  }
}

// The three kinds of campaigns.

/// A number, or a list of names, which are then put into `names`.
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
  if (!info.traits.learns_noise || !campaign.knowledge->affected()) return;
  const std::size_t atoms = campaign.knowledge->affected()->atoms()->groups();
  if (atoms <= most) return;
  throw InvalidInput(
      "knowledge.affected",
      fmt::format(
          "divides the variables into {} groups that the same actions affect; {} takes at most {}",
          atoms, info.name, most));
}

/// Reads the number of variables, which knowledge depends on.
void read_variables(const json& document, std::size_t actions, const DefinitionLimits& limits,
                    CampaignDefinition& campaign, json& shortest) {
  const std::size_t variables =
      read_count(document, "variables", limits.variables, campaign.variable_names, shortest);
  if (actions > limits.cells / variables) {
    throw InvalidInput("variables", std::to_string(variables),
                       fmt::format("times {} actions must be at most {}", actions, limits.cells));
  }
  campaign.variables_by_name = order_of(campaign.variable_names, "variables");
  campaign.knowledge.emplace(actions, variables);
}

std::size_t read_action_count(const json& document, const DefinitionLimits& limits,
                              CampaignDefinition& campaign, json& shortest) {
  const std::size_t actions =
      read_count(document, "actions", limits.actions, campaign.action_names, shortest);
  order_of(campaign.action_names, "actions");
  return actions;
}

/// `models` of them, each with a matrix of features.
void check_matrices(std::size_t features, std::size_t models, std::string_view models_text,
                    std::size_t most) {
  if (models <= most / (features * features)) return;
  throw InvalidInput("features", std::to_string(features),
                     fmt::format("squared, times {}, must be at most {}", models_text, most));
}

void read_actions(const json& document, const std::string& policy, const DefinitionLimits& limits,
                  CampaignDefinition& campaign, json& shortest) {
  refuse_keys(document, {"treatments", "budget", "features"}, campaign.spec,
              "actions, variables and knowledge");
  const std::size_t actions = read_action_count(document, limits, campaign, shortest);
  read_variables(document, actions, limits, campaign, shortest);
  if (document.contains("knowledge")) read_knowledge(document["knowledge"], campaign, shortest);

  of_policy(policy, [&] {
    campaign.spec = pick_policy(campaign.spec, *campaign.knowledge).spec;
    return true;
  });
  check_atoms(campaign, limits.atoms);
  check_cost(campaign, limits);
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
  TargetingShape& shape = campaign.shape.emplace();
  shape.treatments = count("treatments", limits.actions);
  shape.budget = count("budget", limits.variables);
  shape.features = count("features", limits.features);
  check_matrices(shape.features, shape.treatments + 1,
                 fmt::format("{} treatments and none", shape.treatments), limits.cells);
  check_cost(campaign, limits);
  of_policy(policy, [&] { return make_policy(campaign.spec, campaign.policy_knowledge()); });
}

/// Reads variables and knowledge if they are the same in every round.
void read_fixed_variables(const json& document, const DefinitionLimits& limits,
                          CampaignDefinition& campaign, json& shortest) {
  if (document.contains("variables")) {
    read_variables(document, campaign.contexts->actions, limits, campaign, shortest);
  }
  if (!document.contains("knowledge")) return;
  if (!campaign.knowledge) {
    throw InvalidInput("knowledge",
                       "is about variables that are the same in every round: give variables, or "
                       "baseline and affected with each decision");
  }
  check_keys(document["knowledge"], "knowledge", {"baseline", "affected"});
  read_knowledge(document["knowledge"], campaign, shortest);
}

void read_contexts(const json& document, const std::string& policy, const DefinitionLimits& limits,
                   CampaignDefinition& campaign, json& shortest) {
  refuse_keys(document, {"treatments", "budget"}, campaign.spec,
              "actions and features, and variables and knowledge if they do not change");
  ContextualShape& shape = campaign.contexts.emplace();
  shape.actions = read_action_count(document, limits, campaign, shortest);
  shape.features =
      read_count(document, "features", limits.features, campaign.feature_names, shortest);
  order_of(campaign.feature_names, "features");
  check_matrices(shape.features, shape.actions + 1,
                 fmt::format("{} actions and none", shape.actions), limits.cells);
  check_cost(campaign, limits);
  read_fixed_variables(document, limits, campaign, shortest);
  of_policy(policy, [&] { return make_policy(campaign.spec, campaign.policy_knowledge()); });
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

void read_mode(const json& document, CampaignDefinition& campaign, json& shortest) {
  if (!document.contains("mode")) return;
  const std::string mode = text_field(document["mode"], "mode");
  if (mode != "live" && mode != "shadow") {
    throw unknown_name("mode", clipped(mode), {"live", "shadow"});
  }
  campaign.shadow = mode == "shadow";
  if (!campaign.shadow) return;
  if (document.contains("holdout")) {
    throw InvalidInput("holdout", "cannot be combined with shadow mode, in which others decide");
  }
  if (campaign.shape) {
    throw InvalidInput("mode", mode, "is for campaigns with actions, not with treatments");
  }
  shortest["mode"] = mode;
}

}  // namespace

Knowledge CampaignDefinition::policy_knowledge() const {
  if (shape) return Knowledge(*shape);
  return contexts ? Knowledge(*contexts) : *knowledge;
}

std::string action_name(const CampaignDefinition& campaign, ActionId action) {
  return campaign.action_names.empty() ? fmt::format("action {}", action)
                                       : campaign.action_names[action];
}

Needs needs_of_decision(const CampaignDefinition& campaign) {
  const Needs needs = needs_of(campaign.spec);
  return campaign.knowledge ? needs.without(campaign.knowledge->known()) : needs;
}

ActionId action_field(const json& value, const CampaignDefinition& campaign,
                      std::string_view path) {
  if (value.is_number()) {
    return static_cast<ActionId>(whole_field(value, path, 0, campaign.actions() - 1));
  }
  if (!value.is_string()) throw InvalidInput(path, "must be the number or name of an action");
  const auto& name = value.get_ref<const std::string&>();
  const std::vector<std::string>& names = campaign.action_names;
  if (names.empty()) {
    throw InvalidInput(path, clipped(name),
                       "must be a number: the actions of this campaign have no names");
  }
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<ActionId>(found - names.begin());
  if (names.size() <= kMostListed) throw unknown_name(path, clipped(name), names);
  throw InvalidInput(
      path, clipped(name),
      fmt::format("unknown; must be one of the names of the {} actions", names.size()));
}

VariableId variable_field(const json& value, const CampaignDefinition& campaign,
                          std::size_t variables, const std::function<std::string()>& path) {
  if (value.is_number_unsigned() && value.get<std::size_t>() < variables) {
    return value.get<VariableId>();
  }
  if (value.is_number()) {
    return static_cast<VariableId>(whole_field(value, path(), 0, variables - 1));
  }
  if (!value.is_string()) throw InvalidInput(path(), "must be the number or name of a variable");
  const auto& name = value.get_ref<const std::string&>();
  if (campaign.variable_names.empty()) {
    throw InvalidInput(path(), clipped(name),
                       "must be a number: the variables of this campaign have no names");
  }
  if (const auto id = find_variable(campaign, name)) return *id;
  throw unknown_variable(path(), name, campaign);
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

void check_batch_id(std::string_view id) { check_word("batch", id, 200, ". _ : -"); }

CampaignDefinition parse_definition(std::string_view body, const DefinitionLimits& limits) {
  const json document =
      parse_json_document(body, kDefinitionDepth, most_tree_bytes(body, kLargestTree));
  if (!document.is_object()) throw InvalidInput("request", "must be an object");
  check_keys(document, "",
             {"name", "policy", "actions", "variables", "knowledge", "treatments", "budget",
              "features", "seed", "wait", "lost", "mode", "holdout", "probe", "guardrails"});
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
  switch (policy_info(campaign.spec.name()).kind) {
    case PolicyKind::kPlain:
      read_actions(document, policy, limits, campaign, shortest);
      break;
    case PolicyKind::kContextual:
      read_contexts(document, policy, limits, campaign, shortest);
      break;
    case PolicyKind::kTargeting:
      read_shape(document, policy, limits, campaign, shortest);
      break;
  }
  read_mode(document, campaign, shortest);
  read_evidence(document, campaign, shortest);
  shortest["policy"] = campaign.spec.text();
  campaign.canonical = shortest.dump();
  return campaign;
}

}  // namespace updraft
