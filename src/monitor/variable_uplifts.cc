#include "monitor/variable_uplifts.h"

#include <algorithm>
#include <cmath>

namespace updraft {
namespace {

constexpr double kError = 0.001;

bool is_among(std::span<const ActionId> actions, ActionId action) {
  return std::binary_search(actions.begin(), actions.end(), action);
}

}  // namespace

VariableUplifts::VariableUplifts(const Knowledge& knowledge, const PayoffStatistics& statistics)
    : knowledge_(knowledge),
      statistics_(statistics),
      range_(statistics.largest() - statistics.least()),
      cells_(static_cast<double>(statistics.actions()) *
             static_cast<double>(statistics.variables())),
      own_(statistics.actions()) {
  for (ActionId action = 0; action < own_.size(); ++action) {
    const auto count = static_cast<double>(statistics.rounds(action));
    if (count == 0.0) continue;
    own_[action] = {2.0 * log_term(count) / count, range_ * log_term(count) / (3.0 * count)};
  }
}

std::span<const ActionId> VariableUplifts::affecting(VariableId variable) const {
  if (knowledge_.affected() == nullptr) return {};
  return knowledge_.affected()->affecting(knowledge_.affected()->atoms()->group_of(variable));
}

VariableUplifts::Split VariableUplifts::split(VariableId variable,
                                              std::span<const ActionId> affecting) const {
  Split out;
  out.affected.spread = statistics_.squares(variable, true);
  out.others.spread = statistics_.squares(variable, false);
  for (ActionId action = 0; action < statistics_.actions(); ++action) {
    const auto count = static_cast<double>(statistics_.rounds(action));
    if (count == 0.0) continue;
    Payoffs& payoffs = is_among(affecting, action) ? out.affected : out.others;
    const double sum = statistics_.sums(action)[variable];
    payoffs.sum += sum;
    payoffs.count += count;
    payoffs.spread -= sum * sum / count;
    payoffs.degrees += count - 1.0;
  }
  return out;
}

/// As large as it can be where nothing is known of it.
double VariableUplifts::variance(const Payoffs& payoffs) const {
  if (payoffs.degrees == 0.0) return range_ * range_ / 4.0;
  return std::max(0.0, payoffs.spread / payoffs.degrees);
}

double VariableUplifts::log_term(double count) const {
  return std::log(4.0 * cells_ * count * (count + 1.0) / kError);
}

double VariableUplifts::reach(double count, double variance) const {
  const double l = log_term(count);
  return std::sqrt(2.0 * variance * l / count) + range_ * l / (3.0 * count);
}

std::optional<VariableUplifts::Mean> VariableUplifts::baseline(ActionId action, VariableId variable,
                                                               bool declared,
                                                               const Split& split) const {
  if (const std::vector<double>* known = knowledge_.baseline()) return Mean{(*known)[variable]};
  const double v = variance(split.others);
  if (const BaselineObservations* table = knowledge_.observations()) {
    return Mean{table->means[variable], reach(table->counts[variable], v)};
  }
  double sum = split.others.sum;
  double count = split.others.count;
  if (!declared) {
    sum -= statistics_.sums(action)[variable];
    count -= static_cast<double>(statistics_.rounds(action));
  }
  if (count <= 0.0) return std::nullopt;
  return Mean{sum / count, reach(count, v)};
}

std::optional<VariableUplift> VariableUplifts::of(ActionId action, VariableId variable,
                                                  bool declared, const Split& split) const {
  const auto count = static_cast<double>(statistics_.rounds(action));
  if (count == 0.0) return std::nullopt;
  const std::optional<Mean> rest = baseline(action, variable, declared, split);
  if (!rest) return std::nullopt;
  VariableUplift out;
  out.mean = statistics_.sums(action)[variable] / count;
  out.baseline = rest->value;
  const double far = reach(count, variance(declared ? split.affected : split.others)) + rest->reach;
  out.interval = {out.uplift() - far, out.uplift() + far};
  return out;
}

std::optional<VariableUplift> VariableUplifts::of(ActionId action, VariableId variable) const {
  const std::span<const ActionId> affected_by = affecting(variable);
  const Split parts = split(variable, affected_by);
  if (has_no_baseline(affected_by)) return difference(action, variable, parts);
  std::optional<VariableUplift> found = of(action, variable, is_among(affected_by, action), parts);
  if (found) found->over_nothing = !against_others() || knowledge_.affected() != nullptr;
  return found;
}

std::optional<VariableUplift> VariableUplifts::difference(ActionId action, VariableId variable,
                                                          const Split& split) const {
  const auto count = static_cast<double>(statistics_.rounds(action));
  const auto other_count = static_cast<double>(statistics_.rounds(kReferenceAction));
  if (count == 0.0 || other_count == 0.0) return std::nullopt;
  VariableUplift out;
  out.mean = statistics_.sums(action)[variable] / count;
  out.baseline = statistics_.sums(kReferenceAction)[variable] / other_count;
  out.over_nothing = false;
  if (action == kReferenceAction) return out;
  const double v = variance(split.affected);
  const double far = reach(count, v) + reach(other_count, v);
  out.interval = {out.uplift() - far, out.uplift() + far};
  return out;
}

bool VariableUplifts::has_no_baseline(std::span<const ActionId> affected_by) const {
  return against_others() && affected_by.size() == statistics_.actions() && affected_by.size() > 1;
}

bool VariableUplifts::tells_uplifts() const {
  if (!against_others()) return true;
  const AffectedSets* sets = knowledge_.affected().get();
  if (sets == nullptr) return false;
  for (GroupId atom = 0; atom < sets->atoms()->groups(); ++atom) {
    if (sets->affecting(atom).size() < sets->actions()) return true;
  }
  return false;
}

bool VariableUplifts::tells_differences() const {
  const AffectedSets* sets = knowledge_.affected().get();
  if (sets == nullptr) return against_others();
  for (GroupId atom = 0; atom < sets->atoms()->groups(); ++atom) {
    if (has_no_baseline(sets->affecting(atom))) return true;
  }
  return false;
}

bool VariableUplifts::may_exclude_zero(ActionId action, VariableId variable,
                                       const Split& split) const {
  if (!against_others()) return true;
  const auto count = static_cast<double>(statistics_.rounds(action));
  const double others = split.others.count - count;
  if (count == 0.0 || others <= 0.0) return false;
  const double sum = statistics_.sums(action)[variable];
  const double uplift = sum / count - (split.others.sum - sum) / others;
  const double left = std::abs(uplift) - own_[action].fixed;
  return left > 0.0 && left * left > own_[action].square * variance(split.others);
}

std::string_view VariableUplifts::baseline_text() const {
  if (knowledge_.baseline() != nullptr) return "the declared baseline";
  if (knowledge_.observations() != nullptr) return "the observations made before the start";
  if (knowledge_.affected() != nullptr) {
    return "the other actions that are declared not to affect the variable";
  }
  return "all other actions";
}

bool VariableUplifts::against_others() const {
  return knowledge_.baseline() == nullptr && knowledge_.observations() == nullptr;
}

void VariableUplifts::for_each_surprising(const Visit& visit) const {
  if (knowledge_.affected() == nullptr) return;
  const AffectedSets& sets = *knowledge_.affected();
  for (const Partition::Segment& segment : sets.atoms()->segments()) {
    const std::span<const ActionId> affected_by = sets.affecting(segment.group);
    for (VariableId i = segment.range.begin; i < segment.range.end; ++i) {
      const Split parts = split(i, affected_by);
      for (ActionId action = 0; action < statistics_.actions(); ++action) {
        if (is_among(affected_by, action) || !may_exclude_zero(action, i, parts)) continue;
        const std::optional<VariableUplift> uplift = of(action, i, false, parts);
        if (uplift && uplift->excludes_zero()) visit(action, i);
      }
    }
  }
}

std::vector<VariableId> VariableUplifts::surprising(ActionId action) const {
  std::vector<VariableId> out;
  for_each_surprising([&](ActionId who, VariableId variable) {
    if (who == action) out.push_back(variable);
  });
  return out;
}

std::optional<double> VariableUplifts::median_mean(VariableId variable) const {
  const std::span<const ActionId> affected_by = affecting(variable);
  std::vector<double> means;
  for (ActionId action = 0; action < statistics_.actions(); ++action) {
    if (statistics_.rounds(action) == 0 || is_among(affected_by, action)) continue;
    means.push_back(statistics_.sums(action)[variable] /
                    static_cast<double>(statistics_.rounds(action)));
  }
  if (means.size() < 3) return std::nullopt;
  const auto middle = means.begin() + static_cast<std::ptrdiff_t>(means.size() / 2);
  std::nth_element(means.begin(), middle, means.end());
  return *middle;
}

}  // namespace updraft
