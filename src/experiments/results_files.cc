#include "experiments/results_files.h"

#include <fmt/format.h>

#include <charconv>

#include "core/files.h"
#include "updraft/error.h"

namespace updraft {
namespace {

constexpr const char* kFinal = "final.csv";
constexpr const char* kCurves = "curves.csv";
constexpr const char* kRanking = "ranking.csv";
constexpr const char* kFinalHeader = "label,policy,parameter,value,run,regret\n";
constexpr const char* kTargetingFinalHeader =
    "label,policy,parameter,value,run,regret,realised,uplift,qini,auuc\n";
constexpr const char* kCurvesHeader = "label,policy,parameter,value,round,mean,sd,stderr,p95\n";
constexpr const char* kTargetingCurvesHeader =
    "label,policy,parameter,value,round,mean,sd,stderr,p95,realised_mean,realised_sd,"
    "realised_stderr,realised_p95,uplift_mean,uplift_sd,uplift_stderr,uplift_p95\n";
constexpr const char* kRankingHeader =
    "label,policy,parameter,value,qini,qini_low,qini_high,auuc,auuc_low,auuc_high\n";

/// A CSV field, quoted if it has to be.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

/// The columns that tell which policy and value a row is about.
std::string row_key(const Experiment& experiment, const GridPoint& point) {
  const PolicyGrid& policy = experiment.policies[point.policy];
  return fmt::format("{},{},{},{}", field(policy.label), field(point.spec.text()), policy.parameter,
                     point.value ? number_text(*point.value) : "");
}

/// Reads the rows of one of our own files in the order in which they were written.
class Rows {
 public:
  Rows(const std::filesystem::path& path, std::string_view header)
      : name_(path.string()), bytes_(read_file(path)), rest_(bytes_) {
    if (next_line() + "\n" != header) refuse("does not begin with the right columns");
  }

  /// The numbers after `key` in the next row, which must have exactly `out.size()` of them.
  void read(const std::string& key, std::span<double> out) {
    std::string line = next_line();
    if (line.substr(0, key.size()) != key) refuse("must begin with " + key);
    std::string_view left = std::string_view(line).substr(key.size());
    for (double& value : out) {
      if (left.empty() || left.front() != ',') refuse("has too few numbers");
      left.remove_prefix(1);
      const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), value);
      if (error != std::errc()) refuse("has a field that is not a number");
      left.remove_prefix(static_cast<std::size_t>(end - left.data()));
    }
    if (!left.empty()) refuse("has too many fields");
  }

  void finish() {
    if (!rest_.empty()) refuse("has more rows than it should");
  }

 private:
  std::string next_line() {
    ++line_;
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) refuse("is missing: the file ends too soon");
    std::string line(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return line;
  }

  [[noreturn]] void refuse(const std::string& rule) const {
    throw InvalidInput(fmt::format("{}:{}", name_, line_), rule);
  }

  std::string name_;
  std::string bytes_;
  std::string_view rest_;
  std::size_t line_ = 0;
};

std::string csv_row(const std::string& key, const std::vector<double>& numbers) {
  std::string row = key;
  for (const double number : numbers) row += fmt::format(",{}", number_text(number));
  row += '\n';
  return row;
}

std::vector<double> final_numbers(const GridPoint& point, std::size_t run) {
  std::vector<double> numbers = {point.final_regrets[run]};
  if (!point.targeting) return numbers;
  const TargetingMeasures& more = *point.targeting;
  for (const auto* values :
       {&more.final_realised, &more.final_uplift, &more.final_qini, &more.final_auuc}) {
    numbers.push_back((*values)[run]);
  }
  return numbers;
}

void take_final(const std::vector<double>& numbers, GridPoint& point) {
  point.final_regrets.push_back(numbers[0]);
  if (!point.targeting) return;
  TargetingMeasures& more = *point.targeting;
  std::size_t place = 0;
  for (auto* values :
       {&more.final_realised, &more.final_uplift, &more.final_qini, &more.final_auuc}) {
    values->push_back(numbers[++place]);
  }
}

std::vector<double> curve_numbers(const GridPoint& point, std::size_t round) {
  std::vector<double> numbers;
  const auto add = [&](const Summary& at) {
    numbers.insert(numbers.end(), {at.mean, at.sd, at.stderr_, at.p95});
  };
  add(point.curve[round]);
  if (!point.targeting) return numbers;
  add(point.targeting->realised[round]);
  add(point.targeting->uplift[round]);
  return numbers;
}

