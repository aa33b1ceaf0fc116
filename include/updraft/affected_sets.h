#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "updraft/ids.h"
#include "updraft/partition.h"
#include "updraft/variable_set.h"

namespace updraft {

/// The variables that each action affects, V(a), and the atoms that these sets form: two variables
/// are in the same atom if the same actions affect them. A policy with known affected sets needs
/// only sums over atoms.
class AffectedSets {
 public:
  /// Throws InvalidInput if there is no action or no variable, or an id is not below `variables`.
  /// Cost: O(ranges * log ranges + sum over atoms of the actions that affect it).
  AffectedSets(std::vector<VariableSet> sets, std::size_t variables);

  std::size_t actions() const { return sets_.size(); }
  std::size_t variables() const { return atoms_->variables(); }

  /// V(a).
  const VariableSet& of(ActionId action) const { return sets_[action]; }

  /// max over a of |V(a)|.
  std::size_t largest() const { return largest_; }

  /// The atoms, numbered in order of their lowest variable. The variables that no action affects
  /// form an atom too.
  const std::shared_ptr<const Partition>& atoms() const { return atoms_; }

  /// The atoms that make up V(a), in increasing order.
  std::span<const GroupId> atoms_of(ActionId action) const { return atoms_of_[action]; }

  /// The actions that affect an atom, in increasing order.
  std::span<const ActionId> affecting(GroupId atom) const { return affecting_[atom]; }

 private:
  std::vector<VariableSet> sets_;
  std::size_t largest_ = 0;
  std::shared_ptr<const Partition> atoms_;
  std::vector<std::vector<GroupId>> atoms_of_;
  std::vector<std::vector<ActionId>> affecting_;
};

}  // namespace updraft
