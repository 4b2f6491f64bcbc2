// `--fix` and `--diff`: verified fixes as edits of the file's own text.
#pragma once
#include <string>

#include "headroom/lint/lint.hpp"

namespace headroom::app {

struct Fixed {
  std::string text;       ///< of the file, after the edits
  lint::Outcome outcome;  ///< of that text
  unsigned findings = 0;  ///< that went away
};

struct FixPolicy {
  bool unsafe = false;  ///< also fixes that change training results
  bool advice = false;  ///< also findings of severity `advice`
};

/// Applies to each finding the best fix that the policy allows and that a file can hold (no environment
/// variables), evaluating the whole text again after each: an edit that does not repair, or brings another
/// error, is taken back.
[[nodiscard]] Fixed fix_text(const lint::Job& job, lint::Outcome outcome, FixPolicy policy);

}  // namespace headroom::app
