#include "stats/atom_moments.h"

#include <cmath>

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
