#include "stats/identify_and_pad.h"

#include <algorithm>

#include "stats/padding_scan.h"
#include "stats/top_sum.h"

namespace updraft {
namespace {

struct IndividualIndex {
  double value = 0.0;
  bool identified = false;
  double uplift = 0.0;  ///< mean - middle of the baseline's interval
};

IndividualIndex individual_index(const PaddingInputs& in, std::size_t i) {
  const double mean = in.row[i] * (1.0 / in.pulls);
  const double lower = mean - in.radius;
  const double upper = mean + in.radius;
  return {upper - in.baseline_upper[i],
          in.baseline_upper[i] < lower || upper < in.baseline_lower[i],
          mean - 0.5 * (in.baseline_lower[i] + in.baseline_upper[i])};
}

IndividualIndex individual_index(const IntervalPaddingInputs& in, std::size_t i) {
  const double lower = in.means[i] - in.margins[i];
  const double upper = in.means[i] + in.margins[i];
  const double baseline_lower = in.baseline_means[i] - in.baseline_margins[i];
  const double baseline_upper = in.baseline_means[i] + in.baseline_margins[i];
  return {upper - baseline_upper, baseline_upper < lower || upper < baseline_lower,
          in.means[i] - in.baseline_means[i]};
}

template <typename Inputs>
PaddedSets sets_of(const Inputs& in, std::size_t variables) {
  struct Candidate {
    double index;
    VariableId id;
  };
  PaddedSets sets;
  std::vector<VariableId> identified;
  std::vector<Candidate> others;
  for (VariableId id = 0; id < variables; ++id) {
    const IndividualIndex index = individual_index(in, id);
    if (index.identified) {
      identified.push_back(id);
      sets.uplift += index.uplift;
    } else if (!in.positive_only || index.value > 0.0) {
      others.push_back({index.value, id});
    }
  }
  const std::size_t budget = std::min(padding_budget(in.budget, identified.size()), others.size());
  std::stable_sort(others.begin(), others.end(),
                   [](Candidate a, Candidate b) { return a.index > b.index; });
  std::vector<VariableId> padding;
  for (std::size_t j = 0; j < budget; ++j) padding.push_back(others[j].id);
  sets.identified = VariableSet::from_ids(identified);
  sets.padding = VariableSet::from_ids(padding);
  return sets;
}

}  // namespace

PaddedIndex padded_index(const PaddingInputs& in, PaddingScratch& scratch) {
  scratch.rest.resize(std::max(scratch.rest.size(), in.row.size() + kScanSlack));
  const PaddingScan scan = scan_padding(in, scratch.rest.data());
  const auto rest = std::span(scratch.rest).first(scan.others);
  const std::size_t budget = padding_budget(in.budget, scan.identified);
  return {scan.identified_sum + top_sum(rest, budget, scratch.selection), scan.limit};
}

double padded_index(const IntervalPaddingInputs& in, PaddingScratch& scratch) {
  double identified_sum = 0.0;
  std::size_t identified = 0;
  scratch.rest.clear();
  for (std::size_t i = 0; i < in.means.size(); ++i) {
    const IndividualIndex index = individual_index(in, i);
    if (index.identified) {
      identified_sum += index.value;
      ++identified;
    } else if (!in.positive_only || index.value > 0.0) {
      scratch.rest.push_back(index.value);
    }
  }
  const std::size_t budget = padding_budget(in.budget, identified);
  return identified_sum + top_sum(scratch.rest, budget, scratch.selection);
}

PaddedSets padded_sets(const PaddingInputs& in) { return sets_of(in, in.row.size()); }
PaddedSets padded_sets(const IntervalPaddingInputs& in) { return sets_of(in, in.means.size()); }

}  // namespace updraft
