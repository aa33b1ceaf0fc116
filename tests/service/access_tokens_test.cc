#include "service/access_tokens.h"

#include <gtest/gtest.h>

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
  EXPECT_TRUE(tokens.allow("Bearer " + kOne));
  EXPECT_TRUE(tokens.allow("bearer  " + kTwo));
  for (const std::string& header :
       {std::string(), std::string("Bearer"), std::string("Bearer "), kOne, "Basic " + kOne,
        "Bearer " + kOne + "0", "Bearer " + kOne.substr(1), "Bearer " + kOne + " " + kTwo}) {
    EXPECT_FALSE(tokens.allow(header)) << header;
  }
}

TEST(AccessTokens, NoneAllowNobody) {
  EXPECT_TRUE(AccessTokens().empty());
  EXPECT_FALSE(AccessTokens().allow("Bearer " + kOne));
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
      refused("0123456789 abcdef"),
      "--token-file, line 1: a token must consist of visible ASCII characters, without spaces");
  EXPECT_EQ(refusal([] { AccessTokens::load("/no/such/file"); }),
            "--token-file = /no/such/file: cannot be read");
  EXPECT_EQ(refusal([] { AccessTokens::load("/"); }), "--token-file = /: cannot be read");
}

}  // namespace
}  // namespace updraft
