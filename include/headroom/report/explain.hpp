// Printers of a diagnosis.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "headroom/oom/diagnosis.hpp"
#include "headroom/report/report.hpp"

namespace headroom::report {

struct ExplainReport {
  std::string path;  ///< of the log
  oom::Diagnosis diagnosis;
  FileReport config;  ///< path and own names of the config; empty where none was given
  std::vector<rules::Fix> fixes;
  std::vector<std::string> advice;     ///< what the rules say of the failure
  std::vector<std::string> caught_by;  ///< rules that say the same before a launch
  bool has_config = false;
};

[[nodiscard]] std::string explain_text(const ExplainReport& report, const TextOptions& options);
/// Only the fixes, numbered, at most `count`; the first `skipped` are left out.
[[nodiscard]] std::string remedies_text(const ExplainReport& report, std::size_t count,
                                        const TextOptions& options, std::size_t skipped = 0);
/// Only what speaks for the cause and for others.
[[nodiscard]] std::string evidence_text(const ExplainReport& report, const TextOptions& options);

struct SnapshotReport;
/// The `explain --format json` document, with a final newline. `snapshot`: of a memory snapshot, or null.
[[nodiscard]] std::string explain_json(const ExplainReport& report, std::string_view version,
                                       const SnapshotReport* snapshot = nullptr);

}  // namespace headroom::report
