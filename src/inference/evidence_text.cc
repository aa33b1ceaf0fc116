#include "updraft/evidence_text.h"

#include <fmt/format.h>

namespace updraft {
namespace {

constexpr const char* kAnyTime = "at whatever time you look";

std::string interval_text(const Interval& interval) {
  return fmt::format("({:.4g} to {:.4g}, {})", interval.low, interval.high, kAnyTime);
}

/// To two digits: the forecast is no better than that.
std::uint64_t about_so_many(std::uint64_t rounds) {
  std::uint64_t unit = 1;
  while (rounds / unit >= 100) unit *= 10;
  return (rounds / unit + (2 * (rounds % unit) >= unit ? 1 : 0)) * unit;
}

}  // namespace

std::string name_of_action(ActionId action, std::span<const std::string> action_names) {
  return action < action_names.size() ? action_names[action] : fmt::format("action {}", action);
}

std::string settled_text(const Settlement& about, std::span<const std::string> action_names) {
  const std::string best = name_of_action(about.best, action_names);
  if (about.settled) {
    return fmt::format("settled: {} is best{}, error at most {:g} %, {}; since round {}", best,
                       about.some_paused ? " of those not paused" : "", 100.0 * about.error,
                       kAnyTime, about.at);
  }
  if (about.disputed) {
    return fmt::format(
        "not settled: {} beat all others in round {}, but later payoffs or the "
        "policy's own probabilities speak against it",
        best, about.at);
  }
  if (!about.leader) {
    return "not settled: no action leads, or some have no payoffs yet";
  }
  const std::string leader = name_of_action(*about.leader, action_names);
  if (about.rivals.empty() && about.some_paused) {
    return fmt::format("not settled: all other actions than {} are paused", leader);
  }
  const std::string leads =
      fmt::format("not settled: {} leads{}", leader, about.some_paused ? " those not paused" : "");
  const std::string one_look =
      about.likely ? "; its probability of being best is for one look only" : "";
  if (!about.more_rounds) {
    return leads + "; more than a thousand times as many rounds would be needed" + one_look;
  }
  return fmt::format("{}; about {} more round{}{}", leads, about_so_many(*about.more_rounds),
                     *about.more_rounds == 1 ? "" : "s", one_look);
}

std::string gain_text(const Gain& gain, const std::string& control, const std::string& unit) {
  std::string out = fmt::format("gain over control {}: ", control);
  if (gain.estimate.interval) {
    out += fmt::format("{:.4g} per {} {}", *gain.estimate.value, unit,
                       interval_text(*gain.estimate.interval));
  } else {
    out += fmt::format(
        "not known yet; it needs {} held out, as many of the policy's, and some that paid",
        Gain::kLeastHeldOut);
  }
  if (gain.by_sets.interval) {
    out += fmt::format("; {:.4g} {} if the affected sets are right", *gain.by_sets.value,
                       interval_text(*gain.by_sets.interval));
  }
  if (gain.by_model) out += fmt::format("; by the policy's model {:.4g}", *gain.by_model);
  if (gain.disagree) out += "; these disagree: what the policy was told or assumes is not so";
  return out;
}

std::string guardrail_text(const GuardrailAlarm& alarm, const EvidenceOptions& options,
                           std::span<const std::string> action_names) {
  const Guardrail& guardrail = options.guardrails[alarm.guardrail];
  return fmt::format("guardrail {}: {} broke it in round {}: changed by {:.4g} {}, {:g} is allowed",
                     guardrail.name, name_of_action(alarm.action, action_names), alarm.at,
                     alarm.change, interval_text(alarm.interval), -guardrail.tolerance);
}

}  // namespace updraft
