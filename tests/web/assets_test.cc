#include "web/assets.h"

#include <gtest/gtest.h>

#include <string>

#include "updraft/error.h"

namespace updraft {
namespace {

TEST(WebAssets, HasTheFilesOfBothPages) {
  EXPECT_TRUE(web_asset("dashboard.html").starts_with("<!"));
  EXPECT_TRUE(web_asset("report.html").starts_with("<!doctype html>"));
  for (const char* name : {"dashboard.js", "report.js", "style.css"}) {
    EXPECT_FALSE(web_asset(name).empty()) << name;
  }
}

TEST(WebAssets, RefusesAnotherNameAndListsTheNames) {
  try {
    web_asset("dashboard.jss");
    FAIL();
  } catch (const InvalidInput& refused) {
    EXPECT_NE(std::string(refused.what()).find("dashboard.js"), std::string::npos);
  }
}

TEST(WebAssets, ScriptsKeepTheLicenceOfChartJs) {
  const std::string_view script = web_asset("report.js");
  EXPECT_NE(script.find("Chart.js"), std::string_view::npos);
  EXPECT_NE(script.find("MIT License"), std::string_view::npos);
}

TEST(WebAssets, CanStandInlineInAPage) {
  for (const char* name : {"report.js", "style.css"}) {
    for (const char* end : {"</script", "</style", "<!--"}) {
      EXPECT_EQ(web_asset(name).find(end), std::string_view::npos) << name << " " << end;
    }
  }
}

}  // namespace
}  // namespace updraft
