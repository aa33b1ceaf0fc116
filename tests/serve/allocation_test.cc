// Want of memory at any moment of a request leaves state and store as they were, or as they are to
// be. In this program, as operator new is replaced for all of it.

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "service/service.h"
#include "service/store_check.h"
#include "store/campaign_store.h"
#include "support/folder.h"

namespace {

thread_local int allocations_left = -1;  // -1: no limit

}  // namespace

// gcc sees free() inlined beside calls of new, and takes it for a mistake.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

void* operator new(std::size_t size) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace updraft::service_test {
namespace {

/// Whether `work` ends well with that many allocations.
template <typename Work>
bool done_with(int allocations, Work work) {
  try {
    allocations_left = allocations;
    work();
    allocations_left = -1;
    return true;
  } catch (const std::bad_alloc&) {
    allocations_left = -1;
    return false;
  }
}

/// Lets `work` run with ever more allocations, each time on a new store, until they suffice; after
/// each the service goes on, and the store adds up.
template <typename Work>
void expect_sound_whenever_memory_ends(Work work) {
  const CampaignDefinition definition = parse_definition(
      R"json({"name": "c", "policy": "up_ucb(alpha=1)", "actions": 2, "variables": 3,
              "knowledge": {"affected": [[0], [1, 2]]}})json");
  const PayoffPart part = {"", true, true, {}, {1.0, 2.0, 3.0}};
  int failures = 0;
  for (bool done = false; !done; ++failures) {
    const testing::TemporaryFolder folder;
    const std::filesystem::path store = folder.path() / "campaigns.db";
    {
      Service service({.store = store});
      service.create(definition);
      service.decide("c", {.id = "before", .features = {}, .baseline = {}});
      done = done_with(failures, [&] { work(service, part); });
      service.decide("c", {.id = "after", .features = {}, .baseline = {}});
      service.pay("c", "before", part);
      EXPECT_EQ(service.report("c")["decisions"]["complete"], 1) << failures;
    }
    const StoreCheck check = check_store(CampaignStore(store, CampaignStore::Mode::kRead));
    EXPECT_TRUE(check.defects.empty()) << failures << ": " << check.defects.front();
  }
  EXPECT_GT(failures, 5);
}

TEST(WantOfMemory, LeavesDecisionsSound) {
  expect_sound_whenever_memory_ends([](Service& service, const PayoffPart&) {
    service.decide("c", {.id = "now", .features = {}, .baseline = {}});
  });
}

TEST(WantOfMemory, LeavesPayoffsSound) {
  expect_sound_whenever_memory_ends(
      [](Service& service, const PayoffPart& part) { service.pay("c", "before", part); });
}

}  // namespace
}  // namespace updraft::service_test
