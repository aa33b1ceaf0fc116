#include "data/kmeans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "updraft/error.h"
#include "updraft/stream.h"

namespace updraft {
namespace {

constexpr std::uint32_t kCentresRun = 2;  // of the streams of purpose kInstance

/// The rows and one attempt at clustering them.
class Attempt {
 public:
  Attempt(std::span<const double> rows, std::size_t width, std::size_t clusters)
      : rows_(rows),
        width_(width),
        clusters_(clusters),
        count_(rows.size() / width),
        centres_(clusters * width),
        by_column_(clusters * width),
        distances_(clusters),
        cluster_of_(count_, 0),
        own_(count_, 0.0),
        sizes_(clusters, 0) {}

  /// Each next centre is a row, taken with probability proportional to its squared distance to the
  /// nearest centre so far. [arthur07]
  void start(const Stream& stream, std::uint32_t restart) {
    std::fill(own_.begin(), own_.end(), std::numeric_limits<double>::infinity());
    std::vector<double> sums(count_);
    for (std::size_t k = 0; k < clusters_; ++k) {
      const double u = stream.uniform(restart, k);
      auto taken = static_cast<std::size_t>(u * static_cast<double>(count_));
      if (k > 0) {
        std::partial_sum(own_.begin(), own_.end(), sums.begin());
        const auto at = std::upper_bound(sums.begin(), sums.end(), u * sums.back());
        taken = std::min(static_cast<std::size_t>(at - sums.begin()), count_ - 1);
      }
      const std::span<const double> centre = row(taken);
      std::copy(centre.begin(), centre.end(), centres_.begin() + offset(k));
      for (std::size_t i = 0; i < count_; ++i) {
        own_[i] = std::min(own_[i], squared_distance(row(i), centre));
      }
    }
  }

  /// Gives every row the nearest centre; true if that changed any.
  bool assign() {
    for (std::size_t k = 0; k < clusters_; ++k) {
      for (std::size_t c = 0; c < width_; ++c) {
        by_column_[c * clusters_ + k] = centres_[k * width_ + c];
      }
    }
    bool changed = false;
    std::fill(sizes_.begin(), sizes_.end(), std::size_t{0});
    for (std::size_t i = 0; i < count_; ++i) {
      const auto nearest = nearest_to(row(i));
      own_[i] = distances_[nearest];
      changed |= cluster_of_[i] != nearest;
      cluster_of_[i] = nearest;
      ++sizes_[nearest];
    }
    return fill_empty() || changed;
  }

  /// Moves every centre to the mean of its rows.
  void move_centres() {
    std::fill(centres_.begin(), centres_.end(), 0.0);
    for (std::size_t i = 0; i < count_; ++i) {
      double* const centre = centres_.data() + cluster_of_[i] * width_;
      for (std::size_t c = 0; c < width_; ++c) centre[c] += rows_[i * width_ + c];
    }
    for (std::size_t k = 0; k < clusters_; ++k) {
      for (std::size_t c = 0; c < width_; ++c) {
        centres_[k * width_ + c] /= static_cast<double>(sizes_[k]);
      }
    }
  }

  double inertia() const { return std::accumulate(own_.begin(), own_.end(), 0.0); }

  /// Clusters in order of size, the largest first.
  KMeansResult result() const {
    std::vector<std::uint32_t> order(clusters_);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return sizes_[a] > sizes_[b]; });
    std::vector<std::uint32_t> place(clusters_);
    KMeansResult result;
    for (std::uint32_t k = 0; k < clusters_; ++k) {
      place[order[k]] = k;
      result.sizes.push_back(sizes_[order[k]]);
      result.centres.insert(result.centres.end(), centres_.begin() + offset(order[k]),
                            centres_.begin() + offset(order[k] + 1));
    }
    for (const std::uint32_t k : cluster_of_) result.cluster_of.push_back(place[k]);
    result.inertia = inertia();
    return result;
  }

 private:
  std::span<const double> row(std::size_t i) const { return rows_.subspan(i * width_, width_); }
  std::ptrdiff_t offset(std::size_t k) const { return static_cast<std::ptrdiff_t>(k * width_); }

