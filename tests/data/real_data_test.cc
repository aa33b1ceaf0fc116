#include "support/real_data.h"

#include <gtest/gtest.h>

#include <string>

#include "updraft/clustered_instance.h"
#include "updraft/customer_table.h"
#include "updraft/response_models.h"

namespace updraft {
namespace {

#define FIND_OR_SKIP(path, file)                     \
  const std::string path = testing::real_data(file); \
  if (path.empty()) GTEST_SKIP() << file " not found; set UPDRAFT_DATA to its folder"

TEST(RealData, HillstromUpliftsAreThoseInTheData) {
  FIND_OR_SKIP(path, "hillstrom.csv.gz");
  const CustomerTable table = read_customer_table(path, table_preset("hillstrom")).table;
  EXPECT_EQ(table.rows(), 64'000u);
  EXPECT_EQ(table.features.size(), 18u);
  EXPECT_EQ(table.treatments,
            (std::vector<std::string>{"No E-Mail", "Mens E-Mail", "Womens E-Mail"}));
  const ResponseModels models = fit_response_models(table);
  for (const AverageUplift& uplift : average_uplifts(models, table)) {
    EXPECT_NEAR(uplift.predicted, uplift.observed, 2.0 * uplift.standard_error);
    EXPECT_GT(uplift.observed, 0.04);
    EXPECT_LT(uplift.standard_error, 0.004);
  }
}

TEST(RealData, HillstromSpendIsLinear) {
  FIND_OR_SKIP(path, "hillstrom.csv.gz");
  CustomerTableOptions options = table_preset("hillstrom");
  options.outcome = "spend";
  options.response = ResponseKind::kLinear;
  const CustomerTable table = read_customer_table(path, options).table;
  for (const AverageUplift& uplift : average_uplifts(fit_response_models(table), table)) {
    EXPECT_NEAR(uplift.predicted, uplift.observed, 2.0 * uplift.standard_error);
  }
}

TEST(RealData, CriteoModelsTellVisitorsApart) {
  FIND_OR_SKIP(path, "criteo_uplift_200k.csv.gz");
  CustomerTableOptions options = table_preset("criteo");
  options.outcome_rate = 0.25;
  const ResponseModels models = fit_response_models(read_customer_table(path, options).table);
  for (const ResponseModel& model : models.by_treatment) {
    EXPECT_GT(*model.quality.auc, 0.9);
    EXPECT_LT(*model.quality.log_loss, 0.3);
  }
}

TEST(RealData, CriteoClustersMakeAnInstance) {
  FIND_OR_SKIP(path, "criteo_uplift_200k.csv.gz");
  CustomerTableOptions options = table_preset("criteo");
  options.rows = 20'000;
  const CustomerTable table = read_customer_table(path, options).table;
  ClusterOptions clusters;
  clusters.clusters = 5;
  clusters.restarts = 2;
  const Instance instance(cluster_customers(table, clusters).definition);
  EXPECT_EQ(instance.variables(), 20'000u);
  EXPECT_EQ(instance.actions(), 5u);
  EXPECT_GT(instance.uplifts()[instance.best_action()], 0.0);
}

}  // namespace
}  // namespace updraft
