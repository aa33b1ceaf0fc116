#pragma once

#include <memory>
#include <string>

#include "store/event_store.h"
#include "store/postgres_leases.h"

namespace updraft {

/// A store for reading: a file of SQLite, or the address of a database of PostgreSQL
/// (postgresql://...). Throws StoreError.
std::unique_ptr<EventStore> open_store(const std::string& store);

/// The same for writing, by `node` if it is in PostgreSQL. Makes what is not there.
std::unique_ptr<EventStore> open_store_to_write(const std::string& store, StoreNode node = {},
                                                std::function<void(const std::string&)> log = {});

}  // namespace updraft
