#include "service/access_gate.h"

#include <gtest/gtest.h>

namespace updraft {
namespace {

const std::string kReader = "reader-token-0123456789";
const std::string kShop = "shop-token-0123456789";
const std::string kManager = "manager-token-0123456789";

const RateLimit::Time kNow{std::chrono::hours(1)};

class Gate {
 public:
  explicit Gate(const std::string& tokens)
      : gate_(tokens.empty() ? AccessTokens() : AccessTokens::parse(tokens)) {}

  AccessGate::Admission admit(const std::string& token, std::string_view method,
                              std::string_view path, RateLimit::Time now = kNow) {
    const std::string header = "Bearer " + token;
    RequestHead head = {.method = method, .target = path, .http_1_0 = false, .headers = {}};
    head.headers.emplace_back("Host", "localhost");
    if (!token.empty()) head.headers.emplace_back("Authorization", header);
    return gate_.admit(head, match_route(method, path), now);
  }

  int status(const std::string& token, std::string_view method, std::string_view path,
             RateLimit::Time now = kNow) {
    const AccessGate::Admission admission = admit(token, method, path, now);
    return admission.refusal ? admission.refusal->status : 200;
  }

  AccessGate& gate() { return gate_; }

 private:
  AccessGate gate_;
};

TEST(AccessGate, EveryRouteHasItsRoles) {
  Gate gate(kReader + " roles=read\n" + kShop + " roles=decide\n" + kManager + " roles=manage");
  struct Needs {
    Endpoint endpoint;
    std::string roles;  ///< r, d and m; - for none
  };
  const std::vector<Needs> needs = {
      {Endpoint::kPage, "-"},           {Endpoint::kPageFile, "-"},
      {Endpoint::kHealth, "-"},         {Endpoint::kReady, "-"},
      {Endpoint::kMetrics, "r"},        {Endpoint::kSchema, "rdm"},
      {Endpoint::kOpenApi, "rdm"},      {Endpoint::kListCampaigns, "r"},
      {Endpoint::kCreateCampaign, "m"}, {Endpoint::kShowCampaign, "rm"},
      {Endpoint::kStopCampaign, "m"},   {Endpoint::kArchiveCampaign, "m"},
      {Endpoint::kDeleteCampaign, "m"}, {Endpoint::kReport, "r"},
      {Endpoint::kHistory, "r"},        {Endpoint::kLearnPast, "m"},
      {Endpoint::kGoLive, "m"},         {Endpoint::kListDecisions, "r"},
      {Endpoint::kEvents, "r"},         {Endpoint::kVariables, "r"},
      {Endpoint::kPauseAction, "m"},    {Endpoint::kResumeAction, "m"},
      {Endpoint::kRetireAction, "m"},   {Endpoint::kDecide, "d"},
      {Endpoint::kShowDecision, "rd"},  {Endpoint::kPay, "d"}};
  EXPECT_EQ(needs.size(), routes().size());
  for (const Needs& need : needs) {
    const auto route = std::find_if(routes().begin(), routes().end(), [&](const Route& one) {
      return one.endpoint == need.endpoint;
    });
    ASSERT_NE(route, routes().end());
    const bool open = need.roles == "-";
    EXPECT_EQ(gate.status("", route->method, route->pattern), open ? 200 : 401) << route->pattern;
    const auto expect_role = [&](const std::string& token, char role) {
      const bool allowed = open || need.roles.find(role) != std::string::npos;
      EXPECT_EQ(gate.status(token, route->method, route->pattern), allowed ? 200 : 403)
          << role << " " << route->method << " " << route->pattern;
    };
    expect_role(kReader, 'r');
    expect_role(kShop, 'd');
    expect_role(kManager, 'm');
  }
}

TEST(AccessGate, TokensHoldForTheirCampaigns) {
  Gate gate(kReader + " name=reader campaigns=spring");
  EXPECT_EQ(gate.status(kReader, "GET", "/v1/campaigns/spring/report"), 200);
  EXPECT_EQ(gate.status(kReader, "GET", "/v1/campaigns/autumn/report"), 403);
  EXPECT_EQ(gate.status(kReader, "GET", "/v1/campaigns/autumn/decisions/a"), 403);
  EXPECT_EQ(gate.admit(kReader, "GET", "/v1/campaigns").by->name, "reader");
  EXPECT_EQ(gate.admit("", "GET", "/healthz").by, nullptr);
  EXPECT_EQ(gate.status("other-token-0123456789", "GET", "/v1/campaigns"), 401);
}

TEST(AccessGate, EveryTokenHasItsRate) {
  Gate gate(kReader + " rate=2\n" + kShop + " rate=1\n" + kManager);
  const auto asked = [&](const std::string& token, RateLimit::Time now) {
    return gate.status(token, "GET", "/v1/schema", now);
  };
  EXPECT_EQ(asked(kReader, kNow), 200);
  EXPECT_EQ(asked(kReader, kNow), 200);
  const AccessGate::Admission refused = gate.admit(kReader, "GET", "/v1/schema", kNow);
  ASSERT_TRUE(refused.refusal);
  EXPECT_EQ(refused.refusal->status, 429);
  const std::pair<std::string, std::string> wait = {"Retry-After", "1"};
  EXPECT_EQ(refused.refusal->headers.back(), wait);
  EXPECT_EQ(asked(kShop, kNow), 200) << "others are not concerned";
  EXPECT_EQ(asked(kShop, kNow), 429);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(asked(kManager, kNow), 200);
  EXPECT_EQ(asked(kReader, kNow + std::chrono::milliseconds(500)), 200);
  EXPECT_EQ(asked(kReader, kNow + std::chrono::milliseconds(500)), 429);
  EXPECT_EQ(gate.status(kReader, "GET", "/healthz"), 200);
}

TEST(AccessGate, ExchangesTokens) {
  Gate gate(kReader);
  EXPECT_EQ(gate.status(kShop, "GET", "/v1/campaigns"), 401);
  gate.gate().set_tokens(AccessTokens::parse(kShop));
  EXPECT_EQ(gate.status(kShop, "GET", "/v1/campaigns"), 200);
  EXPECT_EQ(gate.status(kReader, "GET", "/v1/campaigns"), 401);
}

TEST(AccessGate, WithoutTokensNobodyHasAName) {
  Gate gate("");
  EXPECT_EQ(gate.status("", "DELETE", "/v1/campaigns/spring"), 200);
  EXPECT_EQ(gate.admit(kShop, "GET", "/v1/campaigns").by, nullptr);
}

}  // namespace
}  // namespace updraft
