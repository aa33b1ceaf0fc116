#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/http_api.h"

namespace updraft {

/// The request line and the headers of a request. The views are those of the connection's buffer.
struct RequestHead {
  std::string_view method;
  std::string_view target;
  bool http_1_0 = false;
  std::vector<std::pair<std::string_view, std::string_view>> headers;

  /// The value of the first header with this name, in any case; empty if there is none.
  std::string_view value(std::string_view name) const;
  std::size_t count(std::string_view name) const;

  bool is_chunked() const;
  /// Of a body that is not chunked, 0 if there is none. After check_head().
  std::uint64_t length() const;
};

inline constexpr std::size_t kMostHeaders = 100;
inline constexpr std::size_t kLongestTarget = 8000;

/// Whether a header is continued on the next line (obs-fold), which no client does any more and
/// which servers read in different ways. `head` ends with its empty line.
bool has_folded_header(std::string_view head);

/// The refusal of a request that another server may understand otherwise (RFC 9112, sections 3 to
/// 7): no Host or several, a length that is given twice, in two ways or not as a number, an
/// encoding that is not chunked; and of too many headers, a long address, and expectations other
/// than 100-continue. Nothing if it is in order.
std::optional<HttpAnswer> check_head(const RequestHead& head);

/// The path, decoded, and the query of a target in origin or absolute form.
struct Target {
  std::string path;
  Query query;
};
/// Nothing if it is neither, has a malformed escape, or names another host than `host`.
std::optional<Target> parse_target(std::string_view target, std::string_view host);

/// Whether one of the members of a comma-separated list is `token`, in any case, with a weight
/// other than 0 if it has one.
bool lists_token(std::string_view list, std::string_view token);

}  // namespace updraft
