#include "updraft/response_models.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "data/made_table.h"
#include "data/packed_numbers.h"
#include "data/response_quality.h"
#include "models/logistic.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "support/source_folder.h"
#include "support/statistics.h"

namespace updraft {
namespace {

CustomerTable made_customers(std::size_t rows) {
  const testing::TemporaryFolder folder;
  CustomerTableOptions options;
  options.treatment = "arm";
  options.outcome = "bought";
  options.control = "none";
  options.treatments = {"mail", "call"};
  return read_customer_table(folder.write("t.csv", testing::made_table(rows)), options).table;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(AreaUnderCurve, CountsPairs) {
  const std::vector<double> outcomes = {0, 0, 1, 1};
  EXPECT_EQ(area_under_curve(std::vector<double>{1, 2, 3, 4}, outcomes), 1.0);
  EXPECT_EQ(area_under_curve(std::vector<double>{4, 3, 2, 1}, outcomes), 0.0);
  EXPECT_EQ(area_under_curve(std::vector<double>{1, 3, 2, 4}, outcomes), 0.75);
  EXPECT_EQ(area_under_curve(std::vector<double>{1, 1, 1, 1}, outcomes), 0.5);
  EXPECT_EQ(area_under_curve(std::vector<double>{1, 2, 2, 3}, outcomes), 0.875);
  EXPECT_EQ(area_under_curve(std::vector<double>{1, 2}, std::vector<double>{1, 1}), std::nullopt);
}

TEST(JudgePredictions, KnowsLossCalibrationAndError) {
  const std::vector<double> scores = {0.0, std::log(3.0)};
  const ResponseQuality logistic =
      judge_predictions(ResponseKind::kLogistic, scores, std::vector<double>{0, 1});
  EXPECT_NEAR(*logistic.log_loss, (std::log(2.0) + std::log(4.0 / 3.0)) / 2.0, 1e-12);
  EXPECT_EQ(logistic.auc, 1.0);
  EXPECT_EQ(logistic.observed, 1.0);
  EXPECT_NEAR(logistic.expected, 1.25, 1e-12);
  EXPECT_EQ(logistic.calibration.size(), 2u);
  EXPECT_FALSE(logistic.rmse);

  const ResponseQuality linear = judge_predictions(
      ResponseKind::kLinear, std::vector<double>{1, 2, 3, 4}, std::vector<double>{1, 2, 3, 6});
  EXPECT_NEAR(*linear.rmse, 1.0, 1e-12);
  EXPECT_NEAR(*linear.r_squared, 1.0 - 4.0 / 14.0, 1e-12);
  EXPECT_FALSE(linear.log_loss);
}

TEST(JudgePredictions, CalibratesByIncreasingPrediction) {
  std::vector<double> scores;
  std::vector<double> outcomes;
  for (int i = 0; i < 20; ++i) {  // predictions 0 to 19 in another order; outcomes follow them
    const double score = 7 * i % 20;
    scores.push_back(score);
    outcomes.push_back(100.0 + score);
  }
  const ResponseQuality quality = judge_predictions(ResponseKind::kLinear, scores, outcomes);
  ASSERT_EQ(quality.calibration.size(), 10u);
  for (std::size_t b = 0; b < 10; ++b) {
    const double middle = 2.0 * static_cast<double>(b) + 0.5;
    EXPECT_EQ(quality.calibration[b], (CalibrationBin{2, middle, 100.0 + middle})) << b;
  }
}

/// Three rows without treatment and four with it. The models are not fitted: 1 + x and 4 + 2 x.
TEST(AverageUplifts, ByHand) {
  CustomerTable table;
  table.response = ResponseKind::kLinear;
  table.features = {{"x", 0.0, 1.0}};
  table.treatments = {"none", "mail"};
  table.values = {0.0, 0.5, 1.0, 0.0, 0.5, 1.0, 0.5};
  table.treatment = {0, 1, 0, 1, 0, 1, 1};
  table.outcomes = {0.0, 1.0, 1.0, 1.0, 2.0, 3.0, 3.0};
  ResponseModels models;
  models.table = table.subset({});
  models.by_treatment = {{{1.0, 1.0}, {}}, {{2.0, 4.0}, {}}};
  models.by_treatment[0].quality.mean_outcome = 1.0;
  models.by_treatment[1].quality.mean_outcome = 2.0;
  const std::vector<AverageUplift> uplifts = average_uplifts(models, table);
  ASSERT_EQ(uplifts.size(), 1u);
  EXPECT_DOUBLE_EQ(uplifts[0].predicted, 3.5);  // 3 + x, and x is 0.5 on average
  EXPECT_DOUBLE_EQ(uplifts[0].observed, 1.0);
  // Variances of the samples: 2 / 2 and 4 / 3; of their means: 1 / 3 each.
  EXPECT_DOUBLE_EQ(uplifts[0].standard_error, std::sqrt(1.0 / 3.0 + 1.0 / 3.0));
}

/// A feature that marks one row each: fitted to all rows the model would know every outcome.
TEST(FitResponseModels, IsJudgedByRowsThatItWasNotFittedTo) {
  CustomerTable table;
  table.response = ResponseKind::kLinear;
  table.treatments = {"none", "mail"};
  constexpr std::size_t kRows = 40;
  for (std::size_t i = 0; i < kRows; ++i) {
    table.features.push_back({"row-" + std::to_string(i), 0.0, 1.0});
    for (std::size_t f = 0; f < kRows; ++f) table.values.push_back(f == i ? 1.0 : 0.0);
    table.treatment.push_back(i % 2);
    table.outcomes.push_back(i % 4 < 2 ? -1.0 : 1.0);
  }
  const ResponseModels models = fit_response_models(table, {.name = "", .ridge = 1e-6});
  for (const ResponseModel& model : models.by_treatment) {
    EXPECT_EQ(model.quality.held_out, 4u);
    EXPECT_GT(*model.quality.rmse, 0.9);
  }
  EXPECT_NEAR(models.predict(0, table.row(0)), -1.0, 1e-3);
}

TEST(FitResponseModels, LearnsWhatTheTableWasMadeOf) {
  const CustomerTable table = made_customers(30'000);
  const ResponseModels models = fit_response_models(table);
  ASSERT_EQ(models.by_treatment.size(), 3u);
  // Features x, y, three colours; the truth is a logistic model in x and y.
  for (const double x : {0.1, 0.5, 0.9}) {
    for (const double y : {0.2, 0.8}) {
      const std::vector<double> row = {x, y, 1, 0, 0};
      EXPECT_NEAR(models.predict(0, row), sigmoid(2 * x - 1), 0.03);
      EXPECT_NEAR(models.predict(1, row), sigmoid(2 * x - 0.2), 0.03);
      EXPECT_NEAR(models.predict(2, row), sigmoid(2 * x + 0.4 * y - 1), 0.03);
      EXPECT_EQ(models.uplift(1, row), models.predict(1, row) - models.predict(0, row));
    }
  }
  for (const ResponseModel& model : models.by_treatment) {
    const ResponseQuality& quality = model.quality;
    EXPECT_EQ(quality.held_out, quality.rows / 5);
    EXPECT_GT(*quality.auc, 0.6);
    EXPECT_LT(*quality.log_loss, std::log(2.0));
    EXPECT_EQ(quality.calibration.size(), 10u);
    EXPECT_TRUE(testing::agrees(quality.observed, quality.expected,
                                std::sqrt(0.3 * static_cast<double>(quality.held_out))));
  }
  for (const AverageUplift& uplift : average_uplifts(models, table)) {
    EXPECT_NEAR(uplift.predicted, uplift.observed, 2.0 * uplift.standard_error);
  }
}

TEST(FitResponseModels, LinearResponsesAreRidgeRegressions) {
  CustomerTable table = made_customers(3'000);
  table.response = ResponseKind::kLinear;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    table.outcomes[i] = 5.0 + 2.0 * table.row(i)[0] - table.treatment[i];
  }
  const ResponseModels models = fit_response_models(table, {.name = "", .ridge = 1e-6});
  const std::vector<double> row = {0.5, 0.5, 0, 1, 0};
  EXPECT_NEAR(models.predict(0, row), 6.0, 1e-3);
  EXPECT_NEAR(models.uplift(2, row), -2.0, 1e-3);
  EXPECT_NEAR(*models.by_treatment[0].quality.r_squared, 1.0, 1e-6);
  EXPECT_NEAR(*models.by_treatment[0].quality.rmse, 0.0, 1e-3);
}

TEST(FitResponseModels, RefusesTreatmentsThatCannotBeLearnt) {
  CustomerTable table = made_customers(600);
  EXPECT_EQ(testing::refusal([&] { fit_response_models(table, {.name = "", .ridge = 0.0}); }),
            "ridge = 0: must be > 0");
  CustomerTable none = table;
  CustomerTable all = table;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.treatment[i] == 1) none.outcomes[i] = 0.0;
    if (table.treatment[i] == 2) all.outcomes[i] = 1.0;
  }
  EXPECT_EQ(testing::refusal([&] { fit_response_models(none); }),
            "treatment = mail: has no row with outcome 1, so its response cannot be learnt");
  EXPECT_EQ(testing::refusal([&] { fit_response_models(all); }),
            "treatment = call: has no row with outcome 0, so its response cannot be learnt");
  table.outcomes[7] = 0.5;
  EXPECT_EQ(testing::refusal([&] { fit_response_models(table); }),
            "outcome = 0.5: must be 0 or 1, because the response is logistic");
  EXPECT_EQ(testing::refusal([] { fit_response_models(made_customers(15)); }).substr(0, 16),
            "treatment = none");
}

TEST(ResponseModelsFormat, ReadsBackWhatItWrote) {
  const CustomerTable table = made_customers(500);
  const ResponseModels bare = fit_response_models(table, {.name = "a \"name\""});
  EXPECT_EQ(parse_response_models(format_response_models(bare)), bare);
  const ResponseModels whole =
      fit_response_models(table, {.name = "rows", .ridge = 1.0, .keep_rows = true});
  EXPECT_EQ(whole.table.rows(), 500u);
  EXPECT_EQ(parse_response_models(format_response_models(whole)), whole);
  EXPECT_EQ(whole.table.row(3)[1], table.row(3)[1]);

  const testing::TemporaryFolder folder;
  save_response_models(whole, folder.path("c.json"));
  EXPECT_EQ(load_response_models(folder.path("c.json")), whole);
}

/// The example in docs/formats/response-models.md.
TEST(ResponseModelsFormat, ReadsTheExampleOfItsPage) {
  std::ifstream page(testing::source_folder() / "docs/formats/response-models.md");
  const std::string text(std::istreambuf_iterator<char>(page), {});
  const std::size_t begin = text.find("```json\n") + 8;
  ASSERT_LT(begin, text.size());
  const ResponseModels models =
      parse_response_models(text.substr(begin, text.find("```", begin) - begin));
  const std::vector<double> row = {models.table.features[0].scaled(48.5), 1.0};
  EXPECT_EQ(row[0], 0.5);
  EXPECT_NEAR(models.predict(0, row), 0.182, 5e-4);
  EXPECT_NEAR(models.predict(1, row), 0.321, 5e-4);
  EXPECT_EQ(parse_response_models(format_response_models(models)), models);
}

TEST(ResponseModelsFormat, ReadsTheOlderNameOfTheFormat) {
  const ResponseModels models =
      fit_response_models(made_customers(500), {.name = "", .ridge = 1.0, .keep_rows = true});
  const std::string older =
      replaced(format_response_models(models), "updraft-response-models/1", "updraft-campaign/1");
  EXPECT_EQ(parse_response_models(older), models);
}

TEST(ResponseModelsFormat, RefusesWhatBreaksARule) {
  const std::string text = format_response_models(
      fit_response_models(made_customers(500), {.name = "", .ridge = 1.0, .keep_rows = true}));
  const auto refused = [&](const std::string& from, const std::string& to) {
    const std::string broken = replaced(text, from, to);
    return testing::refusal([&] { parse_response_models(broken); });
  };
  EXPECT_EQ(testing::refusal([] { parse_response_models("[]"); }),
            "response models: must be an object");
  EXPECT_EQ(refused("models/1", "models/2"),
            "format = \"updraft-response-models/2\": must be \"updraft-response-models/1\"");
  EXPECT_EQ(refused("logistic", "logit"),
            "response = logit: unknown; did you mean logistic? Valid: logistic, linear");
  EXPECT_EQ(refused("\"name\": \"y\"", "\"name\": \"x\""), "features[1].name = \"x\": is repeated");
  EXPECT_EQ(refused("\"name\": \"mail\"", "\"name\": \"\""),
            "treatments[1].name: must not be empty");
  EXPECT_EQ(refused("\"coefficients\": [", "\"coefficients\": [1, "),
            "treatments[0].coefficients: has 7 numbers; must have one for each of 5 features, then "
            "the intercept");
  EXPECT_EQ(refused("\"coefficients\": [", "\"coefficients\": [1e101, "),
            "treatments[0].coefficients: has 7 numbers; must have one for each of 5 features, then "
            "the intercept");
  EXPECT_EQ(refused("\"count\": 500", "\"count\": 501"),
            "rows.outcomes: is not a zlib stream of 501 numbers of 8 bytes");
  EXPECT_EQ(refused("\"outcomes\": \"e", "\"outcomes\": \"!"), "rows.outcomes: is not base64");
  EXPECT_EQ(refused("\"outcome\":", "\"outcmoe\":").substr(0, 13), "key = outcmoe");
  EXPECT_EQ(testing::refusal([] { load_response_models("/none/such.json"); }),
            "response models = /none/such.json: unknown; no file has that name either");
}

TEST(ResponseModelsFormat, RefusesRowsThatBreakARule) {
  const auto refused = [](auto change) {
    ResponseModels models =
        fit_response_models(made_customers(100), {.name = "", .ridge = 1.0, .keep_rows = true});
    change(models);
    return testing::refusal([&] { format_response_models(models); });
  };
  EXPECT_EQ(refused([](ResponseModels& c) { c.table.values[7] = 1.5; }),
            "rows.features[7] = 1.5: must be in [0, 1]");
  EXPECT_EQ(refused([](ResponseModels& c) { c.table.treatment[2] = 3; }),
            "rows.treatments[2] = 3: must be the number of a treatment");
  EXPECT_EQ(refused([](ResponseModels& c) { c.table.outcomes[1] = 2; }),
            "rows.outcomes[1] = 2: must be 0 or 1, because the response is logistic");
  EXPECT_EQ(refused([](ResponseModels& c) { c.table.outcome = "\xFF"; }),
            "outcome: must be UTF-8 text");
}

TEST(PackedNumbers, ReadBackExactly) {
  for (const std::size_t count : {0u, 1u, 2u, 3u, 4u, 5u, 1000u}) {
    std::vector<double> numbers;
    std::vector<std::uint32_t> words;
    for (std::size_t i = 0; i < count; ++i) {
      numbers.push_back(std::sin(static_cast<double>(i)) * 1e30);
      words.push_back(static_cast<std::uint32_t>(i * 2654435761u));
    }
    EXPECT_EQ(unpack_doubles(pack_doubles(numbers), count, "n"), numbers);
    EXPECT_EQ(unpack_words(pack_words(words), count, "n"), words);
    EXPECT_EQ(
        testing::refusal([&] { unpack_words(pack_words(words), count + 1, "n"); }).substr(0, 6),
        "n: is ");
  }
}

TEST(PackedNumbers, AShortTextCannotAskForAllMemory) {
  const std::string few = pack_doubles(std::vector<double>(10, 0.0));
  EXPECT_EQ(testing::refusal([&] { unpack_doubles(few, std::size_t{1} << 50, "n"); }).substr(0, 15),
            "n: is not a zli");
}

}  // namespace
}  // namespace updraft
