// What the service writes for programs and people that watch it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "service/http_metrics.h"
#include "service/service_log.h"
#include "support/refusal.h"

namespace updraft {
namespace {

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

TEST(HttpMetrics, CountsRequestsByRouteMethodAndStatus) {
  HttpMetrics metrics;
  metrics.count("/v1/campaigns", "GET", 200, 0.0007);
  metrics.count("/v1/campaigns", "GET", 200, 0.001);
  metrics.count("/v1/campaigns", "GET", 200, 100.0);
  metrics.count("", "BREW\"", 404, 0.0);
  const std::string text = metrics.text(nullptr);
  for (const char* line :
       {"updraft_http_requests_total{route=\"/v1/campaigns\",method=\"GET\",status=\"200\"} 3\n",
        "updraft_http_requests_total{route=\"other\",method=\"other\",status=\"404\"} 1\n",
        "updraft_http_request_seconds_bucket{route=\"/v1/campaigns\",le=\"0.0005\"} 0\n",
        "updraft_http_request_seconds_bucket{route=\"/v1/campaigns\",le=\"0.001\"} 2\n",
        "updraft_http_request_seconds_bucket{route=\"/v1/campaigns\",le=\"2.5\"} 2\n",
        "updraft_http_request_seconds_bucket{route=\"/v1/campaigns\",le=\"+Inf\"} 3\n",
        "updraft_http_request_seconds_count{route=\"/v1/campaigns\"} 3\n", "updraft_ready 0\n"}) {
    EXPECT_TRUE(mentions(text, line)) << line << text;
  }
}

TEST(HttpMetrics, ShowsTheServiceOnceItIsReady) {
  ServiceGauges gauges;
  gauges.commits = 3;
  gauges.queued = 4;
  gauges.commit_seconds = 0.25;
  gauges.campaigns = {{"spring", 10, 6, 3, 1, 2}};
  const std::string text = HttpMetrics().text(&gauges);
  for (const char* line :
       {"updraft_ready 1\n", "updraft_commits_total 3\n", "updraft_queued_writes 4\n",
        "updraft_commit_seconds_total 0.25\n", "updraft_decisions_total{campaign=\"spring\"} 10\n",
        "updraft_decisions_complete{campaign=\"spring\"} 6\n",
        "updraft_decisions_outstanding{campaign=\"spring\"} 3\n",
        "updraft_decisions_lost{campaign=\"spring\"} 1\n",
        "updraft_decisions_late{campaign=\"spring\"} 2\n"}) {
    EXPECT_TRUE(mentions(text, line)) << line << text;
  }
}

TEST(HttpMetrics, EscapesLabels) { EXPECT_EQ(escaped_label("a\"b\\c\nd"), R"(a\"b\\c\nd)"); }

TEST(ServiceLog, LinesAreJsonWhateverTheCampaign) {
  const std::string campaign = "a\"b\n\xff";
  const std::string text = ServiceLog::request_text({.method = "GET",
                                                     .route = "/",
                                                     .campaign = campaign,
                                                     .status = 200,
                                                     .milliseconds = 1.5,
                                                     .bytes_in = 2,
                                                     .bytes_out = 3});
  const auto line = nlohmann::json::parse("{" + text + "}");
  EXPECT_EQ(line["route"], "/");
  EXPECT_EQ(line["status"], 200);
  EXPECT_EQ(line["ms"], 1.5);
  EXPECT_EQ(line["campaign"], "a\"b\n\xef\xbf\xbd");
  EXPECT_EQ(text.find('\n'), text.npos);
}

TEST(ServiceLog, RefusesLevels) {
  EXPECT_EQ(testing::refusal([] { ServiceLog log("inf"); }),
            "--log-level = inf: unknown; did you mean info? Valid: debug, info, warn, error, off");
}

}  // namespace
}  // namespace updraft
