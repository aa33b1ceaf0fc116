#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inference/contrasts.h"
#include "updraft/evidence.h"

namespace updraft {

/// When the best action is known. Action a beats b once the mixture bound of their contrast
/// (inference/mixture_bound.h) excludes that b is as good, with error / (K - 1): if b is the best
/// action, only its K - 1 contrasts could be wrong about it. Paused actions do not count; which
/// action is the best of the others depends on what was paused, so if actions can be paused, the
/// error is shared by all K (K - 1) / 2 contrasts from the start. A single action that is not
/// paused was compared with none, and does not settle anything. What was once settled stays so.
class StopRule {
 public:
  /// `may_pause`: whether actions can be paused.
  StopRule(std::size_t actions, double error, bool may_pause);

  /// To be called after every round. Cost: O(K G), O(K |U| G^2) after a fit.
  void look(Contrasts& contrasts, std::span<const ActionId> paused);

  ActionId probe() const { return probe_; }
  std::optional<ActionId> settled() const {
    return settled_ ? std::optional<ActionId>(best_) : std::nullopt;
  }
  /// Without regard to what the policy thinks.
  Settlement settlement(const Contrasts& contrasts, std::span<const ActionId> paused) const;

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  /// How far a contrast is from its bound if all numbers of rounds were `factor` times as large.
  struct Comparison {
    double difference = 0.0;
    double reach = 0.0;
  };
  /// Who is compared, and by which logarithm: of the number of contrasts over the error.
  struct Field {
    const Contrasts& contrasts;
    std::vector<ActionId> actions;  ///< not paused
    double log = 0.0;
  };
  Field field_of(const Contrasts& contrasts, std::span<const ActionId> paused) const;
  static Comparison compare(const Field& field, ActionId a, ActionId b, double factor);
  static ActionId leader_of(const Field& field);
  static bool beats_all(const Field& field, ActionId leader);
  static std::optional<std::uint64_t> more_rounds(const Field& field, ActionId leader);

  std::size_t actions_;
  double error_;
  double shared_by_;  // so many contrasts
  bool settled_ = false;
  ActionId best_ = 0;
  std::uint64_t at_ = 0;
  ActionId probe_ = 0;
};

}  // namespace updraft
