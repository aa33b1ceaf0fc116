#include "stats/unit_moments.h"

#include <cmath>

#include "core/symmetric.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

std::span<double> numbers(MatrixXd& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}
std::span<const double> numbers(const MatrixXd& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

}  // namespace

UnitMoments::UnitMoments(std::size_t actions, std::size_t units) : sketch_(units) {
  const auto g = static_cast<Index>(units);
  means_ = MatrixXd::Zero(static_cast<Index>(actions), g);
  squares_ = Eigen::VectorXd::Zero(g);
}

void UnitMoments::add(ActionId action, std::uint64_t pulls, std::span<const double> sums) {
  const Eigen::Map<const Eigen::VectorXd> x(sums.data(), means_.cols());
  auto mean = means_.row(action);
  if (pulls == 1) {
    mean = x.transpose();
    return;
  }
  const auto n = static_cast<double>(pulls);
  deviation_ = x - mean.transpose();
  mean += deviation_.transpose() / n;
  deviation_ *= std::sqrt((n - 1.0) / n);
  squares_ += deviation_.cwiseAbs2();
  sketch_.add(deviation_);
}

void UnitMoments::write(StateWriter& writer) const {
  writer.f64s(numbers(means_));
  writer.f64s({squares_.data(), static_cast<std::size_t>(squares_.size())});
  sketch_.write(writer);
}

void UnitMoments::read(StateReader& reader) {
  reader.f64s(numbers(means_), "policy state: unit means");
  reader.f64s({squares_.data(), static_cast<std::size_t>(squares_.size())},
              "policy state: unit squares");
  if (!(squares_.minCoeff() >= 0.0)) {
    throw InvalidInput("policy state: unit squares", squares_.minCoeff(), "must be >= 0");
  }
  sketch_.read(reader);
}

}  // namespace updraft