void take_curve(const std::vector<double>& n, GridPoint& point) {
  point.curve.push_back({n[0], n[1], n[2], n[3]});
  if (!point.targeting) return;
  point.targeting->realised.push_back({n[4], n[5], n[6], n[7]});
  point.targeting->uplift.push_back({n[8], n[9], n[10], n[11]});
}

std::vector<double> ranking_numbers(const TargetingMeasures& measures) {
  std::vector<double> numbers;
  for (const RankingScore& score : {measures.qini, measures.auuc}) {
    numbers.insert(numbers.end(), {score.mean, score.interval.low, score.interval.high});
  }
  return numbers;
}

}  // namespace

std::vector<GridPoint> grid_points(const Experiment& experiment) {
  std::vector<GridPoint> points;
  for (std::size_t p = 0; p < experiment.policies.size(); ++p) {
    const PolicyGrid& policy = experiment.policies[p];
    if (policy.parameter.empty()) points.push_back({.policy = p, .value = {}, .spec = policy.spec});
    for (const double value : policy.values) {
      points.push_back(
          {.policy = p, .value = value, .spec = policy.spec.with(policy.parameter, value)});
    }
  }
  return points;
}

void choose_best(ExperimentResult& result) {
  const auto cost = [&](std::size_t j) {
    return result.points[j].final_regret.mean + result.points[j].final_regret.sd;
  };
  result.chosen.assign(result.experiment.policies.size(), result.points.size());
  for (std::size_t j = 0; j < result.points.size(); ++j) {
    std::size_t& chosen = result.chosen[result.points[j].policy];
    if (chosen == result.points.size() || cost(j) < cost(chosen)) chosen = j;
  }
}

void write_csvs(const ExperimentResult& result, const std::filesystem::path& folder) {
  const bool targeting = result.experiment.targeting.has_value();
  std::string finals = targeting ? kTargetingFinalHeader : kFinalHeader;
  std::string curves = targeting ? kTargetingCurvesHeader : kCurvesHeader;
  std::string ranking = kRankingHeader;
  for (const GridPoint& point : result.points) {
    const std::string key = row_key(result.experiment, point);
    for (std::size_t run = 0; run < point.final_regrets.size(); ++run) {
      finals += csv_row(fmt::format("{},{}", key, run), final_numbers(point, run));
    }
    for (std::size_t j = 0; j < point.curve.size(); ++j) {
      curves += csv_row(fmt::format("{},{}", key, result.curve_rounds[j]), curve_numbers(point, j));
    }
    if (targeting) ranking += csv_row(key, ranking_numbers(*point.targeting));
  }
  replace_file(folder / kFinal, finals);
  replace_file(folder / kCurves, curves);
  if (targeting) replace_file(folder / kRanking, ranking);
}

void read_csvs(ExperimentResult& result, const std::filesystem::path& folder) {
  const bool targeting = result.experiment.targeting.has_value();
  Rows finals(folder / kFinal, targeting ? kTargetingFinalHeader : kFinalHeader);
  Rows curves(folder / kCurves, targeting ? kTargetingCurvesHeader : kCurvesHeader);
  for (GridPoint& point : result.points) {
    const std::string key = row_key(result.experiment, point);
    if (targeting) point.targeting.emplace();
    point.final_regrets.clear();
    for (std::uint32_t run = 0; run < result.experiment.runs; ++run) {
      std::vector<double> numbers(targeting ? 5 : 1);
      finals.read(fmt::format("{},{}", key, run), numbers);
      take_final(numbers, point);
    }
    point.final_regret = summarize(point.final_regrets);
    point.curve.clear();
    for (const std::uint32_t round : result.curve_rounds) {
      std::vector<double> numbers(targeting ? 12 : 4);
      curves.read(fmt::format("{},{}", key, round), numbers);
      take_curve(numbers, point);
    }
  }
  finals.finish();
  curves.finish();
  if (!targeting) return;
  Rows ranking(folder / kRanking, kRankingHeader);
  for (GridPoint& point : result.points) {
    double n[6];
    ranking.read(row_key(result.experiment, point), n);
    point.targeting->qini = {n[0], {n[1], n[2]}};
    point.targeting->auuc = {n[3], {n[4], n[5]}};
  }
  ranking.finish();
}

}  // namespace updraft
