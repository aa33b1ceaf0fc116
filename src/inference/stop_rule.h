#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inference/contrasts.h"
#include "updraft/evidence.h"

namespace updraft {

/// When the best action is known. Action a beats b once the mixture bound of their contrast
/// (inference/mixture_bound.h) excludes that b is as good, with error / (K - 1): if b is the best
/// action, only its K - 1 contrasts could be wrong about it. What was once settled stays so.
class StopRule {
 public:
  StopRule(std::size_t actions, double error);

  /// To be called after every round. Cost: O(K G), O(K |U| G^2) after a fit.
  void look(const Contrasts& contrasts);

  ActionId probe() const { return probe_; }
  Settlement settlement(const Contrasts& contrasts) const;

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  /// How far a contrast is from its bound if all numbers of rounds were `factor` times as large.
  struct Comparison {
    double difference = 0.0;
    double reach = 0.0;
  };
  Comparison compare(const Contrasts& contrasts, ActionId a, ActionId b, double factor) const;
  ActionId leader_of(const Contrasts& contrasts) const;
  std::optional<std::uint64_t> more_rounds(const Contrasts& contrasts, ActionId leader) const;

  std::size_t actions_;
  double error_;
  double log_;  // log((K - 1) / error)
  bool settled_ = false;
  ActionId best_ = 0;
  std::uint64_t at_ = 0;
  ActionId probe_ = 0;
};

}  // namespace updraft
