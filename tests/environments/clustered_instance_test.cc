#include "updraft/clustered_instance.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/folder.h"
#include "support/refusal.h"

namespace updraft {
namespace {

/// Young and old customers; of the young 1 in 4 buys untreated and 3 in 4 treated, of the old none
/// and 1 in 2.
CustomerTable young_and_old() {
  CustomerTable table;
  table.outcome = "bought";
  table.features = {{"age", 20, 80}};
  table.treatments = {"none", "mail"};
  const auto add = [&](double age, std::uint32_t treatment, std::vector<double> outcomes) {
    for (const double outcome : outcomes) {
      table.values.push_back(age + 0.01 * static_cast<double>(table.values.size()));
      table.treatment.push_back(treatment);
      table.outcomes.push_back(outcome);
    }
  };
  add(0.0, 0, {0, 0, 1, 0});
  add(0.0, 1, {1, 1, 0, 1});
  add(0.8, 0, {0, 0, 0});
  add(0.8, 1, {1, 0});
  return table;
}

ClusterOptions options_for(std::size_t clusters) {
  ClusterOptions options;
  options.name = "ages";
  options.clusters = clusters;
  return options;
}

TEST(ClusteredInstance, HasAnActionPerCluster) {
  const ClusteredInstance built = cluster_customers(young_and_old(), options_for(2));
  ASSERT_EQ(built.clusters.size(), 2u);
  EXPECT_EQ(built.clusters[0].rates, (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(built.clusters[1].rows, (std::vector<std::size_t>{3, 2}));
  const Instance instance(built.definition);
  EXPECT_EQ(instance.name(), "ages");
  EXPECT_EQ(instance.variables(), 13u);
  EXPECT_EQ(instance.definition().action_names,
            (std::vector<std::string>{"cluster-0", "cluster-1"}));
  EXPECT_EQ(instance.baseline()[0], 0.25);
  EXPECT_EQ(instance.baseline()[12], 0.0);
  EXPECT_NEAR(instance.uplifts()[0], 8 * 0.5, 1e-12);
  EXPECT_NEAR(instance.uplifts()[1], 5 * 0.5, 1e-12);

  const testing::TemporaryFolder folder;
  save_instance(built.definition, folder.path("i.json"));
  EXPECT_EQ(load_instance(folder.path("i.json"))->definition(), built.definition);
}

TEST(ClusteredInstance, HasTheSegmentsOfTheTableOrTheClusters) {
  CustomerTable table = young_and_old();
  const Instance plain(cluster_customers(table, options_for(2)).definition);
  ASSERT_TRUE(plain.segments());
  EXPECT_EQ(plain.segments()->sizes()[0], 8u);
  EXPECT_EQ(plain.segments()->sizes()[1], 5u);

  table.segments = {"north", "south", "west"};
  table.segment_of = {0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 2, 0, 2};
  const ClusteredInstance built = cluster_customers(table, options_for(2));
  const auto ranges = [](std::vector<VariableRange> list) {
    return VariableSet::from_ranges(list);
  };
  // Of the 8 young customers 6 are in the north, 2 in the south; of the old 1, 2 and 2.
  EXPECT_EQ(built.definition.segments,
            (std::vector<VariableSet>{ranges({{0, 6}, {8, 9}}), ranges({{6, 8}, {9, 11}}),
                                      ranges({{11, 13}})}));
  EXPECT_EQ(Instance(built.definition).segments()->groups(), 3u);
}

TEST(ClusteredInstance, HasAnActionPerClusterAndTreatment) {
  CustomerTable table = young_and_old();
  table.treatments.push_back("call");
  table.treatment[6] = table.treatment[11] = 2;
  const ClusteredInstance built = cluster_customers(table, options_for(2));
  EXPECT_EQ(built.definition.action_names,
            (std::vector<std::string>{"cluster-0 mail", "cluster-0 call", "cluster-1 mail",
                                      "cluster-1 call"}));
  EXPECT_EQ(Instance(built.definition).affected()->of(3).size(), 5u);
}

TEST(ClusteredInstance, RefusesClustersWithoutRates) {
  EXPECT_EQ(testing::refusal([] { cluster_customers(young_and_old(), options_for(14)); }),
            "clusters = 14: must be at most 13, the number of different rows; further clusters "
            "would be empty");
  const std::string alone =
      testing::refusal([] { cluster_customers(young_and_old(), options_for(13)); });
  EXPECT_NE(alone.find("has 1 rows, but none with treatment"), std::string::npos) << alone;
  CustomerTable linear = young_and_old();
  linear.response = ResponseKind::kLinear;
  EXPECT_EQ(testing::refusal([&] { cluster_customers(linear, options_for(2)); }),
            "response = linear: must be logistic, because the variables of an instance pay 0 or 1");
}

}  // namespace
}  // namespace updraft
