#pragma once

namespace updraft {

/// What a token may be allowed to do; sets of roles are sums of these.
using Roles = unsigned;

inline constexpr Roles kReads = 1;    ///< reports, histories, events, metrics
inline constexpr Roles kDecides = 2;  ///< decisions and payoffs
inline constexpr Roles kManages = 4;  ///< creates campaigns and ends them
inline constexpr Roles kAllRoles = kReads | kDecides | kManages;

}  // namespace updraft
