#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "updraft/environment.h"
#include "updraft/instance.h"
#include "updraft/payoffs.h"
#include "updraft/stream.h"

namespace updraft {

class ChangingMeans;
class PayoffLaw;
struct NoiseBlock;

/// An instance prepared for drawing payoffs: tables and factorisations that are made once and
/// shared by all runs and threads.
std::shared_ptr<const PayoffLaw> prepare_payoffs(std::shared_ptr<const Instance> instance);

/// One run of an instance. Payoffs are a function of (seed, run, round, action) alone, so every
/// policy of a run sees the same noise. Noise is drawn from coarse to fine (total or cell sums
/// first, then single variables given these), so the sums agree at every resolution.
class InstanceEnvironment final : public Environment {
 public:
  InstanceEnvironment(std::shared_ptr<const PayoffLaw> law, std::uint64_t seed, std::uint32_t run);
  ~InstanceEnvironment() override;
  InstanceEnvironment(InstanceEnvironment&&) noexcept;

  const Instance& instance() const;

  /// Rounds are all alike to policies.
  Round begin(std::uint32_t round) override {
    round_ = round;
    return {};
  }
  Payoffs pay(const Decision& decision, const Resolution& resolution) override {
    return draw(round_, decision.action, resolution);
  }
  void measure(const Decision& decision, Measures& sums) override {
    if (changing_) move_to(round_);
    const double gap = gaps_[decision.action];
    sums.regret += gap;
    sums.best += gap == 0.0 ? 1.0 : 0.0;
  }

  /// The payoffs of taking `action` in `round`, at `resolution`: a total, group sums, or single
  /// variables (sparse for 0/1 payoffs, else dense). Valid until the next draw.
  /// Cheap for the instance's own atoms; other partitions are summed from single variables.
  /// The noise of a block of rounds is drawn at once and kept, so that policies that play the
  /// rounds of a block in turn share it; see block_rounds().
  Payoffs draw(std::uint32_t round, ActionId action, const Resolution& resolution);

  std::uint32_t block_rounds(const Resolution& resolution) const override;

  /// Uplifts over the baseline of this round, and distances to the best, per action. Those of the
  /// instance, unless it has changes. Valid until the next call that names a round.
  std::span<const double> uplifts_in(std::uint32_t round);
  std::span<const double> gaps_in(std::uint32_t round);

  /// The means of `count` independent payoffs per variable without any action, each variable with
  /// the distribution of its baseline. In a simulation, up_ucb_obs gets this table.
  BaselineObservations observe_baseline(std::uint64_t count) const;

 private:
  struct Scratch;

  void move_to(std::uint32_t round);
  bool is_atoms(const std::shared_ptr<const Partition>& partition);
  const NoiseBlock& noise_at(std::uint32_t round, Resolution::Kind kind);

  std::shared_ptr<const PayoffLaw> law_;
  std::uint64_t seed_;
  std::uint32_t run_;
  std::uint32_t round_ = 0;
  std::span<const double> gaps_;             // of round_, once changing_ was moved to it
  std::unique_ptr<ChangingMeans> changing_;  // null if the instance has no changes
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace updraft