  static double squared_distance(std::span<const double> a, std::span<const double> b) {
    double sum = 0.0;
    for (std::size_t c = 0; c < a.size(); ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
  }

  /// Leaves the distances to all centres in distances_. The inner loop runs over clusters, so that
  /// vectors do not change the order of any sum.
  std::uint32_t nearest_to(std::span<const double> x) {
    std::fill(distances_.begin(), distances_.end(), 0.0);
    for (std::size_t c = 0; c < width_; ++c) {
      const double value = x[c];
      const double* const column = by_column_.data() + c * clusters_;
      for (std::size_t k = 0; k < clusters_; ++k) {
        const double difference = value - column[k];
        distances_[k] += difference * difference;
      }
    }
    const auto least = std::min_element(distances_.begin(), distances_.end());
    return static_cast<std::uint32_t>(least - distances_.begin());
  }

  /// An empty cluster gets the row farthest from its centre; there is one, as more different rows
  /// than clusters exist. True if there was an empty one.
  bool fill_empty() {
    bool filled = false;
    for (std::uint32_t k = 0; k < clusters_; ++k) {
      if (sizes_[k] > 0) continue;
      std::size_t far = count_;
      for (std::size_t i = 0; i < count_; ++i) {
        if (sizes_[cluster_of_[i]] > 1 && (far == count_ || own_[i] > own_[far])) far = i;
      }
      --sizes_[cluster_of_[far]];
      cluster_of_[far] = k;
      sizes_[k] = 1;
      own_[far] = 0.0;
      filled = true;
    }
    return filled;
  }

  std::span<const double> rows_;
  std::size_t width_;
  std::size_t clusters_;
  std::size_t count_;
  std::vector<double> centres_;
  std::vector<double> by_column_;  // the same, transposed
  std::vector<double> distances_;
  std::vector<std::uint32_t> cluster_of_;
  std::vector<double> own_;  // squared distance of a row to its centre
  std::vector<std::size_t> sizes_;
};

/// Different rows, counted up to `most`.
std::size_t count_different(std::span<const double> rows, std::size_t width, std::size_t most) {
  const auto before = [width](const double* a, const double* b) {
    return std::lexicographical_compare(a, a + width, b, b + width);
  };
  std::set<const double*, decltype(before)> seen(before);
  for (std::size_t at = 0; at < rows.size() && seen.size() < most; at += width) {
    seen.insert(rows.data() + at);
  }
  return seen.size();
}

}  // namespace

KMeansResult cluster_rows(std::span<const double> rows, std::size_t width,
                          const KMeansOptions& options) {
  if (options.clusters < 1) throw InvalidInput("clusters", 0.0, "must be at least 1");
  if (options.restarts < 1) throw InvalidInput("restarts", 0.0, "must be at least 1");
  const std::size_t different = count_different(rows, width, options.clusters);
  if (different < options.clusters) {
    throw InvalidInput(
        "clusters", static_cast<double>(options.clusters),
        fmt::format(
            "must be at most {}, the number of different rows; further clusters would be empty",
            different));
  }
  const Stream stream(options.seed, kCentresRun, Purpose::kInstance);
  KMeansResult best;
  for (std::size_t restart = 0; restart < options.restarts; ++restart) {
    Attempt attempt(rows, width, options.clusters);
    attempt.start(stream, static_cast<std::uint32_t>(restart));
    std::size_t iterations = 0;
    bool changed = true;
    attempt.assign();
    while (changed && iterations < options.most_iterations) {
      attempt.move_centres();
      changed = attempt.assign();
      ++iterations;
      if (options.progress) {
        const double part =
            static_cast<double>(iterations) / static_cast<double>(options.most_iterations);
        options.progress((static_cast<double>(restart) + part) /
                         static_cast<double>(options.restarts));
      }
    }
    if (restart > 0 && !(attempt.inertia() < best.inertia)) continue;
    best = attempt.result();
    best.iterations = iterations;
    best.converged = !changed;
  }
  return best;
}

std::vector<double> standardised(std::span<const double> rows, std::size_t width) {
  std::vector<double> result(rows.begin(), rows.end());
  const auto count = static_cast<double>(rows.size() / width);
  for (std::size_t c = 0; c < width; ++c) {
    double mean = 0.0;
    for (std::size_t at = c; at < rows.size(); at += width) mean += rows[at];
    mean /= count;
    double variance = 0.0;
    for (std::size_t at = c; at < rows.size(); at += width) {
      variance += (rows[at] - mean) * (rows[at] - mean);
    }
    variance /= count;
    const auto [low, high] = [&] {
      double least = rows[c];
      double most = rows[c];
      for (std::size_t at = c; at < rows.size(); at += width) {
        least = std::min(least, rows[at]);
        most = std::max(most, rows[at]);
      }
      return std::pair(least, most);
    }();
    const double scale = low < high && variance > 0.0 ? 1.0 / std::sqrt(variance) : 0.0;
    for (std::size_t at = c; at < rows.size(); at += width) {
      result[at] = (rows[at] - mean) * scale;
    }
  }
  return result;
}

}  // namespace updraft
