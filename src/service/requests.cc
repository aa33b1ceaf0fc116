#include "service/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>

#include "core/json_document.h"
#include "core/json_fields.h"
#include "service/request_fields.h"
#include "updraft/error.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestPart = 200;

const RequestField* find(const RequestFields& fields, std::string_view key) {
  const auto found = fields.find(key);
  return found == fields.end() ? nullptr : &found->second;
}

void check_fields(const RequestFields& fields, std::initializer_list<std::string_view> valid) {
  for (const auto& [key, value] : fields) {
    if (std::find(valid.begin(), valid.end(), key) != valid.end()) continue;
    throw unknown_name("key", clipped(key), {valid.begin(), valid.end()});
  }
}

/// As it was before its numbers were taken out, for messages about its type.
json plain_value(const RequestField& field) {
  if (const json* value = std::get_if<json>(&field)) return *value;
  return std::holds_alternative<NamedNumbers>(field) ? json::object() : json::array();
}

/// Throws about the first item that is wrong, or about the type as a whole.
const std::vector<double>& number_list(const RequestField& field, std::string_view path) {
  if (const auto* numbers = std::get_if<std::vector<double>>(&field)) return *numbers;
  if (std::holds_alternative<NumberRows>(field)) {
    number_field(json::array(), fmt::format("{}[0]", path));
  }
  numbers_field(plain_value(field), path);
  throw InvalidInput(path, "must be a list of numbers");
}

std::string text_of(const RequestFields& fields, std::string_view key) {
  const RequestField* field = find(fields, key);
  return field == nullptr ? std::string() : text_field(plain_value(*field), key);
}

// Decisions.

/// Throws about what makes it no list of rows.
[[noreturn]] void refuse_pool(const RequestField& field) {
  const json value = plain_value(field);
  if (!value.is_array()) throw InvalidInput("pool", "must be a list with a row per individual");
  for (std::size_t row = 0; row < value.size(); ++row) {
    numbers_field(value[row], fmt::format("pool[{}]", row));
  }
  throw InvalidInput("pool[0]", "must be a list of numbers, the features of an individual");
}

/// Rows of features; returns how many.
std::size_t check_pool(const NumberRows& rows, const CampaignShape& shape, std::size_t most) {
  if (rows.size() > most) {
    throw InvalidInput("pool", fmt::format("{} rows", rows.size()),
                       fmt::format("must have at most {}", most));
  }
  if (rows.size() < shape.budget) {
    throw InvalidInput("pool", fmt::format("{} rows", rows.size()),
                       fmt::format("must have at least as many as the budget, {}", shape.budget));
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.length(row) == shape.features) continue;
    throw InvalidInput(fmt::format("pool[{}]", row), fmt::format("{} numbers", rows.length(row)),
                       fmt::format("must have one for each of the {} features", shape.features));
  }
  return rows.size();
}

void read_pool(RequestFields& fields, const CampaignDefinition& campaign,
               const RequestLimits& limits, DecisionRequest& request) {
  const auto pool = fields.find("pool");
  if (pool == fields.end()) {
    throw InvalidInput("pool", "is missing; a targeted campaign needs a row per individual");
  }
  if (const auto* none = std::get_if<std::vector<double>>(&pool->second); none && none->empty()) {
    throw InvalidInput("pool", "0 rows", "must have at least 1");
  }
  auto* rows = std::get_if<NumberRows>(&pool->second);
  if (rows == nullptr) refuse_pool(pool->second);
  const std::size_t individuals = check_pool(*rows, *campaign.shape, limits.pool_rows);
  request.pool = std::move(rows->numbers);

  if (const RequestField* baseline = find(fields, "baseline")) {
    request.baseline = number_list(*baseline, "baseline");
    if (request.baseline.size() != individuals) {
      throw InvalidInput(
          "baseline", fmt::format("{} numbers", request.baseline.size()),
          fmt::format("must have one for each of the {} rows of the pool", individuals));
    }
  } else if (policy_info(campaign.spec.name()).needs.contains(Need::kBaseline)) {
    throw InvalidInput(
        "baseline",
        fmt::format("is missing; {} needs one number per row of the pool", campaign.spec.name()));
  }
}

// Payoffs.

std::size_t most_variables(const CampaignDefinition& campaign) {
  return campaign.knowledge ? campaign.knowledge->variables() : RequestLimits().pool_rows;
}

/// `path(i)` names value i.
template <typename Path>
void check_values(const std::vector<double>& values, const CampaignDefinition& campaign,
                  Path path) {
  const bool logistic = campaign.shape && campaign.spec.word("model") == "logistic";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(std::abs(values[i]) <= kLargestPayoff)) {
      throw InvalidInput(path(i), values[i], "must be at most 1e90 in size");
    }
    if (logistic && !(values[i] >= 0.0 && values[i] <= 1.0)) {
      throw InvalidInput(path(i), values[i], "must be in [0, 1] for a logistic model");
    }
  }
}

void read_dense(std::vector<double>& numbers, const CampaignDefinition& campaign,
                PayoffPart& part) {
  if (campaign.knowledge && numbers.size() != campaign.knowledge->variables()) {
    throw InvalidInput(
        "payoffs", fmt::format("{} numbers", numbers.size()),
        fmt::format("must have one for each of the {} variables", campaign.knowledge->variables()));
  }
  if (numbers.size() > most_variables(campaign)) {
    throw InvalidInput("payoffs", fmt::format("{} numbers", numbers.size()),
                       fmt::format("must have at most {}", most_variables(campaign)));
  }
  check_values(numbers, campaign, [](std::size_t i) { return fmt::format("payoffs[{}]", i); });
  part.dense = true;
  part.values = std::move(numbers);
}

