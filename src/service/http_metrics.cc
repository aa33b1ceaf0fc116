#include "service/http_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "updraft/error.h"

namespace updraft {
namespace {

/// Methods come from outside: all methods other than these are counted together.
std::string_view known_method(std::string_view method) {
  for (const std::string_view known :
       {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    if (method == known) return known;
  }
  return "other";
}

void append_head(std::string& out, std::string_view name, std::string_view kind,
                 std::string_view help) {
  fmt::format_to(std::back_inserter(out), "# HELP {0} {2}\n# TYPE {0} {1}\n", name, kind, help);
}

void append_one(std::string& out, std::string_view name, std::string_view kind,
                std::string_view help, double value) {
  append_head(out, name, kind, help);
  fmt::format_to(std::back_inserter(out), "{} {}\n", name, number_text(value));
}

struct CampaignColumn {
  std::string_view name;
  std::string_view kind;
  std::string_view help;
  std::uint64_t CampaignGauges::*value;
};

constexpr CampaignColumn kColumns[] = {
    {"updraft_decisions_total", "counter", "Decisions made.", &CampaignGauges::decided},
    {"updraft_decisions_complete", "gauge", "Decisions whose payoffs are complete.",
     &CampaignGauges::complete},
    {"updraft_decisions_outstanding", "gauge", "Decisions that wait for payoffs.",
     &CampaignGauges::outstanding},
    {"updraft_decisions_lost", "gauge", "Decisions whose payoffs did not come in time.",
     &CampaignGauges::lost},
    {"updraft_decisions_late", "gauge", "Decisions whose payoffs came after they were lost.",
     &CampaignGauges::late},
    {"updraft_decisions_held_out_total", "counter",
     "Decisions that took the control action because of the holdout.", &CampaignGauges::held_out},
    {"updraft_settled", "gauge", "1 once payoffs have settled which action is best, else 0.",
     &CampaignGauges::settled},
    {"updraft_guardrail_alarms", "gauge", "Actions that broke a guardrail, for each guardrail.",
     &CampaignGauges::guardrail_alarms},
};

std::string gauges_text(const ServiceGauges& gauges) {
  std::string out;
  append_one(out, "updraft_commits_total", "counter", "Commits to the store.",
             static_cast<double>(gauges.commits));
  append_one(out, "updraft_writes_total", "counter",
             "Events, snapshots and campaigns that were committed.",
             static_cast<double>(gauges.writes));
  append_one(out, "updraft_failed_commits_total", "counter", "Commits that failed.",
             static_cast<double>(gauges.failed_commits));
  append_one(out, "updraft_queued_writes", "gauge", "Writes that wait for a commit.",
             static_cast<double>(gauges.queued));
  append_one(out, "updraft_commit_seconds_total", "counter", "Time spent in commits.",
             gauges.commit_seconds);
  append_one(out, "updraft_campaigns", "gauge", "Campaigns that are not archived.",
             static_cast<double>(gauges.campaigns.size()));
  append_one(out, "updraft_campaigns_quarantined", "gauge", "Campaigns that cannot be used.",
             static_cast<double>(gauges.quarantined));
  append_one(out, "updraft_campaigns_archived", "gauge", "Campaigns that are archived.",
             static_cast<double>(gauges.archived));
  append_one(out, "updraft_campaigns_bytes", "gauge",
             "Memory that campaigns take, as estimated from their definitions.",
             static_cast<double>(gauges.bytes));
  for (const CampaignColumn& column : kColumns) {
    append_head(out, column.name, column.kind, column.help);
    for (const CampaignGauges& campaign : gauges.campaigns) {
      fmt::format_to(std::back_inserter(out), "{}{{campaign=\"{}\"}} {}\n", column.name,
                     escaped_label(campaign.name), campaign.*column.value);
    }
  }
  return out;
}

}  // namespace

std::string escaped_label(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

void HttpMetrics::count(std::string_view route, std::string_view method, int status,
                        double seconds) {
  const std::string name(route.empty() ? "other" : route);
  const std::lock_guard lock(mutex_);
  ++requests_[{name, std::string(known_method(method)), status}];
  Latency& latency = latencies_[name];
  ++latency.requests;
  latency.seconds += seconds;
  const auto* bound = std::lower_bound(kBounds.begin(), kBounds.end(), seconds);
  if (bound != kBounds.end()) ++latency.below[static_cast<std::size_t>(bound - kBounds.begin())];
}

std::string HttpMetrics::requests_text() const {
  std::string out;
  const auto at = std::back_inserter(out);
  const std::lock_guard lock(mutex_);
  append_head(out, "updraft_http_requests_total", "counter", "Requests answered.");
  for (const auto& [key, count] : requests_) {
    const auto& [route, method, status] = key;
    fmt::format_to(at,
                   "updraft_http_requests_total{{route=\"{}\",method=\"{}\",status=\"{}\"}} {}\n",
                   escaped_label(route), method, status, count);
  }
  constexpr std::string_view kSeconds = "updraft_http_request_seconds";
  append_head(out, kSeconds, "histogram", "Time from the head of a request to its answer.");
  for (const auto& [route, latency] : latencies_) {
    const std::string label = escaped_label(route);
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < kBounds.size(); ++i) {
      below += latency.below[i];
      fmt::format_to(at, "{}_bucket{{route=\"{}\",le=\"{}\"}} {}\n", kSeconds, label, kBounds[i],
                     below);
    }
    fmt::format_to(at,
                   "{0}_bucket{{route=\"{1}\",le=\"+Inf\"}} {2}\n{0}_sum{{route=\"{1}\"}} {3}\n"
                   "{0}_count{{route=\"{1}\"}} {2}\n",
                   kSeconds, label, latency.requests, latency.seconds);
  }
  return out;
}

std::string HttpMetrics::connections_text() const {
  std::string out;
  const auto add = [&](std::string_view name, std::string_view kind, std::string_view help,
                       const std::atomic<std::uint64_t>& value) {
    append_one(out, name, kind, help, static_cast<double>(value.load()));
  };
  add("updraft_connections", "gauge", "Connections that are open.", connections_.open);
  add("updraft_connections_total", "counter", "Connections accepted.", connections_.accepted);
  add("updraft_connections_refused_total", "counter",
      "Connections closed at once because their address had too many.", connections_.refused);
  add("updraft_connections_evicted_total", "counter",
      "Connections that waited and were closed because there were too many.", connections_.evicted);
  add("updraft_accept_errors_total", "counter", "Failures to accept a connection.",
      connections_.accept_errors);
  add("updraft_body_bytes", "gauge", "Bytes of large requests that are under way.",
      connections_.body_bytes);
  append_one(out, "updraft_log_lines_dropped_total", "counter",
             "Lines of the log that were dropped because nobody read them.",
             static_cast<double>(log_dropped_()));
  if (webhook_) {
    const WebhookCounts counts = webhook_();
    append_one(out, "updraft_webhook_sent_total", "counter", "Notices that were taken.",
               static_cast<double>(counts.sent));
    append_one(out, "updraft_webhook_failed_total", "counter",
               "Tries to post a notice that failed.", static_cast<double>(counts.failed));
    append_one(out, "updraft_webhook_dropped_total", "counter",
               "Notices that were given up, or dropped because too many waited.",
               static_cast<double>(counts.dropped));
  }
  return out;
}

std::string HttpMetrics::text(const ServiceGauges* gauges) const {
  std::string out = requests_text() + connections_text();
  append_one(out, "updraft_ready", "gauge", "1 once all campaigns are rebuilt, else 0.",
             gauges == nullptr ? 0 : 1);
  if (gauges != nullptr) out += gauges_text(*gauges);
  return out;
}

}  // namespace updraft
