#include <fmt/format.h>

#include "core/json_document.h"
#include "core/json_fields.h"
#include "service/json_pieces.h"
#include "service/requests.h"
#include "updraft/error.h"

namespace updraft {
namespace {

/// The error of a round, with its number before the field.
InvalidInput in_round(std::size_t round, const InvalidInput& error) {
  const std::string field = fmt::format("rounds[{}].{}", round, error.field());
  return error.value().empty() ? InvalidInput(field, error.rule())
                               : InvalidInput(field, error.value(), error.rule());
}

PastRound past_round(std::string_view text, const CampaignDefinition& campaign) {
  RequestFields fields = read_request_fields(text, campaign.knowledge->variables());
  check_fields(fields, {"action", "payoffs", "indices", "values"});
  const RequestField* action = find_field(fields, "action");
  if (action == nullptr) throw InvalidInput("action", "is missing");
  PastRound round;
  round.action = action_field(plain_value(*action), campaign, "action");
  if (find_field(fields, "payoffs") == nullptr && find_field(fields, "indices") == nullptr &&
      find_field(fields, "values") == nullptr) {
    throw InvalidInput("payoffs", "is missing");
  }
  read_payoffs(fields, campaign, round.payoffs);
  return round;
}

std::vector<PastRound> past_rounds(std::string_view text, const CampaignDefinition& campaign,
                                   const RequestLimits& limits) {
  const std::vector<std::string_view> items = list_pieces(text, "rounds", limits.past_rounds);
  if (items.empty() || items.size() > limits.past_rounds) {
    throw InvalidInput(
        "rounds", fmt::format("{} rounds", items.empty() ? "0" : "more"),
        fmt::format("must have from 1 to {}; send more in other batches", limits.past_rounds));
  }
  std::vector<PastRound> rounds;
  rounds.reserve(items.size());
  std::size_t payoffs = 0;
  for (const std::string_view item : items) {
    try {
      rounds.push_back(past_round(item, campaign));
    } catch (const InvalidInput& refused) {
      throw in_round(rounds.size(), refused);
    }
    payoffs += rounds.back().payoffs.values.size();
    if (payoffs <= limits.past_payoffs) continue;
    throw InvalidInput("rounds",
                       fmt::format("must have at most {} payoffs; send more in other batches",
                                   limits.past_payoffs));
  }
  return rounds;
}

}  // namespace

HistoryRequest parse_history(std::string_view body, const CampaignDefinition& campaign,
                             const RequestLimits& limits) {
  if (campaign.shape || campaign.contexts) {
    throw InvalidInput("rounds", "cannot be used: past rounds are for plain policies");
  }
  HistoryRequest request;
  std::string_view rounds;
  for (const auto& [key, value] : object_pieces(body, "request")) {
    const bool repeated = key == "batch" ? !request.batch.empty() : !rounds.empty();
    if (key != "batch" && key != "rounds") {
      throw unknown_name("key", clipped(key), {"batch", "rounds"});
    }
    if (repeated) throw InvalidInput(key, "must be given once");
    if (key == "rounds") {
      rounds = value;
      continue;
    }
    request.batch = text_field(parse_json_document(value, 1, value.size() + 1024), "batch");
    check_batch_id(request.batch);
  }
  if (request.batch.empty()) throw InvalidInput("batch", "is missing");
  if (rounds.empty()) throw InvalidInput("rounds", "is missing");
  request.rounds = past_rounds(rounds, campaign, limits);
  return request;
}

}  // namespace updraft
