// Printers of differences.
#pragma once
#include <string>
#include <vector>

#include "headroom/diff/diff.hpp"
#include "headroom/report/report.hpp"

namespace headroom::report {

struct DiffReport {
  std::string before, after;  ///< names of the two configs
  diff::Diff diff;
  std::vector<std::string> over;  ///< budgets that the change goes over
};

[[nodiscard]] std::string diff_text(const DiffReport& report, const TextOptions& options);
/// A comment for a pull request.
[[nodiscard]] std::string diff_markdown(const DiffReport& report);
/// The `diff --format json` document, with a final newline.
[[nodiscard]] std::string diff_json(const DiffReport& report);

}  // namespace headroom::report
