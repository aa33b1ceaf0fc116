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

std::vector<Event> exported_events(const CampaignCase& campaign, const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  const Json definition = Json::parse(line);
  if (line.find(Json(campaign.name).dump()) == line.npos) {
    throw std::runtime_error("the first line is not the campaign: " + definition.dump());
  }
  std::vector<Event> events;
  while (std::getline(lines, line)) {
    const Json event = Json::parse(line);
    events.push_back({event.at("event").get<std::uint64_t>(), event.at("kind").get<std::string>(),
                      event.at("decision").get<std::string>()});
  }
  return events;
}

}  // namespace updraft::service_test
