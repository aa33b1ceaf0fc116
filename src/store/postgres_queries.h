#pragma once

#include <cstdint>

namespace updraft {

/// PostgreSQL's int8 has a sign.
inline std::int64_t as_int8(std::uint64_t number) { return static_cast<std::int64_t>(number); }

/// Parts of snapshots that are no more, at most $1; not those of one that is being written.
inline constexpr const char* kUnusedPartsInPostgres =
    "SELECT part.campaign, part.number, part.part FROM updraft.snapshot_parts AS part WHERE NOT "
    "EXISTS (SELECT 1 FROM updraft.snapshots AS one WHERE one.campaign = part.campaign AND "
    "one.number = part.number) AND (EXISTS (SELECT 1 FROM updraft.snapshots AS later WHERE "
    "later.campaign = part.campaign AND later.number > part.number) OR part.campaign IN (SELECT "
    "campaign FROM updraft.dropped)) LIMIT $1::int8";

/// A dropped campaign whose events are to be removed: one that is deleted, or archived and no
/// longer needs them.
inline constexpr const char* kPurgeableInPostgres =
    "SELECT campaign FROM updraft.dropped WHERE campaign NOT IN (SELECT id FROM updraft.campaigns "
    "LEFT JOIN updraft.archives ON archives.campaign = id WHERE has_events IS DISTINCT FROM 0) "
    "ORDER "
    "BY campaign LIMIT 1";

}  // namespace updraft
