#include "stats/noise_model.h"

#include <algorithm>
#include <cmath>

#include "core/limits.h"
#include "stats/factor_noise.h"
#include "stats/own_variances.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Keeps the model positive definite where atoms are perfectly correlated.
constexpr double kLeastShrinkage = 1e-8;

/// Per atom, the mean over the rounds whose action leaves it alone; 0 where there are none.
VectorXd mean_unaffected(const AtomMoments& moments, std::span<const std::uint64_t> pulls,
                         const AffectedSets& sets) {
  VectorXd sum = VectorXd::Zero(moments.means().rows());
  VectorXd rounds = VectorXd::Zero(sum.size());
  VectorXd unaffected(sum.size());
  for (ActionId a = 0; a < moments.actions(); ++a) {
    unaffected.setConstant(static_cast<double>(pulls[a]));
    for (const GroupId g : sets.atoms_of(a)) unaffected[g] = 0.0;
    sum += unaffected.cwiseProduct(moments.means().col(a));
    rounds += unaffected;
  }
  for (Index g = 0; g < sum.size(); ++g) {
    if (rounds[g] > 0.0) sum[g] /= rounds[g];
  }
  return sum;
}

/// sqrt(n(a)) (mean(a) - centre), 0 for what an action affects: a column per action. Their products
/// and the scatter within actions add up to the scatter of the residuals.
MatrixXd offsets_from(const VectorXd& centre, const AtomMoments& moments,
                      std::span<const std::uint64_t> pulls, const AffectedSets& sets) {
  MatrixXd offsets = moments.means().colwise() - centre;
  for (ActionId a = 0; a < moments.actions(); ++a) {
    for (const GroupId g : sets.atoms_of(a)) offsets(g, a) = 0.0;
    offsets.col(a) *= std::sqrt(static_cast<double>(pulls[a]));
  }
  return offsets;
}

/// The lower triangle of the sum of squares and products of the residuals.
MatrixXd residual_scatter(const AtomMoments& moments, std::span<const std::uint64_t> pulls,
                          const AffectedSets& sets, const VectorXd& centre) {
  MatrixXd scatter = moments.scatter();
  for (ActionId a = 0; a < moments.actions(); ++a) {
    VectorXd offset = moments.means().col(a) - centre;
    for (const GroupId g : sets.atoms_of(a)) offset[g] = 0.0;
    const auto n = static_cast<double>(pulls[a]);
    for (Index g = 0; g < offset.size(); ++g) {
      const Index rest = offset.size() - g;
      scatter.col(g).tail(rest) += (n * offset[g]) * offset.tail(rest);
    }
  }
  return scatter;
}

/// The share by which correlations are pulled to 0: their expected sampling variance over their
/// size. [schafer05]
double shrinkage_of(const MatrixXd& correlation, const Varies& varies, double degrees) {
  double variance = 0.0;
  double size = 0.0;
  for (Index h = 0; h < varies.size(); ++h) {
    if (!varies[h]) continue;
    for (Index g = h + 1; g < varies.size(); ++g) {
      if (!varies[g]) continue;
      const double square = correlation(g, h) * correlation(g, h);
      variance += (1.0 - square) * (1.0 - square) / degrees;
      size += square;
    }
  }
  return size > 0.0 ? std::clamp(variance / size, kLeastShrinkage, 1.0) : 1.0;
}

void set_correlations(NoiseModel& model, const MatrixXd& scatter, const Varies& varies) {
  const VectorXd root = scatter.diagonal().cwiseSqrt();
  for (Index h = 0; h < varies.size(); ++h) {
    if (!varies[h]) continue;
    for (Index g = h + 1; g < varies.size(); ++g) {
      if (!varies[g]) continue;
      model.correlation(g, h) = std::clamp(scatter(g, h) / (root[g] * root[h]), -1.0, 1.0);
    }
  }
  model.shrinkage = shrinkage_of(model.correlation, varies, static_cast<double>(model.degrees));
  for (Index h = 0; h < varies.size(); ++h) {
    for (Index g = h + 1; g < varies.size(); ++g) {
      model.correlation(g, h) *= 1.0 - model.shrinkage;
      model.correlation(h, g) = model.correlation(g, h);
    }
  }
}

/// The factors of `columns`, whose products add up to the scatter with the diagonal `squares`.
void set_loadings(NoiseModel& model, MatrixXd columns, const VectorXd& squares,
                  const Varies& varies) {
  const auto actions = static_cast<std::size_t>(model.own_sd.cols());
  const std::size_t most =
      std::clamp<std::size_t>(NoiseModel::kMostCells / actions, 1, NoiseModel::kMostFactors);
  const Index atoms = squares.size();
  model.loadings = main_factors(std::move(columns), varies.select(squares, 0.0), model.degrees,
                                most, VectorXd::Ones(atoms));
  model.shrinkage = 1.0 - static_cast<double>(model.loadings.cols()) / static_cast<double>(atoms);
}

}  // namespace

NoiseModel::NoiseModel(std::size_t actions, std::size_t atoms) {
  const auto size = static_cast<Index>(atoms);
  const auto count = static_cast<Index>(actions);
  sd = VectorXd::Zero(size);
  own_sd = MatrixXd::Zero(size, count);
  own_degrees = VectorXd::Ones(count);
  scale = VectorXd::Ones(size);
  centre = VectorXd::Zero(size);
  loadings.resize(size, 0);
  if (atoms <= AtomMoments::kMostInFull) correlation = MatrixXd::Identity(size, size);
}

