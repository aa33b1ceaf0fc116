#pragma once

#include <filesystem>
#include <string>

#include "store/sqlite.h"
#include "store/store_writer.h"

namespace updraft::testing {

/// Gives a store the schema of an older version, 1 to 5, without names and archives, and without
/// snapshots below 5.
inline void make_old_store(const std::filesystem::path& path, int version) {
  Connection connection(path, Connection::Mode::kReadWrite);
  Statement campaigns = connection.prepare("SELECT id, name, definition FROM campaigns");
  Statement set = connection.prepare("UPDATE campaigns SET checksum = ? WHERE id = ?");
  while (campaigns.step()) {
    const StoredCampaign old = {campaigns.number(0), std::string(campaigns.text(1)),
                                std::string(campaigns.text(2))};
    set.bind(1, checksum_of(old)).bind(2, old.id).run();
  }
  campaigns.reset();
  connection.execute(
      "ALTER TABLE events DROP COLUMN done_by; ALTER TABLE campaigns DROP COLUMN created_ms; "
      "ALTER TABLE campaigns DROP COLUMN created_by; DROP TABLE archives; DROP TABLE deleted; DROP "
      "TABLE dropped; DROP TABLE snapshot_parts; DROP TABLE cuts; DROP TABLE settled; "
      "ALTER TABLE snapshots DROP COLUMN parts;");
  if (version < 5) {
    connection.execute(
        "DROP TABLE heads; DROP TABLE snapshots; CREATE TABLE snapshots (campaign INTEGER NOT "
        "NULL, number INTEGER NOT NULL, body BLOB NOT NULL, checksum INTEGER NOT NULL, "
        "PRIMARY KEY (campaign, number)) STRICT");
    std::filesystem::remove(path.string() + "-head");
  }
  connection.execute(("PRAGMA user_version = " + std::to_string(version)).c_str());
}

}  // namespace updraft::testing
