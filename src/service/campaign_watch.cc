#include "service/campaign_watch.h"

#include <cmath>

namespace updraft {
namespace {

std::size_t actions_of(const CampaignDefinition& definition) {
  return definition.shape ? definition.shape->treatments + 1 : definition.knowledge->actions();
}

}  // namespace

CampaignWatch::CampaignWatch(const CampaignDefinition& definition, std::size_t effort)
    : chosen_(actions_of(definition), 0), history_(actions_of(definition), effort) {
  if (definition.shape) {
    treated_.resize(chosen_.size());
  } else {
    statistics_.emplace(definition.knowledge->actions(), definition.knowledge->variables(),
                        definition.knowledge->affected());
  }
}

void CampaignWatch::decided(const Decided& decided) {
  if (statistics_) {
    ++chosen_[decided.action];
  } else {
    for (const Treatment treatment : decided.treatments) ++chosen_[treatment];
  }
}

void CampaignWatch::observed(const Decided& decided, const Payoffs& payoffs) {
  if (statistics_) {
    statistics_->add(decided.action, payoffs);
    return;
  }
  for (std::size_t j = 0; j < decided.treatments.size(); ++j) {
    treated_[decided.treatments[j]].add(payoffs.values()[j]);
  }
}

std::vector<Belief> CampaignWatch::treatment_beliefs() const {
  std::vector<Belief> out(treated_.size());
  for (std::size_t j = 0; j < out.size(); ++j) {
    const Tally& tally = treated_[j];
    if (tally.count == 0) continue;
    out[j].estimate = tally.mean();
    if (tally.count < 2) continue;
    const auto count = static_cast<double>(tally.count);
    const double reach = kNormal95 * std::sqrt(tally.spread() / (count - 1.0) / count);
    out[j].interval = {tally.mean() - reach, tally.mean() + reach};
  }
  return out;
}

void CampaignWatch::write(StateWriter& writer) const {
  writer.u64s(chosen_);
  if (statistics_) statistics_->write(writer);
  for (const Tally& tally : treated_) tally.write(writer);
  history_.write(writer);
}

void CampaignWatch::read(StateReader& reader) {
  reader.u64s(chosen_, "snapshot: choices");
  if (statistics_) statistics_->read(reader);
  for (Tally& tally : treated_) tally.read(reader);
  history_.read(reader);
}

}  // namespace updraft
