#include "core/files.h"
#include "updraft/report.h"

namespace updraft {

std::string write_report(const ExperimentResult& result, const std::filesystem::path& folder) {
  replace_file(folder / "summary.md", summary_markdown(result));
  return draw_figures(result, folder);
}

}  // namespace updraft
