#include "service/campaigns_page.h"

#include <fmt/format.h>

#include <iterator>

namespace updraft {
namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Updraft: campaigns</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 50rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #ddd; padding: 0.4rem; text-align: right; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
</style>
</head>
<body>
<h1>Campaigns</h1>
)";

constexpr std::string_view kFoot = R"(<p><a href="v1/campaigns">all as JSON</a>,
<a href="v1/openapi.json">the API</a>, <a href="metrics">metrics</a></p>
</body>
</html>
)";

}  // namespace

std::string escaped_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string campaigns_page(const ServiceGauges& gauges) {
  std::string out(kHead);
  if (gauges.campaigns.empty()) {
    out += "<p>There are none yet. POST /v1/campaigns makes one.</p>\n";
  } else {
    out +=
        "<table>\n<tr><th>campaign</th><th>decided</th><th>complete</th><th>outstanding</th>"
        "<th>lost</th><th></th></tr>\n";
    for (const CampaignGauges& campaign : gauges.campaigns) {
      const std::string name = escaped_html(campaign.name);
      fmt::format_to(std::back_inserter(out),
                     "<tr><td>{0}</td><td>{1}</td><td>{2}</td><td>{3}</td><td>{4}</td>"
                     "<td><a href=\"v1/campaigns/{0}/report\">report</a></td></tr>\n",
                     name, campaign.decided, campaign.complete, campaign.outstanding,
                     campaign.lost);
    }
    out += "</table>\n";
  }
  out += kFoot;
  return out;
}

}  // namespace updraft
