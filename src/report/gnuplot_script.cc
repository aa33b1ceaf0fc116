#include "report/gnuplot_script.h"

#include <fmt/format.h>

#include <algorithm>

#include "updraft/error.h"

namespace updraft {

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += c;
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return result + "'";
}

std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string terminal_commands(const std::string& terminal, const Canvas& canvas,
                              const std::string& output) {
  std::string commands;
  if (terminal == "svg") {
    commands = fmt::format(
        "set terminal svg noenhanced size {:.0f},{:.0f} font 'Helvetica,Arial,sans-serif,14' "
        "background '#ffffff' linewidth 1\nmark = 0.45\n",
        canvas.width, canvas.height);
  } else if (terminal == "png") {
    commands = fmt::format(
        "set terminal pngcairo noenhanced size {:.0f},{:.0f} font 'sans-serif,11' fontscale 2 "
        "background '#ffffff' linewidth 2\nmark = 0.7\n",
        2.0 * canvas.width, 2.0 * canvas.height);
  } else {
    throw InvalidInput("terminal", terminal, "must be svg or png");
  }
  return commands + fmt::format("set encoding utf8\nset output {}\n", in_quotes(output));
}

std::string frame_commands() {
  return "set border 3 lw 1 lc rgb '#606060'\nset tics nomirror out scale 0.6,0.3\n"
         "set grid xtics ytics back lt 1 lw 0.8 dt solid lc rgb '#e4e4e4'\n";
}

std::string heading_commands(const std::string& terminal, const Canvas& canvas,
                             std::string_view title, std::string_view below) {
  return fmt::format(
      "set label 1 {} at screen {:.5f},{:.5f} left font ',{}'\n"
      "set label 2 {} at screen {:.5f},{:.5f} left textcolor rgb '#606060'\n",
      in_quotes(title), 16.0 / canvas.width, 1.0 - 26.0 / canvas.height,
      terminal == "svg" ? 18 : 14, in_quotes(below), 16.0 / canvas.width,
      1.0 - 50.0 / canvas.height);
}

std::string margin_commands(const Canvas& canvas, const Box& box) {
  return fmt::format(
      "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
      "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n",
      box.left / canvas.width, box.right / canvas.width, 1.0 - box.top / canvas.height,
      1.0 - box.bottom / canvas.height);
}

std::string axis_name_commands(const Canvas& canvas, const Box& box, std::string_view x_name,
                               std::string_view y_name, double left) {
  constexpr double kBelow = 46.0;
  return fmt::format(
      "set label 3 {} at screen {:.5f},{:.5f} center\n"
      "set label 4 {} at screen {:.5f},{:.5f} center rotate by 90\n",
      in_quotes(x_name), (box.left + box.right) / 2.0 / canvas.width,
      1.0 - (box.bottom + kBelow) / canvas.height, in_quotes(y_name), left / canvas.width,
      1.0 - (box.top + box.bottom) / 2.0 / canvas.height);
}

std::string legend_commands(const Canvas& canvas, double left, double top, double spacing) {
  return fmt::format(
      "set key at screen {:.5f},{:.5f} left top Left reverse samplen 3.4 spacing {}\n",
      left / canvas.width, 1.0 - top / canvas.height, spacing);
}

}  // namespace updraft
