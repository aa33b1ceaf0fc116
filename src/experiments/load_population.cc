#include "experiments/load_population.h"

#include <fmt/format.h>

#include "updraft/error.h"
#include "updraft/response_models.h"

namespace updraft {
namespace {

Population generated(const TargetingSetting& setting) {
  constexpr std::size_t kIndividuals = 25000;
  return synthetic_population({.individuals = kIndividuals,
                               .treatments = setting.treatments,
                               .logistic = setting.response == ResponseKind::kLogistic,
                               .held_out = kIndividuals / 5});
}

Population from_table(const TargetingSetting& setting, const std::string& table) {
  CustomerTableOptions options = table_preset(setting.data);
  if (!setting.outcome.empty()) options.outcome = setting.outcome;
  options.response = setting.response;
  options.outcome_rate = setting.outcome_rate;
  Population population = population_of(read_customer_table(table, options).table);
  population.name = setting.data;
  return population;
}

}  // namespace

LoadedPopulation load_population(const TargetingSetting& setting,
                                 const std::filesystem::path& table) {
  LoadedPopulation loaded;
  const bool preset = is_table_preset(setting.data);
  if (setting.data == "synthetic" || (preset && table.empty())) {
    loaded.generated = true;
    loaded.population = generated(setting);
    if (preset) loaded.population.summary += fmt::format(", in place of {}", setting.data);
  } else if (preset) {
    loaded.fitted = true;
    loaded.population = from_table(setting, table.string());
    if (loaded.population.treatments() != setting.treatments) {
      throw InvalidInput(
          "targeting.treatments", std::to_string(setting.treatments),
          fmt::format("must be as in {}, {}", table.string(), loaded.population.treatments()));
    }
  } else {
    loaded.population = population_of(load_response_models(setting.data));
  }
  if (setting.constant && !loaded.generated) add_constant(loaded.population);
  loaded.population.replay = setting.recorded;
  check_population(loaded.population);
  return loaded;
}

}  // namespace updraft
