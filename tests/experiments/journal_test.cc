#include "experiments/journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "core/files.h"
#include "support/folder.h"

namespace updraft {
namespace {

using Records = std::map<std::uint64_t, std::vector<double>>;

class JournalTest : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "journal"; }

  void write_three() const {
    Journal journal(path(), 2);
    journal.append(7, std::vector<double>{1.5, 2.5});
    journal.append(0, std::vector<double>{-1.0, 0.0});
    journal.append(3, std::vector<double>{4.0, 1e300});
  }

  Records recovered() const { return Journal(path(), 2).recovered(); }

  testing::TemporaryFolder folder_;
  const Records all_ = {{7, {1.5, 2.5}}, {0, {-1.0, 0.0}}, {3, {4.0, 1e300}}};
};

TEST_F(JournalTest, GivesBackWhatWasAppended) {
  EXPECT_TRUE(recovered().empty());
  write_three();
  EXPECT_EQ(recovered(), all_);
}

TEST_F(JournalTest, LosesOnlyTheTornRecord) {
  write_three();
  const std::string bytes = read_file(path());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    std::ofstream(path(), std::ios::binary) << bytes.substr(0, length);
    EXPECT_EQ(recovered().size(), length / 32);
    EXPECT_EQ(std::filesystem::file_size(path()), length / 32 * 32);
    Journal(path(), 2).append(9, std::vector<double>{1.0, 2.0});
    EXPECT_EQ(recovered().size(), length / 32 + 1);
  }
}

TEST_F(JournalTest, CutsOffDamage) {
  write_three();
  std::string bytes = read_file(path());
  bytes[40] ^= 1;  // in the second of three records
  std::ofstream(path(), std::ios::binary) << bytes;
  EXPECT_EQ(recovered(), (Records{{7, {1.5, 2.5}}}));
}

TEST_F(JournalTest, AFullDiskLosesNothingThatWasWritten) {
  // A file that may grow to 80 bytes holds two records of 32 and a half: the third is cut short.
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit tight = {80, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  EXPECT_THROW(write_three(), std::runtime_error);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, ignored);
  EXPECT_EQ(std::filesystem::file_size(path()), 64u);
  EXPECT_EQ(recovered(), (Records{{7, {1.5, 2.5}}, {0, {-1.0, 0.0}}}));
}

TEST_F(JournalTest, ReportsAFileThatCannotBeMade) {
  EXPECT_THROW(Journal(folder_.path() / "no" / "such", 2), std::runtime_error);
}

TEST(ReplaceFile, LeavesTheOldFileWhereItFails) {
  const testing::TemporaryFolder folder;
  replace_file(folder.path() / "a", "old");
  EXPECT_THROW(replace_file(folder.path() / "no" / "a", "new"), std::runtime_error);
  std::filesystem::create_directory(folder.path() / "b.partial");
  EXPECT_THROW(replace_file(folder.path() / "b", "new"), std::runtime_error);
  replace_file(folder.path() / "a", "new");
  EXPECT_EQ(read_file(folder.path() / "a"), "new");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "a.partial"));
  EXPECT_THROW(read_file(folder.path()), std::runtime_error);
}

}  // namespace
}  // namespace updraft
