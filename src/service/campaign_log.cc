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
#include "service/access_tokens.h"
#include "service/event_bodies.h"
#include "service/event_kinds.h"
#include "service/live_campaign.h"
#include "service/replay_events.h"
#include "store/store_schema.h"
#include "store/store_writer.h"
#include "updraft/error.h"

namespace updraft {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kFormat = "updraft-campaign-log/3";
/// Without names and checksums of lines.
constexpr std::string_view kFormat2 = "updraft-campaign-log/2";
/// Without probabilities and revisions; its last line has a checksum of the state, which nobody can
/// tell any more, in place of that of the lines.
constexpr std::string_view kFormat1 = "updraft-campaign-log/1";
constexpr std::size_t kMostDepth = 8;
constexpr std::size_t kMostTime = std::size_t{1} << 62;
constexpr std::size_t kMostId = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kWritesAtOnce = 1000;

std::string checksum_text(std::uint32_t sum) { return fmt::format("{:08x}", sum); }

/// The line with the checksum of all before it as its last member.
std::string with_crc(std::string line) {
  line.pop_back();
  const std::uint32_t sum = checksum(line);
  return line += fmt::format(R"(,"crc":"{}"}})", checksum_text(sum));
}

/// Throws unless that is so.
void check_crc(const std::string& line) {
  constexpr std::string_view kKey = R"(,"crc":")";
  constexpr std::size_t kLength = kKey.size() + 10;  // with eight digits, and "} behind
  const std::size_t at = line.size() - std::min(line.size(), kLength);
  if (line.compare(at, kKey.size(), kKey) != 0) throw InvalidInput("crc", "must end the line");
  if (with_crc(line.substr(0, at) + '}') != line) {
    throw InvalidInput("crc", clipped(line.substr(at + kKey.size(), 8)), "does not match the line");
  }
}

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
  Json out = {{"event", event.number}, {"kind", kind_name(event.kind)}, {"time_ms", event.time_ms}};
  if (!event.by.empty()) out["by"] = event.by;
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
             {"event", "kind", "time_ms", "by", "decision", "pool", "baseline", "treatments",
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
             {"event", "kind", "time_ms", "by", "decision", "action", "index", "context",
              "baseline", "affected", "probability", "revision"});
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
    check_keys(line, "",
               {"event", "kind", "time_ms", "by", "decision", "action", "index", "probability",
                "revision"});
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
  check_keys(line, "",
             {"event", "kind", "time_ms", "by", "decision", "part", "complete", "payoffs",
              "indices", "values"});
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

/// Negative before 1970, as a clock that was never set may have it.
std::int64_t time_field(const Json& value, std::string_view field) {
  const bool negative = value.is_number_integer() && !value.is_number_unsigned();
  if (!negative) return static_cast<std::int64_t>(whole_field(value, field, 0, kMostTime));
  const auto time = value.get<std::int64_t>();
  if (time < -static_cast<std::int64_t>(kMostTime)) {
    throw InvalidInput(field, std::to_string(time), "must be at least -2^62");
  }
  return time;
}

/// As in a token file.
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
    check_keys(line, "", {"event", "kind", "time_ms", "by", "decision"});
  }
  return event;
}

/// The lines of a log, as a campaign that grows.
class LogReader {
 public:
  /// `line` is where it is, from 1.
  LogReader(std::istream& in, std::size_t& line) : in_(in), line_(line) {
    Json head = next_line();
    const std::string format = text_field(required(head, "", "format"), "format");
    if (format != kFormat && format != kFormat2 && format != kFormat1) {
      throw InvalidInput("format", clipped(format),
                         fmt::format("must be {}, {} or {}", kFormat, kFormat2, kFormat1));
    }
    sums_lines_ = format != kFormat1;
    sums_each_line_ = format == kFormat;
    if (sums_each_line_) {
      check_crc(text_);
      head.erase("crc");
    }
    check_keys(head, "", {"format", "definition", "created_ms", "by"});
    if (head.contains("created_ms")) created_ms_ = time_field(head["created_ms"], "created_ms");
    if (head.contains("by")) by_ = name_field(head["by"]);
    definition_ = std::make_shared<CampaignDefinition>(
        parse_definition(required(head, "", "definition").dump(), DefinitionLimits::of_stored()));
    live_ = std::make_unique<LiveCampaign>(definition_);
  }

