#include "service/variable_uplifts.h"

#include <cmath>

namespace updraft {
namespace {

constexpr double kError = 0.001;

bool declared(const Knowledge& knowledge, ActionId action, VariableId variable) {
  return knowledge.affected() != nullptr && knowledge.affected()->of(action).contains(variable);
}

}  // namespace

VariableUplifts::VariableUplifts(const Knowledge& knowledge, const PayoffStatistics& statistics)
    : knowledge_(knowledge),
      statistics_(statistics),
      range_(statistics.largest() - statistics.least()),
      variances_(statistics.variances()),
      rest_sums_(statistics.variables(), 0.0),
      rest_rounds_(statistics.variables(), static_cast<double>(statistics.rounds())) {
  for (ActionId action = 0; action < statistics.actions(); ++action) {
    const PayoffRow row = statistics.sums(action);
    for (std::size_t i = 0; i < rest_sums_.size(); ++i) rest_sums_[i] += row[i];
    if (knowledge.affected() == nullptr) continue;
    const auto rounds = static_cast<double>(statistics.rounds(action));
    knowledge.affected()->of(action).for_each([&](VariableId i) {
      rest_sums_[i] -= row[i];
      rest_rounds_[i] -= rounds;
    });
  }
}

std::optional<VariableUplifts::Baseline> VariableUplifts::baseline(ActionId action,
                                                                   VariableId variable) const {
  if (const std::vector<double>* known = knowledge_.baseline()) return Baseline{(*known)[variable]};
  if (const BaselineObservations* table = knowledge_.observations()) {
    return Baseline{table->means[variable], table->counts[variable]};
  }
  double sum = rest_sums_[variable];
  double count = rest_rounds_[variable];
  if (!declared(knowledge_, action, variable)) {
    sum -= statistics_.sums(action)[variable];
    count -= static_cast<double>(statistics_.rounds(action));
  }
  if (count <= 0.0) return std::nullopt;
  return Baseline{sum / count, count};
}

double VariableUplifts::log_term(double count) const {
  const double cells =
      static_cast<double>(statistics_.actions()) * static_cast<double>(statistics_.variables());
  return std::log(4.0 * cells * count * (count + 1.0) / kError);
}

double VariableUplifts::reach(double count, double variance) const {
  if (count == 0.0) return 0.0;
  const double l = log_term(count);
  return std::sqrt(2.0 * variance * l / count) + range_ * l / (3.0 * count);
}

bool VariableUplifts::may_exclude_zero(ActionId action, VariableId variable, double square,
                                       double fixed) const {
  const std::optional<Baseline> rest = baseline(action, variable);
  if (!rest) return false;
  const double mean =
      statistics_.sums(action)[variable] / static_cast<double>(statistics_.rounds(action));
  const double left = std::abs(mean - rest->mean) - fixed;
  return left > 0.0 && left * left > square * variances_[variable];
}

std::optional<VariableUplift> VariableUplifts::of(ActionId action, VariableId variable) const {
  if (statistics_.rounds(action) == 0 || variances_.empty()) return std::nullopt;
  const std::optional<Baseline> rest = baseline(action, variable);
  if (!rest) return std::nullopt;
  const auto count = static_cast<double>(statistics_.rounds(action));
  VariableUplift out;
  out.mean = statistics_.sums(action)[variable] / count;
  out.baseline = rest->mean;
  const double variance = variances_[variable];
  const double far = reach(count, variance) + reach(rest->count, variance);
  out.interval = {out.uplift() - far, out.uplift() + far};
  return out;
}

std::string_view VariableUplifts::baseline_text() const {
  if (knowledge_.baseline() != nullptr) return "the declared baseline";
  if (knowledge_.observations() != nullptr) return "the observations made before the start";
  if (knowledge_.affected() != nullptr) {
    return "the other actions that are declared not to affect the variable";
  }
  return "all other actions";
}

std::vector<VariableId> VariableUplifts::surprising(ActionId action) const {
  std::vector<VariableId> out;
  if (knowledge_.affected() == nullptr || statistics_.rounds(action) == 0) return out;
  if (variances_.empty()) return out;
  const auto count = static_cast<double>(statistics_.rounds(action));
  const double square = 2.0 * log_term(count) / count;
  const double fixed = range_ * log_term(count) / (3.0 * count);
  const auto look = [&](VariableId from, VariableId to) {
    for (VariableId i = from; i < to; ++i) {
      if (!may_exclude_zero(action, i, square, fixed)) continue;
      const std::optional<VariableUplift> uplift = of(action, i);
      if (uplift && uplift->excludes_zero()) out.push_back(i);
    }
  };
  VariableId next = 0;
  for (const VariableRange range : knowledge_.affected()->of(action).ranges()) {
    look(next, range.begin);
    next = range.end;
  }
  look(next, static_cast<VariableId>(statistics_.variables()));
  return out;
}

}  // namespace updraft
