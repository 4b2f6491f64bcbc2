// Findings of all files in one list, as documents want them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "headroom/report/report.hpp"

namespace headroom::report {

/// Rule id of the entry for a file that could not be read.
inline constexpr std::string_view unreadable_rule = "unreadable";

struct Entry {
  const FileReport* file = nullptr;
  const rules::Diagnostic* finding = nullptr;  ///< null: the file could not be read
  std::string rule;
  rules::Severity severity = rules::Severity::error;
  std::string message;        ///< in the words of the file, safe to print, one line
  bool placed = false;        ///< `location` is in the file; else it is the first character
  source::Location location;  ///< never empty
};

/// In the order of the files and of their findings.
[[nodiscard]] std::vector<Entry> entries(const std::vector<FileReport>& files);
[[nodiscard]] std::vector<Entry> entries(const FileReport& file);

/// The same, worst severity first, else as they stand.
[[nodiscard]] std::vector<Entry> worst_first(const std::vector<FileReport>& files);

/// The best fix on one line: `Turn it off: model.fp8=null`; empty where there is none.
[[nodiscard]] std::string best_fix(const Entry& entry);

/// Three levels are all that most documents have.
enum class Level : std::uint8_t { error, warning, note };
[[nodiscard]] Level level_of(rules::Severity severity);

/// A path as documents name it: relative to the root of the repository where it lies in it.
[[nodiscard]] const std::string& path_of(const FileReport& file);

/// The same on one line, safe to print.
[[nodiscard]] std::string shown_path(const FileReport& file);

/// Whether the mark is a place in the file itself, not on the command line.
[[nodiscard]] bool in_file(const rules::Mark& mark, const FileReport& file);

}  // namespace headroom::report
