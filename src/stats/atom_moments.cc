#include "stats/atom_moments.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {

AtomMoments::AtomMoments(std::size_t actions, std::size_t atoms) {
  const auto g = static_cast<Eigen::Index>(atoms);
  means_ = Eigen::MatrixXd::Zero(g, static_cast<Eigen::Index>(actions));
  squares_ = means_;
  if (atoms > kMostInFull) {
    sketch_.emplace(atoms);
  } else {
    scatter_ = Eigen::MatrixXd::Zero(g, g);
  }
  deviation_ = Eigen::VectorXd::Zero(g);
}

void AtomMoments::add(ActionId action, std::uint64_t pulls, std::span<const double> sums) {
  const Eigen::Map<const Eigen::VectorXd> x(sums.data(), means_.rows());
  auto mean = means_.col(action);
  if (pulls == 1) {
    mean = x;
    return;
  }
  const auto n = static_cast<double>(pulls);
  deviation_ = x - mean;
  if (skipped_.size() > 0) {
    const Eigen::ArrayXd rounds = (n - skipped_.col(action).array()).max(1.0);
    mean.array() += deviation_.array() / rounds;
    deviation_.array() *= ((rounds - 1.0) / rounds).sqrt();
    squares_.col(action) += deviation_.cwiseAbs2();
    add_deviation();
    return;
  }
  mean += deviation_ / n;
  const double weight = (n - 1.0) / n;
  squares_.col(action) += weight * deviation_.cwiseAbs2();
  if (sketch_) {
    deviation_ *= std::sqrt(weight);
    sketch_->add(deviation_);
    return;
  }
  for (Eigen::Index g = 0; g < deviation_.size(); ++g) {
    const Eigen::Index rest = deviation_.size() - g;
    scatter_.col(g).tail(rest) += (weight * deviation_[g]) * deviation_.tail(rest);
  }
}

void AtomMoments::add_deviation() {
  if (sketch_) {
    sketch_->add(deviation_);
    return;
  }
  for (Eigen::Index g = 0; g < deviation_.size(); ++g) {
    const Eigen::Index rest = deviation_.size() - g;
    scatter_.col(g).tail(rest) += deviation_[g] * deviation_.tail(rest);
  }
}

void AtomMoments::separate(ActionId action, std::uint64_t pulls, std::span<const GroupId> atoms,
                           const Split& split) {
  if (skipped_.size() == 0) skipped_ = Eigen::MatrixXd::Zero(means_.rows(), means_.cols());
  const auto before = static_cast<double>(split.old_rounds);
  const auto after = static_cast<double>(split.new_rounds);
  const double weight = before * after / (before + after);
  deviation_ = split.new_mean - split.old_mean;
  for (const GroupId g : atoms) {
    means_(g, action) = split.new_mean[g];
    skipped_(g, action) = static_cast<double>(pulls) - after;
  }
  squares_.col(action) = (squares_.col(action) - weight * deviation_.cwiseAbs2()).cwiseMax(0.0);
  if (sketch_) return;
  for (Eigen::Index g = 0; g < deviation_.size(); ++g) {
    const Eigen::Index rest = deviation_.size() - g;
    scatter_.col(g).tail(rest) -= (weight * deviation_[g]) * deviation_.tail(rest);
    scatter_(g, g) = std::max(scatter_(g, g), 0.0);
  }
}

void AtomMoments::write_separations(StateWriter& writer) const {
  writer.f64s({skipped_.data(), static_cast<std::size_t>(skipped_.size())});
}

void AtomMoments::read_separations(StateReader& reader) {
  const std::vector<double> skipped = reader.f64s();
  skipped_.resize(0, 0);
  if (skipped.empty()) return;
  if (skipped.size() != static_cast<std::size_t>(means_.size())) {
    throw InvalidInput("policy state: rounds before changes", std::to_string(skipped.size()),
                       "must be one per action and atom");
  }
  skipped_ = Eigen::Map<const Eigen::MatrixXd>(skipped.data(), means_.rows(), means_.cols());
}

void AtomMoments::write(StateWriter& writer) const {
  writer.f64s({means_.data(), static_cast<std::size_t>(means_.size())});
  writer.f64s({squares_.data(), static_cast<std::size_t>(squares_.size())});
  if (sketch_) {
    sketch_->write(writer);
    return;
  }
  writer.f64s({scatter_.data(), static_cast<std::size_t>(scatter_.size())});
}

void AtomMoments::read(StateReader& reader) {
  reader.f64s({means_.data(), static_cast<std::size_t>(means_.size())}, "policy state: atom means");
  reader.f64s({squares_.data(), static_cast<std::size_t>(squares_.size())},
              "policy state: atom squares");
  if (sketch_) {
    sketch_->read(reader);
    return;
  }
  reader.f64s({scatter_.data(), static_cast<std::size_t>(scatter_.size())},
              "policy state: atom scatter");
}

}  // namespace updraft
