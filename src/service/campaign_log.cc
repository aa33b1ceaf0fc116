#include "service/campaign_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <istream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <unordered_map>
#include <unordered_set>

#include "core/checksum.h"
#include "core/json_document.h"
#include "core/json_fields.h"
#include "service/event_bodies.h"
#include "service/live_campaign.h"
#include "service/replay_events.h"
#include "updraft/error.h"

namespace updraft {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kFormat = "updraft-campaign-log/2";
/// Without probabilities and revisions; its last line has a checksum of the state, which nobody can
/// tell any more, in place of that of the lines.
constexpr std::string_view kFormat1 = "updraft-campaign-log/1";
constexpr std::size_t kMostDepth = 8;
constexpr std::size_t kMostTime = std::size_t{1} << 62;
constexpr std::size_t kMostId = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kWritesAtOnce = 1000;

struct NamedKind {
  EventKind kind;
  std::string_view name;
};
constexpr NamedKind kKinds[] = {{EventKind::kDecided, "decided"},
                                {EventKind::kPayoffs, "payoffs"},
                                {EventKind::kLost, "lost"},
                                {EventKind::kStopped, "stopped"}};

std::string checksum_text(std::uint32_t sum) { return fmt::format("{:08x}", sum); }

/// The checksum of lines, with their ends, and of another one.
std::uint32_t with_line(std::uint32_t before, std::string_view line) {
  return checksum_after(checksum_after(before, line), "\n");
}

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
    return;
  }
  out["action"] = decided.action;
  out["index"] = decided.index ? Json(*decided.index) : Json(nullptr);
  if (!definition.contexts) return;
  out["context"] = rows_json(decided, definition.contexts->features);
  if (decided.affected.empty()) return;
  Json& sets = out["affected"] = Json::array();
  for (const VariableSet& set : decided.affected) sets.push_back(set.ids());
}

Json event_json(const Event& event, const CampaignDefinition& definition) {
  const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const NamedKind& named) { return named.kind == event.kind; });
  Json out = {{"event", event.number}, {"kind", kind->name}, {"time_ms", event.time_ms}};
  if (!event.decision.empty()) out["decision"] = event.decision;
  if (event.kind == EventKind::kDecided) {
    put_decided(decode_decided(event.body), definition, out);
  } else if (event.kind == EventKind::kPayoffs) {
    const PayoffPart part = decode_payoffs(event.body);
    out["part"] = part.part;
    out["complete"] = part.complete;
    if (part.dense) {
      out["payoffs"] = part.values;
    } else {
      out["indices"] = part.ids;
      out["values"] = part.values;
    }
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
             {"event", "kind", "time_ms", "decision", "pool", "baseline", "treatments",
              "probability", "revision"});
  Decided decided;
  decided.features = rows_field(line, "pool", width);
  decided.treatments = ids_field(required_list(line, "", "treatments"), "treatments");
  return decided;
}

void read_action(const Json& line, Decided& decided) {
  decided.action =
      static_cast<ActionId>(whole_field(required(line, "", "action"), "action", 0, kMostId));
  const Json& index = required(line, "", "index");
  if (!index.is_null()) decided.index = number_field(index, "index");
}

Decided contextual_from(const Json& line, std::size_t width) {
  check_keys(line, "",
             {"event", "kind", "time_ms", "decision", "action", "index", "context", "baseline",
              "affected", "probability", "revision"});
  Decided decided;
  read_action(line, decided);
  decided.features = rows_field(line, "context", width);
  if (line.contains("affected")) {
    decided.affected = sets_field(required_list(line, "", "affected"));
  }
  return decided;
}

