#include <fmt/format.h>

#include "core/checksum.h"
#include "experiments/load_population.h"
#include "experiments/play.h"
#include "experiments/play_campaign.h"
#include "experiments/stage.h"
#include "updraft/bootstrap.h"
#include "updraft/error.h"
#include "updraft/uplift_metrics.h"

namespace updraft {
namespace {

constexpr std::uint32_t kResamples = 200;
constexpr double kLevel = 0.9;

/// Judges rankings of the held-out individuals by what these had and paid, and by resamples of
/// them, which are the same for all rankings.
class RankingJudge {
 public:
  explicit RankingJudge(const CampaignPopulation& population)
      : recorded_(population.recorded.begin() + static_cast<std::ptrdiff_t>(population.drawn()),
                  population.recorded.end()),
        payoffs_(population.payoffs.begin() + static_cast<std::ptrdiff_t>(population.drawn()),
                 population.payoffs.end()) {
    std::vector<std::uint8_t> treated;
    for (const Treatment had : recorded_) treated.push_back(had == 0 ? 0 : 1);
    const StratifiedBootstrap bootstrap(treated);
    const Stream stream(1, 0, Purpose::kResample);
    resamples_.assign(kResamples, std::vector<std::uint32_t>(treated.size()));
    for (std::uint32_t b = 0; b < kResamples; ++b) bootstrap.weights(stream, b, resamples_[b]);
  }

  /// Qini and AUUC of the data, then those of each resample.
  static constexpr std::size_t kNumbers = 2 * (1 + kResamples);

  /// Ranks by the estimated uplift of the treatment that is thought best. Individuals who had
  /// another treatment than that say nothing of it and are left out.
  std::vector<double> judge(std::span<const IndividualExplanation> beliefs) const {
    std::vector<std::uint32_t> counted;
    std::vector<double> scores;
    std::vector<std::uint8_t> treated;
    std::vector<double> payoffs;
    for (std::uint32_t i = 0; i < beliefs.size(); ++i) {
      const Treatment best = beliefs[i].treatment;
      if (recorded_[i] != 0 && best != 0 && best != recorded_[i]) continue;
      counted.push_back(i);
      scores.push_back(beliefs[i].uplift);
      treated.push_back(recorded_[i] == 0 ? 0 : 1);
      payoffs.push_back(payoffs_[i]);
    }
    const UpliftRanking ranking(scores, treated, payoffs);
    std::vector<double> numbers;
    const auto add = [&](const UpliftMetrics& metrics) {
      numbers.push_back(metrics.qini);
      numbers.push_back(metrics.auuc);
    };
    add(ranking.metrics());
    std::vector<std::uint32_t> weights(counted.size());
    for (const std::vector<std::uint32_t>& resample : resamples_) {
      for (std::size_t j = 0; j < counted.size(); ++j) weights[j] = resample[counted[j]];
      add(ranking.metrics(weights));
    }
    return numbers;
  }

 private:
  std::vector<Treatment> recorded_;
  std::vector<double> payoffs_;
  std::vector<std::vector<std::uint32_t>> resamples_;  // how often each individual occurs
};

class CampaignStage final : public Stage {
 public:
  CampaignStage(const Experiment& experiment, LoadedPopulation loaded,
                std::vector<std::uint32_t> curve_rounds)
      : generated_(loaded.generated),
        arena_{
            .population = std::make_shared<const CampaignPopulation>(std::move(loaded.population)),
            .pool = experiment.campaign->individuals,
            .budget = experiment.campaign->budget,
            .seed = experiment.seed,
            .curve_rounds = std::move(curve_rounds)},
        judge_(*arena_.population) {}

  /// Of what was seen: models that are fitted to it may differ in the last digits.
  std::string checksum() const override {
    const CampaignPopulation& p = *arena_.population;
    std::string bytes;
    const auto add = [&](const auto& numbers) {
      bytes.append(reinterpret_cast<const char*>(numbers.data()),
                   numbers.size() * sizeof(numbers[0]));
    };
    add(p.rows);
    add(p.recorded);
    add(p.payoffs);
    return fmt::format("{:08x}", updraft::checksum(bytes));
  }

  std::optional<PlayedPopulation> population() const override {
    const CampaignPopulation& p = *arena_.population;
    return PlayedPopulation{.summary = p.summary,
                            .individuals = p.size(),
                            .held_out = p.held_out,
                            .features = p.features,
                            .treatments = p.treatments,
                            .generated = generated_};
  }

  void check_playable(const PolicySpec& spec) const override {
    const CampaignPopulation& p = *arena_.population;
    make_campaign_policy(spec, {p.features, p.treatments, arena_.budget});
  }

  std::size_t numbers() const override {
    return 3 * arena_.curve_rounds.size() + RankingJudge::kNumbers;
  }

  std::vector<std::vector<double>> play(std::span<const PolicySpec> specs, std::uint32_t run,
                                        TaskControl& control) const override {
    std::vector<std::vector<double>> all;
    for (const PolicySpec& spec : specs) {
      CampaignOutcome outcome = play_campaign(arena_, spec, run, control);
      std::vector<double> numbers = std::move(outcome.regret);
      const auto add = [&](const std::vector<double>& more) {
        numbers.insert(numbers.end(), more.begin(), more.end());
      };
      add(outcome.realised);
      add(outcome.uplift);
      add(judge_.judge(outcome.held_out));
      all.push_back(std::move(numbers));
    }
    return all;
  }

  void add_measures(GridPoint& point, std::span<const std::vector<double>> runs) const override {
    const std::size_t rounds = arena_.curve_rounds.size();
    const auto over_runs = [&](std::size_t number) {
      std::vector<double> values;
      for (const std::vector<double>& run : runs) values.push_back(run[number]);
      return values;
    };
    CampaignMeasures measures;
    for (std::size_t j = 0; j < rounds; ++j) {
      measures.realised.push_back(summarize(over_runs(rounds + j)));
      measures.uplift.push_back(summarize(over_runs(2 * rounds + j)));
    }
    measures.final_realised = over_runs(2 * rounds - 1);
    measures.final_uplift = over_runs(3 * rounds - 1);
    measures.final_qini = over_runs(3 * rounds);
    measures.final_auuc = over_runs(3 * rounds + 1);
    const auto score = [&](std::size_t first) {
      std::vector<double> means;
      for (std::uint32_t b = 0; b < kResamples; ++b) {
        means.push_back(summarize(over_runs(first + 2 + 2 * b)).mean);
      }
      return RankingScore{summarize(over_runs(first)).mean, percentile_interval(means, kLevel)};
    };
    measures.qini = score(3 * rounds);
    measures.auuc = score(3 * rounds + 1);
    point.campaign = std::move(measures);
  }

 private:
  bool generated_;
  CampaignArena arena_;
  RankingJudge judge_;
};

}  // namespace

std::unique_ptr<Stage> make_campaign_stage(const Experiment& experiment, std::uint32_t curve_points,
                                           const std::filesystem::path& data) {
  if (experiment.rounds < 1) throw InvalidInput("rounds", "0", "must be at least 1");
  return std::make_unique<CampaignStage>(experiment, load_population(*experiment.campaign, data),
                                         spaced_rounds(experiment.rounds, curve_points));
}

}  // namespace updraft
