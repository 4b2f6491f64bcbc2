// Fixes for a run that failed: other than a finding of a check, a failure does not go away on paper. A remedy
// is kept where it brings no error and, as far as the ledger can tell, takes less memory.
#pragma once
#include <vector>

#include "headroom/advise/fixes.hpp"

namespace headroom::advise {

/// What the failed run lacked, in bytes; 0 where not known.
struct Need {
  double deficit = 0;  ///< missing when it failed
  bool memory =
      false;  ///< what is wanted is less memory of the device: a remedy that saves too little comes later
  bool verify = true;  ///< there is a config to try remedies on
};

/// Fixes of the rules that found something below rules/oom, best first: what saves enough, then in the order
/// of the rules (those of severity `memory`, which know the failure best, before those of severity `advice`)
/// and of their fixes.
[[nodiscard]] std::vector<rules::Fix> remedies(const rules::Findings& findings, const Bench& bench,
                                               const Need& need);

/// Whether a finding comes from a rule about failures.
[[nodiscard]] bool is_about_failure(const rules::Diagnostic& finding);

}  // namespace headroom::advise
