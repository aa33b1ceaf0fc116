#include <cmath>

#include "core/symmetric.h"
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

  std::size_t numbers(Resolution::Kind kind) const override {
    return static_cast<std::size_t>(kind == Resolution::Kind::kTotal    ? 1
                                    : kind == Resolution::Kind::kGroups ? atom_of_.rows()
                                                                        : atom_of_.cols());
  }

  void draw(const RoundBlock& block, Resolution::Kind kind, std::span<double> columns,
            DrawBuffers& buffers) const override {
    buffers.sums.resize(numbers(kind));
    for (std::uint32_t r = 0; r < block.rounds; ++r) {
      draw_round(block, block.first + r, kind, buffers.sums);
      for (std::size_t j = 0; j < buffers.sums.size(); ++j) {
        columns[j * block.rounds + r] = buffers.sums[j];
      }
    }
  }

  double baseline_sd(VariableId variable) const override { return sds_[variable]; }

 private:
  void draw_round(const RoundBlock& block, std::uint32_t round, Resolution::Kind kind,
                  std::span<double> out) const {
    const double total = total_sd_ * block.stream(Purpose::kNoiseTotal).normal(round, 0);
    if (kind == Resolution::Kind::kTotal) {
      out[0] = total;
      return;
    }
    VectorXd atoms = atom_root_ * normals(block, round, Purpose::kNoiseGroups, atom_root_.cols());
    atoms += atom_correction_ * (total - atoms.sum());
    if (kind == Resolution::Kind::kGroups) {
      as_vector(out) = atoms;
      return;
    }
    const VectorXd w = root_ * normals(block, round, Purpose::kNoiseVariables, root_.cols());
    as_vector(out) = w + correction_ * (atoms - atom_of_ * w);
  }

  static Eigen::Map<VectorXd> as_vector(std::span<double> values) {
    return {values.data(), static_cast<Eigen::Index>(values.size())};
  }

  static VectorXd normals(const RoundBlock& block, std::uint32_t round, Purpose purpose,
                          Eigen::Index count) {
    VectorXd z(count);
    block.stream(purpose).normals(round, 0, {z.data(), static_cast<std::size_t>(count)});
    return z;
  }

  /// R with R R' = matrix, which is positive semidefinite.
  static MatrixXd root(const MatrixXd& matrix) {
    const auto [values, vectors] = eigenpairs(matrix);
    return vectors * values.cwiseMax(0.0).cwiseSqrt().asDiagonal();
  }

  static MatrixXd pseudo_inverse(const MatrixXd& matrix) {
    const auto [values, vectors] = eigenpairs(matrix);
    const double negligible = kNegligible * values.cwiseAbs().maxCoeff();
    const VectorXd inverse =
        values.unaryExpr([&](double value) { return value > negligible ? 1.0 / value : 0.0; });
    return vectors * inverse.asDiagonal() * vectors.transpose();
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
