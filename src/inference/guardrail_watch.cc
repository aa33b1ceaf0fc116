#include "inference/guardrail_watch.h"

#include <algorithm>
#include <cmath>

#include "inference/mixture_bound.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

/// Rounds of an action: harm is to be seen within some ten.
constexpr double kSettle = 2.0;

double sum_over(const VariableSet& set, const Payoffs& payoffs) {
  const std::span<const double> values = payoffs.values();
  double sum = 0.0;
  if (payoffs.kind() == Payoffs::Kind::kDense) {
    for (const VariableRange& range : set.ranges()) {
      for (VariableId i = range.begin; i < range.end; ++i) sum += values[i];
    }
    return sum;
  }
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (set.contains(payoffs.ids()[j])) sum += values[j];
  }
  return sum;
}

}  // namespace

void GuardrailWatch::Moments::add(double value) {
  count += 1.0;
  const double off = value - mean;
  mean += off / count;
  spread += off * (value - mean);
}

GuardrailWatch::GuardrailWatch(std::size_t actions, const EvidenceOptions& options,
                               const std::vector<double>* baseline)
    : actions_(actions),
      guardrails_(options.guardrails),
      control_(baseline == nullptr ? options.shares.control : std::nullopt),
      log_(std::log(static_cast<double>(actions * guardrails_.size()) / options.error)),
      cells_(actions * guardrails_.size()) {
  if (baseline == nullptr) return;
  for (const Guardrail& guardrail : guardrails_) {
    reference_.push_back(sum_over(guardrail.variables, Payoffs::dense(*baseline)));
  }
}

void GuardrailWatch::add(ActionId action, const Payoffs& payoffs, std::uint64_t round) {
  for (std::size_t g = 0; g < guardrails_.size(); ++g) {
    cell(g, action).add(sum_over(guardrails_[g].variables, payoffs));
    if (control_ != action) {
      look(g, action, round);
    } else {
      for (ActionId a = 0; a < actions_; ++a) look(g, a, round);
    }
  }
}

std::optional<GuardrailWatch::Change> GuardrailWatch::change(std::size_t guardrail,
                                                             ActionId action) const {
  double spread = 0.0;
  double degrees = 0.0;
  for (ActionId a = 0; a < actions_; ++a) {
    const Moments& seen = cell(guardrail, a);
    if (seen.count < 2.0) continue;
    spread += seen.spread;
    degrees += seen.count - 1.0;
  }
  double log = log_;
  double variance = 0.0;
  const auto count_in = [&](const Moments& seen) {
    if (seen.count < static_cast<double>(Evidence::kLeastCompared)) return false;
    const double own = std::max(spread / degrees, seen.spread / (seen.count - 1.0));
    variance += mixture_variance(own, seen.count, kSettle);
    log += mixture_log(seen.count, kSettle);
    return true;
  };
  if (!count_in(cell(guardrail, action))) return std::nullopt;
  if (control_ && !count_in(cell(guardrail, *control_))) return std::nullopt;
  const double reference = control_ ? cell(guardrail, *control_).mean : reference_[guardrail];
  return Change{cell(guardrail, action).mean - reference,
                std::sqrt(variance) * mixture_quantile(log, degrees)};
}

bool GuardrailWatch::is_raised(std::size_t guardrail, ActionId action) const {
  return std::any_of(raised_.begin(), raised_.end(), [&](const Raised& alarm) {
    return alarm.guardrail == guardrail && alarm.action == action;
  });
}

void GuardrailWatch::look(std::size_t guardrail, ActionId action, std::uint64_t round) {
  if (control_ == action || is_raised(guardrail, action)) return;
  const std::optional<Change> seen = change(guardrail, action);
  if (!seen || !(seen->value + seen->reach < -guardrails_[guardrail].tolerance)) return;
  raised_.push_back({guardrail, action, round});
}

std::vector<GuardrailAlarm> GuardrailWatch::alarms() const {
  std::vector<GuardrailAlarm> out;
  for (const Raised& alarm : raised_) {
    const auto action = static_cast<ActionId>(alarm.action);
    const Change now = *change(alarm.guardrail, action);
    out.push_back({.guardrail = static_cast<std::size_t>(alarm.guardrail),
                   .action = action,
                   .at = alarm.at,
                   .change = now.value,
                   .interval = {now.value - now.reach, now.value + now.reach}});
  }
  return out;
}

void GuardrailWatch::write(StateWriter& writer) const {
  for (const Moments& moments : cells_) {
    writer.f64(moments.count);
    writer.f64(moments.mean);
    writer.f64(moments.spread);
  }
  writer.u64(raised_.size());
  for (const Raised& alarm : raised_) {
    writer.u64(alarm.guardrail);
    writer.u64(alarm.action);
    writer.u64(alarm.at);
  }
}

void GuardrailWatch::read(StateReader& reader) {
  for (Moments& moments : cells_) {
    moments.count = reader.f64();
    moments.mean = reader.f64();
    moments.spread = reader.f64();
  }
  raised_.resize(reader.u64_at_most(cells_.size(), "evidence: alarms"));
  for (Raised& alarm : raised_) {
    alarm.guardrail = reader.u64_at_most(guardrails_.size() - 1, "evidence: guardrail");
    alarm.action = reader.u64_at_most(actions_ - 1, "evidence: action of an alarm");
    alarm.at = reader.u64();
    if (!change(alarm.guardrail, static_cast<ActionId>(alarm.action))) {
      throw InvalidInput("evidence: alarms", "an action without rounds has one");
    }
  }
}

}  // namespace updraft
