#pragma once

#include <cstdint>

#include "store/pq.h"

namespace updraft {

/// The version of the tables in PostgreSQL that this program writes. docs/formats/store.md
std::int64_t postgres_version();

/// Makes the tables if there are none, and brings older ones up to the current version, in one
/// transaction, so that several programs may do so at once. Throws StoreError if they are newer.
void prepare_tables(PqConnection& connection);

/// Throws StoreError unless the tables have the current version.
void check_tables(PqConnection& connection);

}  // namespace updraft
