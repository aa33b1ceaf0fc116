#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "models/treatment_model.h"
#include "policies/all_policies.h"
#include "policies/kept_bytes.h"
#include "policies/row_checks.h"
#include "policies/targeting/choose_individuals.h"
#include "policies/targeting/targeting_policy.h"
#include "policies/width_schedule.h"
#include "updraft/error.h"
#include "updraft/registry.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

/// Where the payoff of an untreated individual comes from.
enum class BaselineSource { kIgnored, kKnown, kLearned };

/// What becomes of features longer than 1, the theorem's bound.
enum class Norms { kAny, kScale, kRefuse };

struct Options {
  BaselineSource baseline = BaselineSource::kLearned;
  bool logistic = false;
  LogisticRefit refit = LogisticRefit::kExact;
  double lambda = 1.0;
  WidthSchedule width;
  double eps = 0.0;
  bool fill = false;
  Norms norms = Norms::kAny;
};

constexpr std::size_t kBlock = 256;  ///< individuals scored at a time, within the cache
constexpr std::size_t kIndividualsPerThread = 16384;  ///< fewer are not worth a thread

bool says(const PolicySpec& spec, std::string_view parameter, std::string_view word) {
  return spec.word(parameter) == word;
}

/// The theorem wants lambda to be at least the budget.
void read_width(const PolicySpec& spec, std::size_t budget, Options& options) {
  options.width = read_width_schedule(spec);
  if (options.width.delta && options.lambda < static_cast<double>(budget)) {
    throw InvalidInput(
        spec.name() + ".lambda", options.lambda,
        fmt::format("must be at least the budget, {}, for the theorem's beta", budget));
  }
}

Options read_options(const PolicySpec& spec, std::size_t budget) {
  const PolicyInfo& info = policy_info(spec.name());
  Options options;
  options.baseline = info.needs.contains(Need::kBaseline) ? BaselineSource::kKnown
                     : info.traits.ignores_baseline       ? BaselineSource::kIgnored
                                                          : BaselineSource::kLearned;
  options.logistic = spec.word_or_default("model") == "logistic";
  if (spec.word_or_default("fit") == "online") options.refit = LogisticRefit::kOnline;
  options.lambda = ridge_of(spec, budget);
  options.fill = spec.word_or_default("fill") == "yes";
  if (info.has_parameter("delta")) read_width(spec, budget, options);
  if (info.has_parameter("eps")) {
    if (!spec.number("eps")) {
      throw InvalidInput(spec.name() + ".eps", "missing: give eps, in (0, 1)");
    }
    options.eps = *spec.number("eps");
  }
  options.norms = says(spec, "norms", "scale")                           ? Norms::kScale
                  : says(spec, "norms", "refuse") || options.width.delta ? Norms::kRefuse
                                                                         : Norms::kAny;
  if (says(spec, "norms", "any")) options.norms = Norms::kAny;
  return options;
}

/// The targeting policies that learn a response model for every treatment, and one for no treatment
/// if the baseline is to be learnt. [hsieh22, Alg. C2UpUCB and appendix, 'Algorithms']
///   upper(z, x) = model(z, x) + beta ||x||_{V(z)^-1}
///   index(z, x) = upper(z, x) - upper(0, x)      c2_up_ucb; greedy, eps_greedy with beta = 0
///               = upper(z, x) - baseline(x)      c2_up_ucb_bl, greedy_bl, eps_greedy_bl
///               = upper(z, x)                    c2_ucb
///   beta: see WidthSchedule, with Z + 1 models and all rows seen so far and in this pool;
///   without a model of the untreated, Z models, the treated rows so far, and the budget L
/// An individual counts with its best treatment. The L largest are treated, those with an index
/// above 0 only unless fill = yes. eps_greedy keeps b of the budget, b ~ Binomial(L, eps), for
/// individuals at random.
/// Cost: select O(pool (Z + 1) d^2), on several threads where the pool is large; observe that of
/// the models (models/treatment_model.h).
class LearningTargeting final : public TargetingPolicy {
 public:
  LearningTargeting(const PolicySpec& spec, const Knowledge& knowledge)
      : TargetingPolicy(spec, knowledge), options_(read_options(spec, knowledge.budget())) {
    const bool learns_baseline = options_.baseline == BaselineSource::kLearned;
    for (Treatment z = learns_baseline ? 0 : 1; z <= treatments(); ++z) {
      models_.push_back(
          options_.logistic
              ? make_logistic_model(knowledge.features(), options_.lambda, options_.refit)
              : make_linear_model(knowledge.features(), options_.lambda));
    }
  }

