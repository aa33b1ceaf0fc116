#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "updraft/customer_table.h"
#include "updraft/instance.h"

namespace updraft {

struct ClusterOptions {
  std::string name;
  std::size_t clusters = 20;
  std::size_t restarts = 5;  ///< of k-means; the best result is used
  std::uint64_t seed = 1;

  /// Called now and then with the share of the work that is done; may throw to stop it.
  std::function<void(double)> progress = {};
};

/// Similar customers, and how many of them respond with each treatment and without.
struct CustomerCluster {
  std::size_t size = 0;
  std::vector<std::size_t> rows;  ///< per treatment
  std::vector<double> rates;      ///< mean outcome per treatment; 0 is the control

  double uplift(std::size_t treatment) const { return rates[treatment] - rates[0]; }
};

struct ClusteredInstance {
  InstanceDefinition definition;
  std::vector<CustomerCluster> clusters;  ///< the largest first
  double inertia = 0.0;                   ///< of k-means on standardised features, per row
  std::size_t iterations = 0;
  bool converged = false;
};

/// A non-contextual instance from a table, as the paper makes its Criteo instance [hsieh22,
/// appendix 'More Details on Bernoulli Uplifting Bandit']: k-means clusters the customers by their
/// features. Every customer is a variable whose baseline is the untreated rate of the cluster. An
/// action treats one cluster (with one of the treatments, if there are several), and its customers
/// then have the treated rate. The segments are those of the table; if it has none, the clusters.
///
/// Throws InvalidInput for responses that are not logistic, more clusters than distinct rows, or a
/// cluster without a row of some treatment. Cost: that of k-means.
ClusteredInstance cluster_customers(const CustomerTable& table, const ClusterOptions& options);

}  // namespace updraft
