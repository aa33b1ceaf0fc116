#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "updraft/ids.h"

namespace updraft {

/// Variables begin, begin + 1, ..., end - 1.
struct VariableRange {
  VariableId begin = 0;
  VariableId end = 0;

  bool operator==(const VariableRange&) const = default;
};

/// An immutable set of variables, held as sorted disjoint ranges that do not touch: ten
/// scattered ids take ten ranges of eight bytes, ids 0..12653 take one.
class VariableSet {
 public:
  VariableSet() = default;

  /// Ids in any order. Throws InvalidInput naming `field` if an id is repeated.
  static VariableSet from_ids(std::span<const VariableId> ids,
                              std::string_view field = "variables");
  static VariableSet from_ids(std::initializer_list<VariableId> ids) {
    return from_ids(std::span(ids.begin(), ids.size()));
  }

  /// Half-open ranges in any order. Throws InvalidInput naming `field` if a range is empty or
  /// reversed, or two ranges overlap.
  static VariableSet from_ranges(std::span<const VariableRange> ranges,
                                 std::string_view field = "variables");

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::span<const VariableRange> ranges() const { return ranges_; }

  /// Cost: O(log ranges).
  bool contains(VariableId id) const;

  std::vector<VariableId> ids() const;

  /// Throws InvalidInput naming `field` and the first id that is not below `variables`.
  void check_below(std::size_t variables, std::string_view field) const;

  /// Calls visit(id) in increasing order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const VariableRange range : ranges_) {
      for (VariableId id = range.begin; id != range.end; ++id) visit(id);
    }
  }

  bool operator==(const VariableSet&) const = default;

 private:
  std::vector<VariableRange> ranges_;
  std::size_t size_ = 0;
};

}  // namespace updraft
