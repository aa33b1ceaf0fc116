#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/json_fields.h"
#include "service/campaign_cost.h"
#include "service/event_bodies.h"
#include "service/request_fields.h"
#include "service/requests.h"
#include "updraft/allowed_actions.h"
#include "updraft/error.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using nlohmann::json;

/// The words for rows of features in targeted and in contextual campaigns.
struct RowsField {
  const char* key;
  std::string_view row;      ///< what a row describes
  std::string_view missing;  ///< why rows are needed
};
constexpr RowsField kPool{"pool", "individual", "a targeting policy needs a row per individual"};
constexpr RowsField kContext{"context", "variable",
                             "a contextual policy needs a row of features per variable"};

/// Throws InvalidInput, which says why the value is not a list of rows.
[[noreturn]] void refuse_rows(const RequestField& field, const RowsField& words) {
  const json value = plain_value(field);
  if (!value.is_array()) {
    throw InvalidInput(words.key, fmt::format("must be a list with a row per {}", words.row));
  }
  for (std::size_t row = 0; row < value.size(); ++row) {
    numbers_field(value[row], fmt::format("{}[{}]", words.key, row));
  }
  throw InvalidInput(fmt::format("{}[0]", words.key),
                     fmt::format("must be a list of numbers, the features of {} {}",
                                 words.row == "individual" ? "an" : "a", words.row));
}

template <typename Path>
void check_sizes(std::span<const double> numbers, Path path) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::abs(numbers[i]) <= kLargestFeature) continue;
    throw InvalidInput(path(i), numbers[i], "must have an absolute value of at most 1e100");
  }
}

/// The features, row after row; each row has `width`. There are `regressions` to multiply it with.
std::vector<double> read_rows(RequestFields& fields, const RowsField& words, std::size_t width,
                              std::size_t regressions, const RequestLimits& limits) {
  const auto given = fields.find(words.key);
  if (given == fields.end()) {
    throw InvalidInput(words.key, fmt::format("is missing; {}", words.missing));
  }
  if (const auto* none = std::get_if<std::vector<double>>(&given->second); none && none->empty()) {
    throw InvalidInput(words.key, "0 rows", "must have at least 1");
  }
  auto* rows = std::get_if<NumberRows>(&given->second);
  if (rows == nullptr) refuse_rows(given->second, words);
  if (rows->size() > limits.pool_rows) {
    throw InvalidInput(words.key, fmt::format("{} rows", rows->size()),
                       fmt::format("must have at most {}", limits.pool_rows));
  }
  const std::uint64_t work_of_row = std::uint64_t{width} * width * regressions;
  if (rows->size() * work_of_row > limits.row_work) {
    throw InvalidInput(words.key, fmt::format("{} rows", rows->size()),
                       fmt::format("must have at most {}: each takes {} multiplications",
                                   limits.row_work / work_of_row, work_of_row));
  }
  for (std::size_t row = 0; row < rows->size(); ++row) {
    if (rows->length(row) == width) continue;
    throw InvalidInput(fmt::format("{}[{}]", words.key, row),
                       fmt::format("{} numbers", rows->length(row)),
                       fmt::format("must have one for each of the {} features", width));
  }
  check_sizes(rows->numbers, [&](std::size_t i) {
    return fmt::format("{}[{}][{}]", words.key, i / width, i % width);
  });
  return std::move(rows->numbers);
}

/// Returns whether the request has a baseline.
bool read_baseline(const RequestFields& fields, std::string_view rows_of, std::size_t rows,
                   DecisionRequest& request) {
  const RequestField* baseline = find_field(fields, "baseline");
  if (baseline == nullptr) return false;
  request.baseline = number_list(*baseline, "baseline");
  if (request.baseline.size() != rows) {
    throw InvalidInput(
        "baseline", fmt::format("{} numbers", request.baseline.size()),
        fmt::format("must have one for each of the {} rows of the {}", rows, rows_of));
  }
  check_sizes(request.baseline, [](std::size_t i) { return fmt::format("baseline[{}]", i); });
  return true;
}

[[noreturn]] void refuse_without_baseline(const CampaignDefinition& campaign,
                                          std::string_view rows_of) {
  throw InvalidInput("baseline", fmt::format("is missing; {} needs one number per row of the {}",
                                             campaign.spec.name(), rows_of));
}

// Targeted campaigns.

void read_pool(RequestFields& fields, const CampaignDefinition& campaign,
               const RequestLimits& limits, DecisionRequest& request) {
  const TargetingShape& shape = *campaign.shape;
  request.features = read_rows(fields, kPool, shape.features, shape.treatments + 1, limits);
  const std::size_t rows = request.features.size() / shape.features;
  if (rows < shape.budget) {
    throw InvalidInput("pool", fmt::format("{} rows", rows),
                       fmt::format("must have at least as many as the budget, {}", shape.budget));
  }
  if (!read_baseline(fields, "pool", rows, request) &&
      needs_of_decision(campaign).contains(Need::kBaseline)) {
    refuse_without_baseline(campaign, "pool");
  }
}

