#include "core/files.h"
#include "updraft/report.h"

namespace updraft {
namespace {

template <typename Result>
std::string write(const Result& result, const std::filesystem::path& folder) {
  replace_file(folder / "summary.md", summary_markdown(result));
  return draw_figures(result, folder);
}

}  // namespace

std::string write_report(const ExperimentResult& result, const std::filesystem::path& folder) {
  return write(result, folder);
}

std::string write_report(const SuiteResult& result, const std::filesystem::path& folder) {
  return write(result, folder);
}

}  // namespace updraft
