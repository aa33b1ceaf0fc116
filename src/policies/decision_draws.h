#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "updraft/ids.h"
#include "updraft/stream.h"

namespace updraft {

// The probabilities of a decision by Thompson sampling, exactly. The policy decides by one draw
// from its posterior. With others from the same posterior, the decision's draw is one of a set in
// which every order is equally likely; so, given the set, the decision is a draw from the shares of
// the set in which each action is the best. These shares are the probabilities. Whether they are
// computed does not change the decision.

/// Draws in the set: 256, so that a probability is as coarse as 1/256; fewer with more than 256
/// actions, so that the set has about 65,536 numbers, but at least 16.
std::size_t decision_draws(std::size_t actions);

/// One row of `width` standard normals for each draw of the set but the decision's own.
Eigen::MatrixXd other_normals(const Stream& stream, std::uint64_t decision, std::size_t actions,
                              std::size_t width);

/// Per action, the share of the set in which it is the best: `decided` by the decision's own draw,
/// else the action with the largest value of a row, the lowest id among equals.
std::vector<double> shares_best(ActionId decided, const Eigen::MatrixXd& values);

}  // namespace updraft
