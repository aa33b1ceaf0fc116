#include <fmt/format.h>
#include <zlib.h>

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
    file = gzopen(partial.c_str(), packed ? "wb" : "wbT");
    if (file == nullptr) fail_on("write", partial);
    if (!json) write_header();
  }

  ~State() {
    if (file == nullptr) return;
    gzclose(file);
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
  }

  void write_header() {
    text = "decision,action,probability";
    for (const std::string& action : shape.actions) {
      text += ',' + csv_field("probability." + action);
    }
    if (shape.long_form) text += ",variable,payoff";
    for (std::size_t i = 0; !shape.long_form && i < shape.variables; ++i) {
      text += ',' + std::to_string(i);
    }
    text += '\n';
    write();
  }

  void write() {
    if (gzwrite(file, text.data(), static_cast<unsigned>(text.size())) !=
        static_cast<int>(text.size())) {
      fail_on("write", partial);
    }
    text.clear();
  }

  /// What a decision's rows have in common.
  std::string head(const Decision& decision, std::span<const double> distribution) const {
    if (!json) {
      std::string out = fmt::format("{},{},{}", decision.number, names[decision.action],
                                    number_text(decision.probability));
      for (const double share : distribution) out += ',' + number_text(share);
      return out;
    }
    std::string shares;
    for (std::size_t a = 0; a < distribution.size(); ++a) {
      if (distribution[a] == 0.0) continue;
      shares += fmt::format("{}{}: {}", shares.empty() ? "" : ", ", names[a],
                            number_text(distribution[a]));
    }
    return fmt::format(
        R"({{"decision": {}, "action": {}, "probability": {}, "probabilities": {{{}}}, )",
        decision.number, names[decision.action], number_text(decision.probability), shares);
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
      text += json ? fmt::format("{}\"variable\": \"{}\", \"payoff\": {}}}\n", start, id, paid)
                   : fmt::format("{},{},{}\n", start, id, paid);
    }
  }

  void add_wide(const std::string& start, const Payoffs& payoffs) {
    const bool sparse = payoffs.kind() == Payoffs::Kind::kSparse;
    text += start;
    if (json) {
      text += sparse ? "\"payoffs\": {" : "\"payoffs\": [";
      for (std::size_t i = 0; i < payoffs.values().size(); ++i) {
        if (i > 0) text += ", ";
        if (sparse) text += fmt::format("\"{}\": ", payoffs.ids()[i]);
        text += number_text(payoffs.values()[i]);
      }
      text += sparse ? "}}\n" : "]}\n";
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
  std::vector<std::string> names;  // of the actions, as they are written
  gzFile file = nullptr;
  std::string text;
  std::vector<double> dense;
};

LogWriter::LogWriter(const std::string& path, Shape shape)
    : state_(std::make_unique<State>(path, std::move(shape))) {}
LogWriter::~LogWriter() = default;

void LogWriter::add(const Decision& decision, std::span<const double> distribution,
                    const Payoffs& payoffs) {
  const std::string start = state_->head(decision, distribution);
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
