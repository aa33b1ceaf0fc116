#include "service/http_routes.h"

#include <gtest/gtest.h>

namespace updraft {
namespace {

TEST(HttpRoutes, EveryRouteMatchesItsPattern) {
  for (const Route& route : routes()) {
    const RouteMatch match = match_route(route.method, route.pattern);
    ASSERT_NE(match.route, nullptr) << route.pattern;
    EXPECT_EQ(match.route->endpoint, route.endpoint);
    EXPECT_EQ(match.pattern, route.pattern);
  }
}

TEST(HttpRoutes, TakesNamesOutOfPaths) {
  const RouteMatch match = match_route("PUT", "/v1/campaigns/spring/decisions/my:id/payoffs");
  ASSERT_NE(match.route, nullptr);
  EXPECT_EQ(match.route->endpoint, Endpoint::kPay);
  EXPECT_EQ(match.campaign, "spring");
  EXPECT_EQ(match.decision, "my:id");
}

TEST(HttpRoutes, HeadIsAnsweredWhereGetIs) {
  EXPECT_NE(match_route("HEAD", "/healthz").route, nullptr);
  EXPECT_EQ(match_route("HEAD", "/v1/campaigns/a/stop").route, nullptr);
}

TEST(HttpRoutes, KnowsTheMethodsOfAPath) {
  const RouteMatch match = match_route("DELETE", "/v1/campaigns");
  EXPECT_EQ(match.route, nullptr);
  EXPECT_EQ(match.methods, (std::vector<std::string_view>{"GET", "POST"}));
}

TEST(HttpRoutes, OtherPathsHaveNoPattern) {
  for (const std::string& path :
       {std::string(), std::string("healthz"), std::string("/healthz/"), std::string("//"),
        std::string("/v1"), std::string("/v1/campaigns/a/b"), std::string("/v2/campaigns"),
        "/v1/campaigns/" + std::string(500, 'a')}) {
    EXPECT_EQ(match_route("GET", path).pattern, "") << path;
  }
}

}  // namespace
}  // namespace updraft
