#pragma once

#include "experiments/toml_fields.h"
#include "updraft/experiment.h"

namespace updraft {

/// The table [figure] of an experiment; the defaults if there is none.
FigureStyle read_figure(const TomlTable& document);

/// Throws InvalidInput if the experiment's figure cannot be drawn of what it plays: bounds and
/// percentiles are for instances, and a figure against the parameter needs values, which its
/// logarithmic axis wants positive.
void check_figure(const TomlTable& document, const Experiment& experiment);

}  // namespace updraft
