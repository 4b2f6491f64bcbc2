// A failed run: its log beside its config.
#pragma once
#include "headroom/advise/fixes.hpp"
#include "headroom/lint/lint.hpp"

namespace headroom::lint {

/// Diagnoses `log` for the config in `out`, gives the rules its facts (through `launch`), and fills
/// `diagnosis`, `findings` and `remedies`.
void explain(const oom::LogFacts& log, resolve::LaunchContext& launch, const advise::Bench& bench,
             Outcome& out);

}  // namespace headroom::lint
