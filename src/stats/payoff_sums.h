#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "updraft/ids.h"
#include "updraft/payoffs.h"
#include "updraft/state.h"

namespace updraft {

/// Sums of payoffs per action and variable: K rows of m doubles.
class PayoffSums {
 public:
  PayoffSums(std::size_t actions, std::size_t variables)
      : variables_(variables), sums_(actions * variables, 0.0) {}

  /// Dense or sparse payoffs. Cost: O(m) or O(non-zero payoffs).
  void add(ActionId action, const Payoffs& payoffs) {
    double* row = sums_.data() + action * variables_;
    const std::span<const double> values = payoffs.values();
    if (payoffs.kind() == Payoffs::Kind::kDense) {
      for (std::size_t i = 0; i < values.size(); ++i) row[i] += values[i];
    } else {
      for (std::size_t j = 0; j < values.size(); ++j) row[payoffs.ids()[j]] += values[j];
    }
  }

  std::span<const double> of(ActionId action) const {
    return {sums_.data() + action * variables_, variables_};
  }

  void write(StateWriter& writer) const { writer.f64s(sums_); }
  void read(StateReader& reader) { reader.f64s(sums_, "policy state: payoff sums"); }

 private:
  std::size_t variables_;
  std::vector<double> sums_;
};

}  // namespace updraft
