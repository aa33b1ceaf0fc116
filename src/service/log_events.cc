#include "service/log_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/json_document.h"
#include "core/json_fields.h"
#include "service/access_tokens.h"
#include "service/event_bodies.h"
#include "service/event_kinds.h"
#include "service/live_campaign.h"
#include "updraft/error.h"

namespace updraft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostTime = std::size_t{1} << 62;
constexpr std::size_t kMostId = std::numeric_limits<std::uint32_t>::max();

Json rows_json(const Decided& decided, std::size_t width) {
  Json rows = Json::array();
  for (std::size_t at = 0; at + width <= decided.features.size(); at += width) {
    const auto begin = decided.features.begin() + static_cast<std::ptrdiff_t>(at);
    rows.push_back(std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(width)));
  }
  return rows;
}

/// The rows of a pool or a context.
std::vector<double> rows_field(const Json& line, std::string_view key, std::size_t width) {
  std::vector<double> features;
  const Json& rows = required_list(line, "", key);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string path = fmt::format("{}[{}]", key, row);
    const std::vector<double> numbers = numbers_field(rows[row], path);
    if (numbers.size() != width) {
      throw InvalidInput(path, fmt::format("{} numbers", numbers.size()),
                         fmt::format("must have {}", width));
    }
    features.insert(features.end(), numbers.begin(), numbers.end());
  }
  return features;
}

void put_decided(const Decided& decided, const CampaignDefinition& definition, Json& out) {
  if (decided.revision != 0) out["revision"] = decided.revision;
  if (decided.probability) out["probability"] = *decided.probability;
  if (!decided.baseline.empty()) out["baseline"] = decided.baseline;
  if (definition.shape) {
    out["pool"] = rows_json(decided, definition.shape->features);
    out["treatments"] = decided.treatments;
    if (!decided.chosen.empty()) out["chosen"] = decided.chosen;
    return;
  }
  out["action"] = decided.action;
  if (decided.proposal) out["proposal"] = *decided.proposal;
  if (decided.by_caller) out["by_caller"] = true;
  if (decided.held_out) out["held_out"] = true;
  if (decided.probe) out["probe"] = true;
  if (!decided.allowed.empty()) out["allowed"] = decided.allowed;
  if (decided.batch.size > 0) {
    out["batch"] = {{"position", decided.batch.position}, {"size", decided.batch.size}};
  }
  out["index"] = decided.index ? Json(*decided.index) : Json(nullptr);
  if (!definition.contexts) return;
  out["context"] = rows_json(decided, definition.contexts->features);
  if (decided.affected.empty()) return;
  Json& sets = out["affected"] = Json::array();
  for (const VariableSet& set : decided.affected) sets.push_back(set.ids());
}

/// One number for each variable, or those that did not pay 0.
void put_payoffs(const PayoffPart& part, Json& out) {
  if (part.dense) {
    out["payoffs"] = part.values;
  } else {
    out["indices"] = part.ids;
    out["values"] = part.values;
  }
}

Json history_json(const std::vector<PastRound>& rounds) {
  Json out = Json::array();
  for (const PastRound& round : rounds) {
    Json row = {{"action", round.action}};
    put_payoffs(round.payoffs, row);
    out.push_back(std::move(row));
  }
  return out;
}

std::vector<std::uint32_t> ids_field(const Json& list, std::string_view path) {
  std::vector<std::uint32_t> ids;
  for (std::size_t j = 0; j < list.size(); ++j) {
    const std::size_t id = whole_field(list[j], fmt::format("{}[{}]", path, j), 0, kMostId);
    ids.push_back(static_cast<std::uint32_t>(id));
  }
  return ids;
}

std::vector<VariableSet> sets_field(const Json& lists) {
  std::vector<VariableSet> sets;
  for (const Json& list : lists) {
    const std::string path = fmt::format("affected[{}]", sets.size());
    if (!list.is_array()) throw InvalidInput(path, "must be a list of variables");
    sets.push_back(VariableSet::from_ids(ids_field(list, path), path));
  }
  return sets;
}

Decided targeted_from(const Json& line, std::size_t width) {
  check_keys(line, "",
             {"event", "kind", "time_ms", "by", "decision", "pool", "baseline", "treatments",
              "probability", "revision", "chosen"});
  Decided decided;
  decided.features = rows_field(line, "pool", width);
  if (line.contains("chosen")) {
    decided.chosen = ids_field(required_list(line, "", "chosen"), "chosen");
  }
  decided.treatments = ids_field(required_list(line, "", "treatments"), "treatments");
  return decided;
}

