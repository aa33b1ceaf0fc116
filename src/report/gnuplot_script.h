#pragma once

#include <string>
#include <string_view>

namespace updraft {

// Pieces of gnuplot scripts that all figures share.

/// Pixels of the SVG; the PNG has twice as many.
struct Canvas {
  double width = 0.0;
  double height = 0.0;
};

/// The inside of a plot, in pixels from the left and from the top of the canvas.
struct Box {
  double left = 0.0;
  double right = 0.0;
  double top = 0.0;
  double bottom = 0.0;
};

/// A string constant: in single quotes nothing is special but the quote itself. Control characters
/// become spaces.
std::string in_quotes(std::string_view text);

/// Characters, not bytes, of UTF-8.
std::size_t length(std::string_view text);

/// Terminal "svg" or "png", the output file, and `mark`, the size of points. Throws InvalidInput
/// for another terminal.
std::string terminal_commands(const std::string& terminal, const Canvas& canvas,
                              const std::string& output);

/// Axes at the left and below, a faint grid.
std::string frame_commands();

/// Title and a line below it, in the upper left corner.
std::string heading_commands(const std::string& terminal, const Canvas& canvas,
                             std::string_view title, std::string_view below);

std::string margin_commands(const Canvas& canvas, const Box& box);

/// The names of a plot's axes; that of the y axis stands `left` pixels from the left of the canvas.
/// Their places are given in pixels, since terminals differ in what else they do.
std::string axis_name_commands(const Canvas& canvas, const Box& box, std::string_view x_name,
                               std::string_view y_name, double left);

/// The legend's upper left corner, in pixels.
std::string legend_commands(const Canvas& canvas, double left, double top, double spacing);

}  // namespace updraft
