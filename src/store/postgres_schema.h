#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "store/pq.h"

namespace updraft {

/// The version of the tables in PostgreSQL that this program writes. docs/formats/store.md
std::int64_t postgres_version();

/// The tables are of a newer program.
class TablesAreNewer : public StoreError {
 public:
  explicit TablesAreNewer(const std::string& what) : StoreError(what, Kind::kOther) {}
};

/// Makes the tables if there are none, and brings older ones up to the current version, in one
/// transaction, so that several programs may do so at once. Throws TablesAreNewer, or StoreError.
void prepare_tables(PqConnection& connection);

/// As long as the session of `connection` lasts, start_node() refuses. False if a node is starting.
bool keep_nodes_out(PqConnection& connection);

/// Runs `enter`, which makes a node known. Throws StoreError if keep_nodes_out() holds.
void start_node(PqConnection& connection, const std::function<void()>& enter);

/// Throws TablesAreNewer, or StoreError, unless the tables have the current version.
void check_tables(PqConnection& connection);

}  // namespace updraft
