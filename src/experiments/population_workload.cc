#include <fmt/format.h>

#include <cmath>

#include "core/checksum.h"
#include "experiments/run_records.h"
#include "experiments/workload.h"
#include "updraft/bootstrap.h"
#include "updraft/error.h"
#include "updraft/uplift_metrics.h"

namespace updraft {
namespace {

/// Judges rankings of the held-out individuals by what these had and paid, and by resamples of
/// them, which are the same for all rankings.
class RankingJudge {
 public:
  explicit RankingJudge(const Population& population)
      : recorded_(held_out(population, population.table.treatment)),
        payoffs_(held_out(population, population.table.outcomes)),
        bootstrap_(treated_of(recorded_)) {}

  /// Gives kRankingNumbers. Ranks by the estimated uplift of the treatment with the largest index
  /// (c2_ucb: by the payoff). Individuals who had another treatment than that say nothing of it and
  /// are left out. NaN where no treated or no untreated are left.
  std::vector<double> judge(std::span<const IndividualExplanation> estimates) const {
    std::vector<std::uint32_t> counted;
    std::vector<double> scores;
    std::vector<double> payoffs;
    std::vector<Treatment> had;
    for (std::uint32_t i = 0; i < estimates.size(); ++i) {
      const Treatment best = estimates[i].treatment;
      if (recorded_[i] != 0 && best != 0 && best != recorded_[i]) continue;
      counted.push_back(i);
      scores.push_back(estimates[i].greedy_index);
      had.push_back(recorded_[i]);
      payoffs.push_back(payoffs_[i]);
    }
    const std::vector<std::uint8_t> treated = treated_of(had);
    std::vector<std::uint32_t> weights(counted.size(), 1);
    std::vector<double> numbers;
    if (!has_both(treated, weights)) return std::vector<double>(kRankingNumbers, std::nan(""));
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
    for (std::uint32_t b = 0; b < kRankingResamples; ++b) {
      bootstrap_.weights(stream, b, resample);
      for (std::size_t k = 0; k < counted.size(); ++k) weights[k] = resample[counted[k]];
      add();
    }
    return numbers;
  }

 private:
  template <typename Value>
  static std::vector<Value> held_out(const Population& population,
                                     const std::vector<Value>& values) {
    return {values.begin() + static_cast<std::ptrdiff_t>(population.drawn()), values.end()};
  }

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

class PopulationWorkload final : public Workload {
 public:
  PopulationWorkload(LoadedPopulation loaded, const PoolOptions& pool, const RunOptions& options)
      : Workload(targeting_knowledge(loaded.population, pool), options),
        loaded_(std::move(loaded)),
        pool_(pool),
        judge_(loaded_.population) {}

  /// Of what was seen, and of models that were given: those fitted here may differ in the last
  /// digits from machine to machine.
  std::string checksum() const override {
    const Population& p = loaded_.population;
    std::string sums;
    const auto add = [&](const auto& numbers) {
      sums +=
          fmt::format("{:08x}", updraft::checksum({reinterpret_cast<const char*>(numbers.data()),
                                                   numbers.size() * sizeof(numbers[0])}));
    };
    add(p.table.values);
    add(p.table.treatment);
    add(p.table.outcomes);
    if (!loaded_.generated && !loaded_.fitted) {
      add(p.means);
      sums += number_text(p.noise_sd);
    }
    return fmt::format("{:08x}", updraft::checksum(sums));
  }

  std::optional<PopulationSummary> population() const override {
    const Population& p = loaded_.population;
    return PopulationSummary{.summary = p.summary,
                             .individuals = p.size(),
                             .held_out = p.held_out,
                             .features = p.features(),
                             .treatments = p.treatments(),
                             .generated = loaded_.generated};
  }

  void check(const PolicySpec& spec) const override {
    PopulationRounds rounds(loaded_.population, pool_, seed(), 0);
    const auto policy = make_simulated_policy(spec, knowledge(), rounds.truth());
    policy->explain(rounds.everyone());  // refuses features that it cannot take
    const Round round = rounds.begin(0);
    const Decision nobody{.treatments = std::vector<Treatment>(pool_.individuals, 0)};
    policy->learn(nobody, round, rounds.pay(nobody, policy->resolution()));  // and payoffs
  }

  StartedRun start(std::span<const PolicySpec> specs, std::uint32_t run) const override {
    auto rounds = std::make_unique<PopulationRounds>(loaded_.population, pool_, seed(), run);
    StartedRun started;
    for (const PolicySpec& spec : specs) {
      started.policies.push_back(make_simulated_policy(spec, knowledge(), rounds->truth()));
    }
    started.environment = std::move(rounds);
    return started;
  }

  std::vector<double> numbers_of(const Outcome& outcome) const override {
    std::vector<double> numbers = Workload::numbers_of(outcome);
    for (const Measures& sums : outcome.curve) numbers.push_back(sums.realised);
    for (const Measures& sums : outcome.curve) {
      numbers.push_back(sums.treated > 0.0 ? sums.uplift / sums.treated : 0.0);
    }
    const std::vector<double> ranking = judge_.judge(outcome.held_out);
    numbers.insert(numbers.end(), ranking.begin(), ranking.end());
    return numbers;
  }

 private:
  LoadedPopulation loaded_;
  PoolOptions pool_;
  RankingJudge judge_;
};

}  // namespace

std::unique_ptr<Workload> make_workload(LoadedPopulation population, const PoolOptions& pool,
                                        const RunOptions& options) {
  check_run(options);
  return std::make_unique<PopulationWorkload>(std::move(population), pool, options);
}

}  // namespace updraft
