#include "migrate_store.h"

#include <fmt/format.h>

#include <stdexcept>

#include "output.h"
#include "service/store_check.h"
#include "store/open_store.h"
#include "store/postgres_store.h"
#include "store/store_copy.h"
#include "updraft/error.h"

namespace updraft::cli {
namespace {

/// What must be the same in both: how many events and snapshots the replay of each campaign has
/// found correct, and how the chains of its events end.
std::string summary_of(const EventStore& store, const StoreCheck& check) {
  std::string out;
  for (const CheckedCampaign& campaign : check.campaigns) {
    out += fmt::format("{} {} {} {} {}", campaign.name, campaign.events, campaign.cut,
                       campaign.snapshots, campaign.dropped);
    for (const NamedHead& head : store.heads_of(campaign.name)) {
      out += fmt::format(" {}:{}:{}", head.campaign, head.head.number, head.head.chain);
    }
    out += "\n";
  }
  return out;
}

struct Replayed {
  std::string summary;
  std::vector<std::string> defects;
  std::uint64_t events = 0;
  std::size_t campaigns = 0;
};

Replayed replay_of(const std::string& name) {
  const std::unique_ptr<EventStore> store = open_store(name);
  const StoreCheck check = check_store(*store);
  Replayed out = {summary_of(*store, check), check.defects, 0, check.campaigns.size()};
  for (const CheckedCampaign& campaign : check.campaigns) out.events += campaign.events;
  return out;
}

}  // namespace

void migrate_store(const std::string& from, const std::string& to) {
  if (from.empty()) throw InvalidInput("FROM", "must be given: the store to copy");
  if (to.empty()) throw InvalidInput("TO", "must be given: the store to make");
  const std::shared_ptr<void> keeps_nodes_out = copy_store(from, to);
  try {
    const Replayed source = replay_of(from);
    if (!source.defects.empty()) {
      throw std::runtime_error(
          fmt::format("{}: something is wrong: {}", shown_store(from), source.defects.front()));
    }
    const Replayed copy = replay_of(to);
    if (!copy.defects.empty() || copy.summary != source.summary) {
      throw std::runtime_error(
          fmt::format("the copy is not the same: {}",
                      copy.defects.empty() ? "its campaigns end otherwise" : copy.defects.front()));
    }
    write_output(fmt::format("copied {} to {}: {} campaigns, {} events, replayed and the same\n",
                             shown_store(from), shown_store(to), copy.campaigns, copy.events));
  } catch (const std::exception& error) {
    try {
      remove_copy(to);
    } catch (const std::exception& kept) {
      throw std::runtime_error(
          fmt::format("{}; the copy was not removed: {}", error.what(), kept.what()));
    }
    throw;
  }
}

}  // namespace updraft::cli
