#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "add_option.h"
#include "command.h"
#include "data/csv_reader.h"
#include "output.h"
#include "service/payoff_sender.h"
#include "store/postgres_store.h"
#include "store/pq.h"
#include "updraft/error.h"

namespace updraft::cli {
namespace {

constexpr const char* kHelp =
    "Sends the payoffs of decisions to a service, from a query in PostgreSQL or from a CSV file.";

constexpr const char* kFooter =
    "A row is a payoff: the columns decision, variable and payoff. A variable is a name, or its\n"
    "number in a campaign without names. The rows of a decision make one part, named --part; in a\n"
    "CSV file they stand together. A part that is sent again is not counted again, so the same\n"
    "command may run twice, and after a failure.\n"
    "\n"
    "The query is run with COPY, read only, ordered by decision; rows are sent as they come.\n"
    "\n"
    "Output: how many decisions were paid. Exit code 1 if the service refused some: it has other\n"
    "payoffs for the same part, or does not know the decision.\n"
    "\n"
    "Examples:\n"
    "  updraft pay spring --from postgresql://shop@db/shop \\\n"
    "      --query 'SELECT decision, product AS variable, amount AS payoff FROM sold'\n"
    "  updraft pay spring --from payoffs.csv --service https://bandits.example --token-file token";

constexpr std::size_t kSentTogether = 1000;
/// A query may take long before its first row.
constexpr std::chrono::hours kPatience{6};

struct Options {
  std::string campaign;
  std::string from;
  std::string query;
  std::string service = "http://127.0.0.1:8080";
  std::string token_file;
  std::string part = "rows";
  bool incomplete = false;
  bool json = false;
};

/// Joins rows to decisions, and sends some together.
class Rows {
 public:
  explicit Rows(PayoffSender& sender) : sender_(sender) {}

  /// Throws InvalidInput without a field of its own.
  void add(std::string_view decision, std::string_view variable, std::string_view payoff) {
    double value = 0.0;
    if (decision.empty()) throw InvalidInput("decision", "must not be empty");
    if (variable.empty()) throw InvalidInput("variable", "must not be empty");
    if (!parse_number(payoff, value) || !std::isfinite(value)) {
      throw InvalidInput("payoff", std::string(payoff), "must be a finite number");
    }
    if (some_.empty() || some_.back().decision != decision) {
      if (some_.size() == kSentTogether) send();
      some_.push_back({std::string(decision), {}});
    }
    for (const auto& [known, before] : some_.back().payoffs) {
      if (known == variable) {
        throw InvalidInput("variable", std::string(variable),
                           fmt::format("comes twice for decision {}", decision));
      }
    }
    some_.back().payoffs.emplace_back(variable, value);
  }
  void send() {
    sender_.send(some_);
    some_.clear();
  }

 private:
  PayoffSender& sender_;
  std::vector<DecisionPayoffs> some_;
};

void read_query(const Options& options, Rows& rows) {
  if (options.query.empty()) throw InvalidInput("--query", "must be given: what selects the rows");
  std::string query = options.query;
  while (!query.empty() && (query.back() == ';' || std::isspace(query.back()) != 0)) {
    query.pop_back();
  }
  PqConnection connection(options.from, {.patience = kPatience, .keeps_commits = false});
  connection.execute("BEGIN READ ONLY");
  const std::string copy = fmt::format(
      "COPY (SELECT decision::text, variable::text, payoff::float8 FROM ({}\n) AS given ORDER BY "
      "1) "
      "TO STDOUT",
      query);
  connection.copy_out(copy.c_str(), [&](std::string_view row) {
    const auto fields = copied_fields(row);
    if (fields.size() != 3 || !fields[0] || !fields[1] || !fields[2]) {
      throw InvalidInput("--query", "gives a row with NULL");
    }
    rows.add(*fields[0], *fields[1], *fields[2]);
  });
}

void read_csv(const Options& options, Rows& rows) {
  if (!options.query.empty()) throw InvalidInput("--query", "needs --from postgresql://...");
  CsvReader csv("--from", options.from);
  const std::size_t decision = csv.column("--from", "decision");
  const std::size_t variable = csv.column("--from", "variable");
  const std::size_t payoff = csv.column("--from", "payoff");
  while (csv.next()) {
    try {
      rows.add(csv.fields()[decision], csv.fields()[variable], csv.fields()[payoff]);
    } catch (const InvalidInput& error) {
      throw csv.refuse_line(error.what());
    }
  }
}

std::string token_in(const std::string& file) {
  std::string token;
  if (file.empty()) return token;
  std::ifstream in(file);
  if (!std::getline(in, token)) throw InvalidInput("--token-file", file, "cannot be read");
  return token.substr(0, token.find(' '));
}

void run(const Options& options) {
  if (options.campaign.empty()) throw InvalidInput("CAMPAIGN", "must be given");
  if (options.from.empty())
    throw InvalidInput("--from", "must be given: postgresql://... or a file");
  PayoffSender sender({.service = options.service,
                       .token = token_in(options.token_file),
                       .campaign = options.campaign,
                       .part = options.part,
                       .complete = !options.incomplete});
  Rows rows(sender);
  if (is_postgres(options.from)) {
    read_query(options, rows);
  } else {
    read_csv(options, rows);
  }
  rows.send();
  std::string text = fmt::format("paid {} decisions\n", sender.paid());
  Json refused = Json::array();
  for (const auto& [decision, why] : sender.first_refused()) {
    text += fmt::format("refused: {}: {}\n", decision, why);
    refused.push_back({{"decision", decision}, {"message", why}});
  }
  write_output(options.json ? json_text(Json{{"paid", sender.paid()},
                                             {"refused", sender.refused()},
                                             {"first_refused", refused}})
                            : text);
  if (sender.refused() > 0) {
    throw std::runtime_error(fmt::format("{} decisions were refused", sender.refused()));
  }
}

}  // namespace

Command add_pay_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "pay", kHelp, kFooter);
  add_option(*command, "CAMPAIGN", options->campaign, "The campaign");
  add_option(*command, "--from SOURCE", options->from, "postgresql://..., or a CSV file");
  add_option(*command, "--query SQL", options->query,
             "What selects the columns decision, variable and payoff");
  add_option(*command, "--service URL", options->service, "The service [http://127.0.0.1:8080]");
  add_option(*command, "--token-file FILE", options->token_file, "Its token, on the first line");
  add_option(*command, "--part NAME", options->part, "The id of the parts [rows]");
  add_flag(*command, "--incomplete", options->incomplete,
           "More payoffs will come, in another part");
  add_flag(*command, "--json", options->json, "Machine-readable output");
  return {command, [options] { run(*options); }};
}

}  // namespace updraft::cli
