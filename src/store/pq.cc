#include "store/pq.h"

#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <cerrno>

#include "store/pq_library.h"

namespace updraft {
namespace {

constexpr int kBinary = 1;

/// Texts of libpq end with a newline, and may have several lines.
std::string one_line(const char* text) {
  std::string out = text == nullptr ? "" : text;
  while (!out.empty() && out.back() == '\n') out.pop_back();
  for (char& c : out) {
    if (c == '\n') c = ' ';
  }
  return out;
}

/// libpq quotes what it could not read of an address, and the user.
std::string without_secrets(const std::string& text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t quote = std::min(text.find('"', at), text.size());
    out += text.substr(at, quote - at);
    if (quote == text.size()) break;
    const bool shown = out.ends_with("connection to server at ") || out.ends_with("on socket ") ||
                       out.ends_with("database ");
    // The text may have quotes of its own, unless it is what a server has said.
    const std::size_t end =
        std::min(shown || out.starts_with("connection to server") ? text.find('"', quote + 1)
                                                                  : text.rfind('"'),
                 text.size() - 1);
    out += shown ? text.substr(quote, end + 1 - quote) : "\"...\"";
    at = std::max(end, quote) + 1;
  }
  return out;
}

std::string_view field_of(const PGresult* result, int field) {
  const char* text = pq().resultErrorField(result, field);
  return text == nullptr ? "" : text;
}

StoreError::Kind kind_of(std::string_view sqlstate) {
  if (sqlstate == "53100") return StoreError::Kind::kDiskFull;
  if (sqlstate == "XX001" || sqlstate == "XX002") return StoreError::Kind::kDamaged;
  return StoreError::Kind::kOther;
}

/// As every session needs it, whatever the server, the database or the role says.
constexpr const char* kSession =
    "SET client_min_messages = warning; SET default_transaction_isolation = 'read committed'; "
    "SET idle_in_transaction_session_timeout = '5s'; SET lock_timeout = '10s'; "
    "SET statement_timeout = 0; SET bytea_output = hex";
constexpr const char* kWaitForStandbys =
    "SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN "
    "'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)";
constexpr const char* kKeeps =
    "SELECT 1::int8 WHERE current_setting('fsync') = 'on' AND current_setting('full_page_writes') "
    "= "
    "'on'";

}  // namespace

void PqRows::Clear::operator()(pg_result* result) const { pq().clear(result); }

int PqRows::size() const { return pq().ntuples(result_.get()); }

std::string_view PqRows::bytes(int row, int column) const {
  return {pq().getvalue(result_.get(), row, column),
          static_cast<std::size_t>(pq().getlength(result_.get(), row, column))};
}

void PqConnection::Close::operator()(pg_conn* connection) const { pq().finish(connection); }

bool PqConnection::is_built_in() { return true; }

PqConnection::PqConnection(const std::string& url, Options options) : options_(options) {
  // What comes before the URL is what holds unless the URL says otherwise.
  const std::array<const char*, 7> names = {"connect_timeout",
                                            "application_name",
                                            "keepalives_idle",
                                            "tcp_user_timeout",
                                            "target_session_attrs",
                                            "dbname",
                                            nullptr};
  const std::array<const char*, 7> values = {"5",          "updraft",   "5",    "15000",
                                             "read-write", url.c_str(), nullptr};
  connection_.reset(pq().connectdbParams(names.data(), values.data(), 1));
  if (connection_ == nullptr || pq().status(connection_.get()) != CONNECTION_OK) {
    const std::string why = connection_ ? one_line(pq().errorMessage(connection_.get())) : "";
    throw StoreError(fmt::format("cannot connect to PostgreSQL: {}", without_secrets(why)),
                     StoreError::Kind::kOther);
  }
  pq().setNoticeReceiver(connection_.get(), &PqConnection::on_notice, this);
  pq().setnonblocking(connection_.get(), 1);
  execute(kSession);
  if (!options_.keeps_commits) {
    execute("SET synchronous_commit = local");
    return;
  }
  run(kWaitForStandbys);
  if (run(kKeeps).size() == 0) {
    throw StoreError(
        "PostgreSQL does not keep what it has committed: fsync and full_page_writes must be on",
        StoreError::Kind::kOther);
  }
}

PqConnection::~PqConnection() = default;

void PqConnection::on_notice(void* self, const pg_result* notice) {
  if (field_of(notice, PG_DIAG_SEVERITY_NONLOCALIZED) != "WARNING") return;
  static_cast<PqConnection*>(self)->warning_ =
      one_line(pq().resultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY));
}

void PqConnection::lose(const std::string& why) {
  lost_ = true;
  connection_.reset();
  throw StoreError(fmt::format("the connection to PostgreSQL was lost: {}", why),
                   StoreError::Kind::kInDoubt);
}

void PqConnection::fail(const pg_result* result) {
  const std::string text = one_line(pq().resultErrorMessage(result));
  const std::string_view severity = field_of(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity != "ERROR" || pq().status(connection_.get()) != CONNECTION_OK) lose(text);
  const std::string state(field_of(result, PG_DIAG_SQLSTATE));
  throw StoreError(fmt::format("PostgreSQL: {} ({})", text, state), kind_of(state));
}

