// Verified fixes carried out in the file's own text: `--fix`, `--diff`, code actions of editors.
#pragma once
#include <string>

#include "headroom/lint/lint.hpp"

namespace headroom::lint {

/// Whether a file can hold the fix: verified, without environment variables, and with no mapping that has no
/// text.
[[nodiscard]] bool fits_in_file(const rules::Fix& fix);

/// The text of `job` with `fix` carried out in the language of the file; null where it cannot be written
/// there or changes nothing.
[[nodiscard]] std::shared_ptr<const source::SourceText> text_with(const rules::Fix& fix, const Job& job,
                                                                  const Outcome& outcome);

struct Fixed {
  std::string text;       ///< of the file, after the edits
  Outcome outcome;        ///< of that text
  unsigned findings = 0;  ///< that went away
};

struct FixPolicy {
  bool unsafe = false;  ///< also fixes that change training results
  bool advice = false;  ///< also findings of severity `advice`
};

/// Applies to each finding the best fix that the policy allows and that a file can hold (no environment
/// variables), evaluating the whole text again after each: an edit that does not repair, or brings another
/// error, is taken back.
[[nodiscard]] Fixed fix_text(const Job& job, Outcome outcome, FixPolicy policy);

}  // namespace headroom::lint
