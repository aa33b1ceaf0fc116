#include "stats/scatter_sketch.h"

#include "core/symmetric.h"
#include "updraft/state_io.h"

namespace updraft {

using Eigen::Index;
using Eigen::MatrixXd;

ScatterSketch::ScatterSketch(std::size_t size)
    : columns_(MatrixXd::Zero(static_cast<Index>(size), 2 * static_cast<Index>(kKept))) {}

void ScatterSketch::add(const Eigen::VectorXd& deviation) {
  columns_.col(used_) = deviation;
  if (++used_ == columns_.cols()) compress();
}

void ScatterSketch::compress() {
  const Eigenpairs pairs = eigenpairs(columns_.transpose() * columns_);
  used_ = static_cast<Index>(kKept);
  const MatrixXd kept = columns_ * pairs.vectors.rightCols(used_);
  columns_.leftCols(used_) = kept;
}

void ScatterSketch::write(StateWriter& writer) const {
  writer.u64(static_cast<std::uint64_t>(used_));
  writer.f64s({columns_.data(), static_cast<std::size_t>(used_ * columns_.rows())});
}

void ScatterSketch::read(StateReader& reader) {
  used_ = static_cast<Index>(reader.u64_at_most(2 * kKept - 1, "policy state: sketch columns"));
  reader.f64s({columns_.data(), static_cast<std::size_t>(used_ * columns_.rows())},
              "policy state: sketch");
}

}  // namespace updraft
