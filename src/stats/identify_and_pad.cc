#include "stats/identify_and_pad.h"

#include <algorithm>

#include "stats/top_sum.h"

namespace updraft {
namespace {

struct IndividualIndex {
  double value = 0.0;
  bool identified = false;
};

IndividualIndex individual_index(const PaddingInputs& in, std::size_t i) {
  const double mean = in.sums[i] / in.pulls;
  const double lower = mean - in.radius;
  const double upper = mean + in.radius;
  return {upper - in.baseline_upper[i],
          in.baseline_upper[i] < lower || upper < in.baseline_lower[i]};
}

std::size_t padding_budget(const PaddingInputs& in, std::size_t identified) {
  return in.budget > identified ? in.budget - identified : 0;
}

}  // namespace

double padded_index(const PaddingInputs& in, std::vector<double>& rest) {
  rest.resize(in.sums.size());
  std::size_t identified = 0;
  std::size_t others = 0;
  double identified_sum = 0.0;
  for (std::size_t i = 0; i < in.sums.size(); ++i) {
    const IndividualIndex index = individual_index(in, i);
    if (index.identified) {
      ++identified;
      identified_sum += index.value;
    } else if (!in.positive_only || index.value > 0.0) {
      rest[others++] = index.value;
    }
  }
  return identified_sum + top_sum(std::span(rest).first(others), padding_budget(in, identified));
}

PaddedSets padded_sets(const PaddingInputs& in) {
  struct Candidate {
    double index;
    VariableId id;
  };
  std::vector<VariableId> identified;
  std::vector<Candidate> others;
  for (VariableId id = 0; id < in.sums.size(); ++id) {
    const IndividualIndex index = individual_index(in, id);
    if (index.identified) {
      identified.push_back(id);
    } else if (!in.positive_only || index.value > 0.0) {
      others.push_back({index.value, id});
    }
  }
  const std::size_t budget = std::min(padding_budget(in, identified.size()), others.size());
  std::stable_sort(others.begin(), others.end(),
                   [](Candidate a, Candidate b) { return a.index > b.index; });
  std::vector<VariableId> padding;
  for (std::size_t j = 0; j < budget; ++j) padding.push_back(others[j].id);

  PaddedSets sets{VariableSet::from_ids(identified), VariableSet::from_ids(padding), 0.0};
  for (const VariableId id : identified) {
    sets.uplift += in.sums[id] / in.pulls - 0.5 * (in.baseline_lower[id] + in.baseline_upper[id]);
  }
  return sets;
}

}  // namespace updraft
