#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "updraft/customer_table.h"
#include "updraft/error.h"

namespace updraft {
namespace {

/// Criteo Uplift v2.1. [diemert21]
CustomerTableOptions criteo() {
  CustomerTableOptions options;
  options.treatment = "treatment";
  options.outcome = "visit";
  for (int f = 0; f < 12; ++f) options.features.push_back(fmt::format("f{}", f));
  return options;
}

/// The MineThatData e-mail challenge. [hillstrom08]
CustomerTableOptions hillstrom() {
  CustomerTableOptions options;
  options.treatment = "segment";
  options.control = "No E-Mail";
  options.outcome = "visit";
  options.features = {"recency", "history_segment", "history", "mens",
                      "womens",  "zip_code",        "newbie",  "channel"};
  options.categorical = {"history_segment", "zip_code", "channel"};
  return options;
}

}  // namespace

std::vector<std::string> table_presets() { return {"criteo", "hillstrom"}; }

bool is_table_preset(std::string_view name) {
  const std::vector<std::string> presets = table_presets();
  return std::find(presets.begin(), presets.end(), name) != presets.end();
}

CustomerTableOptions table_preset(const std::string& name) {
  if (name == "criteo") return criteo();
  if (name == "hillstrom") return hillstrom();
  throw unknown_name("preset", name, table_presets());
}

std::vector<std::string> table_files(const std::string& preset) {
  if (preset == "criteo") {
    return {"criteo-uplift-v2.1.csv.gz", "criteo-uplift-v2.1.csv", "criteo_uplift_200k.csv.gz",
            "criteo.csv.gz", "criteo.csv"};
  }
  if (preset == "hillstrom") {
    return {"Kevin_Hillstrom_MineThatData_E-MailAnalytics_DataMiningChallenge_2008.03.20.csv",
            "hillstrom.csv.gz", "hillstrom.csv"};
  }
  throw unknown_name("preset", preset, table_presets());
}

}  // namespace updraft
