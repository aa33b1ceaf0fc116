#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "updraft/instance.h"

namespace updraft {

/// Variables of an instance, at most: ids are below 2^31.
inline constexpr std::size_t kMostVariables = 2147483647;

/// Means that an instance may hold, baselines and affected ones together (2 GiB), so that a
/// short file cannot ask for all memory.
inline constexpr std::size_t kMostMeans = std::size_t{1} << 28;

/// Action names have at most this many bytes.
inline constexpr std::size_t kLongestName = 200;

/// How messages call effect number `effect` of an action: its place in a file or in a definition.
using EffectPath = std::function<std::string(std::size_t action, std::size_t effect)>;

// The rules of a definition, part by part. All throw InvalidInput with the path of the field.

/// At least one name; none empty, too long or repeated.
void check_action_names(const std::vector<std::string>& names);

/// Counts from 1, baselines within the range of `noise`. Returns m.
std::size_t check_variables(const std::vector<VariableRun>& runs, const Noise& noise);

/// One list of effects per action; ids below m, no id twice for an action, one mean or one per
/// variable, within the range of the noise.
void check_effects(const InstanceDefinition& definition, std::size_t variables,
                   const EffectPath& path);

/// Variance > 0, factor in [0, 1], matrix m x m, finite, symmetric and positive semidefinite.
/// Cost: O(m^3) for a matrix.
void check_noise(const Noise& noise, std::size_t variables);

/// Distances to the largest; those below 1e-12 of the largest |uplift| are rounding and count as 0.
std::vector<double> gaps_of(std::span<const double> uplifts);

}  // namespace updraft