// Contextual campaigns.

/// Numbers as the ids of a set, each below `rows`.
VariableSet set_of(std::span<const double> numbers, std::size_t rows, const std::string& path) {
  std::vector<VariableId> ids;
  ids.reserve(numbers.size());
  for (const double number : numbers) {
    if (!(number >= 0.0 && number < static_cast<double>(rows)) || number != std::floor(number)) {
      throw InvalidInput(fmt::format("{}[{}]", path, ids.size()), number,
                         fmt::format("must be a whole number from 0 to {}", rows - 1));
    }
    ids.push_back(static_cast<VariableId>(number));
  }
  return VariableSet::from_ids(ids, path);
}

/// The same if some are names.
VariableSet set_of(const json& list, const CampaignDefinition& campaign, std::size_t rows,
                   const std::string& path) {
  if (!list.is_array()) throw InvalidInput(path, "must be a list of variables");
  std::vector<VariableId> ids;
  for (const json& item : list) {
    ids.push_back(variable_field(item, campaign, rows,
                                 [&] { return fmt::format("{}[{}]", path, ids.size()); }));
  }
  return VariableSet::from_ids(ids, path);
}

std::vector<VariableSet> read_sets(const RequestField& field, const CampaignDefinition& campaign,
                                   std::size_t rows) {
  const auto path = [](std::size_t action) { return fmt::format("affected[{}]", action); };
  const auto* numbers = std::get_if<NumberRows>(&field);
  const json value = numbers == nullptr ? plain_value(field) : json();
  if (numbers == nullptr && !value.is_array()) {
    throw InvalidInput("affected", "must be a list with a list of variables per action");
  }
  if (const auto* plain = std::get_if<std::vector<double>>(&field); plain && !plain->empty()) {
    throw InvalidInput(path(0), "must be a list of variables");
  }
  const std::size_t actions = campaign.contexts->actions;
  const std::size_t lists = numbers == nullptr ? value.size() : numbers->size();
  if (lists != actions) {
    throw InvalidInput("affected", fmt::format("{} lists", lists),
                       fmt::format("must have one for each of the {} actions", actions));
  }
  std::vector<VariableSet> sets;
  sets.reserve(actions);
  for (std::size_t action = 0; action < actions; ++action) {
    sets.push_back(numbers == nullptr ? set_of(value[action], campaign, rows, path(action))
                                      : set_of(numbers->row(action), rows, path(action)));
  }
  return sets;
}

void read_context(RequestFields& fields, const CampaignDefinition& campaign,
                  const RequestLimits& limits, DecisionRequest& request) {
  const std::size_t width = campaign.contexts->features;
  request.features = read_rows(fields, kContext, width, campaign.contexts->actions + 1, limits);
  const std::size_t rows = request.features.size() / width;
  if (campaign.knowledge && rows != campaign.knowledge->variables()) {
    throw InvalidInput(
        "context", fmt::format("{} rows", rows),
        fmt::format("must have one for each of the {} variables", campaign.knowledge->variables()));
  }
  if (!read_baseline(fields, "context", rows, request) &&
      needs_of_decision(campaign).contains(Need::kBaseline)) {
    refuse_without_baseline(campaign, "context");
  }
  if (const RequestField* affected = find_field(fields, "affected")) {
    request.affected = read_sets(*affected, campaign, rows);
  } else if (needs_of_decision(campaign).contains(Need::kAffected)) {
    throw InvalidInput("affected",
                       fmt::format("is missing; {} needs a list of variables per action, or "
                                   "max_affected in place of all lists",
                                   campaign.spec.name()));
  }
}

// Rounds that allow only some actions.

/// A list of numbers, which was taken out of its document, or anything else.
json list_in(const RequestField& field) {
  const auto* numbers = std::get_if<std::vector<double>>(&field);
  if (numbers == nullptr) return plain_value(field);
  json list = json::array();
  for (const double number : *numbers) {
    const bool whole = number >= 0.0 && number <= 0x1p53 && number == std::floor(number);
    list.push_back(whole ? json(static_cast<std::uint64_t>(number)) : json(number));
  }
  return list;
}

