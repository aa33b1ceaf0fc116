#include <fmt/format.h>

#include <cmath>

#include "core/checksum.h"
#include "experiments/campaign_rounds.h"
#include "experiments/load_population.h"
#include "experiments/oracle.h"
#include "experiments/parallel.h"
#include "experiments/play_campaign.h"
#include "experiments/stage.h"
#include "updraft/bootstrap.h"
#include "updraft/error.h"
#include "updraft/simulate.h"
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
                 population.payoffs.end()),
        bootstrap_(treated_of(recorded_)) {}

  /// Qini and AUUC of the data, then those of each resample.
  static constexpr std::size_t kNumbers = 2 * (1 + kResamples);

  /// Ranks by the estimated uplift of the treatment with the largest index (c2_ucb: by the payoff).
  /// Individuals who had another treatment than that say nothing of it and are left out. NaN where
  /// no treated or no untreated are left.
  std::vector<double> judge(std::span<const IndividualExplanation> beliefs) const {
    std::vector<std::uint32_t> counted;
    std::vector<double> scores;
    std::vector<double> payoffs;
    std::vector<Treatment> had;
    for (std::uint32_t i = 0; i < beliefs.size(); ++i) {
      const Treatment best = beliefs[i].treatment;
      if (recorded_[i] != 0 && best != 0 && best != recorded_[i]) continue;
      counted.push_back(i);
      scores.push_back(beliefs[i].greedy_index);
      had.push_back(recorded_[i]);
      payoffs.push_back(payoffs_[i]);
    }
    const std::vector<std::uint8_t> treated = treated_of(had);
    std::vector<std::uint32_t> weights(counted.size(), 1);
    std::vector<double> numbers;
    if (!has_both(treated, weights)) return std::vector<double>(kNumbers, std::nan(""));
    const UpliftRanking ranking(scores, treated, payoffs);
    const auto add = [&] {
      const bool defined = has_both(treated, weights);
      const UpliftMetrics metrics = defined ? ranking.metrics(weights) : UpliftMetrics();
      numbers.push_back(defined ? metrics.qini : std::nan(""));
      numbers.push_back(defined ? metrics.auuc : std::nan(""));
    };
    add();
    const Stream stream(1, 0, Purpose::kResample);
    std::vector<std::uint32_t> resample(recorded_.size());
    for (std::uint32_t b = 0; b < kResamples; ++b) {
      bootstrap_.weights(stream, b, resample);
      for (std::size_t k = 0; k < counted.size(); ++k) weights[k] = resample[counted[k]];
      add();
    }
    return numbers;
  }

 private:
  static std::vector<std::uint8_t> treated_of(std::span<const Treatment> recorded) {
    std::vector<std::uint8_t> treated;
    for (const Treatment had : recorded) treated.push_back(had == 0 ? 0 : 1);
    return treated;
  }

  static bool has_both(std::span<const std::uint8_t> treated,
                       std::span<const std::uint32_t> weights) {
    bool found[2] = {false, false};
    for (std::size_t i = 0; i < treated.size(); ++i) {
      found[treated[i]] = found[treated[i]] || weights[i] > 0;
    }
    return found[0] && found[1];
  }

  std::vector<Treatment> recorded_;
  std::vector<double> payoffs_;
  StratifiedBootstrap bootstrap_;
};

/// Without those that are not defined; NaN where none is.
double mean_of_defined(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  return values.empty() ? std::nan("") : summarize(std::move(values)).mean;
}

class CampaignStage final : public Stage {
 public:
  CampaignStage(const Experiment& experiment, LoadedPopulation loaded,
                std::vector<std::uint32_t> curve_rounds)
      : generated_(loaded.generated),
        fitted_(loaded.fitted),
        arena_{
            .population = std::make_shared<const CampaignPopulation>(std::move(loaded.population)),
            .pool = experiment.campaign->individuals,
            .budget = experiment.campaign->budget,
            .seed = experiment.seed,
            .curve_rounds = std::move(curve_rounds)},
        judge_(*arena_.population) {}

  /// Of what was seen, and of models that were given: those fitted here may differ in the last
  /// digits from machine to machine.
  std::string checksum() const override {
    const CampaignPopulation& p = *arena_.population;
    std::string sums;
    const auto add = [&](const auto& numbers) {
      sums +=
          fmt::format("{:08x}", updraft::checksum({reinterpret_cast<const char*>(numbers.data()),
                                                   numbers.size() * sizeof(numbers[0])}));
    };
    add(p.rows);
    add(p.recorded);
    add(p.payoffs);
    if (!generated_ && !fitted_) {
      add(p.means);
      sums += number_text(p.noise_sd);
    }
    return fmt::format("{:08x}", updraft::checksum(sums));
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
    const std::vector<double> baseline(p.drawn(), 0.0);
    const std::vector<double> uplifts(p.drawn() * p.treatments, 0.0);
    const TrueUplifts truth{uplifts};
    const auto policy = make_simulated_policy(
        spec, Knowledge(TargetingShape{p.features, p.treatments, arena_.budget}), truth);
    policy->explain({.features = std::span(p.rows).first(p.drawn() * p.features),
                     .width = p.features,
                     .baseline = baseline});  // refuses features that it cannot take
    CampaignRounds rounds(p, arena_.pool, arena_.seed, 0);
    rounds.draw(0);
    const Decision nobody{.treatments = std::vector<Treatment>(arena_.pool, 0)};
    std::vector<double> payoffs(arena_.pool);
    for (std::size_t i = 0; i < payoffs.size(); ++i) payoffs[i] = rounds.payoff(i, 0);
    policy->learn(nobody, rounds.pool(), Payoffs::dense(payoffs));  // and payoffs
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
        const double mean = mean_of_defined(over_runs(first + 2 + 2 * b));
        if (!std::isnan(mean)) means.push_back(mean);
      }
      RankingScore result{mean_of_defined(over_runs(first)), {std::nan(""), std::nan("")}};
      if (!means.empty()) result.interval = percentile_interval(means, kLevel);
      return result;
    };
    measures.qini = score(3 * rounds);
    measures.auuc = score(3 * rounds + 1);
    point.campaign = std::move(measures);
  }

 private:
  bool generated_;
  bool fitted_;  // models by us, to the data
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
