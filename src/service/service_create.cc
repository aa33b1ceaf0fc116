#include "service/service_parts.h"

namespace updraft {

/// The place of a campaign that is being made: its name, its id and its share of memory. Given back
/// unless it is kept.
class NewPlace {
 public:
  NewPlace(Service::Parts& parts, const CampaignDefinition& definition);
  ~NewPlace();
  NewPlace(const NewPlace&) = delete;
  NewPlace& operator=(const NewPlace&) = delete;

  /// The same campaign that was there before; null if there was none.
  bool exists() const { return exists_; }
  std::int64_t id() const { return id_; }
  void keep(EntryPtr entry);

 private:
  Service::Parts& parts_;
  std::string name_;
  std::uint64_t bytes_;
  std::int64_t id_ = 0;
  bool exists_ = false;
  bool open_ = false;
};

Service::~Service() = default;

NewPlace::NewPlace(Service::Parts& parts, const CampaignDefinition& definition)
    : parts_(parts), name_(definition.name), bytes_(cost_of(definition).bytes) {
  const std::int64_t next_id = parts.store->new_campaign_id();  // may wait for who reads the store
  const std::unique_lock lock(parts_.campaigns_mutex);
  const auto found = parts_.campaigns.find(name_);
  if (found != parts_.campaigns.end()) {
    exists_ = found->second->stored.definition == definition.canonical;
    if (exists_) return;
    throw Conflict(fmt::format("another campaign is named {}", name_));
  }
  if (parts_.being_made.count(name_) > 0) {
    throw Unavailable(fmt::format("a campaign {} is being made: nothing was changed", name_),
                      false);
  }
  const auto live =
      std::count_if(parts_.campaigns.begin(), parts_.campaigns.end(),
                    [](const auto& campaign) { return !campaign.second->archived(); });
  const std::size_t campaigns = static_cast<std::size_t>(live) + parts_.being_made.size();
  if (campaigns >= parts_.options.most_campaigns) {
    throw Conflict(
        fmt::format("there are {} campaigns, which is the limit: archive some", campaigns));
  }
  const std::uint64_t most = parts_.options.most_bytes;
  if (bytes_ > most - std::min(parts_.bytes, most)) {
    throw Conflict(fmt::format(
        "the campaign takes {} MiB of memory; all campaigns take {} of the {} MiB that they may",
        bytes_ >> 20, parts_.bytes >> 20, most >> 20));
  }
  id_ = std::max(next_id, parts_.last_id + 1);
  parts_.being_made.insert(name_);
  parts_.last_id = id_;
  parts_.bytes += bytes_;
  open_ = true;
}

NewPlace::~NewPlace() {
  if (!open_) return;
  const std::unique_lock lock(parts_.campaigns_mutex);
  parts_.being_made.erase(name_);
  parts_.bytes -= bytes_;
}

void NewPlace::keep(EntryPtr entry) {
  const std::unique_lock lock(parts_.campaigns_mutex);
  entry->bytes = bytes_;
  parts_.campaigns.emplace(name_, std::move(entry));
  parts_.being_made.erase(name_);
  open_ = false;
}

bool Service::create(const CampaignDefinition& definition, std::string_view by) {
  try {
    parts_->committer.check();
    if (parts_->store->is_shared()) {
      try {  // another node may have made it
        parts_->entry(definition.name);
      } catch (const NotFound&) {
      } catch (const Quarantined&) {
      }
    }
    NewPlace place(*parts_, definition);
    if (place.exists()) return false;
    auto entry = std::make_shared<Entry>();
    entry->shown.definition = std::make_shared<CampaignDefinition>(definition);
    entry->epoch = parts_->committer.epoch(place.id());
    entry->live = std::make_unique<LiveCampaign>(entry->shown.definition);
    entry->stored = {place.id(), definition.name, definition.canonical, now_ms(), std::string(by)};
    entry->publish_counts();
    parts_->committer.wait(parts_->committer.add(entry->stored, entry->epoch));
    place.keep(std::move(entry));
    return true;
  } catch (const CommitFailed& failure) {
    throw unavailable(failure);
  } catch (const StoreError& error) {
    throw unavailable(CommitFailed(error.what(), error.kind()));
  }
}

}  // namespace updraft
