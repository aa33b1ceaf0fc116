#pragma once

#include <string>
#include <vector>

#include "output.h"
#include "updraft/clustered_instance.h"
#include "updraft/customer_table.h"
#include "updraft/response_models.h"

namespace updraft::cli {

// What `updraft build-instance` prints about its result.

/// Rows, features, the quality of every treatment's model, uplifts.
std::string models_report(const LoadedTable& loaded, const ResponseModels& models);
Json models_json(const LoadedTable& loaded, const ResponseModels& models);

/// A table of clusters with their sizes, rates and uplifts.
std::string cluster_report(const LoadedTable& loaded, const ClusteredInstance& instance);
Json cluster_json(const LoadedTable& loaded, const ClusteredInstance& instance);

}  // namespace updraft::cli
