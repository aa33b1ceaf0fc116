#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "experiments/parallel.h"
#include "updraft/results.h"

namespace updraft {

/// What an experiment is played on: an instance, the individuals of a campaign, or a bandit with
/// contexts. Immutable and shared by all runs.
class Stage {
 public:
  virtual ~Stage() = default;

  /// Tells one stage from another, also in years to come.
  virtual std::string checksum() const = 0;
  /// Of a campaign.
  virtual std::optional<PlayedPopulation> population() const { return std::nullopt; }

  /// Throws InvalidInput if the policy cannot start, or would refuse what it is to be given.
  virtual void check_playable(const PolicySpec& spec) const = 0;

  /// How many numbers keep what a policy did in a run: its regret after each of the
  /// curve's rounds first.
  virtual std::size_t numbers() const = 0;

  /// Plays policies in one run; the numbers of each do not depend on who else plays. Throws
  /// Cancelled if `control` asks for it.
  virtual std::vector<std::vector<double>> play(std::span<const PolicySpec> specs,
                                                std::uint32_t run, TaskControl& control) const = 0;

  /// Puts into a point what its numbers, one vector a run, say besides the regret.
  virtual void add_measures(GridPoint&, std::span<const std::vector<double>>) const {}
};

// All throw InvalidInput if there is nothing to play on or no rounds.

std::unique_ptr<Stage> make_instance_stage(const Experiment& experiment,
                                           std::uint32_t curve_points);

std::unique_ptr<Stage> make_context_stage(const Experiment& experiment, std::uint32_t curve_points);

/// `data`: the table of a published data set; empty if it is not there.
std::unique_ptr<Stage> make_campaign_stage(const Experiment& experiment, std::uint32_t curve_points,
                                           const std::filesystem::path& data);

}  // namespace updraft
