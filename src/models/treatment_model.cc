#include "models/treatment_model.h"

#include <cmath>
#include <limits>

#include "core/symmetric.h"
#include "models/logistic.h"
#include "models/merged_rows.h"
#include "models/row_kernels.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Exact fits end when the gradient of the penalised log-likelihood is at most so long.
constexpr double kGradientNorm = 1e-6;

/// The curvature of all rows is computed anew when their number has grown by this factor.
constexpr double kRenewal = 1.2;

class LinearModel final : public TreatmentModel {
 public:
  LinearModel(std::size_t features, double lambda)
      : TreatmentModel(features, lambda), moments_(VectorXd::Zero(static_cast<Index>(features))) {}

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

/// Newton's method on all rows. The curvature is that of the last pass that computed it, with the
/// rows and the steps since, and so is close enough that two or three passes over the rows suffice
/// an update: the
/// gradient where an update starts is the one where the last ended, and the new rows'.
class ExactLogistic final : public TreatmentModel {
 public:
  ExactLogistic(std::size_t features, double lambda)
      : TreatmentModel(features, lambda), rows_(features), lambda_(lambda) {
    const auto d = static_cast<Index>(features);
    hessian_ = lambda * MatrixXd::Identity(d, d);
    gradient_ = VectorXd::Zero(d);
  }

  void update() override {
    if (static_cast<double>(rows_.total()) > kRenewal * static_cast<double>(renewed_)) renew();
    for (int step = 0; step < 100 && gradient_.norm() > enough(); ++step) {
      const VectorXd direction = solve_positive(hessian_, gradient_);
      if (move(direction, 0.3)) continue;
      renew();
      const VectorXd newton = solve_positive(hessian_, gradient_);
      double size = 1.0;
      while (size > 1e-6 && !move(size * newton, 1.0)) size *= 0.5;
      if (size <= 1e-6) break;  // stuck, where all rows look certain
    }
    if (gradient_.norm() > enough()) start_anew();
  }

  std::uint64_t kept_bytes() const override { return rows_.bytes(); }

 private:
  void learn(std::span<const double> row, double payoff) override {
    rows_.add(row, payoff);
    const Eigen::Map<const VectorXd> x(row.data(), gradient_.size());
    const double mean = add_curvature(x, 1.0);
    gradient_ += (payoff - mean) * x;
    length_ += x.norm();
  }
  void link(std::span<double> scores) const override { sigmoids(scores); }

  /// Goes to theta + step if the gradient there is shorter than `share` of what it is.
  bool move(const VectorXd& step, double share) {
    const VectorXd next = Eigen::Map<const VectorXd>(theta_.data(), step.size()) + step;
    const auto d = static_cast<std::size_t>(next.size());
    VectorXd gradient(next.size());
    logistic_gradient(rows_.rows(), rows_.counts(), rows_.payoffs(), {next.data(), d},
                      {gradient.data(), d});
    gradient -= lambda_ * next;
    if (!(gradient.norm() < share * gradient_.norm())) return false;
    correct_curvature(step, gradient_ - gradient);
    theta_.assign(next.begin(), next.end());
    gradient_ = gradient;
    return true;
  }

  /// Makes the curvature agree with what a step did to the gradient, as BFGS does. [nocedal06]
  void correct_curvature(const VectorXd& step, const VectorXd& drop) {
    const VectorXd expected = hessian_.selfadjointView<Eigen::Lower>() * step;
    const double seen = drop.dot(step);
    const double along = expected.dot(step);
    if (!(seen > 0.0 && along > 0.0)) return;  // rounding, where hardly anything moves
    hessian_.selfadjointView<Eigen::Lower>().rankUpdate(drop, 1.0 / seen);
    hessian_.selfadjointView<Eigen::Lower>().rankUpdate(expected, -1.0 / along);
  }

  /// How short the gradient must be: kGradientNorm, as far as rounding lets it.
  double enough() const { return std::max(kGradientNorm, 1e-14 * length_); }

