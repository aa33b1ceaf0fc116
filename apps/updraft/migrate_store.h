#pragma once

#include <string>

namespace updraft::cli {

/// updraft store migrate FROM TO: copies a store and checks the copy by replay.
void migrate_store(const std::string& from, const std::string& to);

}  // namespace updraft::cli