  const CampaignDefinition& definition() const { return *definition_; }
  /// The campaign, with the id that it is to have.
  StoredCampaign campaign(std::int64_t id) const {
    return {id, definition_->name, definition_->canonical, created_ms_, by_};
  }

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
    if (!std::getline(in_, text_)) throw InvalidInput("end", "is missing: the log was cut off");
    sum_ = with_line(sum_, text_);
    if (sums_each_line_) check_crc(text_);
    Json line = parse_json_document(text_, kMostDepth);
    if (sums_each_line_) line.erase("crc");
    return line;
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
  bool sums_each_line_ = false;
  std::string text_;  // of the last line
  std::int64_t created_ms_ = 0;
  std::string by_;
  std::shared_ptr<const CampaignDefinition> definition_;
  std::unique_ptr<LiveCampaign> live_;
  std::unordered_set<std::string> ids_;
  std::unordered_map<std::string, std::vector<Event>> unsettled_;
};

/// The error with the line number before the field.
InvalidInput in_line(std::size_t line, const InvalidInput& error) {
  const std::string field = fmt::format("line {}: {}", line, error.field());
  return error.value().empty() ? InvalidInput(field, error.rule())
                               : InvalidInput(field, error.value(), error.rule());
}

}  // namespace

StoredCampaign campaign_with_events(const CampaignStore& store, std::string_view name) {
  std::vector<std::string> names;
  for (StoredCampaign& campaign : store.campaigns()) {
    names.push_back(campaign.name);
    if (campaign.name != name) continue;
    if (campaign.has_events()) return campaign;
    throw InvalidInput("campaign", name, "is archived, and its events were dropped");
  }
  throw unknown_name("campaign", name, names);
}

void export_campaign(const CampaignStore& store, std::string_view name, std::ostream& out) {
  const StoredCampaign campaign = campaign_with_events(store, name);
  std::uint32_t sum = 0;
  const auto put = [&](const Json& line) {
    const std::string text = with_crc(line.dump());
    sum = with_line(sum, text);
    out << text << '\n';
  };
  Json head = {{"format", kFormat}, {"definition", Json::parse(campaign.definition)}};
  if (campaign.created_ms != 0) head["created_ms"] = campaign.created_ms;
  if (!campaign.by.empty()) head["by"] = campaign.by;
  put(head);
  LiveCampaign live(std::make_shared<CampaignDefinition>(
      parse_definition(campaign.definition, DefinitionLimits::of_stored())));
  const auto put_event = [&](const Event& event) { put(event_json(event, live.definition())); };
  replay_events(store, campaign, live, {.after = put_event});
  put({{"events", live.version()}, {"checksum", checksum_text(sum)}});
}

std::uint64_t audit_campaign(const CampaignStore& store, std::istream& in) {
  std::size_t line = 0;
  try {
    LogReader log(in, line);
    const std::string& name = log.definition().name;
    const auto known = store.heads_of(name);
    if (known.empty()) {
      throw InvalidInput("name", name, "the store has and had no campaign of this name");
    }
    std::uint64_t events = 0;
    std::vector<std::int64_t> chains(known.size(), 0);  // as if the log were of that campaign
    while (const std::optional<Event> event = log.next()) {
      events = event->number;
      for (std::size_t i = 0; i < known.size(); ++i) {
        chains[i] = chained(chains[i], checksum_of(known[i].campaign, *event));
      }
    }
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (known[i].head.number == events && known[i].head.chain == chains[i]) return events;
    }
    throw InvalidInput("events", std::to_string(events),
                       fmt::format("are not those of the store, which has {} for {}",
                                   known.back().head.number, name));
  } catch (const InvalidInput& error) {
    throw in_line(line, error);
  }
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
    const StoredCampaign added = log.campaign(store.new_campaign_id());
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
