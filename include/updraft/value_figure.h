#pragma once

#include <filesystem>
#include <string>

#include "updraft/evaluate.h"

namespace updraft {

/// The gnuplot script that draws the values of policies with their intervals, a row for each policy
/// that has an estimate; `terminal` is "svg" or "png", `output` the file. Throws InvalidInput if no
/// policy has one.
std::string figure_script(const Evaluation& evaluation, const std::string& terminal,
                          const std::filesystem::path& output);

/// Draws it as SVG. Returns an empty string, or the reason if it could not be drawn (gnuplot is
/// missing or fails); then there is no file.
std::string draw_figure(const Evaluation& evaluation, const std::filesystem::path& file);

}  // namespace updraft
