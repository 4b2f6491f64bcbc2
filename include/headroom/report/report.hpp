// Printers: pure functions of plain values.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "headroom/memory/ledger.hpp"
#include "headroom/rules/diagnostic.hpp"
#include "headroom/source/error.hpp"

namespace headroom::report {

/// Checks that were not made because something is unknown: {"the number of GPUs (--gpus)", 3}.
struct LeftOut {
  std::string need;
  unsigned checks = 0;
};

/// One checked file as every printer needs it.
struct FileReport {
  std::string path;             ///< as the user wrote it
  std::string repository_path;  ///< relative to the root of the repository, `/` between; absolute outside of
                                ///< it; empty: `path`
  std::shared_ptr<const source::SourceText> text;  ///< for excerpts; may be null
  std::optional<source::Error> unreadable;         ///< then there are no diagnostics
  std::vector<std::pair<std::string, source::Value>>
      context;  ///< "bridge" -> "0.6.0", "gpus" -> 32, in printing order
  std::vector<std::string> notes;
  std::vector<LeftOut> left_out;
  std::vector<rules::Diagnostic> diagnostics;
  std::vector<rules::Suppressed> suppressed;  ///< not reported, and do not count
  std::optional<memory::Peaks> memory;        ///< where model, GPUs and their memory are known
  std::string diff;                           ///< `--diff`: what the fixes would change; only JSON prints it
  /// Canonical field name -> the file's own, where they differ. Text output speaks the file's language.
  std::map<std::string, std::string, std::less<>> written_names;
};

struct TextOptions {
  bool color = false;
  unsigned width = 80;     ///< columns; messages and fixes are wrapped, excerpts cut
  unsigned max_fixes = 3;  ///< printed per finding; JSON has all
};

/// Findings of one file, or why it could not be read. Empty where there is nothing to say.
[[nodiscard]] std::string text(const FileReport& file, const TextOptions& options);

/// An input that could not be read, in the same look. `text` may be null: no excerpt then.
[[nodiscard]] std::string error_text(const source::Error& error, const source::SourceText* text,
                                     const TextOptions& options);

/// One line for all files: "2 errors, 1 ignored in 1 file (bridge 0.6.0, 32 h100); left out: …".
[[nodiscard]] std::string summary(const std::vector<FileReport>& files);

/// The `check --format json` document, with a final newline. Always valid UTF-8.
[[nodiscard]] std::string json(const std::vector<FileReport>& files, std::string_view version);

/// `ok`, `findings`, `error` or `unreadable`.
[[nodiscard]] std::string_view verdict(const FileReport& file);

/// The edits of a fix as words for a command line: `model.fp8=hybrid`, quoted for a shell where needed;
/// environment edits as `env NAME=value` and `env -u NAME`; removed fields as `~field`.
[[nodiscard]] std::vector<std::string> fix_words(const rules::Fix& fix, const FileReport& file);

/// What a fix does to the highest peak and to the step time, in one line; empty where neither changes.
[[nodiscard]] std::string effect_of(const rules::Fix& fix);

}  // namespace headroom::report
