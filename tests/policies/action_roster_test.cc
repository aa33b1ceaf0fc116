#include "updraft/action_roster.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "support/refusal.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

using testing::refusal;
using Ids = std::vector<ActionId>;

Ids idle(const ActionRoster& roster) { return {roster.idle().begin(), roster.idle().end()}; }

TEST(ActionRoster, PausesResumesAndRetires) {
  ActionRoster roster(3);
  EXPECT_TRUE(roster.all_active());
  EXPECT_TRUE(roster.set(2, ActionStatus::kPaused));
  EXPECT_FALSE(roster.set(2, ActionStatus::kPaused));
  EXPECT_EQ(idle(roster), Ids{2});
  EXPECT_TRUE(roster.set(2, ActionStatus::kActive));
  EXPECT_TRUE(roster.all_active());
  EXPECT_TRUE(roster.set(0, ActionStatus::kPaused));
  EXPECT_TRUE(roster.set(0, ActionStatus::kRetired));
  EXPECT_EQ(roster.status(0), ActionStatus::kRetired);
  EXPECT_EQ(idle(roster), Ids{0});
}

TEST(ActionRoster, KeepsOneActionActiveAndRetiredOnesOut) {
  ActionRoster roster(2);
  roster.set(0, ActionStatus::kRetired);
  for (const ActionStatus status : {ActionStatus::kActive, ActionStatus::kPaused}) {
    EXPECT_EQ(refusal([&] { roster.set(0, status); }), "action = 0: is retired, and never returns");
  }
  for (const ActionStatus status : {ActionStatus::kRetired, ActionStatus::kPaused}) {
    EXPECT_EQ(refusal([&] { roster.set(1, status); }), "action = 1: is the last active action");
  }
  EXPECT_EQ(refusal([&] { roster.set(2, ActionStatus::kPaused); }),
            "action = 2: must be below the number of actions, 2");
  EXPECT_EQ(roster.refusal(1, ActionStatus::kActive), "");
  EXPECT_EQ(idle(roster), Ids{0});
}

TEST(ActionRoster, LeavesRoundsWhatIsActive) {
  ActionRoster roster(4);
  const Ids some = {1, 3};
  EXPECT_EQ(roster.active_among({}), Ids{});
  EXPECT_EQ(roster.active_among(some), some);
  roster.set(1, ActionStatus::kPaused);
  EXPECT_EQ(roster.active_among({}), (Ids{0, 2, 3}));
  EXPECT_EQ(roster.active_among(some), Ids{3});
  roster.set(3, ActionStatus::kRetired);
  EXPECT_EQ(refusal([&] { roster.active_among(some); }),
            "allowed: every action in it is paused or retired");
}

TEST(ActionRoster, IsSavedAndRestored) {
  ActionRoster roster(3);
  roster.set(0, ActionStatus::kPaused);
  roster.set(2, ActionStatus::kRetired);
  StateWriter writer;
  roster.write(writer);
  const std::string bytes = writer.bytes();
  ActionRoster restored(3);
  StateReader reader(bytes);
  restored.read(reader);
  for (ActionId action = 0; action < 3; ++action) {
    EXPECT_EQ(restored.status(action), roster.status(action));
  }
  EXPECT_EQ(idle(restored), idle(roster));

  StateWriter none;
  for (int j = 0; j < 3; ++j) none.u64(1);
  const std::string refused = none.bytes();
  StateReader again(refused);
  EXPECT_EQ(refusal([&] { restored.read(again); }),
            "status of an action: at least one action must be active");
}

TEST(ActionRoster, NamesStatuses) {
  EXPECT_EQ(name_of(ActionStatus::kActive), "active");
  EXPECT_EQ(name_of(ActionStatus::kPaused), "paused");
  EXPECT_EQ(name_of(ActionStatus::kRetired), "retired");
}

}  // namespace
}  // namespace updraft