/// Brings ids, each with its value, into order. `name(id)` is how the sender calls it.
template <typename Name>
void sort_by_id(PayoffPart& part, std::string_view field, Name name) {
  if (!std::is_sorted(part.ids.begin(), part.ids.end())) {
    std::vector<std::size_t> order(part.ids.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return part.ids[a] < part.ids[b]; });
    PayoffPart sorted = {part.part, part.complete, false, {}, {}};
    for (const std::size_t i : order) {
      sorted.ids.push_back(part.ids[i]);
      sorted.values.push_back(part.values[i]);
    }
    part = std::move(sorted);
  }
  const auto repeated = std::adjacent_find(part.ids.begin(), part.ids.end());
  if (repeated != part.ids.end()) {
    throw InvalidInput(field, name(*repeated), "is repeated; variables must be distinct");
  }
}

void read_named(const NamedNumbers& named, const CampaignDefinition& campaign, PayoffPart& part) {
  if (campaign.variable_names.empty() && !named.empty()) {
    throw InvalidInput("payoffs", campaign.shape
                                      ? "must be a list: the individuals of a pool have no names"
                                      : "must be a list: the variables of this campaign have no "
                                        "names; or give indices and values");
  }
  for (const auto& [name, value] : named) {
    const auto id = find_variable(campaign, name);
    if (!id) throw unknown_variable("key of payoffs", name, campaign);
    part.ids.push_back(*id);
    part.values.push_back(value);
  }
  check_values(part.values, campaign,
               [&](std::size_t i) { return fmt::format("payoffs.{}", clipped(named[i].first)); });
  sort_by_id(part, "key of payoffs",
             [&](VariableId id) { return clipped(campaign.variable_names[id]); });
}

void read_sparse(const RequestFields& fields, const CampaignDefinition& campaign,
                 PayoffPart& part) {
  const RequestField* indices = find(fields, "indices");
  const RequestField* values = find(fields, "values");
  if (indices == nullptr) throw InvalidInput("indices", "is missing; values come with indices");
  if (values == nullptr) throw InvalidInput("values", "is missing; indices come with values");
  const std::vector<double>& numbers = number_list(*indices, "indices");
  part.values = number_list(*values, "values");
  if (part.values.size() != numbers.size()) {
    throw InvalidInput("values", fmt::format("{} numbers", part.values.size()),
                       fmt::format("must have one for each of the {} indices", numbers.size()));
  }
  const std::size_t most = most_variables(campaign) - 1;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!(numbers[i] >= 0.0 && numbers[i] <= static_cast<double>(most)) ||
        numbers[i] != std::floor(numbers[i])) {
      throw InvalidInput(fmt::format("indices[{}]", i), numbers[i],
                         fmt::format("must be a whole number from 0 to {}", most));
    }
    part.ids.push_back(static_cast<VariableId>(numbers[i]));
  }
  check_values(part.values, campaign, [](std::size_t i) { return fmt::format("values[{}]", i); });
  sort_by_id(part, "indices", [](VariableId id) { return std::to_string(id); });
}

void read_payoffs(RequestFields& fields, const CampaignDefinition& campaign, PayoffPart& part) {
  const auto payoffs = fields.find("payoffs");
  const bool sparse = find(fields, "indices") != nullptr || find(fields, "values") != nullptr;
  if (payoffs == fields.end()) {
    if (sparse) return read_sparse(fields, campaign, part);
    if (part.complete) return;
    throw InvalidInput("payoffs", "is missing; only a request that is complete may bring none");
  }
  if (sparse) {
    throw InvalidInput("payoffs", "cannot be given together with indices and values");
  }
  if (auto* numbers = std::get_if<std::vector<double>>(&payoffs->second)) {
    return read_dense(*numbers, campaign, part);
  }
  if (const auto* named = std::get_if<NamedNumbers>(&payoffs->second)) {
    return read_named(*named, campaign, part);
  }
  const json value = plain_value(payoffs->second);
  if (value.is_object()) {
    for (const auto& member : value.items()) {
      number_field(member.value(), fmt::format("payoffs.{}", clipped(member.key())));
    }
  }
  if (value.is_array()) number_list(payoffs->second, "payoffs");
  throw InvalidInput("payoffs", "must be a list of numbers, or an object of numbers by name");
}

}  // namespace

DecisionRequest parse_decision(std::string_view body, const CampaignDefinition& campaign,
                               const RequestLimits& limits) {
  RequestFields fields = read_request_fields(body);
  if (campaign.shape) {
    check_fields(fields, {"decision", "pool", "baseline"});
  } else {
    check_fields(fields, {"decision"});
  }
  DecisionRequest request;
  if (find(fields, "decision") != nullptr) {
    request.id = text_of(fields, "decision");
    check_decision_id(request.id);
  }
  if (campaign.shape) read_pool(fields, campaign, limits, request);
  return request;
}

PayoffPart parse_payoffs(std::string_view body, const CampaignDefinition& campaign) {
  RequestFields fields = read_request_fields(body);
  check_fields(fields, {"payoffs", "indices", "values", "complete", "part"});
  PayoffPart part;
  part.part = text_of(fields, "part");
  if (part.part.size() > kLongestPart) {
    throw InvalidInput(
        "part", fmt::format("has {} bytes; must have at most {}", part.part.size(), kLongestPart));
  }
  if (const RequestField* complete = find(fields, "complete")) {
    const json value = plain_value(*complete);
    if (!value.is_boolean()) throw InvalidInput("complete", "must be true or false");
    part.complete = value.get<bool>();
  }
  read_payoffs(fields, campaign, part);
  return part;
}

}  // namespace updraft
