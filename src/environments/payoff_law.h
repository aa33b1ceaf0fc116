#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "updraft/instance.h"
#include "updraft/instance_environment.h"
#include "updraft/payoffs.h"
#include "updraft/stream.h"

namespace updraft {

/// Consecutive rounds of a run.
struct RoundBlock {
  std::uint64_t seed = 0;
  std::uint32_t run = 0;
  std::uint32_t first = 0;
  std::uint32_t rounds = 0;

  Stream stream(Purpose purpose) const { return Stream(seed, run, purpose); }
  bool contains(std::uint32_t round) const { return round - first < rounds; }
};

/// What is random in a block of rounds before the actions are known, so that all policies of a
/// run can share it: numbers whose meaning is the law's, a column of rounds for each, and where
/// single 0/1 payoffs are asked for, the variables that pay 1 without any action.
struct NoiseBlock {
  RoundBlock block;
  Resolution::Kind kind = Resolution::Kind::kTotal;
  std::vector<double> columns;
  std::vector<VariableId> ones;
  std::vector<std::size_t> ones_end;  ///< per round

  /// The numbers of one round.
  struct Round {
    const double* first;
    std::size_t stride;

    double operator[](std::size_t j) const { return first[j * stride]; }
  };
  Round at(std::uint32_t round) const {
    return {columns.data() + (round - block.first), block.rounds};
  }
};

/// Buffers of one environment; what a draw returns lies in them.
struct DrawBuffers {
  std::vector<double> sums;
  std::vector<double> values;
  std::vector<VariableId> ids;
  std::vector<std::uint64_t> bits;
};

/// The law of the payoffs of an instance, ready to be drawn from. Noise is a function of the
/// block alone, payoffs of noise, round and action; the total is the sum of the atom sums, and an
/// atom's sum that of its variables (up to rounding), at whatever resolution they are drawn.
/// Immutable, so that runs and threads share it.
class PayoffLaw {
 public:
  explicit PayoffLaw(std::shared_ptr<const Instance> instance) : instance_(std::move(instance)) {}
  virtual ~PayoffLaw() = default;
  PayoffLaw(const PayoffLaw&) = delete;
  PayoffLaw& operator=(const PayoffLaw&) = delete;

  const Instance& instance() const { return *instance_; }

  /// How many rounds are best drawn together: as many as stay in the cache.
  virtual std::uint32_t block_rounds(Resolution::Kind kind) const = 0;

  /// Fills `noise`, whose block and kind are set.
  virtual void draw_noise(NoiseBlock& noise, DrawBuffers& buffers) const = 0;

  /// From noise of kind kTotal.
  virtual double total(const NoiseBlock& noise, std::uint32_t round, ActionId action) const = 0;

  /// Sums over the instance's own atoms, from noise of kind kGroups.
  virtual void atom_sums(const NoiseBlock& noise, std::uint32_t round, ActionId action,
                         std::span<double> out) const = 0;

  /// Single payoffs, dense or sparse with increasing ids, in the buffers, from noise of kind
  /// kVariables.
  virtual Payoffs variables(const NoiseBlock& noise, std::uint32_t round, ActionId action,
                            DrawBuffers& buffers) const = 0;

  /// Per variable the mean of `count` baseline payoffs, independent between variables.
  virtual void baseline_means(const Stream& stream, std::uint64_t count,
                              std::span<double> out) const = 0;

 private:
  std::shared_ptr<const Instance> instance_;
};

/// 64, 8 or 1: as many rounds of so many numbers as stay in the second-level cache.
std::uint32_t rounds_in_cache(std::size_t numbers);

std::shared_ptr<const PayoffLaw> make_bernoulli_law(std::shared_ptr<const Instance> instance);
std::shared_ptr<const PayoffLaw> make_gaussian_law(std::shared_ptr<const Instance> instance);

}  // namespace updraft
