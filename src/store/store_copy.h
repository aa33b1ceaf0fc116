#pragma once

#include <memory>
#include <string>

namespace updraft {

/// Copies a store from a file to PostgreSQL or back, row by row: campaigns, events with their
/// checksums and chains, snapshots, cuts, archives, and what is known of deleted campaigns. All of
/// it or nothing. No service may be using either. Throws StoreError: if one is, and unless `to` is
/// a file that does not exist, or a database without a store or with an empty one. As long as what
/// it returns lives, no node can start on a database that it has written.
[[nodiscard]] std::shared_ptr<void> copy_store(const std::string& from, const std::string& to);

/// Takes back what copy_store() has just made. Throws StoreError, and removes nothing, if a node
/// uses it all the same.
void remove_copy(const std::string& to);

}  // namespace updraft