VectorXd NoiseModel::own_share() const {
  return (1.0 - loadings.rowwise().squaredNorm().array()).cwiseMax(kLeastOwn);
}

void NoiseModel::set_scale() { scale = (sd.array() > 0.0).select(sd, 1.0); }

double NoiseModel::inflation() const {
  const auto dof = static_cast<double>(degrees);
  const double spent = (1.0 - shrinkage) * static_cast<double>(sd.size()) + 1.0;
  return std::max(1.0, dof / std::max(dof - spent, 0.25 * dof));
}

NoiseModel fit_noise(const AtomMoments& moments, std::span<const std::uint64_t> pulls,
                     const NoiseSettings& settings) {
  const AffectedSets& sets = *settings.sets;
  const bool known = settings.baseline != nullptr;
  NoiseModel model(moments.actions(), moments.atoms());
  for (const std::uint64_t n : pulls) model.rounds += n;
  model.centre = known ? *settings.baseline : mean_unaffected(moments, pulls, sets);
  MatrixXd scatter;  // of a factored model columns whose products add up to it
  VectorXd squares;
  if (model.factored()) {
    const MatrixXd offsets = offsets_from(model.centre, moments, pulls, sets);
    scatter.resize(offsets.rows(), moments.sketch().cols() + offsets.cols());
    scatter << moments.sketch(), offsets;
    squares = moments.squares().rowwise().sum() + offsets.rowwise().squaredNorm();
  } else {
    scatter = residual_scatter(moments, pulls, sets, model.centre);
    squares = scatter.diagonal();
  }

  model.degrees = model.rounds;
  const VectorXd size =
      moments.means().cwiseAbs().rowwise().maxCoeff().cwiseMax(model.centre.cwiseAbs());
  Varies varies(size.size());
  for (Index g = 0; g < size.size(); ++g) {
    const std::uint64_t spent = sets.affecting(static_cast<GroupId>(g)).size() + (known ? 0 : 1);
    const std::uint64_t degrees = model.rounds > spent ? model.rounds - spent : 1;
    model.degrees = std::min(model.degrees, degrees);
    varies[g] = std::sqrt(squares[g] / static_cast<double>(degrees)) > kRounding * size[g];
  }
  const OwnVariances variances = own_variances({.moments = &moments,
                                                .pulls = pulls,
                                                .sets = &sets,
                                                .centre = &model.centre,
                                                .centre_known = known},
                                               *settings.counts, varies);
  model.sd = variances.base.cwiseSqrt();
  model.own_sd = variances.own.cwiseSqrt();
  model.set_scale();
  const auto most = static_cast<double>(model.degrees);
  for (ActionId a = 0; a < moments.actions(); ++a) {
    const double own = static_cast<double>(pulls[a]) - 1.0 + 1.0 / variances.trust;
    model.own_degrees[a] = std::min(most, own);
  }
  if (settings.diagonal) return model;
  if (model.factored()) {
    set_loadings(model, std::move(scatter), squares, varies);
  } else {
    set_correlations(model, scatter, varies);
  }
  return model;
}

void NoiseModel::write(StateWriter& writer) const {
  writer.u64(rounds);
  writer.u64(degrees);
  writer.f64(shrinkage);
  for (const VectorXd* vector : {&sd, &centre, &own_degrees}) {
    writer.f64s({vector->data(), static_cast<std::size_t>(vector->size())});
  }
  writer.f64s({own_sd.data(), static_cast<std::size_t>(own_sd.size())});
  writer.f64s({correlation.data(), static_cast<std::size_t>(correlation.size())});
  if (!factored()) return;
  writer.u64(static_cast<std::uint64_t>(loadings.cols()));
  writer.f64s({loadings.data(), static_cast<std::size_t>(loadings.size())});
}

void NoiseModel::read(StateReader& reader) {
  rounds = reader.u64();
  degrees = reader.u64();
  shrinkage = reader.f64();
  if (degrees < 1) throw InvalidInput("policy state: degrees of freedom", "0", "must be >= 1");
  if (!(shrinkage >= 0.0 && shrinkage <= 1.0)) {
    throw InvalidInput("policy state: shrinkage", shrinkage, "must be in [0, 1]");
  }
  for (VectorXd* vector : {&sd, &centre, &own_degrees}) {
    reader.f64s({vector->data(), static_cast<std::size_t>(vector->size())},
                "policy state: noise model");
  }
  if (!(own_degrees.size() == 0 || own_degrees.minCoeff() >= 1.0)) {
    throw InvalidInput("policy state: degrees of freedom of an action", own_degrees.minCoeff(),
                       "must be >= 1");
  }
  reader.f64s({own_sd.data(), static_cast<std::size_t>(own_sd.size())},
              "policy state: noise of the actions");
  reader.f64s({correlation.data(), static_cast<std::size_t>(correlation.size())},
              "policy state: correlations");
  if (factored()) {
    loadings.resize(sd.size(),
                    static_cast<Index>(reader.u64_at_most(kMostFactors, "policy state: factors")));
    reader.f64s({loadings.data(), static_cast<std::size_t>(loadings.size())},
                "policy state: loadings");
  }
  set_scale();
}

}  // namespace updraft
