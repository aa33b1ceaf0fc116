#include "experiments/results_files.h"

#include <fmt/format.h>

#include <charconv>

#include "core/files.h"
#include "updraft/error.h"

namespace updraft {
namespace {

constexpr const char* kFinal = "final.csv";
constexpr const char* kCurves = "curves.csv";
constexpr std::string_view kFinalHeader = "label,policy,parameter,value,run,regret\n";
constexpr std::string_view kCurvesHeader =
    "label,policy,parameter,value,round,mean,sd,stderr,p95\n";

/// A CSV field, quoted where it has to be.
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
    if (line.substr(0, key.size()) != key) refuse("is not about " + key);
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
  std::string finals(kFinalHeader);
  std::string curves(kCurvesHeader);
  for (const GridPoint& point : result.points) {
    const std::string key = row_key(result.experiment, point);
    for (std::size_t run = 0; run < point.final_regrets.size(); ++run) {
      finals += fmt::format("{},{},{}\n", key, run, number_text(point.final_regrets[run]));
    }
    for (std::size_t j = 0; j < point.curve.size(); ++j) {
      const Summary& at = point.curve[j];
      curves +=
          fmt::format("{},{},{},{},{},{}\n", key, result.curve_rounds[j], number_text(at.mean),
                      number_text(at.sd), number_text(at.stderr_), number_text(at.p95));
    }
  }
  replace_file(folder / kFinal, finals);
  replace_file(folder / kCurves, curves);
}

void read_csvs(ExperimentResult& result, const std::filesystem::path& folder) {
  Rows finals(folder / kFinal, kFinalHeader);
  Rows curves(folder / kCurves, kCurvesHeader);
  for (GridPoint& point : result.points) {
    const std::string key = row_key(result.experiment, point);
    point.final_regrets.resize(result.experiment.runs);
    for (std::uint32_t run = 0; run < result.experiment.runs; ++run) {
      finals.read(fmt::format("{},{}", key, run), {&point.final_regrets[run], 1});
    }
    point.final_regret = summarize(point.final_regrets);
    point.curve.clear();
    for (const std::uint32_t round : result.curve_rounds) {
      double numbers[4];
      curves.read(fmt::format("{},{}", key, round), numbers);
      point.curve.push_back({numbers[0], numbers[1], numbers[2], numbers[3]});
    }
  }
  finals.finish();
  curves.finish();
}

}  // namespace updraft