pg_result* PqConnection::next(std::chrono::steady_clock::time_point until) {
  while (true) {
    const int unsent = pq().flush(connection_.get());
    if (unsent < 0) lose(one_line(pq().errorMessage(connection_.get())));
    if (unsent == 0 && pq().isBusy(connection_.get()) == 0) {
      return pq().getResult(connection_.get());
    }
    wait_for_server(unsent > 0, until);
  }
}

void PqConnection::wait_for_server(bool sends, std::chrono::steady_clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until - std::chrono::steady_clock::now());
  if (left.count() <= 0) lose("no answer in time");
  pollfd waiting = {.fd = pq().socket(connection_.get()), .events = POLLIN, .revents = 0};
  if (sends) waiting.events |= POLLOUT;
  if (::poll(&waiting, 1, static_cast<int>(left.count())) < 0 && errno != EINTR) {
    lose("the socket cannot be read");
  }
  if (pq().consumeInput(connection_.get()) == 0) {
    lose(one_line(pq().errorMessage(connection_.get())));
  }
}

PqRows PqConnection::result() {
  const auto until = std::chrono::steady_clock::now() + options_.patience;
  PqRows out(nullptr);
  PqRows failure(nullptr);
  bool failed = false;
  pg_result* last = nullptr;
  while (pg_result* one = next(until)) {
    const ExecStatusType status = pq().resultStatus(one);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
      out = PqRows(one);
    } else if (!failed) {
      failed = true;
      last = one;
      failure = PqRows(one);
    } else {
      pq().clear(one);
    }
  }
  if (failed) fail(last);
  return out;
}

namespace {

/// As libpq takes them.
struct Values {
  explicit Values(const PqParams& params) {
    for (std::size_t i = 0; i < params.size(); ++i) {
      pointers.push_back(params[i].data());
      lengths.push_back(static_cast<int>(params[i].size()));
      formats.push_back(kBinary);
    }
  }
  std::vector<const char*> pointers;
  std::vector<int> lengths;
  std::vector<int> formats;
};

}  // namespace

PqRows PqConnection::run(const char* sql, const PqParams& params) {
  if (lost_) lose("it was lost before");
  warning_.clear();
  const Values values(params);
  if (pq().sendQueryParams(connection_.get(), sql, static_cast<int>(params.size()), nullptr,
                           values.pointers.data(), values.lengths.data(), values.formats.data(),
                           kBinary) == 0) {
    lose(one_line(pq().errorMessage(connection_.get())));
  }
  return result();
}

PqRows PqConnection::commit(const char* sql, const PqParams& params) {
  PqRows out = run(sql, params);
  if (!warning_.empty()) lose(warning_);
  return out;
}

void PqConnection::prepare(const char* sql) {
  if (prepared_.count(sql) > 0) return;
  const std::string name = fmt::format("{}", static_cast<const void*>(sql));
  if (pq().sendPrepare(connection_.get(), name.c_str(), sql, 0, nullptr) == 0) {
    lose(one_line(pq().errorMessage(connection_.get())));
  }
  result();
  prepared_.insert(sql);
}

PqRows PqConnection::run_prepared(const char* sql, const PqParams& params) {
  if (lost_) lose("it was lost before");
  warning_.clear();
  prepare(sql);
  const std::string name = fmt::format("{}", static_cast<const void*>(sql));
  const Values values(params);
  if (pq().sendQueryPrepared(connection_.get(), name.c_str(), static_cast<int>(params.size()),
                             values.pointers.data(), values.lengths.data(), values.formats.data(),
                             kBinary) == 0) {
    lose(one_line(pq().errorMessage(connection_.get())));
  }
  return result();
}

PqRows PqConnection::commit_prepared(const char* sql, const PqParams& params) {
  PqRows out = run_prepared(sql, params);
  if (!warning_.empty()) lose(warning_);
  return out;
}

void PqConnection::copy_out(const char* sql, const std::function<void(std::string_view)>& visit) {
  if (lost_) lose("it was lost before");
  warning_.clear();
  const auto until = [&] { return std::chrono::steady_clock::now() + options_.patience; };
  if (pq().sendQuery(connection_.get(), sql) == 0) {
    lose(one_line(pq().errorMessage(connection_.get())));
  }
  pg_result* const begin = next(until());
  const PqRows begun(begin);
  if (begin == nullptr) lose("no answer");
  if (pq().resultStatus(begin) != PGRES_COPY_OUT) {
    while (pg_result* rest = next(until())) pq().clear(rest);
    fail(begin);
  }
  while (true) {
    char* text = nullptr;
    const int size = pq().getCopyData(connection_.get(), &text, 1);
    if (size < 0) break;  // the end, or what result() says
    if (size == 0) {
      wait_for_server(false, until());
      continue;
    }
    const std::unique_ptr<char, void (*)(void*)> kept(text, pq().freemem);
    try {
      visit({text, static_cast<std::size_t>(size) - (text[size - 1] == '\n' ? 1 : 0)});
    } catch (...) {
      lost_ = true;  // in the middle of the rows
      throw;
    }
  }
  result();
}

void PqConnection::execute(const char* script) {
  if (lost_) lose("it was lost before");
  warning_.clear();
  if (pq().sendQuery(connection_.get(), script) == 0) {
    lose(one_line(pq().errorMessage(connection_.get())));
  }
  result();
}

}  // namespace updraft