/// Sorted; empty if all are named.
std::vector<ActionId> read_allowed(const RequestField& field, const CampaignDefinition& campaign) {
  const json list = list_in(field);
  if (!list.is_array()) throw InvalidInput("allowed", "must be a list of actions");
  if (list.empty()) throw InvalidInput("allowed", "must have at least one action");
  std::unordered_map<std::string_view, ActionId> by_name;  // lists may be long
  for (const std::string& name : campaign.action_names) by_name.emplace(name, by_name.size());
  std::vector<bool> seen(campaign.actions(), false);
  std::vector<ActionId> allowed;
  for (const json& item : list) {
    const std::string path = fmt::format("allowed[{}]", allowed.size());
    const auto* name = item.get_ptr<const std::string*>();
    const auto known = name == nullptr ? by_name.end() : by_name.find(*name);
    const ActionId action =
        known != by_name.end() ? known->second : action_field(item, campaign, path);
    if (seen[action]) {
      throw InvalidInput(path, name != nullptr ? *name : item.dump(), "is repeated");
    }
    seen[action] = true;
    allowed.push_back(action);
  }
  if (allowed.size() == campaign.actions()) return {};
  std::sort(allowed.begin(), allowed.end());
  return allowed;
}

// Several decisions at once.

/// Of a policy that learns which variables each action moves, for each of its numbers: 20 actions
/// and 2,000 units take 4 ms a decision with its probability.
constexpr std::uint64_t kWorkOfLearntSets = 200;

std::uint64_t work_of_decision(const CampaignDefinition& campaign) {
  const PolicyInfo& policy = policy_info(campaign.spec.name());
  const bool learns_sets =
      policy.traits.draws && !policy.traits.on_total && !policy.needs.contains(Need::kAffected);
  const std::uint64_t work = std::max<std::uint64_t>(cost_of(campaign).work, 1);
  return learns_sets ? kWorkOfLearntSets * work : work;
}

std::uint32_t read_count(const RequestField& field, const CampaignDefinition& campaign,
                         const RequestLimits& limits) {
  const std::size_t count = whole_field(plain_value(field), "count", 1, limits.batch);
  const std::uint64_t work = work_of_decision(campaign);
  if (count > 1 && count > limits.batch_work / work) {
    throw InvalidInput("count", std::to_string(count),
                       fmt::format("must be at most {}: each decision takes {} multiplications",
                                   std::max<std::uint64_t>(limits.batch_work / work, 1), work));
  }
  return static_cast<std::uint32_t>(count);
}

// Shadow mode.

void refuse_taken_if_live(const RequestFields& fields, const CampaignDefinition& campaign) {
  for (const char* key : {"action", "probability"}) {
    if (campaign.shadow || find_field(fields, key) == nullptr) continue;
    throw InvalidInput(key,
                       "cannot be used: only a campaign in shadow mode is told what was taken");
  }
}

void read_taken(const RequestFields& fields, const CampaignDefinition& campaign,
                DecisionRequest& request) {
  const RequestField* action = find_field(fields, "action");
  const RequestField* probability = find_field(fields, "probability");
  if (action == nullptr && probability == nullptr) return;
  if (action == nullptr) throw InvalidInput("action", "is missing; probability needs it");
  request.action = action_field(plain_value(*action), campaign, "action");
  if (probability == nullptr) return;
  request.probability = number_field(plain_value(*probability), "probability");
  check_probability(*request.probability, "probability");
}

}  // namespace

std::string batch_decision(std::string_view batch, std::uint32_t position) {
  return fmt::format("{}.{}", batch, position);
}

DecisionRequest parse_decision(std::string_view body, const CampaignDefinition& campaign,
                               const RequestLimits& limits) {
  RequestFields fields = read_request_fields(body);
  refuse_taken_if_live(fields, campaign);
  if (campaign.shape) {
    check_fields(fields, {"decision", "pool", "baseline"});
  } else if (campaign.contexts && campaign.shadow) {
    check_fields(fields, {"decision", "context", "baseline", "affected", "allowed", "action",
                          "probability"});
  } else if (campaign.contexts) {
    check_fields(fields, {"decision", "context", "baseline", "affected", "allowed"});
  } else if (campaign.shadow) {
    check_fields(fields, {"decision", "allowed", "count", "action", "probability"});
  } else {
    check_fields(fields, {"decision", "allowed", "count"});
  }
  DecisionRequest request;
  if (find_field(fields, "decision") != nullptr) {
    request.id = text_of(fields, "decision");
    check_decision_id(request.id);
  }
  read_taken(fields, campaign, request);
  if (const RequestField* count = find_field(fields, "count")) {
    if (request.action) {
      throw InvalidInput("count", "cannot be combined with action, which is of one decision");
    }
    request.batch.size = read_count(*count, campaign, limits);
    if (!request.id.empty()) check_decision_id(batch_decision(request.id, request.batch.size));
  }
  if (const RequestField* allowed = find_field(fields, "allowed")) {
    request.allowed = read_allowed(*allowed, campaign);
  }
  if (request.action && !AllowedActions(request.allowed).contains(*request.action)) {
    throw InvalidInput("action", std::to_string(*request.action), "must be one of allowed");
  }
  if (campaign.shape) read_pool(fields, campaign, limits, request);
  if (campaign.contexts) read_context(fields, campaign, limits, request);
  return request;
}

}  // namespace updraft
