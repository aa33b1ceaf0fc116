#include "service/campaign_watch.h"

#include <cmath>

namespace updraft {
namespace {

std::size_t actions_of(const CampaignDefinition& definition) {
  if (definition.shape) return definition.shape->treatments + 1;
  return definition.contexts ? definition.contexts->actions : definition.knowledge->actions();
}

/// Whether what a policy believes of the context can be looked at again and again.
bool can_be_looked_at(const Decided& decided, const ContextualShape& shape) {
  return decided.features.size() <= CampaignWatch::kMostEffort / (shape.actions * shape.features);
}

}  // namespace

CampaignWatch::CampaignWatch(const CampaignDefinition& definition, std::size_t effort)
    : contexts_(definition.contexts),
      chosen_(actions_of(definition), 0),
      history_(actions_of(definition), effort) {
  if (definition.shape || definition.contexts) {
    tallies_.resize(chosen_.size());
  } else {
    statistics_.emplace(definition.knowledge->actions(), definition.knowledge->variables(),
                        definition.knowledge->affected());
  }
}

void CampaignWatch::decided(const std::string& id, const Decided& decided) {
  if (contexts_) {
    last_.reset();
    if (can_be_looked_at(decided, *contexts_)) last_ = {id, decided};
  }
  if (statistics_ || contexts_) {
    ++chosen_[decided.action];
    return;
  }
  for (const Treatment treatment : decided.treatments) ++chosen_[treatment];
}

void CampaignWatch::observed(const Decided& decided, const Payoffs& payoffs) {
  if (statistics_) {
    statistics_->add(decided.action, payoffs);
    return;
  }
  for (std::size_t j = 0; j < payoffs.values().size(); ++j) {
    tallies_[contexts_ ? decided.action : decided.treatments[j]].add(payoffs.values()[j]);
  }
}

std::vector<Belief> CampaignWatch::mean_payoffs() const {
  std::vector<Belief> out(tallies_.size());
  for (std::size_t j = 0; j < out.size(); ++j) {
    const Tally& tally = tallies_[j];
    if (tally.count == 0) continue;
    out[j].estimate = tally.mean();
    if (tally.count < 2) continue;
    const auto count = static_cast<double>(tally.count);
    const double reach = kNormal95 * std::sqrt(tally.spread() / (count - 1.0) / count);
    out[j].interval = {tally.mean() - reach, tally.mean() + reach};
  }
  return out;
}

void CampaignWatch::write_last(StateWriter& writer) const {
  writer.u64(last_ ? 1 : 0);
  if (!last_) return;
  writer.text(last_->decision);
  writer.text(encode(last_->decided));
}

void CampaignWatch::read_last(StateReader& reader) {
  last_.reset();
  if (reader.u64_at_most(1, "snapshot: last context") == 0) return;
  last_.emplace();
  last_->decision = reader.text();
  last_->decided = decode_decided(reader.text());
}

void CampaignWatch::write(StateWriter& writer) const {
  writer.u64s(chosen_);
  if (statistics_) statistics_->write(writer);
  for (const Tally& tally : tallies_) tally.write(writer);
  if (contexts_) write_last(writer);
  history_.write(writer);
}

void CampaignWatch::read(StateReader& reader) {
  reader.u64s(chosen_, "snapshot: choices");
  if (statistics_) statistics_->read(reader);
  for (Tally& tally : tallies_) tally.read(reader);
  if (contexts_) read_last(reader);
  history_.read(reader);
}

}  // namespace updraft
