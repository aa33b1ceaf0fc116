#include "service/json_pieces.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/refusal.h"

namespace updraft {
namespace {

using testing::refusal;

TEST(JsonPieces, AreWhatADocumentHas) {
  const std::string text =
      R"( {"a" : [1, {"x]": "}\"," } , [ [] ]], "b":"c,\\" ,"c": -1.5e3 , "d":{}, "e": null} )";
  const nlohmann::json document = nlohmann::json::parse(text);
  const auto members = object_pieces(text, "request");
  ASSERT_EQ(members.size(), document.size());
  for (const auto& [key, value] : members) {
    EXPECT_EQ(nlohmann::json::parse(value), document.at(std::string(key))) << key;
  }
  const auto items = list_pieces(members[0].second, "a", 10);
  ASSERT_EQ(items.size(), 3u);
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(nlohmann::json::parse(items[i]), document["a"][i]);
  }
  EXPECT_EQ(list_pieces("[1, 2, 3, 4", "a", 2).size(), 3u);  // no more is looked at
  EXPECT_TRUE(list_pieces(" [ ] ", "a", 2).empty());
  EXPECT_TRUE(object_pieces("{}", "a").empty());
}

TEST(JsonPieces, RefuseFramesThatAreNotJson) {
  EXPECT_EQ(refusal([] { object_pieces("[1]", "request"); }), "request: must be an object");
  EXPECT_EQ(refusal([] { list_pieces("{}", "rounds", 9); }), "rounds: must be a list");
  for (const char* text : {"", "{", R"({"a)", R"({"a")", R"({"a":)", R"({"a": })", R"({"a": 1)",
                           R"({"a": 1,})", R"({"a": 1} 2)", R"({a: 1})", R"({"a": [1, "x})"}) {
    EXPECT_NE(refusal([&] { object_pieces(text, "request"); }), "(accepted)") << text;
  }
  for (const char* text : {"[", "[1", "[1,", "[,1]", "[1 2]", "[1]]", "[\"\\", "[{]"}) {
    EXPECT_NE(refusal([&] { list_pieces(text, "rounds", 9); }), "(accepted)") << text;
  }
}

}  // namespace
}  // namespace updraft
