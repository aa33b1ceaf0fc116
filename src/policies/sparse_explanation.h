#pragma once

#include <cstdint>
#include <span>

#include "stats/sparse_effects.h"
#include "updraft/explanation.h"
#include "updraft/knowledge.h"
#include "updraft/partition.h"

namespace updraft {

/// What the explanation of a policy with a sparse model is made from.
struct SparseExplained {
  const Knowledge* knowledge = nullptr;
  const Partition* units = nullptr;
  std::span<const std::uint64_t> pulls;
  std::span<const double> indices;  ///< per action
  const SparseData* data = nullptr;
  const SparseEffects* state = nullptr;  ///< where the chain starts
  bool started = false;                  ///< every action has feedback
};

/// The estimates of a sparse model, by further sweeps of its Markov chain: from 64 to 256 of them,
/// fewer if there are many actions and units. The draws are always the same, so that the same state
/// gives the same explanation. No variable is padding: the draws count every one.
Explanation explain_sparse(const SparseExplained& explained, Detail detail);

}  // namespace updraft
