#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace updraft {

struct KMeansOptions {
  std::size_t clusters = 0;  ///< at least 1
  std::size_t restarts = 5;  ///< at least 1; the best of so many is taken
  std::size_t most_iterations = 300;
  std::uint64_t seed = 1;

  /// Told now and then the share of the work that is done; may throw to stop it.
  std::function<void(double)> progress = {};
};

struct KMeansResult {
  std::vector<double> centres;            ///< row by row
  std::vector<std::uint32_t> cluster_of;  ///< per row
  std::vector<std::size_t> sizes;         ///< per cluster, none 0, in decreasing order
  double inertia = 0.0;                   ///< sum of squared distances to the own centre
  std::size_t iterations = 0;             ///< of the restart that was taken
  bool converged = false;                 ///< no row would change its cluster
};

/// Clusters rows of `width` numbers so that the squared distances to the mean of the own cluster
/// are small: Lloyd's iterations [lloyd82] from starts that are far apart [arthur07]. A cluster
/// that comes out empty gets the row that is farthest from its centre. Depends on the seed and the
/// rows only; ties go to the lower cluster.
///
/// Throws InvalidInput if there are fewer different rows than clusters, since some would stay
/// empty. Cost: O(rows width clusters) an iteration.
KMeansResult cluster_rows(std::span<const double> rows, std::size_t width,
                          const KMeansOptions& options);

/// Rows with every column moved to mean 0 and scaled to variance 1; a constant column becomes 0.
std::vector<double> standardised(std::span<const double> rows, std::size_t width);

}  // namespace updraft
