#pragma once

#include <string>

#include "output.h"
#include "updraft/instance.h"
#include "updraft/knowledge.h"
#include "updraft/linear_contexts.h"

namespace updraft::cli {

/// Needs in a few words: "baseline, affected sets"; "nothing" if there are none.
std::string short_words(Needs needs);

/// One need with its meaning: "baseline: the mean payoff of every variable if nothing is done".
std::string sentence(Need need);

/// "bernoulli" or "gaussian".
std::string noise_kind(const Instance& instance);

/// "K = 20 actions, m = 100,000 variables".
std::string size_words(const Instance& instance);

/// The least individual uplift and the effect gap, or why there is none: "none: nothing is
/// affected".
std::string min_uplift_words(const Instance& instance);
std::string effect_gap_words(const Instance& instance);

/// The object that `updraft instance --json` prints.
Json instance_json(const Instance& instance);

/// The same for a contextual bandit.
std::string size_words(const LinearContexts& contexts);
Json contexts_json(const LinearContexts& contexts);

}  // namespace updraft::cli
