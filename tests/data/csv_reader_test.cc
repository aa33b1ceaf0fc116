#include "data/csv_reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/folder.h"
#include "support/refusal.h"
#include "support/whole_lines.h"

namespace updraft {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string compressed(const std::string& text, const std::string& path) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return path;
}

Rows rows_of(CsvReader& reader) {
  Rows rows;
  while (reader.next()) rows.emplace_back(reader.fields().begin(), reader.fields().end());
  return rows;
}

class CsvReaderFiles : public ::testing::Test {
 protected:
  Rows read(const std::string& text) {
    CsvReader reader(folder_.write("t.csv", text));
    columns_ = reader.columns();
    return rows_of(reader);
  }

  /// The refusal, without the folder.
  std::string refused(const std::string& text) {
    const std::string path = folder_.write("t.csv", text);
    std::string message = testing::refusal([&] {
      CsvReader reader(path);
      rows_of(reader);
    });
    for (std::size_t at; (at = message.find(path)) != message.npos;) {
      message.replace(at, path.size(), "t.csv");
    }
    return message;
  }

  testing::TemporaryFolder folder_;
  std::vector<std::string> columns_;
};

TEST_F(CsvReaderFiles, ReadsRowsWithTheirLines) {
  CsvReader reader(folder_.write("t.csv", "a,b\n1,2\n\n3,\n"));
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 2u);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 4u);
  EXPECT_EQ(reader.fields()[1], "");
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.rows(), 2u);
  EXPECT_EQ(reader.share(), 1.0);
}

TEST_F(CsvReaderFiles, LineEndsAndByteOrderMarkDoNotMatter) {
  const Rows rows = {{"1", "x y"}, {"2", ""}};
  EXPECT_EQ(read("a,b\n1,x y\n2,\n"), rows);
  EXPECT_EQ(read("a,b\n1,x y\n2,"), rows);
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a,b\r\n1,x y\r\n2,\r\n"),
            rows);
  EXPECT_EQ(columns_, (std::vector<std::string>{"a", "b"}));
}

TEST_F(CsvReaderFiles, QuotesHoldCommasQuotesAndLineBreaks) {
  EXPECT_EQ(read("\"a,1\",b\n\"x\"\"y\"\"\",\"two\nlines\"\n\"\",z\n\"q\",\n"),
            (Rows{{"x\"y\"", "two\nlines"}, {"", "z"}, {"q", ""}}));
  EXPECT_EQ(columns_[0], "a,1");
}

TEST_F(CsvReaderFiles, LineEndsDoNotMatterAfterQuotes) {
  EXPECT_EQ(read("a,\"b\"\r\n\"x\",y\r\n\"two\r\nlines\",\"z\"\r\n"),
            (Rows{{"x", "y"}, {"two\r\nlines", "z"}}));
  EXPECT_EQ(columns_, (std::vector<std::string>{"a", "b"}));
}

TEST_F(CsvReaderFiles, LinesAreCountedThroughQuotedLineBreaks) {
  EXPECT_EQ(refused("a,b\n\"1\n2\n3\",x\n4\n"),
            "t.csv:5: has 1 fields; must have 2, like the first line");
}

TEST_F(CsvReaderFiles, ReadsGzipAcrossManyBlocks) {
  std::string text = "a,b\n";
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + ",\"v" + std::to_string(i) + "\"\n";
  CsvReader reader(compressed(text, folder_.path("t.csv.gz")));
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(reader.next());
    ASSERT_EQ(reader.fields()[0], std::to_string(i));
    ASSERT_EQ(reader.fields()[1], "v" + std::to_string(i));
  }
  EXPECT_FALSE(reader.next());
}

TEST_F(CsvReaderFiles, RefusesRowsOfTheWrongLength) {
  EXPECT_EQ(refused("a,b\n1,2\n3\n"), "t.csv:3: has 1 fields; must have 2, like the first line");
  EXPECT_EQ(refused("a,b\n1,2,3\n"), "t.csv:2: has 3 fields; must have 2, like the first line");
}

