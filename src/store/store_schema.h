#pragma once

#include <cstdint>
#include <filesystem>

#include "store/sqlite.h"

namespace updraft {

/// The version of the schema that this program writes. docs/formats/store.md
std::int64_t store_version();

/// The checksum of a campaign's events up to one, from that of the events before it and the event's
/// own.
std::int64_t chained(std::int64_t before, std::int64_t checksum);

/// Makes a store where there is no file, all of it or nothing. Throws StoreError.
void make_store(const std::filesystem::path& path);

/// Brings an older store up to the current version, in one transaction. Throws StoreError if it is
/// something else, nothing, or newer.
void upgrade_store(const std::filesystem::path& path, Connection& connection);

}  // namespace updraft
