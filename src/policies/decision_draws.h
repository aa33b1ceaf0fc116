#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "updraft/ids.h"
#include "updraft/stream.h"

namespace updraft {

// The probabilities of a decision by Thompson sampling, exactly. The policy decides by one draw
// from its posterior,
//   value(a) = mean(a) + common(a) + own(a)
// with normal errors `common`, which actions share, and `own`, which they do not. The signs of
// `common` and of each own(a) may be turned without changing the law. A set of draws is made of the
// decision's own and of independent others, each with 16 patterns of signs that form a group. Given
// the set, each member is equally likely to be the one that decided; so the decision is a draw from
// the shares of the set in which each action is the best. These shares are the probabilities.
// Whether they are computed does not change the decision. docs/propensities.md

/// Independent draws in the set, the decision's own among them: 16, and with 16 patterns of signs
/// each 256 in all; fewer with more than 256 actions, so that there are about 4,096 numbers, but at
/// least one draw.
std::size_t independent_draws(std::size_t actions);

/// A row of `width` standard normals for each independent draw but the decision's own. Different
/// parts (0, 1) are independent.
Eigen::MatrixXd other_normals(const Stream& stream, std::uint64_t decision, std::size_t actions,
                              std::size_t width, std::uint64_t part);

/// A row per independent draw, the decision's own first.
struct DecisionDraws {
  Eigen::MatrixXd common;  ///< without columns if there is no common error
  Eigen::MatrixXd own;
};

/// Makes an action the best of no draw, unless all are left out.
void leave_out(ActionId action, Eigen::VectorXd& mean, DecisionDraws& draws);

/// Per action, the share of the set in which it is the best, the lowest id among equals; `decided`
/// is the best of the decision's own draw.
std::vector<double> shares_best(ActionId decided, const Eigen::VectorXd& mean,
                                const DecisionDraws& draws);

}  // namespace updraft
