#include "service/campaign_log.h"

#include <fmt/format.h>

#include <algorithm>
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
#include "service/log_events.h"
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
constexpr std::size_t kLineDepth = 8;
constexpr std::size_t kMostEvents = std::size_t{1} << 62;
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

  /// After the events so far.
  const LiveCampaign& state() const { return *live_; }

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
    Json line = parse_json_document(text_, kLineDepth);
    if (sums_each_line_) line.erase("crc");
    return line;
  }

  /// `sum` is that of the lines before.
  void check_end(const Json& line, std::uint32_t sum) {
    const char* key = sums_lines_ ? "checksum" : "state";
    check_keys(line, "", {"events", key});
    if (whole_field(line["events"], "events", 0, kMostEvents) != live_->version()) {
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
    if (event.decision.empty() || event.kind == EventKind::kHistory) return;
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

/// What the store knows of a campaign, while a log is read as if it were of that campaign.
class AuditedHead {
 public:
  AuditedHead(const EventStore& store, const NamedHead& known, std::string_view name)
      : store_(store), known_(known) {
    campaign_.id = known.campaign;
    campaign_.name = name;
    cuts_ = store.cuts(campaign_);
  }

  void take(const Event& event, const LiveCampaign& state) {
    last_ = event.number;
    chain_ = chained(chain_, checksum_of(known_.campaign, event));
    for (const StoredCut& cut : cuts_) {
      if (cut.number == last_) same_ = same_ && cut.chain == chain_ && same_state(state);
    }
  }

  /// All of them, or, where events were dropped, those up to one that is left or to a cut.
  bool matches() const {
    if (known_.head.number == last_) return same_ && known_.head.chain == chain_;
    if (cuts_.empty() || !same_ || last_ > known_.head.number) return false;
    if (last_ > cuts_.back().number) return store_.chain_at(campaign_, last_) == chain_;
    return std::any_of(cuts_.begin(), cuts_.end(),
                       [&](const StoredCut& cut) { return cut.number == last_; });
  }

 private:
  /// Whether the snapshot behind which the events were dropped is what the log gives; those of
  /// earlier cuts and of other revisions of the policy are no more.
  bool same_state(const LiveCampaign& state) const {
    const auto snapshot = store_.snapshot_at(campaign_, last_);
    return !snapshot || !state.made(snapshot->body) || snapshot->body == state.snapshot();
  }

  const EventStore& store_;
  NamedHead known_;
  StoredCampaign campaign_;
  std::vector<StoredCut> cuts_;
  std::uint64_t last_ = 0;
  std::int64_t chain_ = 0;
  bool same_ = true;
};

}  // namespace

StoredCampaign campaign_with_events(const EventStore& store, std::string_view name) {
  std::vector<std::string> names;
  for (StoredCampaign& campaign : store.campaigns()) {
    names.push_back(campaign.name);
    if (campaign.name != name) continue;
    if (!campaign.has_events()) {
      throw InvalidInput("campaign", name, "is archived, and its events were dropped");
    }
    if (const auto cut = store.cut_of(campaign)) {
      throw InvalidInput("campaign", name,
                         fmt::format("has lost its events up to {} to --compact-after; updraft "
                                     "store backup copies what is left",
                                     cut->number));
    }
    return campaign;
  }
  throw unknown_name("campaign", name, names);
}

void export_campaign(const EventStore& store, std::string_view name, std::ostream& out) {
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

std::uint64_t audit_campaign(const EventStore& store, std::istream& in) {
  std::size_t line = 0;
  try {
    LogReader log(in, line);
    const std::string& name = log.definition().name;
    const auto known = store.heads_of(name);
    if (known.empty()) {
      throw InvalidInput("name", name, "the store has and had no campaign of this name");
    }
    std::vector<AuditedHead> heads;
    for (const NamedHead& head : known) heads.emplace_back(store, head, name);
    std::uint64_t events = 0;
    while (const std::optional<Event> event = log.next()) {
      events = event->number;
      for (AuditedHead& head : heads) head.take(*event, log.state());
    }
    if (std::any_of(heads.begin(), heads.end(), [](AuditedHead& head) { return head.matches(); })) {
      return events;
    }
    throw InvalidInput("events", std::to_string(events),
                       fmt::format("are not those of the store, which has {} for {}",
                                   known.back().head.number, name));
  } catch (const InvalidInput& error) {
    throw in_line(line, error);
  }
}

std::string import_campaign(EventStore& store, std::istream& in) {
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
