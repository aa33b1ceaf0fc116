#include "store/pq_library.h"

#include <dlfcn.h>

#include <string>

#include "store/store_error.h"

namespace updraft {
namespace {

constexpr const char* kFile = "libpq.so.5";

[[noreturn]] void fail_to_load(const char* why) {
  throw StoreError(std::string("a store in PostgreSQL needs its library libpq (Debian: libpq5): ") +
                       (why == nullptr ? "it cannot be loaded" : why),
                   StoreError::Kind::kOther);
}

PqLibrary load() {
  void* const library = ::dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail_to_load(::dlerror());
  const auto take = [&](auto& function, const char* name) {
    void* const found = ::dlsym(library, name);
    if (found == nullptr) fail_to_load(::dlerror());
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
  };
  PqLibrary out = {};
  take(out.connectdbParams, "PQconnectdbParams");
  take(out.status, "PQstatus");
  take(out.errorMessage, "PQerrorMessage");
  take(out.finish, "PQfinish");
  take(out.socket, "PQsocket");
  take(out.setNoticeReceiver, "PQsetNoticeReceiver");
  take(out.sendQuery, "PQsendQuery");
  take(out.sendQueryParams, "PQsendQueryParams");
  take(out.sendPrepare, "PQsendPrepare");
  take(out.sendQueryPrepared, "PQsendQueryPrepared");
  take(out.setnonblocking, "PQsetnonblocking");
  take(out.flush, "PQflush");
  take(out.consumeInput, "PQconsumeInput");
  take(out.isBusy, "PQisBusy");
  take(out.getResult, "PQgetResult");
  take(out.resultStatus, "PQresultStatus");
  take(out.resultErrorField, "PQresultErrorField");
  take(out.resultErrorMessage, "PQresultErrorMessage");
  take(out.ntuples, "PQntuples");
  take(out.getvalue, "PQgetvalue");
  take(out.getlength, "PQgetlength");
  take(out.clear, "PQclear");
  take(out.getCopyData, "PQgetCopyData");
  take(out.freemem, "PQfreemem");
  return out;
}

}  // namespace

const PqLibrary& pq() {
  static const PqLibrary kLibrary = load();
  return kLibrary;
}

}  // namespace updraft
