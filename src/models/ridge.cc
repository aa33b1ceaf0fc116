#include "models/ridge.h"

#include "core/symmetric.h"

namespace updraft {

std::vector<double> fit_ridge(std::span<const double> rows, std::span<const double> outcomes,
                              std::size_t features, double ridge) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(outcomes.size());
  const auto d = static_cast<Eigen::Index>(features);
  const Eigen::Map<const RowMajor> x(rows.data(), n, d);
  const Eigen::Map<const Eigen::VectorXd> y(outcomes.data(), n);
  Eigen::MatrixXd gram = x.transpose() * x;
  gram.diagonal().array() += ridge;
  const Eigen::VectorXd theta = solve_positive(gram, Eigen::VectorXd(x.transpose() * y));
  return {theta.begin(), theta.end()};
}

}  // namespace updraft
