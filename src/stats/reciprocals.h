#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace updraft {

/// 1 / n and sqrt(1 / n) for numbers of pulls n > 0: looked up where n is small, since divisions
/// and roots are most of what an index costs.
class Reciprocals {
 public:
  struct Pair {
    double inverse;
    double root;
  };

  static const Reciprocals& shared() {
    static const Reciprocals table;
    return table;
  }

  Pair operator()(std::uint64_t n) const { return n < kTabulated ? table_[n] : compute(n); }

 private:
  static constexpr std::uint64_t kTabulated = std::uint64_t{1} << 16;

  Reciprocals() {
    table_.push_back({0.0, 0.0});
    while (table_.size() < kTabulated) table_.push_back(compute(table_.size()));
  }

  static Pair compute(std::uint64_t n) {
    const double inverse = 1.0 / static_cast<double>(n);
    return {inverse, std::sqrt(inverse)};
  }

  std::vector<Pair> table_;
};

}  // namespace updraft
