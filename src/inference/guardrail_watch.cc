#include "inference/guardrail_watch.h"

#include <algorithm>
#include <cmath>

#include "inference/count_floor.h"
#include "inference/mixture_bound.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

/// Rounds of an action: harm is to be seen within some ten.
constexpr double kGuardrailSettle = 2.0;

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
      cells_(actions * guardrails_.size()),
      counts_(guardrails_.size(), CountUnit(1)),
      paid_(guardrails_.size(), 0.0) {
  if (baseline == nullptr) return;
  for (const Guardrail& guardrail : guardrails_) {
    reference_.push_back(sum_over(guardrail.variables, Payoffs::dense(*baseline)));
  }
}

void GuardrailWatch::add(ActionId action, const Payoffs& payoffs, std::uint64_t round) {
  for (std::size_t g = 0; g < guardrails_.size(); ++g) {
    const double sum = sum_over(guardrails_[g].variables, payoffs);
    cell(g, action).add(sum);
    counts_[g].add({&sum, 1});
    if (sum != 0.0) paid_[g] += 1.0;
    if (control_ != action) {
      look(g, action, round);
    } else {
      for (ActionId a = 0; a < actions_; ++a) look(g, a, round);
    }
  }
}

std::optional<GuardrailWatch::Change> GuardrailWatch::change(std::size_t guardrail,
                                                             ActionId action) const {
  const CountUnit& counts = counts_[guardrail];
  double spread = 0.0;
  double degrees = 0.0;
  double rounds = 0.0;
  double total = 0.0;
  for (ActionId a = 0; a < actions_; ++a) {
    const Moments& seen = cell(guardrail, a);
    rounds += seen.count;
    total += seen.count * seen.mean;
    if (seen.count < 2.0) continue;
    spread += seen.spread;
    degrees += seen.count - 1.0;
  }
  double floor = count_floor(counts, rounds, total / rounds);
  if (!control_) floor = std::max(floor, count_floor(counts, rounds, reference_[guardrail]));
  double log = log_;
  double variance = 0.0;
  const auto count_in = [&](const Moments& seen) {
    if (seen.count < static_cast<double>(Evidence::kLeastCompared)) return false;
    const double own = std::max({spread / degrees, seen.spread / (seen.count - 1.0), floor,
                                 count_floor(counts, seen.count, seen.mean)});
    variance += mixture_variance(own, seen.count, kGuardrailSettle);
    log += mixture_log(seen.count, kGuardrailSettle);
    return true;
  };
  if (!count_in(cell(guardrail, action))) return std::nullopt;
  if (control_ && !count_in(cell(guardrail, *control_))) return std::nullopt;
  const double reference = control_ ? cell(guardrail, *control_).mean : reference_[guardrail];
  return Change{cell(guardrail, action).mean - reference,
                std::sqrt(variance) * mixture_quantile(log, degrees)};
}

bool GuardrailWatch::can_tell(std::size_t guardrail) const {
  return paid_[guardrail] >= (counts_[guardrail].counts() ? 1.0 : kLeastPaid);
}

bool GuardrailWatch::is_raised(std::size_t guardrail, ActionId action) const {
  return std::any_of(raised_.begin(), raised_.end(), [&](const Raised& alarm) {
    return alarm.guardrail == guardrail && alarm.action == action;
  });
}

void GuardrailWatch::look(std::size_t guardrail, ActionId action, std::uint64_t round) {
  if (control_ == action || is_raised(guardrail, action) || !can_tell(guardrail)) return;
  const std::optional<Change> seen = change(guardrail, action);
  if (!seen || !(seen->reach > 0.0)) return;
  if (!(seen->value + seen->reach < -guardrails_[guardrail].tolerance)) return;
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

std::vector<ActionId> GuardrailWatch::paused() const {
  std::vector<ActionId> out;
  for (const Raised& alarm : raised_) {
    const auto action = static_cast<ActionId>(alarm.action);
    const bool known = std::find(out.begin(), out.end(), action) != out.end();
    if (!guardrails_[alarm.guardrail].pause || control_ == action || known) continue;
    out.push_back(action);
  }
  if (out.size() == actions_) out.pop_back();
  std::sort(out.begin(), out.end());
  return out;
}

void GuardrailWatch::write(StateWriter& writer) const {
  for (const Moments& moments : cells_) {
    writer.f64(moments.count);
    writer.f64(moments.mean);
    writer.f64(moments.spread);
  }
  for (const CountUnit& counts : counts_) counts.write(writer);
  writer.f64s(paid_);
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
  for (CountUnit& counts : counts_) counts.read(reader);
  reader.f64s(paid_, "evidence: sums that are not 0");
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
