#include "models/response_model.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "models/logistic.h"
#include "models/row_kernels.h"
#include "updraft/state.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Exact fits end when the gradient of the penalised log-likelihood is at most so long.
constexpr double kGradientNorm = 1e-6;

class LinearModel final : public ResponseModel {
 public:
  LinearModel(std::size_t features, double lambda)
      : ResponseModel(features, lambda), moments_(VectorXd::Zero(static_cast<Index>(features))) {}

  void update() override {
    const VectorXd theta = ellipsoid().solve(moments_);
    theta_.assign(theta.begin(), theta.end());
  }

 private:
  void learn(std::span<const double> row, double payoff) override {
    moments_ += payoff * Eigen::Map<const VectorXd>(row.data(), moments_.size());
  }
  void link(std::span<double>) const override {}
  void write_rest(StateWriter& writer) const override {
    writer.f64s({moments_.data(), static_cast<std::size_t>(moments_.size())});
  }
  void read_rest(StateReader& reader) override {
    reader.f64s({moments_.data(), static_cast<std::size_t>(moments_.size())},
                "policy state: moments");
  }

  VectorXd moments_;  // sum of payoff * row
};

/// Newton's method on all rows. The Hessian is that of the last full pass with the rows added
/// since: close enough that a gradient or two a round suffice; where it is not, a full pass makes
/// it anew.
class ExactLogistic final : public ResponseModel {
 public:
  ExactLogistic(std::size_t features, double lambda)
      : ResponseModel(features, lambda), rows_(features), lambda_(lambda) {
    const auto d = static_cast<Index>(features);
    hessian_ = lambda * MatrixXd::Identity(d, d);
  }

  void update() override {
    if (fitted_ == rows_.rows()) return;
    for (std::size_t row = fitted_; row < rows_.rows(); ++row) add_curvature(row);
    fitted_ = rows_.rows();
    VectorXd theta = Eigen::Map<const VectorXd>(theta_.data(), hessian_.rows());
    VectorXd gradient = gradient_at(theta);
    bool fresh = false;  // whether hessian_ is that of `theta`
    for (int step = 0; step < 100 && gradient.norm() > kGradientNorm; ++step) {
      const VectorXd direction = hessian_.selfadjointView<Eigen::Lower>().llt().solve(gradient);
      double size = 1.0;
      VectorXd next = theta + direction;
      VectorXd next_gradient = gradient_at(next);
      while (fresh && next_gradient.norm() >= gradient.norm() && size > 1e-6) {
        size *= 0.5;
        next = theta + size * direction;
        next_gradient = gradient_at(next);
      }
      const bool good = next_gradient.norm() < 0.2 * gradient.norm();
      if (!good && !fresh) {
        renew_hessian(theta);
        fresh = true;
        continue;
      }
      if (next_gradient.norm() >= gradient.norm()) break;  // nothing left but rounding
      theta = next;
      gradient = next_gradient;
      fresh = false;
    }
    theta_.assign(theta.begin(), theta.end());
  }

 private:
  void learn(std::span<const double> row, double payoff) override {
    if (rows_.rows() % RowBlocks::kRows == 0) {
      payoffs_.resize(payoffs_.size() + RowBlocks::kRows, 0.0);
    }
    payoffs_[rows_.rows()] = payoff;
    rows_.add(row);
  }
  void link(std::span<double> scores) const override { sigmoids(scores); }

  VectorXd gradient_at(const VectorXd& theta) const {
    VectorXd gradient(theta.size());
    const auto d = static_cast<std::size_t>(theta.size());
    logistic_gradient(rows_, payoffs_, {theta.data(), d}, {gradient.data(), d});
    return gradient - lambda_ * theta;
  }

  /// The curvature of one row at theta_.
  void add_curvature(std::size_t row) {
    VectorXd x(hessian_.rows());
    rows_.copy_row(row, {x.data(), features()});
    const double mean = sigmoid(x.dot(Eigen::Map<const VectorXd>(theta_.data(), x.size())));
    hessian_.selfadjointView<Eigen::Lower>().rankUpdate(x, mean * (1.0 - mean));
  }

  void renew_hessian(const VectorXd& theta) {
    theta_.assign(theta.begin(), theta.end());
    hessian_ = lambda_ * MatrixXd::Identity(hessian_.rows(), hessian_.cols());
    for (std::size_t row = 0; row < rows_.rows(); ++row) add_curvature(row);
  }

