#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/ellipsoid.h"

namespace updraft {

/// What individuals with given features pay under one treatment, as learnt from those who had it.
class TreatmentModel {
 public:
  virtual ~TreatmentModel() = default;

  /// One individual's features and payoff. Counts from the next update() on.
  void add(std::span<const double> row, double payoff);
  /// Learns from all that was added.
  virtual void update() = 0;

  /// Per row (one after the other): the expected payoff, and ||row||_{V^-1}.
  void predict(std::span<const double> rows, std::span<double> means,
               std::span<double> widths) const;

  /// At most so many bytes do rows take that are kept for ever.
  virtual std::uint64_t kept_bytes() const { return 0; }

  std::size_t features() const { return ellipsoid_.features(); }
  std::span<const double> theta() const { return theta_; }
  const Ellipsoid& ellipsoid() const { return ellipsoid_; }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 protected:
  TreatmentModel(std::size_t features, double lambda);

  virtual void learn(std::span<const double> row, double payoff) = 0;
  /// From <theta, row> to the expected payoff.
  virtual void link(std::span<double> scores) const = 0;
  virtual void write_rest(StateWriter& writer) const = 0;
  virtual void read_rest(StateReader& reader) = 0;

  std::vector<double> theta_;

 private:
  Ellipsoid ellipsoid_;
};

/// Ridge regression: theta = V^-1 sum of payoff * row. Cost of update(): O(d^3).
std::unique_ptr<TreatmentModel> make_linear_model(std::size_t features, double lambda);

enum class LogisticRefit {
  kExact,   ///< maximum likelihood with ridge lambda, to a gradient norm of at most 1e-6, or 1e-14
            ///< times the sum of the rows' lengths where that is more, for rounding
  kOnline,  ///< one Newton step per update, on the new rows alone; keeps no rows
};

/// Payoffs in [0, 1]. Cost of update() with n different rows: exact a few passes over these, O(n d)
/// each and rarely O(n d^2), online O(new rows d^2 + d^3). Exact keeps the different rows.
std::unique_ptr<TreatmentModel> make_logistic_model(std::size_t features, double lambda,
                                                    LogisticRefit refit);

}  // namespace updraft
