// Every file that fuzzing starts from, and every one that it ever found, through the same entry
// points. A broken promise ends the program.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/entry_points.h"
#include "support/source_folder.h"

namespace updraft {
namespace {

/// Runs the files of a corpus in order of their names; how many were accepted and how many refused.
struct Tally {
  std::size_t accepted = 0;
  std::size_t refused = 0;
};

Tally run(const std::string& corpus, bool (*entry_point)(std::string_view)) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(testing::source_folder() /
                                                              "tests/fuzz/corpus" / corpus)) {
    files.push_back(file.path());
  }
  std::sort(files.begin(), files.end());
  Tally tally;
  for (const std::filesystem::path& path : files) {
    SCOPED_TRACE(path.filename());
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    bool accepted = false;
    EXPECT_NO_THROW(accepted = entry_point(text));
    ++(accepted ? tally.accepted : tally.refused);
  }
  return tally;
}

TEST(FuzzCorpus, OfDefinitions) {
  const Tally tally = run("definition", fuzz::definition);
  EXPECT_GE(tally.accepted, 5u);
  EXPECT_GE(tally.refused, 10u);
}

TEST(FuzzCorpus, OfRequests) {
  const Tally tally = run("requests", fuzz::request);
  EXPECT_GE(tally.accepted, 10u);
  EXPECT_GE(tally.refused, 15u);
}

TEST(FuzzCorpus, OfQuestions) {
  const Tally tally = run("questions", fuzz::question);
  EXPECT_GE(tally.accepted, 4u);
  EXPECT_GE(tally.refused, 7u);
}

TEST(FuzzCorpus, OfLogs) {
  const Tally tally = run("log", fuzz::log);
  EXPECT_GE(tally.accepted, 6u);
  EXPECT_GE(tally.refused, 8u);
}

TEST(FuzzCorpus, OfImports) { EXPECT_GE(run("import", fuzz::import).refused, 10u); }

}  // namespace
}  // namespace updraft