  std::uint64_t kept_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& one : models_) bytes += one->kept_bytes();
    return bytes;
  }

 private:
  /// Of some individuals: their best treatment, and what goes into its index.
  struct Scores {
    std::span<Treatment> treatment;
    std::span<double> index;
    std::span<double> payoff = {};  ///< empty where only the first two are wanted
    std::span<double> payoff_width = {};
    std::span<double> baseline = {};
    std::span<double> baseline_width = {};
  };

  /// A pool as it is scored.
  struct ScoredPool {
    std::span<const double> rows;
    std::span<const double> baseline;
    double beta;
  };

  /// Null for treatment 0 where the baseline is not learnt.
  TreatmentModel* model(Treatment z) const {
    const bool learns_baseline = options_.baseline == BaselineSource::kLearned;
    if (learns_baseline) return models_[z].get();
    return z == 0 ? nullptr : models_[z - 1].get();
  }

  void check_pool(const Round& pool) const override {
    if (options_.baseline == BaselineSource::kKnown && pool.baseline.empty()) {
      throw InvalidInput("pool: baseline",
                         fmt::format("is missing, and {} needs to know it", spec().name()));
    }
    check_norms(pool);
  }

  void check_norms(const Round& pool) const {
    if (options_.norms != Norms::kRefuse) return;
    check_row_lengths({"pool", "individual"}, pool, "norms=scale scales them");
  }

  void check_payoff(std::size_t individual, double payoff) const override {
    if (!options_.logistic || (payoff >= 0.0 && payoff <= 1.0)) return;
    throw InvalidInput(fmt::format("payoffs[{}]", individual), payoff,
                       "must be in [0, 1] for a logistic model");
  }

  /// The features as the models see them.
  std::span<const double> seen(const Round& pool, std::vector<double>& buffer) const {
    if (options_.norms != Norms::kScale) return pool.features;
    buffer.assign(pool.features.begin(), pool.features.end());
    for (std::size_t i = 0; i < pool.size(); ++i) {
      const double length = row_length(pool.row(i));
      if (length <= 1.0) continue;
      for (std::size_t f = 0; f < pool.width; ++f) buffer[i * pool.width + f] /= length;
    }
    return buffer;
  }

  /// beta of the round that comes next. If nothing is learned of the untreated, only treated rows
  /// count, of which a round brings as many as the budget.
  double beta(std::size_t individuals) const {
    const bool learns_baseline = options_.baseline == BaselineSource::kLearned;
    const std::uint64_t seen = learns_baseline ? rows() : treated_rows();
    const std::size_t coming = learns_baseline ? individuals : std::min(individuals, budget());
    return options_.width.beta({.models = models_.size(),
                                .features = knowledge().features(),
                                .lambda = options_.lambda,
                                .rows = static_cast<double>(seen) + static_cast<double>(coming)});
  }

  /// Of the individuals first, ..., first + count - 1, count <= kBlock.
  void score_block(const ScoredPool& pool, std::size_t first, std::size_t count,
                   const Scores& scores) const {
    std::array<double, kBlock> mean;
    std::array<double, kBlock> width;
    std::array<double, kBlock> baseline;
    std::array<double, kBlock> baseline_width;
    const auto rows =
        pool.rows.subspan(first * knowledge().features(), count * knowledge().features());
    if (options_.baseline == BaselineSource::kLearned) {
      model(0)->predict(rows, std::span(baseline).first(count),
                        std::span(baseline_width).first(count));
    } else {
      std::fill_n(baseline_width.begin(), count, 0.0);
      std::fill_n(baseline.begin(), count, 0.0);
    }
    if (options_.baseline == BaselineSource::kKnown) {
      std::copy_n(pool.baseline.begin() + static_cast<std::ptrdiff_t>(first), count,
                  baseline.begin());
    }
    for (Treatment z = 1; z <= treatments(); ++z) {
      model(z)->predict(rows, std::span(mean).first(count), std::span(width).first(count));
      for (std::size_t i = 0; i < count; ++i) {
        const double index =
            (mean[i] + pool.beta * width[i]) - (baseline[i] + pool.beta * baseline_width[i]);
        if (z > 1 && !(index > scores.index[first + i])) continue;
        scores.treatment[first + i] = z;
        scores.index[first + i] = index;
        if (scores.payoff.empty()) continue;
        scores.payoff[first + i] = mean[i];
        scores.payoff_width[first + i] = width[i];
        scores.baseline[first + i] = baseline[i];
        scores.baseline_width[first + i] = baseline_width[i];
      }
    }
  }

  /// Large pools are scored by several threads; each individual by one, on its own.
  void score(const Round& pool, const Scores& scores) const {
    std::vector<double> buffer;
    const ScoredPool scored{seen(pool, buffer), pool.baseline, beta(pool.size())};
    const auto score_range = [&](std::size_t begin, std::size_t end) {
      for (std::size_t first = begin; first < end; first += kBlock) {
        score_block(scored, first, std::min(kBlock, end - first), scores);
      }
    };
    const std::size_t worth = pool.size() / kIndividualsPerThread;
    if (worth < 2) return score_range(0, pool.size());
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t threads = std::min(worth, cores);
    for (const auto& one : models_) one->ellipsoid().root();  // made now, then only read
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < threads; ++t) {
      others.emplace_back(score_range, pool.size() * t / threads, pool.size() * (t + 1) / threads);
    }
    score_range(0, pool.size() / threads);
  }

  Decision choose_treatments(const Round& pool, const Stream& stream,
                             Propensity propensity) override {
    std::vector<Treatment> best(pool.size(), 0);
    std::vector<double> index(pool.size());
    score(pool, {.treatment = best, .index = index});
    const auto round = static_cast<std::uint32_t>(decisions());
    std::size_t exploring = 0;
    for (std::size_t j = 0; j < budget() && options_.eps > 0.0; ++j) {
      exploring += stream.uniform(round, j) < options_.eps;
    }
    Decision decision{.treatments = std::vector<Treatment>(pool.size(), 0)};
    for (const std::uint32_t i : largest(index, budget() - exploring, options_.fill)) {
      decision.treatments[i] = best[i];
    }
    if (options_.eps == 0.0) return decision;
    treat_at_random(decision.treatments, exploring, treatments(), stream, decisions(), budget());
    if (propensity == Propensity::kSkipped) return decision;
    decision.probability =
        exploring_probability({.eps = options_.eps, .budget = budget(), .treatments = treatments()},
                              best_first(index, best), decision.treatments);
    return decision;
  }

  /// Those whom a greedy policy treats, the best first.
  std::vector<Greedy> best_first(std::span<const double> index,
                                 std::span<const Treatment> best) const {
    std::vector<std::uint32_t> ids = largest(index, budget(), options_.fill);
    std::sort(ids.begin(), ids.end(), [&](std::uint32_t a, std::uint32_t b) {
      return index[a] > index[b] || (index[a] == index[b] && a < b);
    });
    std::vector<Greedy> all;
    for (const std::uint32_t i : ids) all.push_back({i, best[i]});
    return all;
  }

  void add(const Round& pool, std::span<const Treatment> treatments,
           std::span<const double> payoffs) override {
    check_norms(pool);
    std::vector<double> buffer;
    const std::span<const double> rows = seen(pool, buffer);
    for (std::size_t i = 0; i < treatments.size(); ++i) {
      TreatmentModel* learning = model(treatments[i]);
      if (learning == nullptr) continue;
      learning->add(rows.subspan(i * pool.width, pool.width), payoffs[i]);
    }
    for (const auto& one : models_) one->update();
  }

  /// Whether payoffs tell what an untreated individual with these features pays.
  bool baseline_known(std::span<const double> row) const {
    switch (options_.baseline) {
      case BaselineSource::kIgnored:
        return false;
      case BaselineSource::kKnown:
        return true;
      case BaselineSource::kLearned:
        return model(0)->ellipsoid().spans(row);
    }
    return false;
  }

  std::vector<IndividualExplanation> describe(const Round& pool) const override {
    const std::size_t m = pool.size();
    std::vector<Treatment> treatment(m);
    std::vector<double> index(m);
    std::vector<double> payoff(m);
    std::vector<double> width(m);
    std::vector<double> baseline(m);
    std::vector<double> baseline_width(m);
    score(pool, {treatment, index, payoff, width, baseline, baseline_width});
    const double b = beta(m) > 0.0 ? beta(m) : 1.0;
    const auto interval = [b](double estimate, double wide) {
      return Interval{estimate - b * wide, estimate + b * wide};
    };
    std::vector<double> buffer;
    const std::span<const double> rows = seen(pool, buffer);
    std::vector<IndividualExplanation> all(m);
    for (std::size_t i = 0; i < m; ++i) {
      IndividualExplanation& about = all[i];
      about.treatment = treatment[i];
      about.index = index[i];
      about.greedy_index = payoff[i] - baseline[i];
      about.reason = index[i] > 0.0 || options_.fill
                         ? "the budget goes to larger indices"
                         : "the index is not above 0: not worth a treatment";
      const auto row = rows.subspan(i * pool.width, pool.width);
      if (!model(treatment[i])->ellipsoid().spans(row)) continue;
      about.payoff = payoff[i];
      about.payoff_interval = interval(payoff[i], width[i]);
      if (!baseline_known(row)) continue;
      about.uplift = about.greedy_index;
      about.interval = interval(*about.uplift, width[i] + baseline_width[i]);
    }
    for (const std::uint32_t i : largest(index, budget(), options_.fill)) {
      all[i].chosen = true;
      all[i].reason = "among the largest indices";
    }
    return all;
  }

  void write_statistics(StateWriter& writer) const override {
    for (const auto& one : models_) one->write(writer);
  }
  void read_statistics(StateReader& reader) override {
    for (const auto& one : models_) one->read(reader);
  }

  Options options_;
  std::vector<std::unique_ptr<TreatmentModel>> models_;  // by treatment, with 0 or without
};

}  // namespace

std::uint64_t kept_bytes(const Policy& policy) {
  const auto* learning = dynamic_cast<const LearningTargeting*>(&policy);
  return learning == nullptr ? 0 : learning->kept_bytes();
}

std::unique_ptr<Policy> make_learning_targeting(const PolicySpec& spec,
                                                const Knowledge& knowledge) {
  return std::make_unique<LearningTargeting>(spec, knowledge);
}

}  // namespace updraft
