#include "service/line_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace updraft {
namespace {

/// A pipe whose reader reads when it is told to.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0); }
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }

  int writer() const { return ends_[1]; }

  /// Until it takes nothing more.
  void fill() {
    fcntl(ends_[1], F_SETFL, O_NONBLOCK);
    const std::string filler(4096, '-');
    while (::write(ends_[1], filler.data(), filler.size()) > 0) {
    }
    fcntl(ends_[1], F_SETFL, 0);
  }

  /// What is in it now.
  std::string read_all() {
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    std::string out;
    char buffer[4096];
    for (ssize_t got; (got = ::read(ends_[0], buffer, sizeof(buffer))) > 0;) {
      out.append(buffer, static_cast<std::size_t>(got));
    }
    return out;
  }

 private:
  int ends_[2];
};

TEST(LineWriter, WritesLinesInOrder) {
  Pipe pipe;
  std::string wanted;
  {
    LineWriter writer(pipe.writer(), 8192, std::chrono::hours(1));
    for (int i = 0; i < 100; ++i) {
      wanted += std::to_string(i) + "\n";
      writer.add(std::to_string(i) + "\n");
    }
    writer.flush();
    EXPECT_EQ(pipe.read_all(), wanted);
    EXPECT_EQ(writer.dropped(), 0u);
    writer.add("last\n");
  }
  EXPECT_EQ(pipe.read_all(), "last\n") << "written before it goes";
}

TEST(LineWriter, DropsTheOldestIfNobodyReads) {
  Pipe pipe;
  pipe.fill();
  LineWriter writer(pipe.writer(), 10);
  constexpr int kLines = 1000;
  for (int i = 0; i < kLines; ++i) writer.add(std::to_string(i) + "\n");
  writer.flush();  // returns although nobody reads
  EXPECT_GE(writer.dropped(), std::uint64_t{kLines} - 11);
  std::string read;
  for (int tries = 0; tries < 100; ++tries) {
    read += pipe.read_all();
    writer.flush();
    if (read.find(std::to_string(kLines - 1) + "\n") != read.npos) break;
  }
  EXPECT_TRUE(read.ends_with("\n996\n997\n998\n999\n")) << "the newest are kept";
  const auto lines = static_cast<std::uint64_t>(std::count(read.begin(), read.end(), '\n'));
  EXPECT_EQ(lines + writer.dropped(), static_cast<std::uint64_t>(kLines));
}

}  // namespace
}  // namespace updraft