TEST_F(CsvReaderFiles, RefusesEmptyFilesAndBadHeaders) {
  EXPECT_EQ(refused(""), "data = t.csv: is empty; the first line must name the columns");
  EXPECT_EQ(refused("\n\n"), "data = t.csv: is empty; the first line must name the columns");
  EXPECT_EQ(refused("a,b,a\n"),
            "t.csv:1: column 3 is named \"a\", like another column; names must be distinct");
  EXPECT_EQ(refused("a,,b\n"), "t.csv:1: column 2 has no name in the first line");
}

TEST_F(CsvReaderFiles, RefusesBrokenQuotes) {
  EXPECT_EQ(refused("a,b\n1,\"2\n3,4\n"),
            "t.csv:2: has a quote that is not closed before the end of the file");
  EXPECT_EQ(refused("a,b\n1,\"2\"x\"\"\n"),
            "t.csv:2: has text after a closing quote; quotes inside quotes are doubled");
  EXPECT_EQ(refused("a,b\n1,2\"\"\n"),
            "t.csv:2: has a quote inside a field; such a field must be in quotes itself");
}

TEST_F(CsvReaderFiles, RefusesRowsThatAreTooLong) {
  const std::string longest(CsvReader::kMostRowBytes - 2, 'x');
  EXPECT_EQ(read("a,b\n1," + longest + "\n").size(), 1u);
  EXPECT_EQ(refused("a,b\n1,x" + longest + "\n"),
            "t.csv:2: is too long; a row has at most 1048576 bytes");
  EXPECT_EQ(refused("a,b\n1,\"" + longest + longest + "\"\n"),
            "t.csv:2: is too long; a row has at most 1048576 bytes");
}

TEST_F(CsvReaderFiles, RefusesDamagedGzip) {
  std::string text = "a,b\n";  // rows of two lines
  for (int i = 0; i < 10'000; ++i) text += std::to_string(i * 7919) + ",\"1\n\"\n";
  const std::string path = compressed(text, folder_.path("t.csv.gz"));
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const std::string half = bytes.substr(0, bytes.size() / 2);
  const long whole = testing::whole_lines(folder_.write("half.gz", half));
  ASSERT_GT(whole, 5'000);
  EXPECT_EQ(refused(half), "data = t.csv: is damaged after line " + std::to_string(whole) +
                               ": the gzip data end too soon");
  std::string flipped = bytes;
  flipped[bytes.size() / 2] = static_cast<char>(flipped[bytes.size() / 2] ^ 0x55);
  EXPECT_TRUE(refused(flipped).starts_with("data = t.csv: is damaged after line "));
}

TEST_F(CsvReaderFiles, RefusesWhatIsNotAFile) {
  const auto refusal_of = [](const std::string& path) {
    return testing::refusal([&] { CsvReader reader(path); });
  };
  EXPECT_NE(refusal_of(folder_.path("none.csv")).find("no such file"), std::string::npos);
  EXPECT_NE(refusal_of(folder_.path()).find("must be a regular file"), std::string::npos);
  ASSERT_EQ(::mkfifo(folder_.path("pipe").c_str(), 0600), 0);
  EXPECT_NE(refusal_of(folder_.path("pipe")).find("must be a regular file"), std::string::npos);
}

TEST_F(CsvReaderFiles, NamesTheColumnsWhereOneIsMissing) {
  CsvReader reader(folder_.write("t.csv", "visit,spend\n"));
  EXPECT_EQ(reader.column("outcome", "spend"), 1u);
  const std::string message = testing::refusal([&] { reader.column("outcome", "visits"); });
  EXPECT_NE(message.find("outcome = visits: unknown; did you mean visit? Valid: visit, spend"),
            std::string::npos)
      << message;
}

TEST(ParseNumber, TakesAllOfTheText) {
  double value = 0.0;
  EXPECT_TRUE(parse_number(" -1.5e3 ", value));
  EXPECT_EQ(value, -1500.0);
  EXPECT_TRUE(parse_number("+2", value));
  EXPECT_EQ(value, 2.0);
  EXPECT_TRUE(parse_number("nan", value));
  EXPECT_TRUE(std::isnan(value));
  for (const char* text : {"", " ", "1x", "x", "1,5", "--1", "+-1", "0x10"}) {
    EXPECT_FALSE(parse_number(text, value)) << text;
  }
}

}  // namespace
}  // namespace updraft
