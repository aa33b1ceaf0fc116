#include "core/symmetric.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>

namespace updraft {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd solve_positive(const MatrixXd& a, const VectorXd& b) { return a.llt().solve(b); }

MatrixXd solve_positive(const MatrixXd& a, const MatrixXd& b) { return a.llt().solve(b); }

MatrixXd solve_root(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd x = b;
  a.llt().matrixL().solveInPlace(x);
  return x;
}

bool factorise(MatrixXd& a) { return Eigen::LLT<Eigen::Ref<MatrixXd>>(a).info() == Eigen::Success; }

void divide_by_root(const MatrixXd& root, VectorXd& b) {
  root.triangularView<Eigen::Lower>().solveInPlace(b);
}

void divide_by_root(const MatrixXd& root, MatrixXd& b) {
  root.triangularView<Eigen::Lower>().solveInPlace(b);
}

void divide_by_transposed_root(const MatrixXd& root, VectorXd& b) {
  root.triangularView<Eigen::Lower>().adjoint().solveInPlace(b);
}

void divide_by_square(const MatrixXd& root, VectorXd& b) {
  divide_by_root(root, b);
  divide_by_transposed_root(root, b);
}

MatrixXd square_of_root(const MatrixXd& root) {
  const auto lower = root.triangularView<Eigen::Lower>();
  return lower * lower.adjoint().toDenseMatrix();
}

VectorXd solve_any(const MatrixXd& a, const VectorXd& b) {
  return a.completeOrthogonalDecomposition().solve(b);
}

MatrixXd semidefinite_root(MatrixXd a) {
  constexpr double kNegligible = 1e-14;
  MatrixXd root = MatrixXd::Zero(a.rows(), a.cols());
  const VectorXd diagonal = a.diagonal();
  for (Index j = 0; j < a.cols(); ++j) {
    if (!(a(j, j) > kNegligible * diagonal[j])) continue;
    const Index rest = a.rows() - j;
    root.col(j).tail(rest) = a.col(j).tail(rest) / std::sqrt(a(j, j));
    a.bottomRightCorner(rest, rest) -= root.col(j).tail(rest) * root.col(j).tail(rest).transpose();
  }
  return root;
}

bool is_positive(const MatrixXd& a) { return a.llt().info() == Eigen::Success; }

VectorXd eigenvalues(const MatrixXd& a) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues();
}

Eigenpairs eigenpairs(const MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(a);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace updraft
