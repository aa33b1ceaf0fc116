#pragma once

#include <Eigen/Core>

namespace updraft {

// Decompositions of symmetric matrices, of which only the lower triangle is read. Eigen's templates
// for them take long to compile, so they are compiled in one unit.

/// A^-1 b, by Cholesky's decomposition of a positive definite A.
Eigen::VectorXd solve_positive(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
Eigen::MatrixXd solve_positive(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// L^-1 b, with L L' = A.
Eigen::MatrixXd solve_root(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// Puts L, with L L' = A, into the lower triangle of A; the rest stays. False if there is none.
bool factorise(Eigen::MatrixXd& a);

// With the L of factorise(): b becomes L^-1 b, L'^-1 b, or both, which is A^-1 b.
void divide_by_root(const Eigen::MatrixXd& root, Eigen::VectorXd& b);
void divide_by_root(const Eigen::MatrixXd& root, Eigen::MatrixXd& b);
void divide_by_transposed_root(const Eigen::MatrixXd& root, Eigen::VectorXd& b);
void divide_by_square(const Eigen::MatrixXd& root, Eigen::VectorXd& b);

/// L L'.
Eigen::MatrixXd square_of_root(const Eigen::MatrixXd& root);

/// The shortest x with the least |A x - b|, for any A. Reads all of A.
Eigen::VectorXd solve_any(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

/// Lower triangular L with L L' = A, which is positive semidefinite up to rounding.
Eigen::MatrixXd semidefinite_root(Eigen::MatrixXd a);

/// Whether Cholesky's decomposition exists.
bool is_positive(const Eigen::MatrixXd& a);

/// Increasing.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& a);

/// Eigenvalues, increasing, and the eigenvectors that belong to them, as columns.
struct Eigenpairs {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
Eigenpairs eigenpairs(const Eigen::MatrixXd& a);

}  // namespace updraft
