#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/customer_table.h"
#include "updraft/instance.h"
#include "updraft/linear_contexts.h"
#include "updraft/policy_spec.h"

namespace updraft {

/// A policy of an experiment and the values of the parameter that is tuned.
struct PolicyGrid {
  std::string label;             ///< in tables and legends; the text of the spec if none is given
  PolicySpec spec;               ///< without the tuned parameter
  std::string parameter;         ///< the tuned one; empty if nothing is tuned
  std::vector<double> values;    ///< of the parameter, increasing; empty if nothing is tuned
  std::optional<double> paper;   ///< what the paper chose, one of the values
  std::optional<double> quick;   ///< the value for a quick run; else `paper`, else all values
  std::size_t whole_values = 0;  ///< how many the experiment asks for; 0: `values` are all

  bool is_tuned() const { return !parameter.empty(); }
  bool operator==(const PolicyGrid&) const = default;
};

struct FigureStyle {
  /// What the regret is drawn against: the rounds, for the chosen values; or the tuned parameter,
  /// on logarithmic axes, after the last round. The flags apply only to the former.
  enum class Against { kRounds, kParameter };

  bool log_rounds = false;
  bool log_regret = false;
  bool percentile = false;  ///< a second panel with the 95th percentile
  bool bounds = false;      ///< the theory's bounds as thin lines
  Against against = Against::kRounds;

  bool operator==(const FigureStyle&) const = default;
};

/// What a simulation of targeting policies needs: the individuals, how many may be treated, and
/// what they pay.
struct TargetingSetting {
  /// A published data set (table_presets()), "synthetic", or the path of a response model
  /// file that includes its rows.
  std::string data;
  std::string outcome = "";  ///< of a data set: the column; empty: that of the preset
  ResponseKind response = ResponseKind::kLogistic;  ///< of a data set and of "synthetic"
  double outcome_rate = 0.0;                        ///< of a data set: as in CustomerTableOptions
  std::size_t treatments = 1;  ///< of "synthetic", and of what replaces a missing data set
  bool constant = false;       ///< whether policies see one more feature that is always 1
  bool recorded = false;  ///< whether customers who get what they had pay what they paid, and not a
                          ///< draw by the models
  std::size_t individuals = 100;  ///< per round
  std::size_t budget = 10;        ///< treated per round, at most

  bool operator==(const TargetingSetting&) const = default;
};

/// A claim of the experiment's own: what the regret of a policy may be at most. The summary judges
/// it like a claim of the paper.
struct RegretLimit {
  std::string policy;                            ///< the label of the policy
  std::string of = {};                           ///< the label of another; empty without `times`
  std::optional<double> times = {};              ///< mean regret, in that of `of`
  std::optional<double> regret = {};             ///< mean regret
  std::optional<double> mean_of_median = {};     ///< mean regret, in medians of the runs
  std::optional<double> largest_of_median = {};  ///< the largest regret of a run, in medians

  bool operator==(const RegretLimit&) const = default;
};

/// A comparison of tuned policies on one instance, one population or one contextual bandit.
/// docs/experiments.md describes the TOML form.
struct Experiment {
  std::string name;      ///< letters, digits, - and _; also the name of the results folder
  std::string title;     ///< of figure and summary
  std::string instance;  ///< a shipped name or the path of an instance file; else empty, and one of
  std::optional<TargetingSetting> targeting = {};
  std::optional<LinearContexts> contexts = {};
  std::uint32_t rounds = 0;
  std::uint32_t runs = 0;
  std::uint64_t seed = 1;
  std::uint32_t whole_rounds = 0;  ///< what the experiment asks for, even if `rounds` and `runs`
  std::uint32_t whole_runs = 0;    ///< are fewer. 0: these are all
  std::uint32_t quick_rounds = 0;  ///< of a quick run
  std::uint32_t quick_runs = 0;
  std::vector<PolicyGrid> policies;
  std::vector<int> claims;               ///< which of the paper's claims its summary judges
  std::vector<RegretLimit> limits = {};  ///< and claims of its own
  std::optional<Needs> may_know = {};    ///< of an instance: as in SimulationOptions
  FigureStyle figure;

  bool operator==(const Experiment&) const = default;
};

/// Reads the TOML form. Messages name `origin`, and a relative path of an instance file is relative
/// to the folder of `origin`. Throws InvalidInput with file, line and the nearest name.
Experiment parse_experiment(std::string_view toml, const std::string& origin);

/// A shipped experiment by name, else a TOML file.
Experiment load_experiment(const std::string& name_or_path);

struct ShippedExperiment {
  std::string_view name;
  std::string_view toml;
};

/// gaussian, gaussian-weak, criteo, baseline-bound, misspecified-l, targeting-counterfactual,
/// targeting-model, targeting-synthetic, hillstrom, hillstrom-spend, contextual-linear,
/// tuning-free-INSTANCE, told-nothing-INSTANCE, changing-world-INSTANCE: files under experiments/,
/// built in. Suites of them are in suite.h.
std::span<const ShippedExperiment> shipped_experiments();

/// The small version: quick_rounds, quick_runs, and only one value per policy if `quick` or `paper`
/// gives one.
Experiment quick_version(Experiment experiment);

/// Only the policies with these names, labels or spec texts. Throws InvalidInput for one that does
/// not exist.
Experiment with_policies(Experiment experiment, const std::vector<std::string>& names);

}  // namespace updraft
