#include <Eigen/Dense>
#include <cmath>

#include "environments/noise.h"

namespace updraft {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Eigenvalues below this share of the largest are taken for rounding errors of 0.
constexpr double kNegligible = 1e-12;

class MatrixNoise final : public NoiseSource {
 public:
  explicit MatrixNoise(const Instance& instance) {
    const auto& noise = std::get<GaussianNoise>(instance.noise());
    const auto m = static_cast<Eigen::Index>(instance.variables());
    const Partition& atoms = *instance.affected()->atoms();
    const MatrixXd covariance =
        noise.variance * Eigen::Map<const MatrixXd>(noise.matrix.data(), m, m);
    atom_of_ = MatrixXd::Zero(static_cast<Eigen::Index>(atoms.groups()), m);
    for (const Partition::Segment& segment : atoms.segments()) {
      for (VariableId i = segment.range.begin; i != segment.range.end; ++i) {
        atom_of_(segment.group, i) = 1.0;
      }
    }
    const MatrixXd atom_covariance = atom_of_ * covariance * atom_of_.transpose();

    root_ = root(covariance);
    atom_root_ = root(atom_covariance);
    correction_ = covariance * atom_of_.transpose() * pseudo_inverse(atom_covariance);
    const double total_variance = std::max(0.0, atom_covariance.sum());
    total_sd_ = std::sqrt(total_variance);
    atom_correction_ = VectorXd::Zero(atom_covariance.rows());
    if (total_variance > kNegligible * atom_covariance.diagonal().sum()) {
      atom_correction_ = atom_covariance.rowwise().sum() / total_variance;
    }
    for (Eigen::Index i = 0; i < m; ++i) sds_.push_back(std::sqrt(covariance(i, i)));
  }

  double total(const RoundKey& key, ActionId) const override {
    return total_sd_ * key.stream(Purpose::kNoiseTotal).normal(key.round, 0);
  }

  void atoms(const RoundKey& key, ActionId action, std::span<double> out) const override {
    const VectorXd w = atom_root_ * normals(key, Purpose::kNoiseGroups, atom_root_.cols());
    as_vector(out) = w + atom_correction_ * (total(key, action) - w.sum());
  }

  void variables(const RoundKey& key, ActionId action, std::span<double> sums,
                 std::span<double> out) const override {
    atoms(key, action, sums);
    const VectorXd w = root_ * normals(key, Purpose::kNoiseVariables, root_.cols());
    as_vector(out) = w + correction_ * (as_vector(sums) - atom_of_ * w);
  }

  double baseline_sd(VariableId variable) const override { return sds_[variable]; }

 private:
  static Eigen::Map<VectorXd> as_vector(std::span<double> values) {
    return {values.data(), static_cast<Eigen::Index>(values.size())};
  }

  static VectorXd normals(const RoundKey& key, Purpose purpose, Eigen::Index count) {
    VectorXd z(count);
    key.stream(purpose).normals(key.round, 0, {z.data(), static_cast<std::size_t>(count)});
    return z;
  }

  /// R with R R' = matrix, which is positive semidefinite.
  static MatrixXd root(const MatrixXd& matrix) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(matrix);
    return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  }

  static MatrixXd pseudo_inverse(const MatrixXd& matrix) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(matrix);
    const double negligible = kNegligible * solver.eigenvalues().cwiseAbs().maxCoeff();
    const VectorXd inverse = solver.eigenvalues().unaryExpr(
        [&](double value) { return value > negligible ? 1.0 / value : 0.0; });
    return solver.eigenvectors() * inverse.asDiagonal() * solver.eigenvectors().transpose();
  }

  MatrixXd atom_of_;
  MatrixXd root_;
  MatrixXd atom_root_;
  MatrixXd correction_;
  VectorXd atom_correction_;
  double total_sd_ = 0.0;
  std::vector<double> sds_;
};

}  // namespace

std::unique_ptr<NoiseSource> make_matrix_noise(const Instance& instance) {
  return std::make_unique<MatrixNoise>(instance);
}

}  // namespace updraft
