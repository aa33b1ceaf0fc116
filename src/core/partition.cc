#include "updraft/partition.h"

#include <fmt/format.h>

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

Partition Partition::of_groups(std::span<const GroupId> groups) {
  std::vector<Segment> segments;
  for (VariableId i = 0; i < groups.size(); ++i) {
    if (!segments.empty() && segments.back().group == groups[i]) {
      segments.back().range.end = i + 1;
    } else {
      segments.push_back({{i, i + 1}, groups[i]});
    }
  }
  return Partition(std::move(segments));
}

Partition Partition::of_sets(std::span<const VariableSet> sets, std::size_t variables,
                             std::string_view field) {
  std::vector<Segment> segments;
  for (GroupId g = 0; g < sets.size(); ++g) {
    const std::string at = fmt::format("{}[{}]", field, g);
    if (sets[g].empty()) throw InvalidInput(at, "must have at least one variable");
    sets[g].check_below(variables, at);
    for (const VariableRange range : sets[g].ranges()) segments.push_back({range, g});
  }
  std::sort(segments.begin(), segments.end(),
            [](const Segment& a, const Segment& b) { return a.range.begin < b.range.begin; });
  VariableId next = 0;
  for (const Segment& segment : segments) {
    if (segment.range.begin < next) {
      throw InvalidInput(fmt::format("{}[{}]", field, segment.group),
                         std::to_string(segment.range.begin), "is in another one too");
    }
    if (segment.range.begin > next) break;
    next = segment.range.end;
  }
  if (next < variables) {
    throw InvalidInput(field, fmt::format("variable {} is in none", next));
  }
  return Partition(std::move(segments));
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
