#include "service/event_bodies.h"

#include <limits>
#include <utility>

#include "policies/saved_sets.h"
#include "service/packed_decimals.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

constexpr std::uint64_t kMostId = std::numeric_limits<std::uint32_t>::max();

template <typename Id>
void write_ids(StateWriter& writer, const std::vector<Id>& ids) {
  writer.u64(ids.size());
  for (const Id id : ids) writer.u64(id);
}

std::vector<std::uint32_t> read_ids(StateReader& reader) {
  const std::vector<std::uint64_t> wide = reader.u64s();
  std::vector<std::uint32_t> ids;
  ids.reserve(wide.size());
  for (const std::uint64_t id : wide) {
    if (id > kMostId) throw InvalidInput("event", std::to_string(id), "is no id");
    ids.push_back(static_cast<std::uint32_t>(id));
  }
  return ids;
}

/// How the values of payoffs are written.
constexpr std::uint64_t kSparse = 0;
constexpr std::uint64_t kDense = 1;
constexpr std::uint64_t kPacked = 2;

void write_numbers(StateWriter& writer, const PayoffPart& part, bool packed) {
  const auto decimals = packed && part.dense ? packed_decimals(part.values) : std::nullopt;
  if (decimals) {
    writer.u64(kPacked);
    write_packed(*decimals, writer);
    return;
  }
  writer.u64(part.dense ? kDense : kSparse);
  write_ids(writer, part.ids);
  writer.f64s(part.values);
}

void read_numbers(StateReader& reader, PayoffPart& part) {
  const std::uint64_t form = reader.u64_at_most(kPacked, "event: form of payoffs");
  part.dense = form != kSparse;
  if (form == kPacked) {
    part.values = read_packed(reader);
    return;
  }
  part.ids = read_ids(reader);
  part.values = reader.f64s();
}

/// Which parts a decision has that others lack.
constexpr std::uint64_t kIndex = 1;
constexpr std::uint64_t kAffected = 2;
constexpr std::uint64_t kRevision = 4;
constexpr std::uint64_t kProbability = 8;
constexpr std::uint64_t kProposal = 16;
constexpr std::uint64_t kCaller = 32;
constexpr std::uint64_t kHeldOut = 64;
constexpr std::uint64_t kChosen = 128;
constexpr std::uint64_t kProbe = 256;
constexpr std::uint64_t kAllowed = 512;
constexpr std::uint64_t kBatched = 1024;
constexpr std::uint64_t kAllParts = 2 * kBatched - 1;

std::uint64_t parts_of(const Decided& decided) {
  return (decided.index ? kIndex : 0) | (decided.affected.empty() ? 0 : kAffected) |
         (decided.revision == 0 ? 0 : kRevision) | (decided.probability ? kProbability : 0) |
         (decided.proposal ? kProposal : 0) | (decided.by_caller ? kCaller : 0) |
         (decided.held_out ? kHeldOut : 0) | (decided.chosen.empty() ? 0 : kChosen) |
         (decided.probe ? kProbe : 0) | (decided.allowed.empty() ? 0 : kAllowed) |
         (decided.batch.size == 0 ? 0 : kBatched);
}

std::size_t numbers_of(const std::vector<VariableSet>& sets) {
  std::size_t count = sets.size() * (sizeof(VariableSet) / sizeof(double));
  for (const VariableSet& set : sets) count += set.ranges().size();
  return count;
}

}  // namespace

std::size_t numbers_of(const DecisionRequest& request) {
  return request.features.size() + request.baseline.size() + numbers_of(request.affected) +
         request.allowed.size();
}

std::size_t Decided::numbers() const {
  return features.size() + baseline.size() + numbers_of(affected) + allowed.size();
}

std::string_view Decided::differs_by(const DecisionRequest& request) const {
  if (features != request.features || baseline != request.baseline ||
      affected != request.affected) {
    return treatments.empty() ? "context" : "pool";
  }
  if (allowed != request.allowed) return "allowed";
  if (batch.size != request.batch.size) return "count";
  if (by_caller != request.action.has_value()) return "action";
  if (!by_caller) return "";
  return action == *request.action && probability == request.probability ? "" : "action";
}

DecisionRequest Decided::request() const {
  return {.id = "",
          .features = features,
          .baseline = baseline,
          .affected = affected,
          .allowed = allowed,
          .batch = batch};
}

void check_probability(double probability, std::string_view field) {
  if (probability > 0.0 && probability <= 1.0) return;
  throw InvalidInput(field, probability, "must be in (0, 1]");
}

