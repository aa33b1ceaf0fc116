#pragma once

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace updraft::cli {

/// The options of `updraft bounds` for targeting, as they were given.
struct TargetingBoundOptions {
  std::optional<std::string> features;
  std::optional<std::string> individuals;
  std::optional<std::string> budget;
  std::optional<std::string> treatments;
  std::optional<std::string> ridge;
  std::optional<std::string> norm_bound;

  /// Whether at least one option was given.
  bool given() const;
};

void add_targeting_bound_options(CLI::App& command, TargetingBoundOptions& options);

/// What `updraft bounds` prints for targeting. Throws InvalidInput if an option is
/// missing or breaks a rule.
std::string targeting_bounds_text(const TargetingBoundOptions& options, double rounds, double delta,
                                  bool json);

}  // namespace updraft::cli