Decided decided_from(const Json& line, const CampaignDefinition& definition) {
  Decided decided;
  if (definition.shape) {
    decided = targeted_from(line, definition.shape->features);
  } else if (definition.contexts) {
    decided = contextual_from(line, definition.contexts->features);
  } else {
    check_keys(
        line, "",
        {"event", "kind", "time_ms", "decision", "action", "index", "probability", "revision"});
    read_action(line, decided);
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

PayoffPart payoffs_from(const Json& line) {
  check_keys(
      line, "",
      {"event", "kind", "time_ms", "decision", "part", "complete", "payoffs", "indices", "values"});
  PayoffPart part;
  part.part = text_field(required(line, "", "part"), "part");
  const Json& complete = required(line, "", "complete");
  if (!complete.is_boolean()) throw InvalidInput("complete", "must be true or false");
  part.complete = complete.get<bool>();
  part.dense = line.contains("payoffs");
  if (part.dense) {
    part.values = numbers_field(line["payoffs"], "payoffs");
    return part;
  }
  part.ids = ids_field(required_list(line, "", "indices"), "indices");
  part.values = numbers_field(required(line, "", "values"), "values");
  if (part.ids.size() != part.values.size() ||
      std::adjacent_find(part.ids.begin(), part.ids.end(), std::greater_equal<>()) !=
          part.ids.end()) {
    throw InvalidInput("indices", "must increase, and there must be as many as values");
  }
  return part;
}

/// The same rule as for payoffs that are sent to the service.
void check_sizes(const PayoffPart& part) {
  for (const double value : part.values) {
    if (!(std::abs(value) <= kLargestPayoff)) {
      throw InvalidInput("payoffs", value, "must have an absolute value of at most 1e90");
    }
  }
}

Event event_from(const Json& line, const CampaignDefinition& definition) {
  Event event;
  event.number = whole_field(required(line, "", "event"), "event", 1, kMostTime);
  event.time_ms = static_cast<std::int64_t>(
      whole_field(required(line, "", "time_ms"), "time_ms", 0, kMostTime));
  const std::string kind = text_field(required(line, "", "kind"), "kind");
  const auto* named = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const NamedKind& known) { return known.name == kind; });
  if (named == std::end(kKinds)) throw InvalidInput("kind", clipped(kind), "unknown");
  event.kind = named->kind;
  if (event.kind != EventKind::kStopped) {
    event.decision = text_field(required(line, "", "decision"), "decision");
    check_decision_id(event.decision);
  }
  if (event.kind == EventKind::kDecided) {
    event.body = encode(decided_from(line, definition));
  } else if (event.kind == EventKind::kPayoffs) {
    const PayoffPart part = payoffs_from(line);
    check_sizes(part);
    event.body = encode(part);
  } else {
    check_keys(line, "", {"event", "kind", "time_ms", "decision"});
  }
  return event;
}

/// The lines of a log, as a campaign that grows.
class LogReader {
 public:
  /// `line` is where it is, from 1.
  LogReader(std::istream& in, std::size_t& line) : in_(in), line_(line) {
    const Json head = next_line();
    check_keys(head, "", {"format", "definition"});
    const std::string format = text_field(required(head, "", "format"), "format");
    if (format != kFormat && format != kFormat1) {
      throw InvalidInput("format", fmt::format("must be {} or {}", kFormat, kFormat1));
    }
    sums_lines_ = format == kFormat;
    definition_ = std::make_shared<CampaignDefinition>(
        parse_definition(required(head, "", "definition").dump()));
    live_ = std::make_unique<LiveCampaign>(definition_);
  }

  const CampaignDefinition& definition() const { return *definition_; }

  /// The next event, which was replayed; none after the last, whose end was checked.
  std::optional<Event> next() {
    const std::uint32_t before = sum_;
    const Json line = next_line();
    if (line.contains("events")) {
      check_end(line, before);
      return std::nullopt;
    }
    Event event = event_from(line, *definition_);
    live_->replay(event, [&](const Event& late) { return lost(late); });
    remember(event);
    return event;
  }

 private:
  Json next_line() {
    ++line_;
    std::string text;
    if (!std::getline(in_, text)) throw InvalidInput("end", "is missing: the log was cut off");
    sum_ = with_line(sum_, text);
    return parse_json_document(text, kMostDepth);
  }

  /// `sum` is that of the lines before.
  void check_end(const Json& line, std::uint32_t sum) {
    const char* key = sums_lines_ ? "checksum" : "state";
    check_keys(line, "", {"events", key});
    if (whole_field(line["events"], "events", 0, kMostTime) != live_->version()) {
      throw InvalidInput(
          "events", line["events"].dump(),
          fmt::format("must be {}, the number of events in the log", live_->version()));
    }
    const std::string said = text_field(required(line, "", key), key);
    if (sums_lines_ && said != checksum_text(sum)) {
      throw InvalidInput(key, clipped(said), "does not match the lines before it");
    }
  }

