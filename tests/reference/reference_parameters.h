#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "updraft/affected_sets.h"
#include "updraft/knowledge.h"
#include "updraft/policy_spec.h"

namespace updraft::testing {

// What the reference policies are given: the parameter of the spec, else the knowledge. Each
// throws std::invalid_argument where it is in neither.

double given_number(const PolicySpec& spec, std::string_view parameter,
                    std::optional<double> known = std::nullopt);

/// L(a) of every action: L for all where one number was given.
std::vector<std::size_t> given_max_affected(const PolicySpec& spec, const Knowledge& knowledge);

/// Delta: of the individual uplifts, of the effects of two actions.
double given_min_uplift(const PolicySpec& spec, const Knowledge& knowledge);
double given_effect_gap(const PolicySpec& spec, const Knowledge& knowledge);

const std::vector<double>& given_baseline(const Knowledge& knowledge);
const AffectedSets& given_affected(const Knowledge& knowledge);
const BaselineObservations& given_observations(const Knowledge& knowledge);

}  // namespace updraft::testing
