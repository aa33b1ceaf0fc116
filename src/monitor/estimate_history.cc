#include "updraft/estimate_history.h"

#include <algorithm>
#include <bit>
#include <string>

#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

constexpr std::size_t kMostCells = 50'000;  // points times actions
constexpr std::size_t kLeastPoints = 32;
constexpr std::size_t kEffort = 100'000;  // numbers looked at, per event

std::size_t most_points(std::size_t actions) {
  if (actions > EstimateHistory::kMostActions) return 0;
  return std::clamp(kMostCells / actions, kLeastPoints, EstimateHistory::kMostPoints);
}

// An estimate is a word that says which of its numbers follow, and these.
constexpr std::uint64_t kEstimate = 1;
constexpr std::uint64_t kInterval = 2;
constexpr std::uint64_t kReference = 4;  // the others are differences to this action

void write_estimate(StateWriter& writer, const IntervalEstimate& estimate, bool reference) {
  writer.u64((estimate.value ? kEstimate : 0) | (estimate.interval ? kInterval : 0) |
             (reference ? kReference : 0));
  if (estimate.value) writer.f64(*estimate.value);
  if (!estimate.interval) return;
  writer.f64(estimate.interval->low);
  writer.f64(estimate.interval->high);
}

IntervalEstimate read_estimate(StateReader& reader, bool& reference) {
  IntervalEstimate estimate;
  const std::uint64_t has =
      reader.u64_at_most(kEstimate | kInterval | kReference, "snapshot: estimate");
  reference = (has & kReference) != 0;
  if ((has & kEstimate) != 0) estimate.value = reader.f64();
  if ((has & kInterval) != 0) {
    estimate.interval.emplace();
    estimate.interval->low = reader.f64();
    estimate.interval->high = reader.f64();
  }
  return estimate;
}

}  // namespace

EstimateHistory::EstimateHistory(std::size_t actions, std::size_t effort)
    : actions_(actions),
      most_points_(most_points(actions)),
      stride_(std::bit_ceil(std::max<std::size_t>(1, effort / kEffort))) {}

void EstimateHistory::add(Point point) {
  points_.push_back(std::move(point));
  if (points_.size() < most_points_) return;
  stride_ *= 2;
  std::erase_if(points_, [this](const Point& old) { return old.event % stride_ != 0; });
}

void EstimateHistory::write(StateWriter& writer) const {
  writer.u64(stride_);
  writer.u64(points_.size());
  for (const Point& point : points_) {
    writer.u64(point.event);
    writer.u64(static_cast<std::uint64_t>(point.time_ms));
    writer.u64(point.decided);
    writer.u64(point.complete);
    writer.u64s(point.chosen);
    for (ActionId action = 0; action < point.estimates.size(); ++action) {
      write_estimate(writer, point.estimates[action], point.reference == action);
    }
  }
}

void EstimateHistory::read(StateReader& reader) {
  stride_ = reader.u64_at_most(std::uint64_t{1} << 40, "snapshot: stride");
  if (!std::has_single_bit(stride_)) {
    throw InvalidInput("snapshot: stride", std::to_string(stride_), "must be a power of two");
  }
  points_.resize(reader.u64_at_most(most_points_, "snapshot: points"));
  for (Point& point : points_) {
    point.event = reader.u64();
    point.time_ms = static_cast<std::int64_t>(reader.u64());
    point.decided = reader.u64();
    point.complete = reader.u64();
    point.chosen.resize(actions_);
    reader.u64s(point.chosen, "snapshot: choices");
    point.estimates.resize(actions_);
    for (ActionId action = 0; action < actions_; ++action) {
      bool reference = false;
      point.estimates[action] = read_estimate(reader, reference);
      if (reference) point.reference = action;
    }
  }
}

}  // namespace updraft
