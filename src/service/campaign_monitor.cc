#include "service/campaign_monitor.h"

namespace updraft {
namespace {

/// Whether what a policy estimates in the context can be looked at again and again.
bool can_be_looked_at(const Decided& decided, const ContextualShape& shape) {
  return decided.features.size() <= CampaignMonitor::kMostEffort / (shape.actions * shape.features);
}

Monitor monitor_of(const CampaignDefinition& definition, const Policy* policy) {
  if (policy != nullptr) return Monitor(*policy, *definition.knowledge);
  return Monitor(definition.shape ? definition.shape->treatments + 1
                                  : definition.contexts->actions);
}

}  // namespace

CampaignMonitor::CampaignMonitor(const CampaignDefinition& definition, const Policy* policy)
    : contexts_(definition.contexts), monitor_(monitor_of(definition, policy)) {}

void CampaignMonitor::decided(const std::string& id, const Decided& decided) {
  if (contexts_) {
    last_.reset();
    if (can_be_looked_at(decided, *contexts_)) last_ = {id, decided};
  }
  if (monitor_.statistics() != nullptr || contexts_) {
    monitor_.decided(decided.action);
    return;
  }
  for (const Treatment treatment : decided.treatments) monitor_.decided(treatment);
}

void CampaignMonitor::observed(const Decided& decided, const Payoffs& payoffs) {
  if (monitor_.statistics() != nullptr) {
    monitor_.observed(decided.action, payoffs);
    return;
  }
  for (std::size_t j = 0; j < payoffs.values().size(); ++j) {
    monitor_.paid(contexts_ ? decided.action : decided.treatments[j], payoffs.values()[j]);
  }
}

void CampaignMonitor::write_last(StateWriter& writer) const {
  writer.u64(last_ ? 1 : 0);
  if (!last_) return;
  writer.text(last_->decision);
  writer.text(encode(last_->decided));
}

void CampaignMonitor::read_last(StateReader& reader) {
  last_.reset();
  if (reader.u64_at_most(1, "snapshot: last context") == 0) return;
  last_.emplace();
  last_->decision = reader.text();
  last_->decided = decode_decided(reader.text());
}

void CampaignMonitor::write(StateWriter& writer) const {
  monitor_.write_counts(writer);
  if (contexts_) write_last(writer);
  monitor_.write_history(writer);
}

void CampaignMonitor::read(StateReader& reader) {
  monitor_.read_counts(reader);
  if (contexts_) read_last(reader);
  monitor_.read_history(reader);
}

}  // namespace updraft
