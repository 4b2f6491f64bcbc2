// Documents for other programs: code scanning, pull requests, test reports, editors. Pure functions: which
// severity a finding has, and what the exit status is, does not depend on them.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "headroom/report/report.hpp"

namespace headroom::report {

/// A rule as documents explain it.
struct RuleText {
  std::string title;                                    ///< one line
  std::string page;                                     ///< Markdown
  rules::Severity severity = rules::Severity::warning;  ///< its own, before anybody changed it
};

/// What one call of `check` found.
struct Run {
  std::vector<FileReport> files;
  std::map<std::string, RuleText, std::less<>> rules;  ///< at least those of the findings, by id
  std::string version;                                 ///< of headroom
  std::string homepage;                                ///< may be empty
};

/// `path:line:col: severity: message [rule]`, a line a finding: the form of compilers, which editors and
/// problem matchers read.
[[nodiscard]] std::string concise(const std::vector<FileReport>& files);

/// SARIF 2.1.0, one run, for code scanning. `results` is there on a clean run, too. Of more than `most`
/// (GitHub refuses a run with more than 25,000) the worst are kept, and a notification says how many were
/// left out.
[[nodiscard]] std::string sarif(const Run& run, std::size_t most = 25'000);

/// GitHub workflow commands, worst first: at most ten annotations of each level, as more are not shown. The
/// rest is listed in the log, with how many they are.
[[nodiscard]] std::string github(const std::vector<FileReport>& files);

/// GitLab Code Quality: a JSON array. Fingerprints do not depend on the line.
[[nodiscard]] std::string gitlab(const std::vector<FileReport>& files);

/// JUnit XML: a suite a file, a failed test case a finding; a clean file is one case that passes.
[[nodiscard]] std::string junit(const std::vector<FileReport>& files);

/// Markdown for a job summary or a comment: findings by severity, memory by file. `most` bytes at most: what
/// does not fit is counted.
[[nodiscard]] std::string markdown(const std::vector<FileReport>& files, std::size_t most = 1U << 20U);

/// The reports of one file on several releases as one: a finding that not every release has says which
/// have it. `releases` reports a file, oldest release first.
[[nodiscard]] std::vector<FileReport> merge_releases(const std::vector<FileReport>& reports,
                                                     std::size_t releases);

}  // namespace headroom::report