  void write_rest(StateWriter& writer) const override {
    std::vector<double> all;
    std::vector<double> row(features());
    for (std::size_t r = 0; r < rows_.rows(); ++r) {
      rows_.copy_row(r, row);
      all.insert(all.end(), row.begin(), row.end());
    }
    writer.f64s(all);
    writer.f64s(std::span(payoffs_).first(rows_.rows()));
    writer.u64(fitted_);
    writer.f64s({hessian_.data(), static_cast<std::size_t>(hessian_.size())});
  }
  void read_rest(StateReader& reader) override {
    const std::vector<double> all = reader.f64s();
    std::vector<double> payoffs(all.size() / features());
    reader.f64s(payoffs, "policy state: payoffs");
    rows_ = RowBlocks(features());
    payoffs_.clear();
    for (std::size_t r = 0; r < payoffs.size(); ++r) {
      learn(std::span(all).subspan(r * features(), features()), payoffs[r]);
    }
    fitted_ = reader.u64_at_most(rows_.rows(), "policy state: rows fitted");
    reader.f64s({hessian_.data(), static_cast<std::size_t>(hessian_.size())},
                "policy state: curvature");
  }

  RowBlocks rows_;
  std::vector<double> payoffs_;  // eight for every block of rows_
  double lambda_;
  std::size_t fitted_ = 0;  // rows that theta_ and hessian_ know
  MatrixXd hessian_;        // the lower triangle
};

/// After the n-th update theta is a Newton step from the last on the new rows, with the curvature
/// of all rows as they were when they came.
class OnlineLogistic final : public ResponseModel {
 public:
  OnlineLogistic(std::size_t features, double lambda) : ResponseModel(features, lambda) {
    const auto d = static_cast<Index>(features);
    hessian_ = lambda * MatrixXd::Identity(d, d);
    gradient_ = VectorXd::Zero(d);
  }

  void update() override {
    const VectorXd step = hessian_.selfadjointView<Eigen::Lower>().llt().solve(gradient_);
    for (std::size_t f = 0; f < theta_.size(); ++f) theta_[f] += step[static_cast<Index>(f)];
    gradient_.setZero();
  }

 private:
  void learn(std::span<const double> row, double payoff) override {
    const Eigen::Map<const VectorXd> x(row.data(), gradient_.size());
    const double mean = sigmoid(x.dot(Eigen::Map<const VectorXd>(theta_.data(), x.size())));
    gradient_ += (payoff - mean) * x;
    hessian_.selfadjointView<Eigen::Lower>().rankUpdate(x, mean * (1.0 - mean));
  }
  void link(std::span<double> scores) const override { sigmoids(scores); }
  void write_rest(StateWriter& writer) const override {
    writer.f64s({hessian_.data(), static_cast<std::size_t>(hessian_.size())});
    writer.f64s({gradient_.data(), static_cast<std::size_t>(gradient_.size())});
  }
  void read_rest(StateReader& reader) override {
    reader.f64s({hessian_.data(), static_cast<std::size_t>(hessian_.size())},
                "policy state: curvature");
    reader.f64s({gradient_.data(), static_cast<std::size_t>(gradient_.size())},
                "policy state: gradient");
  }

  MatrixXd hessian_;   // the lower triangle
  VectorXd gradient_;  // of the rows since the last update
};

}  // namespace

ResponseModel::ResponseModel(std::size_t features, double lambda)
    : theta_(features, 0.0), ellipsoid_(features, lambda) {}

void ResponseModel::add(std::span<const double> row, double payoff) {
  ellipsoid_.add(row);
  learn(row, payoff);
}

void ResponseModel::predict(std::span<const double> rows, std::span<double> means,
                            std::span<double> widths) const {
  means_and_widths(rows, theta_, ellipsoid_.root(), means, widths);
  link(means);
}

void ResponseModel::write(StateWriter& writer) const {
  writer.f64s(theta_);
  ellipsoid_.write(writer);
  write_rest(writer);
}

void ResponseModel::read(StateReader& reader) {
  reader.f64s(theta_, "policy state: theta");
  ellipsoid_.read(reader);
  read_rest(reader);
}

std::unique_ptr<ResponseModel> make_linear_model(std::size_t features, double lambda) {
  return std::make_unique<LinearModel>(features, lambda);
}

std::unique_ptr<ResponseModel> make_logistic_model(std::size_t features, double lambda,
                                                   LogisticRefit refit) {
  if (refit == LogisticRefit::kExact) return std::make_unique<ExactLogistic>(features, lambda);
  return std::make_unique<OnlineLogistic>(features, lambda);
}

}  // namespace updraft
