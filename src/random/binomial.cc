#include "random/binomial.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <string>

#include "updraft/error.h"

namespace updraft {
namespace {

/// Terms below this share of the largest are left out: together they are too small to change the
/// smallest tail that is kept, 2^-53, in its last place.
constexpr double kNegligible = 0x1p-130;

constexpr double kSmallestUniform = 0x1p-53;
constexpr double kLargestUniform = 1.0 - 0x1p-53;

/// Binomial probabilities up to a common factor, those that are not negligible.
struct Terms {
  std::uint64_t first = 0;     ///< the k of terms[0]
  std::vector<double> values;  ///< 1 near the mode
};

/// From the mode outwards by P(k + 1) / P(k) = (n - k) / (k + 1) * p / (1 - p).
Terms binomial_terms(std::uint64_t trials, double probability) {
  const double n = static_cast<double>(trials);
  const double failure = 1.0 - probability;
  const double odds = probability / failure;
  const double odds_against = failure / probability;
  const auto mode = std::min(trials, static_cast<std::uint64_t>((n + 1.0) * probability));

  std::vector<double> below;  // P(mode - 1), P(mode - 2), ...
  double term = 1.0;
  for (std::uint64_t k = mode; k > 0; --k) {
    const double kd = static_cast<double>(k);
    term *= kd / (n - kd + 1.0) * odds_against;
    if (!(term >= kNegligible)) break;
    below.push_back(term);
  }
  Terms terms{mode - below.size(), {below.rbegin(), below.rend()}};
  terms.values.push_back(1.0);
  term = 1.0;
  for (std::uint64_t k = mode; k < trials; ++k) {
    const double kd = static_cast<double>(k);
    term *= (n - kd) / (kd + 1.0) * odds;
    if (!(term >= kNegligible)) break;
    terms.values.push_back(term);
  }
  return terms;
}

/// P(X <= k) for the k of `terms`: each tail is summed from its small end, so that what is
/// rounded is relative to the smaller tail.
std::vector<double> distribution(const std::vector<double>& terms) {
  std::vector<double> above(terms.size(), 0.0);  // the sum of the terms after each
  for (std::size_t j = terms.size() - 1; j > 0; --j) above[j - 1] = above[j] + terms[j];
  std::vector<double> upto(terms.size());
  double sum = 0.0;
  for (std::size_t j = 0; j < terms.size(); ++j) upto[j] = sum += terms[j];

  const auto middle =
      static_cast<std::size_t>(std::max_element(terms.begin(), terms.end()) - terms.begin());
  const double total = upto[middle] + above[middle];
  std::vector<double> cdf(terms.size());
  for (std::size_t j = 0; j < terms.size(); ++j) {
    cdf[j] = upto[j] < above[j] ? upto[j] / total : 1.0 - above[j] / total;
  }
  return cdf;
}

}  // namespace

BinomialQuantile::BinomialQuantile(std::uint64_t trials, double probability)
    : trials_(trials), probability_(probability) {
  if (trials > kMaxTrials) {
    throw InvalidInput("trials", std::to_string(trials), "must be at most 2^40");
  }
  if (!(probability >= 0.0 && probability <= 1.0)) {
    throw InvalidInput("probability", probability, "must be in [0, 1]");
  }
  tabulate();
  index();
}

void BinomialQuantile::tabulate() {
  if (trials_ == 0 || probability_ == 0.0 || probability_ == 1.0) {
    first_ = probability_ == 1.0 ? trials_ : 0;
    cdf_ = {1.0};
    return;
  }
  const Terms terms = binomial_terms(trials_, probability_);
  const std::vector<double> cdf = distribution(terms.values);
  const auto begin = std::lower_bound(cdf.begin(), cdf.end(), kSmallestUniform);
  const auto last = std::lower_bound(begin, cdf.end(), kLargestUniform);
  assert(last != cdf.end() && std::is_sorted(begin, last));
  first_ = terms.first + static_cast<std::uint64_t>(begin - cdf.begin());
  cdf_.assign(begin, last);
  cdf_.push_back(1.0);
}

void BinomialQuantile::index() {
  const std::size_t size = std::bit_ceil(cdf_.size());
  guide_size_ = static_cast<double>(size);
  guide_.resize(size);
  std::size_t entry = 0;
  for (std::size_t i = 0; i < size; ++i) {
    while (cdf_[entry] < static_cast<double>(i) / guide_size_) ++entry;
    guide_[i] = static_cast<std::uint32_t>(entry);
  }
}

}  // namespace updraft
