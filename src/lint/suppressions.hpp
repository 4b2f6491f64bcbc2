// `# headroom: ignore[rule] reason`: findings that the author of a config has judged.
#pragma once
#include "headroom/lint/lint.hpp"

namespace headroom::lint {

/// Moves findings that a comment of the text names to `suppressed`, and adds one of `suppression/unused` for
/// each comment that does nothing. A comment whose rule could not be decided here (nobody said the number of
/// GPUs, another release, not selected) counts as used.
void suppress(Outcome& outcome, const Job& job, std::span<const rules::RulePack* const> packs);

}  // namespace headroom::lint
