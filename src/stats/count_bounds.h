#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stats/count_padding.h"
#include "updraft/ids.h"

namespace updraft {

/// Upper bounds of the indices of UpUCB-L while the action b that plays baseline gets new 0/1
/// payoffs, so that an index need not be computed as long as it cannot win.
///
/// When an index is computed, the variables that stay identified for so many rounds of b, whatever
/// it pays, are noted as far. During these rounds their part of the index is known exactly from the
/// number of ones that b got among them: one count of common bits per action and round, instead of
/// a look at m counts. The others are bounded by what their means can have become, and padding by
/// 2 radius for each variable of the budget that far ones leave. The more rounds a bound is to
/// hold, the looser it is; each action finds its own number.
class CountBounds {
 public:
  CountBounds(std::size_t actions, std::size_t variables)
      : words_((variables + 63) / 64),
        actions_(actions),
        far_bits_(actions * words_, 0),
        ones_(words_, 0) {}

  /// padded_index() of the action, whose bound starts from here.
  double compute(ActionId action, const CountPaddingInputs& in, PaddingScratch& scratch);

  void forget(ActionId action) { actions_[action].known = false; }
  void forget_all() {
    for (Noted& noted : actions_) noted.known = false;
  }

  /// b paid 1 for a variable; all that it paid in a round is followed by end_round().
  void paid_one(VariableId variable) {
    ones_[variable / 64] |= std::uint64_t{1} << (variable % 64);
  }
  void end_round();

  /// Not below the index of the action; infinite where nothing is known. The inputs are those of
  /// now, counts apart.
  double upper_bound(ActionId action, const CountPaddingInputs& in) const;

 private:
  /// Where not even a bound for one round kept an action out, it is not tried for a while.
  static constexpr std::uint32_t kRoundsWithoutBound = 12;

  struct Noted {
    bool known = false;
    CountMargin at;
    double near = 0.0;  ///< what near variables add at most
    std::uint64_t baseline_pulls = 0;
    std::uint64_t valid_rounds = 0;   ///< of b, after which it does not hold
    std::uint64_t rounds = 4;         ///< the same for the next computation
    std::uint32_t without_bound = 0;  ///< computations for which no bound is tried
    double ones = 0.0;                ///< that b paid for far variables since
  };

  std::size_t words_;
  std::vector<Noted> actions_;
  std::vector<std::uint64_t> far_bits_;  // per action
  std::vector<std::uint64_t> ones_;      // of this round
};

}  // namespace updraft
