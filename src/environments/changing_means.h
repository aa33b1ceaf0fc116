#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "environments/random_walk.h"
#include "updraft/instance.h"

namespace updraft {

/// What the changes of an instance add to its means, round by round, in one run:
///   mean(a,i,t) = mean(a,i) + b(i,t) + [i in V(a)] ((F(a,t) - 1) (mean(a,i) - baseline(i))
///                                                   + F(a,t) W(a,t))
/// with b the sum of the changes of the baseline, F(a) the product of those that multiply the
/// effect of a, and W(a) the sum of its walks. A function of seed, run and round, in whatever order
/// rounds are asked for.
/// Cost: move_to() O(changes + K), and that of RandomWalk; add_atoms() O(G) per change of the
/// baseline, add_variables() O(m) likewise.
class ChangingMeans {
 public:
  ChangingMeans(const Instance& instance, std::uint64_t seed, std::uint32_t run);

  void move_to(std::uint32_t round);

  // Of the round that it was moved to.

  std::span<const double> uplifts() const { return uplifts_; }
  std::span<const double> gaps() const { return gaps_; }

  /// What is added to the reward, to sums over atoms and to single variables under an action.
  double total(ActionId action) const;
  void add_atoms(ActionId action, std::span<double> to) const;
  void add_variables(ActionId action, std::span<double> to) const;

 private:
  /// What belongs to an entry of InstanceDefinition::changes.
  struct Place {
    std::vector<double> atoms;  ///< variables in each atom; of the baseline only
    double variables = 0.0;     ///< their sum; of the baseline only
    std::optional<RandomWalk> walk;
    double value = 0.0;  ///< of the round: what is added, or the factor
  };
  /// What an action does, without changes, and what its changes make of it in the round.
  struct OwnEffect {
    std::vector<double> atoms;  ///< sum of the effect in each atom
    std::vector<double> sizes;  ///< variables of V(a) in each atom
    double factor = 1.0;
    double walk = 0.0;
    double share() const { return factor - 1.0; }
    double shift() const { return factor * walk; }
  };

  const Instance* instance_;
  std::vector<Place> places_;
  std::vector<OwnEffect> effects_;  // per action
  std::optional<std::uint32_t> round_;
  std::vector<double> uplifts_;
  std::vector<double> gaps_;
};

}  // namespace updraft