/// False if it is absent.
bool flag_field(const Json& line, const char* key) {
  if (!line.contains(key)) return false;
  if (!line[key].is_boolean()) throw InvalidInput(key, "must be true or false");
  return line[key].get<bool>();
}

void read_action(const Json& line, Decided& decided) {
  decided.action =
      static_cast<ActionId>(whole_field(required(line, "", "action"), "action", 0, kMostId));
  const Json& index = required(line, "", "index");
  if (!index.is_null()) decided.index = number_field(index, "index");
  if (line.contains("proposal")) {
    decided.proposal = static_cast<ActionId>(whole_field(line["proposal"], "proposal", 0, kMostId));
  }
  decided.by_caller = flag_field(line, "by_caller");
  decided.held_out = flag_field(line, "held_out");
  decided.probe = flag_field(line, "probe");
  if (line.contains("allowed")) {
    decided.allowed = ids_field(required_list(line, "", "allowed"), "allowed");
  }
}

Decided contextual_from(const Json& line, std::size_t width) {
  check_keys(line, "",
             {"event", "kind", "time_ms", "by", "decision", "action", "index", "context",
              "baseline", "affected", "probability", "revision", "proposal", "by_caller",
              "held_out", "probe", "allowed"});
  Decided decided;
  read_action(line, decided);
  decided.features = rows_field(line, "context", width);
  if (line.contains("affected")) {
    decided.affected = sets_field(required_list(line, "", "affected"));
  }
  return decided;
}

BatchPlace batch_field(const Json& place) {
  if (!place.is_object()) throw InvalidInput("batch", "must be an object");
  check_keys(place, "batch", {"position", "size"});
  const std::size_t size = whole_field(required(place, "batch", "size"), "batch.size", 1, kMostId);
  const std::size_t position =
      whole_field(required(place, "batch", "position"), "batch.position", 1, size);
  return {.position = static_cast<std::uint32_t>(position),
          .size = static_cast<std::uint32_t>(size)};
}

Decided decided_from(const Json& line, const CampaignDefinition& definition) {
  Decided decided;
  if (definition.shape) {
    decided = targeted_from(line, definition.shape->features);
  } else if (definition.contexts) {
    decided = contextual_from(line, definition.contexts->features);
  } else {
    check_keys(line, "",
               {"event", "kind", "time_ms", "by", "decision", "action", "index", "probability",
                "revision", "proposal", "by_caller", "held_out", "probe", "allowed", "batch"});
    read_action(line, decided);
    if (line.contains("batch")) decided.batch = batch_field(line["batch"]);
  }
  if (line.contains("baseline")) decided.baseline = numbers_field(line["baseline"], "baseline");
  if (line.contains("probability")) {
    decided.probability = number_field(line["probability"], "probability");
    check_probability(*decided.probability, "probability");
  }
  if (line.contains("revision")) {
    decided.revision =
        static_cast<std::uint32_t>(whole_field(line["revision"], "revision", 1, kMostId));
  }
  return decided;
}

/// The same rule as for payoffs that are sent to the service.
void check_sizes(const PayoffPart& part) {
  for (const double value : part.values) {
    if (!(std::abs(value) <= kLargestPayoff)) {
      throw InvalidInput("payoffs", value, "must have an absolute value of at most 1e90");
    }
  }
}

/// The members of `object`, which is at `path`.
void read_payoffs(const Json& object, std::string_view path, PayoffPart& part) {
  part.dense = object.contains("payoffs");
  if (part.dense) {
    part.values = numbers_field(object["payoffs"], member_path(path, "payoffs"));
  } else {
    const std::string indices = member_path(path, "indices");
    part.ids = ids_field(required_list(object, path, "indices"), indices);
    part.values = numbers_field(required(object, path, "values"), member_path(path, "values"));
    if (part.ids.size() != part.values.size() ||
        std::adjacent_find(part.ids.begin(), part.ids.end(), std::greater_equal<>()) !=
            part.ids.end()) {
      throw InvalidInput(indices, "must increase, and there must be as many as values");
    }
  }
  check_sizes(part);
}

