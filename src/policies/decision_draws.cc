#include "policies/decision_draws.h"

#include <algorithm>
#include <bit>

namespace updraft {

using Eigen::Index;
using Eigen::MatrixXd;

std::size_t decision_draws(std::size_t actions) {
  constexpr std::size_t kFew = 16, kMany = 256, kNumbers = 65'536;
  return std::clamp(std::bit_floor(kNumbers / actions), kFew, kMany);
}

MatrixXd other_normals(const Stream& stream, std::uint64_t decision, std::size_t actions,
                       std::size_t width) {
  MatrixXd normals(static_cast<Index>(decision_draws(actions) - 1), static_cast<Index>(width));
  const auto count = static_cast<std::size_t>(normals.size());
  stream.with(Purpose::kShares)
      .normals(static_cast<std::uint32_t>(decision), (decision >> 32) * Stream::whole_pairs(count),
               {normals.data(), count});
  return normals;
}

std::vector<double> shares_best(ActionId decided, const MatrixXd& values) {
  std::vector<double> largest(values.col(0).begin(), values.col(0).end());
  std::vector<ActionId> best(largest.size(), 0);
  for (Index action = 1; action < values.cols(); ++action) {
    const double* value = values.col(action).data();
    for (std::size_t draw = 0; draw < best.size(); ++draw) {
      const bool better = value[draw] > largest[draw];
      largest[draw] = better ? value[draw] : largest[draw];
      best[draw] = better ? static_cast<ActionId>(action) : best[draw];
    }
  }
  const double share = 1.0 / static_cast<double>(best.size() + 1);
  std::vector<double> shares(static_cast<std::size_t>(values.cols()), 0.0);
  shares[decided] += share;
  for (const ActionId action : best) shares[action] += share;
  return shares;
}

}  // namespace updraft
