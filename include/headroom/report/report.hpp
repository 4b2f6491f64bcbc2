// Printers: pure functions of plain values.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "headroom/rules/diagnostic.hpp"
#include "headroom/source/error.hpp"

namespace headroom::report {

/// One checked file as every printer needs it.
struct FileReport {
  std::string path;
  std::shared_ptr<const source::SourceText> text;    ///< for excerpts; may be null
  std::optional<source::Error> unreadable;
  std::vector<std::pair<std::string, std::string>> context;   ///< "bridge" -> "0.6.0", in printing order
  std::vector<std::string> notes;
  std::vector<std::string> left_out;                 ///< "3 checks need the number of GPUs (--gpus)"
  std::vector<rules::Diagnostic> diagnostics;
  std::string fix_syntax = "override";               ///< how fixes are written: `key=value`
};

struct TextOptions {
  bool color = false;
  unsigned width = 80;
  bool advice = false;
  unsigned max_fixes = 3;
};

[[nodiscard]] std::string text(const FileReport& file, const TextOptions& options);
/// One line for all files: "2 errors, 1 ignored in 1 file (bridge 0.6.0, 32 h100); left out: …".
[[nodiscard]] std::string summary(const std::vector<FileReport>& files, const TextOptions& options);
[[nodiscard]] std::string json(const std::vector<FileReport>& files);

}  // namespace headroom::report
