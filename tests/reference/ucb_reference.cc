#include "reference/ucb_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/reference_parameters.h"

namespace updraft::testing {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

UcbReference::UcbReference(const PolicySpec& spec, const Knowledge& knowledge)
    : ReferencePolicy(knowledge.actions(), knowledge.variables()),
      alpha_(reference_alpha(spec, knowledge)) {}

std::vector<double> UcbReference::indices(const Stream&) const {
  std::vector<double> result;
  for (ActionId a = 0; a < actions(); ++a) {
    result.push_back(pulls(a) == 0 ? kInfinity : index(a));
  }
  return result;
}

std::optional<double> UcbReference::explained_index(ActionId action) const {
  return pulls(action) == 0 ? kInfinity : index(action);
}

std::optional<double> UcbReference::explained_radius(ActionId action) const {
  return pulls(action) == 0 ? kInfinity : radius(action);
}

double UcbReference::magnitude(ActionId action) const {
  if (pulls(action) == 0) return 0.0;
  return std::abs(mean_reward(action)) + static_cast<double>(variables()) * radius(action);
}

double UcbReference::radius(ActionId action) const {
  const double more = counts_ahead_ ? ahead(action) : 0.0;
  return std::sqrt(2.0 * alpha_ / (static_cast<double>(pulls(action)) + more));
}

double UcbReference::upper(ActionId action, VariableId variable) const {
  return mean(action, variable) + radius(action);
}

double UcbReference::lower(ActionId action, VariableId variable) const {
  return mean(action, variable) - radius(action);
}

std::optional<CountedSets> UnknownSetsReference::counted_sets(ActionId action) const {
  if (pulls(action) == 0) return std::nullopt;
  return without_ahead([&] { return sets(action); });
}

double UnknownSetsReference::index(ActionId action) const {
  const CountedSets counted = without_ahead([&] { return sets(action); });
  double total = 0.0;
  for (const VariableId i : counted.identified) total += individual_index(action, i);
  for (const VariableId i : counted.padding) total += individual_index(action, i);
  return total;
}

std::vector<VariableId> UnknownSetsReference::largest(ActionId action,
                                                      std::vector<VariableId> candidates,
                                                      std::size_t count) const {
  if (count == 0) return {};
  std::vector<double> index(variables(), 0.0);  // of the candidates
  for (const VariableId i : candidates) index[i] = individual_index(action, i);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](VariableId i, VariableId j) { return index[i] > index[j]; });
  candidates.resize(std::min(count, candidates.size()));
  std::sort(candidates.begin(), candidates.end());
  return candidates;
}

KnownBaselineReference::KnownBaselineReference(const PolicySpec& spec, const Knowledge& knowledge)
    : UnknownSetsReference(spec, knowledge), baseline_(given_baseline(knowledge)) {}

double KnownBaselineReference::individual_index(ActionId a, VariableId i) const {
  return upper(a, i) - baseline_[i];
}

}  // namespace updraft::testing
