#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "updraft/report.h"

namespace updraft {

/// Text for a cell of a Markdown table or a line of it: one line, no cell ends, no markup.
std::string plain(std::string_view text);

/// A row of a table.
std::string row(const std::vector<std::string>& cells);

/// The first two rows; `rule` is the second, `|---|---:|`.
std::string header(const std::vector<std::string>& titles, const std::string& rule);

/// With paragraphs in lines of 100 characters; tables, headings, pictures and code stay as they
/// are.
std::string wrapped(std::string_view markdown);

/// The statement, after the claim's number if it has one.
std::string statement_of(const Verdict& verdict);

/// supported, **not supported**, inconclusive, not tested.
std::string word_for(Verdict::Outcome outcome);

}  // namespace updraft
