#pragma once

#include <cstdint>
#include <optional>

#include "stats/count_unit.h"

namespace updraft {

class StateReader;
class StateWriter;

/// How small the variance of the numbers g of a gain can be, if payoffs are rare. g is a factor
/// times what a payoff is off its prediction, and the factor of held-out rounds is large: as long
/// as none of them paid, the variance of g that was seen is far too small. So the variance is not
/// less than
///   sum_kind v(kind) sum(factor^2) / numbers
/// over both kinds of rounds, or people. v is count_floor() if payoffs are counts. If they are
/// amounts, some of them 0, it is
///   rate E[x^2] - (rate E[x])^2,   rate = (payoffs of the kind that are not 0 + 4) / (rounds + 8)
/// with the means over all payoffs that are not 0. Amounts none of which is 0 have no floor.
class GainVariance {
 public:
  static constexpr std::uint64_t kLeastPaid = 20;

  /// `held`: the kind. The factor is that of the payoff in g.
  void add(bool held, double payoff, double factor);

  /// Of so many numbers g. None if nothing is known of it: all payoffs are 0, or they are amounts
  /// and fewer than kLeastPaid are not.
  std::optional<double> least(std::uint64_t numbers) const;

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  struct Kind {
    double rounds = 0.0;
    double paid = 0.0;     // not 0
    double mean = 0.0;     // of payoffs
    double factors = 0.0;  // sum of squares
  };
  double variance_of(const Kind& kind) const;

  Kind kinds_[2];
  double amount_ = 0.0;  // mean of payoffs that are not 0
  double square_ = 0.0;  // and of their squares
  CountUnit counts_{1};
};

}  // namespace updraft