PayoffPart payoffs_from(const Json& line) {
  check_keys(line, "",
             {"event", "kind", "time_ms", "by", "decision", "part", "complete", "packed", "payoffs",
              "indices", "values"});
  PayoffPart part;
  part.part = text_field(required(line, "", "part"), "part");
  const Json& complete = required(line, "", "complete");
  if (!complete.is_boolean()) throw InvalidInput("complete", "must be true or false");
  part.complete = complete.get<bool>();
  read_payoffs(line, "", part);
  return part;
}

std::vector<PastRound> history_from(const Json& line) {
  check_keys(line, "", {"event", "kind", "time_ms", "by", "batch", "rounds"});
  std::vector<PastRound> rounds;
  for (const Json& row : required_list(line, "", "rounds")) {
    const std::string path = fmt::format("rounds[{}]", rounds.size());
    check_keys(row, path, {"action", "payoffs", "indices", "values"});
    PastRound& round = rounds.emplace_back();
    round.action = static_cast<ActionId>(
        whole_field(required(row, path, "action"), member_path(path, "action"), 0, kMostId));
    read_payoffs(row, path, round.payoffs);
  }
  return rounds;
}

}  // namespace

Json event_json(const Event& event, const CampaignDefinition& definition) {
  Json out = {{"event", event.number}, {"kind", kind_name(event.kind)}, {"time_ms", event.time_ms}};
  if (!event.by.empty()) out["by"] = event.by;
  if (event.kind == EventKind::kHistory) {
    out["batch"] = event.decision.substr(kBatch.size());
    out["rounds"] = history_json(decode_history(event.body));
    return out;
  }
  if (is_of_action(event.kind)) out["action"] = decode_action(event.body);
  if (!event.decision.empty()) out["decision"] = event.decision;
  if (event.kind == EventKind::kDecided) {
    put_decided(decode_decided(event.body), definition, out);
  } else if (event.kind == EventKind::kPayoffs) {
    const PayoffPart part = decode_payoffs(event.body);
    out["part"] = part.part;
    out["complete"] = part.complete;
    if (is_packed(event.body)) out["packed"] = true;
    put_payoffs(part, out);
  }
  return out;
}

std::int64_t time_field(const Json& value, std::string_view field) {
  const bool negative = value.is_number_integer() && !value.is_number_unsigned();
  if (!negative) return static_cast<std::int64_t>(whole_field(value, field, 0, kMostTime));
  const auto time = value.get<std::int64_t>();
  if (time < -static_cast<std::int64_t>(kMostTime)) {
    throw InvalidInput(field, std::to_string(time), "must be at least -2^62");
  }
  return time;
}

std::string name_field(const Json& value) {
  std::string name = text_field(value, "by");
  if (!is_token_name(name)) throw InvalidInput("by", clipped(name), "must be the name of a token");
  return name;
}

Event event_from(const Json& line, const CampaignDefinition& definition) {
  Event event;
  event.number = whole_field(required(line, "", "event"), "event", 1, kMostTime);
  event.time_ms = time_field(required(line, "", "time_ms"), "time_ms");
  const std::string kind = text_field(required(line, "", "kind"), "kind");
  const auto named = kind_named(kind);
  if (!named) throw InvalidInput("kind", clipped(kind), "unknown");
  event.kind = *named;
  if (line.contains("by")) event.by = name_field(line["by"]);
  if (event.kind == EventKind::kHistory) {
    const std::string batch = text_field(required(line, "", "batch"), "batch");
    check_batch_id(batch);
    event.decision = fmt::format("{}{}", kBatch, batch);
    event.body = encode(history_from(line));
    return event;
  }
  if (is_of_action(event.kind)) {
    check_keys(line, "", {"event", "kind", "time_ms", "by", "action"});
    event.body = encode_action(
        static_cast<ActionId>(whole_field(required(line, "", "action"), "action", 0, kMostId)));
    return event;
  }
  if (event.kind != EventKind::kStopped && event.kind != EventKind::kLive) {
    event.decision = text_field(required(line, "", "decision"), "decision");
    check_decision_id(event.decision);
  }
  if (event.kind == EventKind::kDecided) {
    event.body = encode(decided_from(line, definition));
  } else if (event.kind == EventKind::kPayoffs) {
    event.body = encode(payoffs_from(line), flag_field(line, "packed"));
  } else {
    check_keys(line, "", {"event", "kind", "time_ms", "by", "decision"});
  }
  return event;
}

}  // namespace updraft
