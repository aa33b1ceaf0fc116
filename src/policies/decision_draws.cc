#include "policies/decision_draws.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Patterns of signs: sign(pattern, code) = -1 to the number of bits that both have. They form a
/// group for any codes of the parts, so that every pattern leads to the same set.
constexpr unsigned kPatterns = 16;
using Signs = std::array<double, kPatterns>;

constexpr std::array<Signs, kPatterns> make_signs() {
  std::array<Signs, kPatterns> signs{};
  for (unsigned code = 0; code < kPatterns; ++code) {
    for (unsigned pattern = 0; pattern < kPatterns; ++pattern) {
      signs[code][pattern] = std::popcount(code & pattern) % 2 == 0 ? 1.0 : -1.0;
    }
  }
  return signs;
}
constexpr std::array<Signs, kPatterns> kSigns = make_signs();

/// The common error has a code of its own; actions share the other 14 in turn.
constexpr unsigned kCommonCode = 15;
unsigned code_of(Index action) { return 1 + static_cast<unsigned>(action) % 14; }

/// The best actions of all patterns of one draw.
std::array<ActionId, kPatterns> best_of(const Eigen::VectorXd& mean, const DecisionDraws& draws,
                                        Index draw) {
  const bool shared = draws.common.cols() > 0;
  std::array<ActionId, kPatterns> best{};
  Signs largest{};
  for (Index action = 0; action < mean.size(); ++action) {
    const double own = draws.own(draw, action);
    const double common = shared ? draws.common(draw, action) : 0.0;
    const Signs& sign = kSigns[code_of(action)];
    const Signs& common_sign = kSigns[kCommonCode];
    for (unsigned pattern = 0; pattern < kPatterns; ++pattern) {
      const double value = mean[action] + common_sign[pattern] * common + sign[pattern] * own;
      const bool better = action == 0 || value > largest[pattern];
      largest[pattern] = better ? value : largest[pattern];
      best[pattern] = better ? static_cast<ActionId>(action) : best[pattern];
    }
  }
  return best;
}

}  // namespace

std::size_t independent_draws(std::size_t actions) {
  constexpr std::size_t kMany = 16, kNumbers = 4'096;
  return std::clamp(std::bit_floor(kNumbers / actions), std::size_t{1}, kMany);
}

MatrixXd other_normals(const Stream& stream, std::uint64_t decision, std::size_t actions,
                       std::size_t width, std::uint64_t part) {
  MatrixXd normals(static_cast<Index>(independent_draws(actions) - 1), static_cast<Index>(width));
  const auto count = static_cast<std::size_t>(normals.size());
  stream.with(Purpose::kShares)
      .normals(static_cast<std::uint32_t>(decision),
               (2 * (decision >> 32) + part) * Stream::whole_pairs(count), {normals.data(), count});
  return normals;
}

void leave_out(ActionId action, Eigen::VectorXd& mean, DecisionDraws& draws) {
  mean[action] = -std::numeric_limits<double>::infinity();
  draws.own.col(action).setZero();
  if (draws.common.cols() > 0) draws.common.col(action).setZero();
}

std::vector<double> shares_best(ActionId decided, const Eigen::VectorXd& mean,
                                const DecisionDraws& draws) {
  const double share = 1.0 / (kPatterns * static_cast<double>(draws.own.rows()));
  std::vector<double> shares(static_cast<std::size_t>(mean.size()), 0.0);
  for (Index draw = 0; draw < draws.own.rows(); ++draw) {
    std::array<ActionId, kPatterns> best = best_of(mean, draws, draw);
    if (draw == 0) best[0] = decided;  // rounding must not change it
    for (const ActionId action : best) shares[action] += share;
  }
  return shares;
}

}  // namespace updraft
