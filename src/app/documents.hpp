// What `check` prints, by format.
#pragma once
#include <string>
#include <vector>

#include "headroom/report/formats.hpp"
#include "options.hpp"

namespace headroom::app {

/// Everything that was found, as the formats want it.
struct Results {
  std::vector<report::FileReport> reports;  ///< with `--bridge all` one a release of each file
  std::map<std::string, report::RuleText, std::less<>> rules;
};

/// Titles and pages of the rules of these findings.
[[nodiscard]] std::map<std::string, report::RuleText, std::less<>> rule_texts(
    const std::vector<report::FileReport>& reports, const std::vector<const rules::RulePack*>& packs);

/// The document for standard output. Of `text` without the files that could not be read: they are said on
/// standard error.
[[nodiscard]] std::string document(Format format, const Results& results, const Options& options,
                                   const report::TextOptions& style);

/// Writes the files of `--output`, and the job summary where GitHub runs the command with `--format github`.
/// False where one cannot be written; that was said then.
[[nodiscard]] bool write_files(const Results& results, const Options& options);

/// Whether people read the format, and see a summary line beside it.
[[nodiscard]] bool for_people(Format format);

}  // namespace headroom::app