  /// Events of decisions that are not complete; those that were lost may still be paid.
  void remember(const Event& event) {
    if (event.decision.empty()) return;
    if (event.kind == EventKind::kDecided && !ids_.insert(event.decision).second) {
      throw InvalidInput("decision", event.decision, "occurs twice");
    }
    std::vector<Event>& about = unsettled_[event.decision];
    about.push_back(event);
    if (event.kind == EventKind::kPayoffs && decode_payoffs(event.body).complete) {
      unsettled_.erase(event.decision);
    }
  }

  std::optional<LiveDecision> lost(const Event& late) const {
    const auto found = unsettled_.find(late.decision);
    if (found == unsettled_.end()) return std::nullopt;
    return decision_from(found->second, late.number);
  }

  std::istream& in_;
  std::size_t& line_;
  std::uint32_t sum_ = 0;    // of all lines so far
  bool sums_lines_ = false;  // by the format
  std::shared_ptr<const CampaignDefinition> definition_;
  std::unique_ptr<LiveCampaign> live_;
  std::unordered_set<std::string> ids_;
  std::unordered_map<std::string, std::vector<Event>> unsettled_;
};

StoredCampaign stored_campaign(const CampaignStore& store, std::string_view name) {
  std::vector<std::string> names;
  for (StoredCampaign& campaign : store.campaigns()) {
    if (campaign.name == name) return campaign;
    names.push_back(campaign.name);
  }
  throw unknown_name("campaign", name, names);
}

/// The error with the line number before the field.
InvalidInput in_line(std::size_t line, const InvalidInput& error) {
  const std::string field = fmt::format("line {}: {}", line, error.field());
  return error.value().empty() ? InvalidInput(field, error.rule())
                               : InvalidInput(field, error.value(), error.rule());
}

}  // namespace

void export_campaign(const CampaignStore& store, std::string_view name, std::ostream& out) {
  const StoredCampaign campaign = stored_campaign(store, name);
  std::uint32_t sum = 0;
  const auto put = [&](const Json& line) {
    const std::string text = line.dump();
    sum = with_line(sum, text);
    out << text << '\n';
  };
  put({{"format", kFormat}, {"definition", Json::parse(campaign.definition)}});
  LiveCampaign live(std::make_shared<CampaignDefinition>(parse_definition(campaign.definition)));
  const auto put_event = [&](const Event& event) { put(event_json(event, live.definition())); };
  replay_events(store, campaign, live, {.after = put_event});
  put({{"events", live.version()}, {"checksum", checksum_text(sum)}});
}

std::string import_campaign(CampaignStore& store, std::istream& in) {
  std::size_t line = 0;
  try {
    LogReader log(in, line);
    for (const StoredCampaign& campaign : store.campaigns()) {
      if (campaign.name == log.definition().name) {
        throw InvalidInput("name", campaign.name, "exists already");
      }
    }
    const StoredCampaign added = {store.new_campaign_id(), log.definition().name,
                                  log.definition().canonical};
    bool begun = false;
    bool ended = false;
    const AppendResult result = store.write_all([&] {
      std::vector<StoreWrite> batch;
      if (!begun) batch.emplace_back(added);
      begun = true;
      while (!ended && batch.size() < kWritesAtOnce) {
        std::optional<Event> event = log.next();
        ended = !event;
        if (event) batch.emplace_back(EventWrite{added.id, std::move(*event)});
      }
      return batch;
    });
    if (result == AppendResult::kConflict)
      throw Conflict("another process is writing to the store");
    return added.name;
  } catch (const InvalidInput& error) {
    throw in_line(line, error);
  } catch (const Conflict& error) {
    throw InvalidInput(fmt::format("line {}", line), error.what());
  } catch (const StoreError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw InvalidInput(fmt::format("line {}", line), error.what());
  }
}

}  // namespace updraft