std::string encode(const Decided& decided) {
  StateWriter writer;
  writer.u64(decided.action);
  writer.u64(parts_of(decided));
  writer.f64(decided.index.value_or(0.0));
  writer.f64s(decided.features);
  writer.f64s(decided.baseline);
  write_ids(writer, decided.treatments);
  if (!decided.affected.empty()) {
    writer.u64(decided.affected.size());
    for (const VariableSet& set : decided.affected) write_set(set, writer);
  }
  if (decided.revision != 0) writer.u64(decided.revision);
  if (decided.probability) writer.f64(*decided.probability);
  if (decided.proposal) writer.u64(*decided.proposal);
  if (!decided.chosen.empty()) write_ids(writer, decided.chosen);
  if (!decided.allowed.empty()) write_ids(writer, decided.allowed);
  if (decided.batch.size != 0) {
    writer.u64(decided.batch.position);
    writer.u64(decided.batch.size);
  }
  return writer.bytes();
}

Decided decode_decided(std::string_view body) {
  StateReader reader(body);
  Decided decided;
  decided.action = static_cast<ActionId>(reader.u64_at_most(kMostId, "event: action"));
  const std::uint64_t has = reader.u64_at_most(kAllParts, "event: bits");
  const double index = reader.f64();
  if ((has & kIndex) != 0) decided.index = index;
  decided.features = reader.f64s();
  decided.baseline = reader.f64s();
  decided.treatments = read_ids(reader);
  if ((has & kAffected) != 0) {
    for (std::uint64_t left = reader.u64(); left > 0; --left) {
      decided.affected.push_back(read_set(reader, kMostId, "event: affected"));
    }
  }
  if ((has & kRevision) != 0) {
    decided.revision = static_cast<std::uint32_t>(reader.u64_at_most(kMostId, "event: revision"));
  }
  if ((has & kProbability) != 0) {
    decided.probability = reader.f64();
    check_probability(*decided.probability, "event: probability");
  }
  if ((has & kProposal) != 0) {
    decided.proposal = static_cast<ActionId>(reader.u64_at_most(kMostId, "event: proposal"));
  }
  decided.by_caller = (has & kCaller) != 0;
  decided.held_out = (has & kHeldOut) != 0;
  decided.probe = (has & kProbe) != 0;
  if ((has & kChosen) != 0) decided.chosen = read_ids(reader);
  if ((has & kAllowed) != 0) decided.allowed = read_ids(reader);
  if ((has & kBatched) != 0) {
    decided.batch.position =
        static_cast<std::uint32_t>(reader.u64_at_most(kMostId, "event: position in a batch"));
    decided.batch.size =
        static_cast<std::uint32_t>(reader.u64_at_most(kMostId, "event: size of a batch"));
  }
  reader.finish();
  return decided;
}

std::string encode(const PayoffPart& part, bool packed) {
  StateWriter writer;
  writer.text(part.part);
  writer.u64(part.complete ? 1 : 0);
  write_numbers(writer, part, packed);
  return writer.bytes();
}

std::string encode(const std::vector<PastRound>& rounds) {
  StateWriter writer;
  writer.u64(rounds.size());
  for (const PastRound& round : rounds) {
    writer.u64(round.action);
    write_numbers(writer, round.payoffs, false);
  }
  return writer.bytes();
}

PayoffPart decode_payoffs(std::string_view body) {
  StateReader reader(body);
  PayoffPart part;
  part.part = reader.text();
  part.complete = reader.u64_at_most(1, "event: complete") == 1;
  read_numbers(reader, part);
  reader.finish();
  return part;
}

std::uint64_t history_rounds(std::string_view body) { return StateReader(body).u64(); }

std::vector<PastRound> decode_history(std::string_view body) {
  StateReader reader(body);
  std::vector<PastRound> rounds;
  for (std::uint64_t left = reader.u64(); left > 0; --left) {
    PastRound& round = rounds.emplace_back();
    round.action = static_cast<ActionId>(reader.u64_at_most(kMostId, "event: action"));
    read_numbers(reader, round.payoffs);
  }
  reader.finish();
  return rounds;
}

std::string encode_action(ActionId action) {
  StateWriter writer;
  writer.u64(action);
  return writer.bytes();
}

ActionId decode_action(std::string_view body) {
  StateReader reader(body);
  const auto action = static_cast<ActionId>(reader.u64_at_most(kMostId, "event: action"));
  reader.finish();
  return action;
}

bool is_packed(std::string_view payoffs_body) {
  StateReader reader(payoffs_body);
  reader.text();
  reader.u64();
  return reader.u64() == kPacked;
}

}  // namespace updraft
