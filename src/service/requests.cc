#include "service/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
      throw InvalidInput(path(i), values[i], "must have an absolute value of at most 1e90");
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

/// Sorts ids, each with its value. `name(id)` is the sender's name for it.
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

/// Takes the values out of `fields`.
void read_sparse(RequestFields& fields, const CampaignDefinition& campaign, PayoffPart& part) {
  const RequestField* indices = find_field(fields, "indices");
  const auto values = fields.find("values");
  if (indices == nullptr) throw InvalidInput("indices", "is missing; values need indices");
  if (values == fields.end()) throw InvalidInput("values", "is missing; indices need values");
  const std::vector<double>& numbers = number_list(*indices, "indices");
  number_list(values->second, "values");  // which it is
  part.values = std::move(std::get<std::vector<double>>(values->second));
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
    if (i == 0) part.ids.reserve(numbers.size());
    part.ids.push_back(static_cast<VariableId>(numbers[i]));
  }
  check_values(part.values, campaign, [](std::size_t i) { return fmt::format("values[{}]", i); });
  sort_by_id(part, "indices", [](VariableId id) { return std::to_string(id); });
}

}  // namespace

void read_payoffs(RequestFields& fields, const CampaignDefinition& campaign, PayoffPart& part) {
  const auto payoffs = fields.find("payoffs");
  const bool sparse =
      find_field(fields, "indices") != nullptr || find_field(fields, "values") != nullptr;
  if (payoffs == fields.end()) {
    if (sparse) return read_sparse(fields, campaign, part);
    if (part.complete) return;
    throw InvalidInput("payoffs",
                       "is missing; only a request that completes the decision may omit it");
  }
  if (sparse) {
    throw InvalidInput("payoffs", "cannot be combined with indices and values");
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

PayoffPart parse_payoffs(std::string_view body, const CampaignDefinition& campaign) {
  RequestFields fields = read_request_fields(body, most_variables(campaign));
  check_fields(fields, {"payoffs", "indices", "values", "complete", "part"});
  PayoffPart part;
  part.part = text_of(fields, "part");
  if (part.part.size() > kLongestPart) {
    throw InvalidInput(
        "part", fmt::format("has {} bytes; must have at most {}", part.part.size(), kLongestPart));
  }
  if (const RequestField* complete = find_field(fields, "complete")) {
    const json value = plain_value(*complete);
    if (!value.is_boolean()) throw InvalidInput("complete", "must be true or false");
    part.complete = value.get<bool>();
  }
  read_payoffs(fields, campaign, part);
  return part;
}

}  // namespace updraft
