#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/files.h"
#include "data/line_file.h"
#include "updraft/decision_log.h"
#include "updraft/error.h"

namespace updraft {
namespace {

/// A field of CSV, in quotes if it must be.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

struct LogWriter::State {
  State(std::string path_, Shape shape_)
      : path(std::move(path_)), partial(path + ".partial"), shape(std::move(shape_)) {
    std::string name = path;
    const bool packed = name.ends_with(".gz");
    if (packed) name.resize(name.size() - 3);
    json = name.ends_with(".ndjson") || name.ends_with(".jsonl");
    for (const std::string& action : shape.actions) {
      names.push_back(json ? json_text(action) : csv_field(action));
    }
    if (!json && !shape.long_form && shape.variables > LineFile::kMostLineBytes / 32) {
      throw InvalidInput("log", path,
                         fmt::format("{} variables are too many for rows of CSV with a column for "
                                     "each; use the long form, or a name that ends in .ndjson",
                                     shape.variables));
    }
    for (std::size_t i = 0; i < shape.variables; ++i) {
      const std::string variable =
          shape.variable_names.empty() ? std::to_string(i) : shape.variable_names[i];
      variables.push_back(json ? json_text(variable) : csv_field(variable));
    }
    if (!json) make_header();
    file = gzopen(partial.c_str(), packed ? "wb" : "wbT");
    if (file == nullptr) fail_on("write", partial);
    write();
  }

  ~State() {
    if (file == nullptr) return;
    gzclose(file);
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
  }

  /// Leaves it in `text`.
  void make_header() {
    std::vector<std::string> columns = {"decision"};
    if (shape.times) columns.emplace_back("time");
    columns.emplace_back("action");
    columns.emplace_back("probability");
    for (const std::string& action : shape.actions) {
      if (shape.distributions) columns.push_back(csv_field("probability." + action));
    }
    if (shape.long_form) {
      columns.emplace_back("variable");
      columns.emplace_back("payoff");
    } else {
      for (const std::string& name : shape.variable_names) refuse_column_name(name);
      columns.insert(columns.end(), variables.begin(), variables.end());
    }
    text = fmt::format("{}\n", fmt::join(columns, ","));
    if (text.size() > LineFile::kMostLineBytes) {
      throw InvalidInput("log", path,
                         "the names of the variables are too long for a row of CSV; use the long "
                         "form, or a name that ends in .ndjson");
    }
  }

  /// Readers of the wide form would take such a variable for something else.
  void refuse_column_name(const std::string& name) const {
    const auto columns = {"decision", "time", "action", "probability", "variable", "payoff"};
    if (!name.starts_with("probability.") &&
        std::find(columns.begin(), columns.end(), name) == columns.end()) {
      return;
    }
    throw InvalidInput("log", path,
                       fmt::format("a variable is named {}, as another column of CSV may be; use "
                                   "the long form, or a name that ends in .ndjson",
                                   name));
  }

  void write() {
    if (gzwrite(file, text.data(), static_cast<unsigned>(text.size())) !=
        static_cast<int>(text.size())) {
      fail_on("write", partial);
    }
    text.clear();
  }

  /// What a decision's rows have in common.
  std::string head(const Row& row) const {
    const std::string probability = row.probability ? number_text(*row.probability) : "";
    if (!json) {
      std::string out = csv_field(row.decision);
      if (shape.times) out += ',' + csv_field(row.time);
      out += fmt::format(",{},{}", names[row.action], probability);
      for (const double share : row.distribution) out += ',' + number_text(share);
      return out;
    }
    const bool number = row.decision.find_first_not_of("0123456789") == row.decision.npos &&
                        (row.decision.size() == 1 || row.decision.front() != '0');
    std::string out =
        fmt::format(R"({{"decision": {}, )", number ? row.decision : json_text(row.decision));
    if (shape.times) out += fmt::format(R"("time": {}, )", json_text(row.time));
    out += fmt::format(R"("action": {}, )", names[row.action]);
    if (row.probability) out += fmt::format(R"("probability": {}, )", probability);
    if (shape.distributions) out += fmt::format(R"("probabilities": {{{}}}, )", shares(row));
    return out;
  }

  std::string shares(const Row& row) const {
    std::string out;
    for (std::size_t a = 0; a < row.distribution.size(); ++a) {
      if (row.distribution[a] == 0.0) continue;
      out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", names[a],
                         number_text(row.distribution[a]));
    }
    return out;
  }

  /// A decision that paid nothing has one row, so that it is not lost.
  void add_rows(const std::string& start, const Payoffs& payoffs) {
    if (payoffs.values().empty()) {
      const VariableId first[] = {0};
      const double nothing[] = {0.0};
      return add_rows(start, Payoffs::sparse(first, nothing));
    }
    for (std::size_t i = 0; i < payoffs.values().size(); ++i) {
      const VariableId id =
          payoffs.kind() == Payoffs::Kind::kSparse ? payoffs.ids()[i] : static_cast<VariableId>(i);
      const std::string paid = number_text(payoffs.values()[i]);
      text +=
          json ? fmt::format("{}\"variable\": {}, \"payoff\": {}}}\n", start, variables[id], paid)
               : fmt::format("{},{},{}\n", start, variables[id], paid);
    }
  }

  void add_wide(const std::string& start, const Payoffs& payoffs) {
    const bool sparse = payoffs.kind() == Payoffs::Kind::kSparse;
    text += start;
    if (json) {
      const bool named = sparse || !shape.variable_names.empty();
      text += named ? "\"payoffs\": {" : "\"payoffs\": [";
      for (std::size_t i = 0; i < payoffs.values().size(); ++i) {
        if (i > 0) text += ", ";
        if (named) text += fmt::format("{}: ", variables[sparse ? payoffs.ids()[i] : i]);
        text += number_text(payoffs.values()[i]);
      }
      text += named ? "}}\n" : "]}\n";
      return;
    }
    dense.assign(shape.variables, 0.0);
    for (std::size_t i = 0; i < payoffs.values().size(); ++i) {
      dense[sparse ? payoffs.ids()[i] : i] = payoffs.values()[i];
    }
    for (const double paid : dense) text += ',' + number_text(paid);
    text += '\n';
  }

  std::string path;
  std::string partial;
  Shape shape;
  bool json = false;
  std::vector<std::string> names;      // of the actions, as they are written
  std::vector<std::string> variables;  // their names, as they are written
  gzFile file = nullptr;
  std::string text;
  std::vector<double> dense;
};

LogWriter::LogWriter(const std::string& path, Shape shape)
    : state_(std::make_unique<State>(path, std::move(shape))) {}
LogWriter::~LogWriter() = default;

void LogWriter::add(const Decision& decision, std::span<const double> distribution,
                    const Payoffs& payoffs) {
  add({.decision = std::to_string(decision.number),
       .action = decision.action,
       .probability = decision.probability,
       .distribution = distribution},
      payoffs);
}

void LogWriter::add(const Row& row, const Payoffs& payoffs) {
  const std::string start = state_->head(row);
  if (state_->shape.long_form) {
    state_->add_rows(start, payoffs);
  } else {
    state_->add_wide(start, payoffs);
  }
  state_->write();
}

void LogWriter::finish() {
  if (gzclose(std::exchange(state_->file, nullptr)) != Z_OK) {
    std::remove(state_->partial.c_str());
    fail_on("write", state_->path);
  }
  std::filesystem::rename(state_->partial, state_->path);
}

}  // namespace updraft
