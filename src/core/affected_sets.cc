#include "updraft/affected_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "updraft/error.h"

namespace updraft {
namespace {

/// Where an affected set begins or ends.
struct Edge {
  VariableId at = 0;
  ActionId action = 0;
};

std::vector<Edge> sorted_edges(const std::vector<VariableSet>& sets) {
  std::vector<Edge> edges;
  for (ActionId action = 0; action < sets.size(); ++action) {
    for (const VariableRange range : sets[action].ranges()) {
      edges.push_back({range.begin, action});
      edges.push_back({range.end, action});
    }
  }
  std::sort(edges.begin(), edges.end(), [](Edge a, Edge b) { return a.at < b.at; });
  return edges;
}

/// Adds an action that is absent from a sorted list, removes one that is present.
void toggle(std::vector<ActionId>& list, ActionId action) {
  const auto at = std::lower_bound(list.begin(), list.end(), action);
  if (at != list.end() && *at == action) {
    list.erase(at);
  } else {
    list.insert(at, action);
  }
}

}  // namespace

AffectedSets::AffectedSets(std::vector<VariableSet> sets, std::size_t variables)
    : sets_(std::move(sets)) {
  if (sets_.empty()) throw InvalidInput("affected", "must have a set for at least one action");
  if (variables == 0) throw InvalidInput("variables", 0.0, "must be at least 1");
  for (std::size_t action = 0; action < sets_.size(); ++action) {
    sets_[action].check_below(variables, fmt::format("affected[{}]", action));
    largest_ = std::max(largest_, sets_[action].size());
  }

  // Sweep over the variables; between two edges the same actions affect all of them.
  std::vector<Partition::Segment> segments;
  std::map<std::vector<ActionId>, GroupId> atom_of;
  std::vector<ActionId> current;
  const std::vector<Edge> edges = sorted_edges(sets_);
  VariableId begin = 0;
  for (std::size_t e = 0; begin < variables;) {
    for (; e < edges.size() && edges[e].at == begin; ++e) toggle(current, edges[e].action);
    const auto end = e < edges.size() ? edges[e].at : static_cast<VariableId>(variables);
    const auto [entry, added] = atom_of.try_emplace(current, static_cast<GroupId>(atom_of.size()));
    if (added) affecting_.push_back(current);
    segments.push_back({{begin, end}, entry->second});
    begin = end;
  }
  atoms_ = std::make_shared<const Partition>(std::move(segments));

  atoms_of_.resize(sets_.size());
  for (GroupId atom = 0; atom < affecting_.size(); ++atom) {
    for (const ActionId action : affecting_[atom]) atoms_of_[action].push_back(atom);
  }
}

}  // namespace updraft
