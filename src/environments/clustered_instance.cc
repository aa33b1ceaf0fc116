#include "updraft/clustered_instance.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "data/kmeans.h"
#include "updraft/error.h"

namespace updraft {
namespace {

std::vector<CustomerCluster> count_clusters(const CustomerTable& table, const KMeansResult& found) {
  std::vector<CustomerCluster> clusters(found.sizes.size());
  for (CustomerCluster& cluster : clusters) {
    cluster.rows.assign(table.treatments.size(), 0);
    cluster.rates.assign(table.treatments.size(), 0.0);
  }
  for (std::size_t i = 0; i < table.rows(); ++i) {
    CustomerCluster& cluster = clusters[found.cluster_of[i]];
    ++cluster.size;
    ++cluster.rows[table.treatment[i]];
    cluster.rates[table.treatment[i]] += table.outcomes[i];
  }
  for (std::size_t k = 0; k < clusters.size(); ++k) {
    for (std::size_t t = 0; t < table.treatments.size(); ++t) {
      if (clusters[k].rows[t] == 0) {
        throw InvalidInput("clusters", static_cast<double>(clusters.size()),
                           fmt::format("cluster {} has {} rows, but none with treatment \"{}\", so "
                                       "its rate is not known; use fewer clusters or more rows",
                                       k, clusters[k].size, table.treatments[t]));
      }
      clusters[k].rates[t] /= static_cast<double>(clusters[k].rows[t]);
    }
  }
  return clusters;
}

/// The segments of the table; if it has none, the clusters. Customers of a cluster have the same
/// rates, so those of a segment may follow one another.
std::vector<VariableSet> segments_of(const CustomerTable& table, const KMeansResult& found,
                                     std::size_t clusters) {
  const std::size_t count = table.segments.empty() ? clusters : table.segments.size();
  std::vector<std::map<std::size_t, std::size_t>> sizes(clusters);  // by segment
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::size_t cluster = found.cluster_of[i];
    ++sizes[cluster][table.segments.empty() ? cluster : table.segment_of[i]];
  }
  std::vector<std::vector<VariableRange>> ranges(count);
  VariableId begin = 0;
  for (const auto& cluster : sizes) {
    for (const auto& [segment, size] : cluster) {
      const auto end = begin + static_cast<VariableId>(size);
      ranges[segment].push_back({begin, end});
      begin = end;
    }
  }
  std::vector<VariableSet> segments;
  for (const auto& list : ranges) segments.push_back(VariableSet::from_ranges(list));
  return segments;
}

InstanceDefinition define(const CustomerTable& table, const std::vector<CustomerCluster>& clusters,
                          const std::string& name) {
  InstanceDefinition definition;
  definition.name = name;
  definition.summary = fmt::format(
      "{} customers in {} clusters of like features; an action treats one of them; the payoff is "
      "{}",
      table.rows(), clusters.size(), table.outcome);
  definition.noise = BernoulliNoise{};
  VariableId begin = 0;
  for (std::size_t k = 0; k < clusters.size(); ++k) {
    const auto end = begin + static_cast<VariableId>(clusters[k].size);
    const std::array range = {VariableRange{begin, end}};
    definition.variables.push_back({clusters[k].size, clusters[k].rates[0]});
    for (std::size_t t = 1; t < table.treatments.size(); ++t) {
      definition.action_names.push_back(table.treatments.size() == 2
                                            ? fmt::format("cluster-{}", k)
                                            : fmt::format("cluster-{} {}", k, table.treatments[t]));
      definition.effects.push_back({{VariableSet::from_ranges(range), {clusters[k].rates[t]}}});
    }
    begin = end;
  }
  return definition;
}

}  // namespace

ClusteredInstance cluster_customers(const CustomerTable& table, const ClusterOptions& options) {
  if (table.response != ResponseKind::kLogistic) {
    throw InvalidInput("response", response_name(table.response),
                       "must be logistic, because the variables of an instance pay 0 or 1");
  }
  KMeansOptions kmeans;
  kmeans.clusters = options.clusters;
  kmeans.restarts = options.restarts;
  kmeans.seed = options.seed;
  kmeans.progress = options.progress;
  const std::size_t width = table.features.size();
  const KMeansResult found = cluster_rows(standardised(table.values, width), width, kmeans);
  ClusteredInstance result;
  result.clusters = count_clusters(table, found);
  result.definition = define(table, result.clusters, options.name);
  result.definition.segments = segments_of(table, found, result.clusters.size());
  result.inertia = found.inertia / static_cast<double>(table.rows());
  result.iterations = found.iterations;
  result.converged = found.converged;
  return result;
}

}  // namespace updraft
