// From the pipeline's outcome to what printers need.
#pragma once
#include <string>

#include "headroom/lint/lint.hpp"
#include "headroom/report/report.hpp"

namespace headroom::app {

/// `advice`: keep findings of that severity.
[[nodiscard]] report::FileReport file_report(const std::string& path,
                                             std::shared_ptr<const source::SourceText> text,
                                             lint::Outcome outcome, bool advice);

/// A file that could not even be opened.
[[nodiscard]] report::FileReport unreadable_report(const std::string& path, source::Error error);

}  // namespace headroom::app
