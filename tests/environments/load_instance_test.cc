#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "environments/instance_example.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "updraft/instance.h"

namespace updraft {
namespace {

using testing::kInstanceExample;
using testing::refusal;

class LoadInstance : public ::testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view text) const {
    return folder_.write(name, text);
  }

  testing::TemporaryFolder folder_;
};

std::string refused(const std::string& name) {
  return refusal([&] { load_instance(name); });
}

TEST_F(LoadInstance, TakesShippedNamesAndFiles) {
  EXPECT_EQ(load_instance("hard-reward")->name(), "hard-reward");
  EXPECT_EQ(load_instance(write("mine.json", kInstanceExample))->name(), "two-emails");
}

TEST_F(LoadInstance, RefusesNamesThatAreNeither) {
  EXPECT_EQ(
      refused("gausian"),
      "instance = gausian: unknown; did you mean gaussian? Valid: gaussian, gaussian-weak, "
      "criteo, marketing, discounts, movies, hard-affected, hard-reward, dense, alternating, "
      "one-moves-all, identical, heavy-tails, rare, two-actions, one-variable, steady, seasonal, "
      "trend, flip, wear-out, walk; no file has that name either");
  EXPECT_NE(refused("").find("no file has that name either"), std::string::npos);
  EXPECT_LT(refused(std::string(100'000, 'x')).size(), 600u);
}

TEST_F(LoadInstance, RefusesDirectories) {
  EXPECT_EQ(refused(folder_.path().string()),
            "instance = " + folder_.path().string() +
                ": is a directory; must be a shipped instance or a file");
}

TEST_F(LoadInstance, RefusesFilesThatCannotBeRead) {
  const std::string path = write("secret.json", kInstanceExample);
  std::filesystem::permissions(path, std::filesystem::perms::none);
  if (std::ifstream(path)) GTEST_SKIP() << "this user may read everything";
  EXPECT_EQ(refused(path), "instance = " + path + ": cannot be read: Permission denied");
}

TEST_F(LoadInstance, RefusesHugeFiles) {
  const std::string path = write("huge.json", "");
  std::filesystem::resize_file(path, (std::uintmax_t{1} << 30) + 1);  // sparse
  EXPECT_EQ(refused(path),
            "instance = " + path + ": is too large; an instance file has at most 1 GiB");
}

TEST_F(LoadInstance, NamesTheFileWhereItsContentIsRefused) {
  const std::string broken = write("broken.json", "{");
  EXPECT_EQ(refused(broken).rfind(broken + ": line 1, column ", 0), 0u) << refused(broken);
  const std::string old = write("old.json", R"({"format": "updraft-instance/0"})");
  EXPECT_EQ(refused(old),
            old + ": format = \"updraft-instance/0\": must be \"updraft-instance/1\"");
}

}  // namespace
}  // namespace updraft
