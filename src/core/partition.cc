#include "updraft/partition.h"

#include <algorithm>
#include <cassert>

#include "core/dense.h"
#include "updraft/error.h"

namespace updraft {

Partition::Partition(std::vector<Segment> segments) : segments_(std::move(segments)) {
  if (segments_.empty()) throw InvalidInput("partition", "must have at least one variable");
  GroupId most = 0;
  for (const Segment& segment : segments_) {
    if (segment.range.begin != variables_ || segment.range.end <= segment.range.begin) {
      throw InvalidInput("partition", std::to_string(segment.range.begin),
                         "segments must follow one another without gaps");
    }
    variables_ = segment.range.end;
    most = std::max(most, segment.group);
  }
  if (most >= segments_.size()) {
    throw InvalidInput("partition", std::to_string(most), "groups must be numbered without gaps");
  }
  sizes_.assign(most + 1, 0);
  for (const Segment& segment : segments_) {
    sizes_[segment.group] += segment.range.end - segment.range.begin;
  }
  const auto unused = std::find(sizes_.begin(), sizes_.end(), 0u);
  if (unused != sizes_.end()) {
    throw InvalidInput("partition", std::to_string(unused - sizes_.begin()),
                       "groups must be numbered without gaps");
  }
}

GroupId Partition::group_of(VariableId id) const {
  assert(id < variables_);
  const auto after =
      std::upper_bound(segments_.begin(), segments_.end(), id,
                       [](VariableId value, const Segment& s) { return value < s.range.begin; });
  return std::prev(after)->group;
}

void Partition::sum_dense(std::span<const double> values, std::span<double> out) const {
  assert(values.size() == variables_ && out.size() == groups());
  std::fill(out.begin(), out.end(), 0.0);
  for (const Segment& segment : segments_) {
    const std::size_t size = segment.range.end - segment.range.begin;
    out[segment.group] += sum_of(values.subspan(segment.range.begin, size));
  }
}

void Partition::sum_sparse(std::span<const VariableId> ids, std::span<const double> values,
                           std::span<double> out) const {
  assert(ids.size() == values.size() && out.size() == groups());
  std::fill(out.begin(), out.end(), 0.0);
  auto segment = segments_.begin();
  for (std::size_t j = 0; j < ids.size(); ++j) {
    while (ids[j] >= segment->range.end) ++segment;
    out[segment->group] += values[j];
  }
}

}  // namespace updraft
