#include "web/assets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <string>

#include "service/content_encoding.h"
#include "updraft/error.h"

namespace updraft {
namespace {

/// The first 8 bytes of SHA-256, in hexadecimal digits.
std::string digest(std::string_view bytes) {
  unsigned char sum[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), sum);
  std::string out;
  for (std::size_t i = 0; i < 8; ++i) out += fmt::format("{:02x}", sum[i]);
  return out;
}

TEST(WebAssets, HasTheFilesOfBothPages) {
  EXPECT_TRUE(web_asset("dashboard.html").starts_with("<!"));
  EXPECT_TRUE(web_asset("report.html").starts_with("<!doctype html>"));
  for (const char* name : {"dashboard.js", "report.js", "style.css"}) {
    EXPECT_FALSE(web_asset(name).empty()) << name;
  }
  EXPECT_EQ(web_asset("dashboard.css"), web_asset("style.css"));
}

TEST(WebAssets, WhatIsServedIsPackedAndNamedByItsBytes) {
  std::size_t served = 0;
  for (const WebAsset& asset : web_assets()) {
    EXPECT_EQ(asset.packed.empty(), !asset.path.starts_with("/assets/")) << asset.name;
    if (asset.packed.empty()) continue;
    ++served;
    const auto unpacked = from_gzip(asset.packed, asset.bytes.size());
    ASSERT_TRUE(unpacked) << asset.name;
    EXPECT_FALSE(unpacked->too_large);
    EXPECT_EQ(unpacked->text, asset.bytes) << asset.name;
    EXPECT_LT(asset.packed.size(), asset.bytes.size()) << asset.name;
    EXPECT_EQ(asset.packed.substr(4, 4), std::string(4, '\0')) << "the time of the build";
    EXPECT_NE(asset.path.find("-" + digest(asset.bytes) + "."), std::string_view::npos);
    EXPECT_NE(web_asset("dashboard.html").find(asset.path.substr(1)), std::string_view::npos);
  }
  EXPECT_EQ(served, 2u);
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