  /// From theta = 0 by steps that are sure to gain.
  void start_anew() {
    const auto n = static_cast<double>(std::max<std::uint64_t>(1, rows_.total()));
    std::vector<double> all;
    std::vector<double> means;  // rows that are equal may share what they paid
    std::vector<double> row(features());
    for (std::size_t r = 0; r < rows_.rows().rows(); ++r) {
      rows_.rows().copy_row(r, row);
      for (double copies = rows_.counts()[r]; copies > 0.0; copies -= 1.0) {
        all.insert(all.end(), row.begin(), row.end());
        means.push_back(rows_.payoffs()[r] / rows_.counts()[r]);
      }
    }
    const LogisticFit fit = fit_logistic(
        all, means, features(), {.ridge = lambda_, .tolerance = enough() / n, .most_steps = 500});
    theta_.assign(features(), 0.0);
    gradient_.setConstant(std::numeric_limits<double>::infinity());
    move(Eigen::Map<const VectorXd>(fit.theta.data(), gradient_.size()), 1.0);
    renew();
  }

  /// The curvature of a row that came `count` times, at theta; returns its expected payoff.
  double add_curvature(const Eigen::Ref<const VectorXd>& x, double count) {
    const double mean = sigmoid(x.dot(Eigen::Map<const VectorXd>(theta_.data(), x.size())));
    hessian_.selfadjointView<Eigen::Lower>().rankUpdate(x, count * mean * (1.0 - mean));
    return mean;
  }

  /// Computes the curvature of all rows at theta.
  void renew() {
    renewed_ = rows_.total();
    hessian_ = lambda_ * MatrixXd::Identity(hessian_.rows(), hessian_.cols());
    VectorXd x(hessian_.rows());
    for (std::size_t row = 0; row < rows_.rows().rows(); ++row) {
      rows_.rows().copy_row(row, {x.data(), features()});
      add_curvature(x, rows_.counts()[row]);
    }
  }

  void write_rest(StateWriter& writer) const override {
    rows_.write(writer);
    writer.u64(renewed_);
    writer.f64(length_);
    writer.f64s({hessian_.data(), static_cast<std::size_t>(hessian_.size())});
    writer.f64s({gradient_.data(), static_cast<std::size_t>(gradient_.size())});
  }
  void read_rest(StateReader& reader) override {
    rows_.read(reader);
    renewed_ = reader.u64_at_most(rows_.total(), "policy state: rows of the curvature");
    length_ = reader.f64();
    reader.f64s({hessian_.data(), static_cast<std::size_t>(hessian_.size())},
                "policy state: curvature");
    reader.f64s({gradient_.data(), static_cast<std::size_t>(gradient_.size())},
                "policy state: gradient");
  }

  MergedRows rows_;
  double lambda_;
  MatrixXd hessian_;           // the lower triangle
  VectorXd gradient_;          // at theta_, of all rows
  double length_ = 0.0;        // sum of the rows' lengths
  std::uint64_t renewed_ = 0;  // rows at the last renewal
};

/// After the n-th update theta is a Newton step from the last on the new rows, with the curvature
/// of all rows as they were when they came.
class OnlineLogistic final : public TreatmentModel {
 public:
  OnlineLogistic(std::size_t features, double lambda) : TreatmentModel(features, lambda) {
    const auto d = static_cast<Index>(features);
    hessian_ = lambda * MatrixXd::Identity(d, d);
    gradient_ = VectorXd::Zero(d);
  }

  void update() override {
    const VectorXd step = solve_positive(hessian_, gradient_);
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

TreatmentModel::TreatmentModel(std::size_t features, double lambda)
    : theta_(features, 0.0), ellipsoid_(features, lambda) {}

void TreatmentModel::add(std::span<const double> row, double payoff) {
  ellipsoid_.add(row);
  learn(row, payoff);
}

void TreatmentModel::predict(std::span<const double> rows, std::span<double> means,
                             std::span<double> widths) const {
  means_and_widths(rows, theta_, ellipsoid_.root(), means, widths);
  link(means);
}

void TreatmentModel::write(StateWriter& writer) const {
  writer.f64s(theta_);
  ellipsoid_.write(writer);
  write_rest(writer);
}

void TreatmentModel::read(StateReader& reader) {
  reader.f64s(theta_, "policy state: theta");
  ellipsoid_.read(reader);
  read_rest(reader);
}

std::unique_ptr<TreatmentModel> make_linear_model(std::size_t features, double lambda) {
  return std::make_unique<LinearModel>(features, lambda);
}

std::unique_ptr<TreatmentModel> make_logistic_model(std::size_t features, double lambda,
                                                    LogisticRefit refit) {
  if (refit == LogisticRefit::kExact) return std::make_unique<ExactLogistic>(features, lambda);
  return std::make_unique<OnlineLogistic>(features, lambda);
}

}  // namespace updraft
