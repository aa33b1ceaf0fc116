#include "stats/identify_and_pad.h"

#include <algorithm>

#include "stats/padding_scan.h"
#include "stats/top_sum.h"

namespace updraft {
namespace {

struct IndividualIndex {
  double value = 0.0;
  bool identified = false;
};

IndividualIndex individual_index(const PaddingInputs& in, double inverse, std::size_t i) {
  const double mean = in.row[i] * inverse;
  const double lower = mean - in.radius;
  const double upper = mean + in.radius;
  return {upper - in.baseline_upper[i],
          in.baseline_upper[i] < lower || upper < in.baseline_lower[i]};
}

}  // namespace

PaddedIndex padded_index(const PaddingInputs& in, PaddingScratch& scratch) {
  scratch.rest.resize(std::max(scratch.rest.size(), in.row.size() + kScanSlack));
  const PaddingScan scan = scan_padding(in, scratch.rest.data());
  const auto rest = std::span(scratch.rest).first(scan.others);
  const std::size_t budget = padding_budget(in.budget, scan.identified);
  return {scan.identified_sum + top_sum(rest, budget, scratch.selection), scan.limit};
}

PaddedSets padded_sets(const PaddingInputs& in) {
  struct Candidate {
    double index;
    VariableId id;
  };
  const double inverse = 1.0 / in.pulls;
  std::vector<VariableId> identified;
  std::vector<Candidate> others;
  for (VariableId id = 0; id < in.row.size(); ++id) {
    const IndividualIndex index = individual_index(in, inverse, id);
    if (index.identified) {
      identified.push_back(id);
    } else if (!in.positive_only || index.value > 0.0) {
      others.push_back({index.value, id});
    }
  }
  const std::size_t budget = std::min(padding_budget(in.budget, identified.size()), others.size());
  std::stable_sort(others.begin(), others.end(),
                   [](Candidate a, Candidate b) { return a.index > b.index; });
  std::vector<VariableId> padding;
  for (std::size_t j = 0; j < budget; ++j) padding.push_back(others[j].id);

  PaddedSets sets{VariableSet::from_ids(identified), VariableSet::from_ids(padding), 0.0};
  for (const VariableId id : identified) {
    sets.uplift += in.row[id] * inverse - 0.5 * (in.baseline_lower[id] + in.baseline_upper[id]);
  }
  return sets;
}

}  // namespace updraft
