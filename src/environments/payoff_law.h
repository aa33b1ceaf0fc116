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

/// Which round of which run is drawn.
struct RoundKey {
  std::uint64_t seed = 0;
  std::uint32_t run = 0;
  std::uint32_t round = 0;

  Stream stream(Purpose purpose) const { return Stream(seed, run, purpose); }
};

/// Buffers of one environment; what a draw returns lies in them.
struct DrawBuffers {
  std::vector<double> sums;
  std::vector<double> values;
  std::vector<VariableId> ids;
  std::vector<std::uint64_t> bits;
  std::vector<std::uint64_t> permuted_bits;
};

/// The law of the payoffs of an instance, ready to be drawn from. Draws are functions of the key
/// and the action; the total is the sum of the atom sums, and an atom's sum that of its
/// variables (up to rounding), at whatever resolution they are drawn. Immutable, so that runs
/// and threads share it.
class PayoffLaw {
 public:
  explicit PayoffLaw(std::shared_ptr<const Instance> instance) : instance_(std::move(instance)) {}
  virtual ~PayoffLaw() = default;
  PayoffLaw(const PayoffLaw&) = delete;
  PayoffLaw& operator=(const PayoffLaw&) = delete;

  const Instance& instance() const { return *instance_; }

  virtual double total(const RoundKey& key, ActionId action, DrawBuffers& buffers) const = 0;

  /// Sums over the instance's own atoms.
  virtual void atom_sums(const RoundKey& key, ActionId action, DrawBuffers& buffers,
                         std::span<double> out) const = 0;

  /// Single payoffs, dense or sparse with increasing ids, in the buffers.
  virtual Payoffs variables(const RoundKey& key, ActionId action, DrawBuffers& buffers) const = 0;

  /// Per variable the mean of `count` baseline payoffs, independent between variables.
  virtual void baseline_means(const Stream& stream, std::uint64_t count,
                              std::span<double> out) const = 0;

 private:
  std::shared_ptr<const Instance> instance_;
};

std::shared_ptr<const PayoffLaw> make_bernoulli_law(std::shared_ptr<const Instance> instance);
std::shared_ptr<const PayoffLaw> make_gaussian_law(std::shared_ptr<const Instance> instance);

}  // namespace updraft
