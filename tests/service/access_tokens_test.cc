#include "service/access_tokens.h"

#include <gtest/gtest.h>

#include "service/rate_limit.h"
#include "support/folder.h"
#include "support/refusal.h"

namespace updraft {
namespace {

using testing::refusal;

const std::string kOne = "0123456789abcdef";
const std::string kTwo = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

TEST(AccessTokens, AllowsEveryTokenOfTheFileAndNoOther) {
  const testing::TemporaryFolder folder;
  const AccessTokens tokens =
      AccessTokens::load(folder.write("tokens", "\n" + kOne + "\r\n  " + kTwo + "  "));
  EXPECT_EQ(tokens.find("Bearer " + kOne), 0u);
  EXPECT_EQ(tokens.find("bearer  " + kTwo), 1u);
  for (const std::string& header :
       {std::string(), std::string("Bearer"), std::string("Bearer "), kOne, "Basic " + kOne,
        "Bearer " + kOne + "0", "Bearer " + kOne.substr(1), "Bearer " + kOne + " " + kTwo}) {
    EXPECT_EQ(tokens.find(header), tokens.size()) << header;
  }
}

TEST(AccessTokens, NoneAllowNobody) {
  EXPECT_TRUE(AccessTokens().empty());
  EXPECT_EQ(AccessTokens().find("Bearer " + kOne), 0u);
}

TEST(AccessTokens, RefusesFilesWithoutShowingTokens) {
  const auto refused = [](const std::string& text) {
    return refusal([&] { AccessTokens::parse(text); });
  };
  EXPECT_EQ(refused(""),
            "--token-file: has no token; must have at least one, on a line of its own");
  EXPECT_EQ(refused(" \n\n"),
            "--token-file: has no token; must have at least one, on a line of its own");
  EXPECT_EQ(refused(kOne + "\nsecret"),
            "--token-file, line 2: has 6 characters; a token must have from 16 to 1000");
  EXPECT_EQ(
      refused("0123456789\xc3\xa4"
              "abcdef"),
      "--token-file, line 1: a token must consist of visible ASCII characters, without spaces");
  EXPECT_EQ(refused(kOne + " " + kTwo),
            "--token-file, line 1: after a token there may be name=, roles=, campaigns= and rate=");
  EXPECT_EQ(refusal([] { AccessTokens::load("/no/such/file"); }),
            "--token-file = /no/such/file: cannot be read");
  EXPECT_EQ(refusal([] { AccessTokens::load("/"); }), "--token-file = /: cannot be read");
}

// As all files were before tokens had names.
TEST(AccessTokens, ATokenAloneMayDoEverything) {
  const AccessTokens tokens = AccessTokens::parse("#" + kOne + "\n" + kTwo + "\n" + kTwo);
  ASSERT_EQ(tokens.size(), 3u);
  for (std::size_t token = 0; token < tokens.size(); ++token) {
    const TokenHolder& holder = *tokens.holder(token);
    EXPECT_EQ(holder.roles, kAllRoles);
    EXPECT_TRUE(holder.holds_for("spring"));
    EXPECT_EQ(holder.rate, 0u);
  }
  // The name is a part of the token's SHA-256, the same in every file.
  EXPECT_EQ(AccessTokens::parse(kOne).holder(0)->name, "token-9f9f5111");
}

TEST(AccessTokens, TokensHaveNamesRolesCampaignsAndRates) {
  const AccessTokens tokens =
      AccessTokens::parse("# who, and what for\n" + kOne +
                          "\tname=shop.1  roles=decide,read campaigns=spring,shop-*\n" + kTwo +
                          " rate=20 roles=manage");
  ASSERT_EQ(tokens.size(), 2u);
  const TokenHolder& shop = *tokens.holder(0);
  EXPECT_EQ(shop.name, "shop.1");
  EXPECT_EQ(shop.roles, kDecides | kReads);
  EXPECT_EQ(shop.rate, 0u);
  for (const char* name : {"spring", "shop-", "shop-7"}) EXPECT_TRUE(shop.holds_for(name)) << name;
  for (const char* name : {"", "sprin", "spring2", "shop", "ashop-7"}) {
    EXPECT_FALSE(shop.holds_for(name)) << name;
  }
  EXPECT_EQ(tokens.holder(1)->roles, kManages);
  EXPECT_EQ(tokens.holder(1)->rate, 20u);
}

TEST(AccessTokens, RefusesWhatFollowsAToken) {
  const auto refused = [](const std::string& text) {
    return refusal([&] { AccessTokens::parse("\n" + kOne + " " + text); });
  };
  EXPECT_EQ(refused("name="), "--token-file, line 2, name: must be 1 to 100 of A-Z a-z 0-9 . _ -");
  EXPECT_EQ(refused("name=a,b"),
            "--token-file, line 2, name = a,b: must be 1 to 100 of A-Z a-z 0-9 . _ -");
  EXPECT_EQ(refused("roles=read,wrte"),
            "--token-file, line 2, roles = wrte: unknown; did you mean read? Valid: read, decide, "
            "manage");
  EXPECT_EQ(refused("roles="), "--token-file, line 2, roles: must be some of read, decide, manage");
  EXPECT_EQ(
      refused("campaigns=*"),
      "--token-file, line 2, campaigns = *: must be names of campaigns, or beginnings followed "
      "by a *");
  EXPECT_EQ(refused("campaigns="),
            "--token-file, line 2, campaigns: must have at least one campaign");
  for (const char* rate : {"0", "-1", "2.5", "1000001", "5x"}) {
    EXPECT_EQ(refused("rate=" + std::string(rate)),
              "--token-file, line 2, rate = " + std::string(rate) +
                  ": must be a whole number from 1 to 1000000");
  }
  EXPECT_EQ(refused("name=a name=a"), "--token-file, line 2, name: must be given once");
  EXPECT_EQ(refused("roles=read\n" + kOne),
            "--token-file, line 3: the same token is on another line with other rights");
}

TEST(RateLimit, TakesARateAtOnceAndThenEvenly) {
  using std::chrono::milliseconds;
  const RateLimit::Time start{std::chrono::hours(1)};
  RateLimit limit(4);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(limit.take(start), 0.0) << i;
  EXPECT_DOUBLE_EQ(limit.take(start), 0.25);
  EXPECT_DOUBLE_EQ(limit.take(start + milliseconds(125)), 0.125) << "a refusal takes nothing";
  EXPECT_EQ(limit.take(start + milliseconds(250)), 0.0);
  EXPECT_GT(limit.take(start + milliseconds(250)), 0.0);
  // Never more than the rate at once, however long nobody asked.
  for (int i = 0; i < 4; ++i) EXPECT_EQ(limit.take(start + milliseconds(60'000)), 0.0) << i;
  EXPECT_GT(limit.take(start + milliseconds(60'000)), 0.0);
}

TEST(RateLimit, ZeroIsNoLimit) {
  RateLimit limit(0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(limit.take({}), 0.0);
}

}  // namespace
}  // namespace updraft
