#include "updraft/state.h"
#include "updraft/state_io.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/damage.h"
#include "support/knowledge.h"
#include "support/refusal.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using testing::expect_no_flipped_bit;
using testing::expect_no_other_length;
using testing::refusal;

std::string example() {
  const auto policy = make_policy("up_ucb_l_bl(alpha=1)", testing::full_knowledge());
  const Stream stream(3, 0, Purpose::kTest);
  for (std::uint32_t round = 0; round < 20; ++round) {
    std::vector<double> y(12);
    stream.normals(round, 0, y);
    policy->observe(policy->select(stream), Payoffs::dense(y));
  }
  std::ostringstream out;
  save_policy(*policy, out);
  return out.str();
}

std::string refused(const std::string& bytes) {
  return refusal([&] {
    std::istringstream in(bytes);
    load_policy(in);
  });
}

TEST(PolicyState, RefusesForeignFiles) {
  constexpr auto kForeign = "policy state: is not a saved policy: its first bytes are wrong";
  EXPECT_EQ(refused(""), kForeign);
  EXPECT_EQ(refused("{\"format\": \"updraft-instance/1\"}"), kForeign);
  EXPECT_EQ(refused(std::string(1000, '\0')), kForeign);
}

TEST(PolicyState, RefusesEveryTruncation) {
  const std::string bytes = example();
  EXPECT_EQ(refused(bytes.substr(0, 30)), "policy state: is truncated");
  expect_no_other_length(bytes, refused);
}

TEST(PolicyState, RefusesEveryFlippedBit) { expect_no_flipped_bit(example(), refused); }

TEST(PolicyState, RefusesOtherVersions) {
  for (const char version : {1, 3}) {
    std::string bytes = example();
    bytes[16] = version;
    EXPECT_EQ(refused(bytes), "policy state: version = " + std::to_string(version) +
                                  ": must be 2; it may have been saved by another release or be "
                                  "damaged");
  }
}

TEST(PolicyState, KeepsOneBoundPerAction) {
  const std::vector<std::size_t> bounds = {2, 0, 5, 1};
  Knowledge knowledge = testing::full_knowledge();
  knowledge.set_max_affected(bounds);
  for (const char* spec : {"up_ucb_l(alpha=1)", "up_ucb_l(alpha=1, max_affected=[2, 0, 5, 1])"}) {
    const auto policy = make_policy(spec, knowledge);
    std::stringstream saved;
    save_policy(*policy, saved);
    const auto restored = load_policy(saved);
    ASSERT_NE(restored->knowledge().max_affected_per_action(), nullptr) << spec;
    EXPECT_EQ(*restored->knowledge().max_affected_per_action(), bounds);
    EXPECT_EQ(restored->spec().text(), spec);
  }
}

TEST(PolicyState, FilesAreReplacedAsAWhole) {
  testing::expect_file_is_replaced(*make_policy("ucb(alpha=1)", testing::full_knowledge()),
                                   [](Policy& policy) { policy.observe(2, Payoffs::total(1.5)); });
}

TEST(PolicyState, ReportsFilesThatCannotBeReadOrWritten) {
  const auto policy = make_policy("ucb(alpha=1)", testing::full_knowledge());
  EXPECT_THROW(save_policy(*policy, "/no/such/folder/policy.state"), std::runtime_error);
  try {
    load_policy(std::filesystem::path("/no/such/file"));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cannot read /no/such/file: No such file or directory");
  }
}

TEST(StateReader, RefusesWhatDoesNotFit) {
  StateWriter writer;
  writer.u64s(std::vector<std::uint64_t>{1, 2, 3});
  std::vector<std::uint64_t> two(2);
  StateReader reader(writer.bytes());
  EXPECT_EQ(refusal([&] { reader.u64s(two, "pulls"); }), "pulls = 3 values: must be 2");
  StateWriter lies;
  lies.u64(1u << 30);
  StateReader short_reader(lies.bytes());
  EXPECT_EQ(refusal([&] { short_reader.f64s(); }),
            "policy state: is truncated: it ends in the middle of a list");
  StateWriter nan;
  nan.f64(std::numeric_limits<double>::quiet_NaN());
  StateReader nan_reader(nan.bytes());
  EXPECT_EQ(refusal([&] { nan_reader.f64(); }), "policy state = nan: must be finite");
  EXPECT_EQ(refusal([&] { StateReader(nan.bytes()).finish(); }),
            "policy state = 8 bytes: are left over after the last field");
}

// Sums of fractions may happen to be whole numbers; they must not be read back in another form, in
// which indices are rounded otherwise.
TEST(PolicyState, FractionsThatAddUpToWholeNumbersGoOnAsBefore) {
  const Stream stream(5, 0, Purpose::kTest);
  for (const char* spec : {"up_ucb_l_bl(alpha=0.3)", "up_ucb_l(alpha=0.3)"}) {
    const auto policy = make_policy(spec, testing::full_knowledge());
    for (ActionId action = 0; action < 4; ++action) {
      for (int j = 0; j < 2; ++j) {
        policy->observe(action, Payoffs::dense(std::vector<double>(12, 0.5)));
      }
    }
    std::vector<double> y(12);
    for (std::uint32_t round = 0; round < 30; ++round) {
      for (VariableId i = 0; i < 12; ++i) y[i] = stream.uniform(round, i) < 0.4 ? 1.0 : 0.0;
      policy->observe(round % 4, Payoffs::dense(y));
    }
    std::stringstream file;
    save_policy(*policy, file);
    const auto loaded = load_policy(file);
    const Explanation before = policy->explain();
    const Explanation after = loaded->explain();
    for (ActionId action = 0; action < 4; ++action) {
      EXPECT_EQ(before.actions[action].index, after.actions[action].index) << spec;
    }
  }
}

}  // namespace
}  // namespace updraft
