// In place of pq.cc and pq_library.cc in a program that is built without PostgreSQL.

#include "store/pq.h"

namespace updraft {

void PqRows::Clear::operator()(pg_result*) const {}
int PqRows::size() const { return 0; }
std::string_view PqRows::bytes(int, int) const { return {}; }
void PqConnection::Close::operator()(pg_conn*) const {}
bool PqConnection::is_built_in() { return false; }
PqConnection::PqConnection(const std::string&, Options options) : options_(options) {
  throw StoreError(
      "this program was built without PostgreSQL: build it with libpq-dev and the option "
      "UPDRAFT_POSTGRES, or use a file as the store",
      StoreError::Kind::kOther);
}
PqConnection::~PqConnection() = default;
PqRows PqConnection::run(const char*, const PqParams&) { return PqRows(nullptr); }
PqRows PqConnection::run_prepared(const char*, const PqParams&) { return PqRows(nullptr); }
PqRows PqConnection::commit(const char*, const PqParams&) { return PqRows(nullptr); }
PqRows PqConnection::commit_prepared(const char*, const PqParams&) { return PqRows(nullptr); }
void PqConnection::copy_out(const char*, const std::function<void(std::string_view)>&) {}
void PqConnection::execute(const char*) {}

}  // namespace updraft
