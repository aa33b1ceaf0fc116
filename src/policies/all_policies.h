#pragma once

#include <memory>

#include "updraft/knowledge.h"
#include "updraft/policy.h"
#include "updraft/policy_spec.h"

namespace updraft {

// One function per policy, each defined beside its algorithm in the file of the same name. The
// registry calls them with knowledge of their kind that holds all that the policy needs, overridden
// by the parameters of the spec.

// Plain policies.
std::unique_ptr<Policy> make_auto(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_ucb(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_ts(const PolicySpec& spec, const Knowledge& knowledge);
// With a known baseline and without: up_ts_bl and up_ts, up_ucb_cv_bl and up_ucb_cv.
std::unique_ptr<Policy> make_up_ts(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_up_ts_sparse(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_up_ucb_cv(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_up_ucb_bl(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_up_ucb(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_up_ucb_l_bl(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_up_ucb_l(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_up_ucb_ilift_bl(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_up_ucb_ilift(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_up_ucb_l_ilift_bl(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_up_ucb_pad_bl(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_up_ucb_explore_bl(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_up_ucb_obs(const PolicySpec& spec, const Knowledge& knowledge);

// Targeting policies: c2_up_ucb, c2_up_ucb_bl, c2_ucb, greedy, greedy_bl, eps_greedy and
// eps_greedy_bl share one function.
std::unique_ptr<Policy> make_learning_targeting(const PolicySpec& spec, const Knowledge& knowledge);
std::unique_ptr<Policy> make_random_targeting(const PolicySpec& spec, const Knowledge& knowledge);

// Contextual policies: lin_up_ucb, lin_up_ucb_bl, lin_ucb.
std::unique_ptr<Policy> make_lin_up_ucb(const PolicySpec& spec, const Knowledge& knowledge);

}  // namespace updraft
