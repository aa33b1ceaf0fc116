#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/dense.h"
#include "updraft/ids.h"
#include "updraft/payoffs.h"
#include "updraft/state_io.h"

namespace updraft {

/// The sums of an action's payoffs, one per variable: whole numbers of 16 bits, or doubles.
class PayoffRow {
 public:
  explicit PayoffRow(std::span<const std::uint16_t> counts) : counts_(counts) {}
  explicit PayoffRow(std::span<const double> sums) : sums_(sums) {}

  std::size_t size() const { return whole() ? counts_.size() : sums_.size(); }
  double operator[](std::size_t i) const { return whole() ? counts_[i] : sums_[i]; }

  bool whole() const { return counts_.data() != nullptr; }
  std::span<const std::uint16_t> counts() const { return counts_; }  ///< where whole
  std::span<const double> sums() const { return sums_; }             ///< else

 private:
  std::span<const std::uint16_t> counts_;
  std::span<const double> sums_;
};

/// Sums of payoffs per action and variable. They take 2 bytes each as long as all payoffs are whole
/// numbers >= 0 and no sum can exceed 65,535; from then on 8 bytes. Exact in both forms.
class PayoffSums {
 public:
  PayoffSums(std::size_t actions, std::size_t variables)
      : variables_(variables),
        counts_(actions * variables, 0),
        largest_(actions, 0.0),
        total_(actions, 0.0) {}

  bool whole() const { return sums_.empty(); }

  /// Dense or sparse payoffs. Calls raise(variable, before, after) for each count that grows, as
  /// long as sums are whole.
  /// Cost: O(m) or O(non-zero payoffs); once O(K m).
  template <typename Raise>
  void add(ActionId action, const Payoffs& payoffs, Raise raise) {
    if (whole() && fits(action, payoffs.values())) {
      add_whole(action, payoffs, raise);
    } else {
      add_real(action, payoffs);
    }
  }

  PayoffRow of(ActionId action) const {
    const std::size_t first = action * variables_;
    if (!whole()) return PayoffRow(std::span(sums_).subspan(first, variables_));
    return PayoffRow(std::span(counts_).subspan(first, variables_));
  }

  /// Where sums are whole: a bound of those of an action, and their sum.
  double largest(ActionId action) const { return largest_[action]; }
  double total(ActionId action) const { return total_[action]; }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  static constexpr double kLargestCount = 65535.0;

  /// Whether the payoffs can be added to counts. Counts them in largest_ if so.
  bool fits(ActionId action, std::span<const double> payoffs);
  void add_real(ActionId action, const Payoffs& payoffs);
  void use_doubles();

  template <typename Raise>
  void add_whole(ActionId action, const Payoffs& payoffs, Raise raise) {
    std::uint16_t* row = counts_.data() + action * variables_;
    const double* values = payoffs.values().data();
    double total = 0.0;
    const auto add_one = [&](VariableId i, double value) {
      const std::uint16_t before = row[i];
      row[i] = static_cast<std::uint16_t>(before + static_cast<std::uint16_t>(value));
      total += value;
      raise(i, before, row[i]);
    };
    if (payoffs.kind() == Payoffs::Kind::kSparse && all_equal(payoffs.values(), 1.0)) {
      for (const VariableId i : payoffs.ids()) {
        const std::uint16_t before = row[i]++;
        raise(i, before, static_cast<std::uint16_t>(before + 1));
      }
      total = static_cast<double>(payoffs.ids().size());
    } else if (payoffs.kind() == Payoffs::Kind::kDense) {
      for (VariableId i = 0; i < variables_; ++i) {
        if (values[i] != 0.0) add_one(i, values[i]);
      }
    } else {
      const auto ids = payoffs.ids();
      for (std::size_t j = 0; j < ids.size(); ++j) {
        if (values[j] != 0.0) add_one(ids[j], values[j]);
      }
    }
    total_[action] += total;
  }

  std::size_t variables_;
  std::vector<std::uint16_t> counts_;  // K rows of m, or none
  std::vector<double> sums_;           // K rows of m, or none
  std::vector<double> largest_;        // per action, no count is larger
  std::vector<double> total_;          // per action
};

}  // namespace updraft
