#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "updraft/ids.h"
#include "updraft/variable_set.h"

namespace updraft {

/// The variables 0..m-1, divided into groups. A policy at group resolution observes sums over
/// groups.
class Partition {
 public:
  struct Segment {
    VariableRange range;
    GroupId group = 0;

    bool operator==(const Segment&) const = default;
  };

  /// Segments must cover 0..m-1 in order without gaps; groups must be numbered 0..G-1, each
  /// used at least once. Throws InvalidInput otherwise.
  explicit Partition(std::vector<Segment> segments);

  /// The group of every variable; numbered as above.
  static Partition of_groups(std::span<const GroupId> groups);

  /// Group g has the variables of sets[g]; every variable below `variables` must be in exactly one
  /// set, and no set may be empty. Throws InvalidInput naming `field` otherwise.
  static Partition of_sets(std::span<const VariableSet> sets, std::size_t variables,
                           std::string_view field);

  /// Whether the same variables form the same groups, in the same segments.
  bool operator==(const Partition&) const = default;

  std::size_t variables() const { return variables_; }
  std::size_t groups() const { return sizes_.size(); }
  std::span<const Segment> segments() const { return segments_; }

  /// Number of variables in each group.
  std::span<const std::size_t> sizes() const { return sizes_; }

  /// Cost: O(log segments).
  GroupId group_of(VariableId id) const;

  /// out[g] = sum of values over group g. Cost: one streaming read of `values`.
  void sum_dense(std::span<const double> values, std::span<double> out) const;

  /// The same for strictly increasing ids; absent variables count as 0. Cost: O(ids + segments) at
  /// most.
  void sum_sparse(std::span<const VariableId> ids, std::span<const double> values,
                  std::span<double> out) const;

 private:
  std::vector<Segment> segments_;
  std::vector<std::size_t> sizes_;
  std::size_t variables_ = 0;
};

}  // namespace updraft
