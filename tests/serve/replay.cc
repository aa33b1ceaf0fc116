#include "replay.h"

#include <map>
#include <sstream>
#include <stdexcept>

namespace updraft::service_test {
namespace {

/// An answered request: a decision, or the part of payoffs with this number.
struct Answered {
  const Round* round = nullptr;
  std::optional<std::size_t> part;
};

/// By number of event: a decision was made from the events before it; payoffs count themselves.
std::multimap<std::uint64_t, Answered> in_order(const std::vector<const Round*>& rounds) {
  std::multimap<std::uint64_t, Answered> all;
  for (const Round* round : rounds) {
    const auto version = [](const Exchange& of) {
      return of.answer->at("state_version").get<std::uint64_t>();
    };
    all.emplace(version(round->decision) + 1, Answered{round, {}});
    for (std::size_t part = 0; part < round->parts.size(); ++part) {
      all.emplace(version(round->parts[part]), Answered{round, part});
    }
  }
  return all;
}

/// What a log has of a decision.
struct LoggedRound {
  Json decided;
  std::vector<Json> parts;
};

void learn(Twin& twin, const Round& round) {
  std::vector<Json> parts;
  for (const Exchange& part : round.parts) parts.push_back(part.body);
  twin.pay(round.decision.body, *round.decision.answer, parts);
}

}  // namespace

Replay replay(const CampaignCase& campaign, const std::vector<const Round*>& rounds) {
  Replay result = {Twin(campaign), {}, ""};
  for (const auto& [number, answered] : in_order(rounds)) {
    const Round& round = *answered.round;
    result.events.push_back({number, answered.part ? "payoffs" : "decided", round.id});
    if (number != result.events.size()) {
      result.differences += "event " + std::to_string(result.events.size()) + " has number " +
                            std::to_string(number) + "\n";
      return result;
    }
    if (!answered.part) {
      const Json expected = result.twin.decide(round.decision.body);
      if (decided_part(*round.decision.answer) != expected) {
        result.differences += round.id + " was answered " + round.decision.answer->dump() +
                              ", the library says " + expected.dump() + "\n";
      }
    } else if (round.ends && *answered.part + 1 == round.parts.size()) {
      learn(result.twin, round);
    }
  }
  return result;
}

Replay replay_log(const CampaignCase& campaign, const std::string& log) {
  Replay result = {Twin(campaign), {}, ""};
  std::istringstream lines(log);
  std::string line;
  std::getline(lines, line);
  const Json header = Json::parse(line);
  if (header.at("format") != "updraft-campaign-log/3" ||
      header.at("definition").at("name") != campaign.name) {
    throw std::runtime_error("not a log of " + campaign.name + ": " + line);
  }
  std::map<std::string, LoggedRound> rounds;
  Json event;
  while (std::getline(lines, line) && (event = Json::parse(line)).contains("event")) {
    const std::string kind = event.at("kind");
    const std::string decision = event.at("decision");
    result.events.push_back({event.at("event").get<std::uint64_t>(), kind, decision});
    LoggedRound& round = rounds[decision];
    if (kind == "decided") {
      round.decided = event;
      const Json expected = result.twin.decide(event);
      if (decided_part(event) != expected) {
        result.differences += "the log has " + line + ", the library " + expected.dump() + "\n";
      }
    } else if (kind == "payoffs") {
      round.parts.push_back(event);
      if (event.at("complete") == true) result.twin.pay(round.decided, round.decided, round.parts);
    }
  }
  if (event.at("events") != result.events.size()) throw std::runtime_error("cut off: " + line);
  return result;
}

}  // namespace updraft::service_test
