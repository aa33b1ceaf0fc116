#include <fmt/format.h>

#include <algorithm>

#include "updraft/changes.h"

namespace updraft {
namespace {

struct CourseName {
  const char* operator()(const Season&) const { return "season"; }
  const char* operator()(const Trend&) const { return "trend"; }
  const char* operator()(const Walk&) const { return "walk"; }
  const char* operator()(const Start&) const { return "start"; }
  const char* operator()(const End&) const { return "end"; }
  const char* operator()(const Flip&) const { return "flip"; }
  const char* operator()(const WearOff&) const { return "wear-off"; }
};

std::string walk_text(const Walk& walk) {
  return fmt::format("walks at random, with a standard deviation of {:.4g} a round{}", walk.step,
                     walk.pull > 0.0 ? fmt::format(", pulled back by {:.4g} %", 100.0 * walk.pull)
                                     : std::string());
}

/// What happens to the baseline, or to an effect.
struct CourseSentence {
  std::string operator()(const Season& season) const {
    const auto [least, most] = std::minmax_element(season.levels.begin(), season.levels.end());
    return fmt::format("has a season of {} rounds, from {:+.4g} to {:+.4g}",
                       season.levels.size() * season.rounds, *least, *most);
  }
  std::string operator()(const Trend& trend) const {
    return fmt::format("changes by {:+.4g} from round {} to round {}", trend.by, trend.from,
                       trend.to);
  }
  std::string operator()(const Walk& walk) const { return walk_text(walk); }
  std::string operator()(const Start& start) const {
    return fmt::format("starts in round {}", start.at);
  }
  std::string operator()(const End& end) const { return fmt::format("ends in round {}", end.at); }
  std::string operator()(const Flip& flip) const {
    return fmt::format("is multiplied by {:.4g} from round {} on", flip.factor, flip.at);
  }
  std::string operator()(const WearOff& wear_off) const {
    return fmt::format("wears off from round {} on, to {:.4g} of it, by half every {:.4g} rounds",
                       wear_off.from, wear_off.floor, wear_off.half_life);
  }
};

}  // namespace

std::string course_name(const Change::Course& course) { return std::visit(CourseName{}, course); }

std::string change_text(const Change& change, const std::vector<std::string>& action_names) {
  const std::string subject =
      change.action ? fmt::format("the effect of {}", action_names[*change.action])
      : change.variables.empty()
          ? std::string("the baseline of all variables")
          : fmt::format("the baseline of {} variable{}", change.variables.size(),
                        change.variables.size() == 1 ? "" : "s");
  return fmt::format("{} {}", subject, std::visit(CourseSentence{}, change.course));
}

}  // namespace updraft
