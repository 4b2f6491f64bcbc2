// A failed run: its log beside its config.
#pragma once
#include "headroom/advise/fixes.hpp"
#include "headroom/lint/lint.hpp"

namespace headroom::lint {

/// What a log says of its launch where `given` is open: the number of ranks, the memory of a GPU.
[[nodiscard]] ContextOptions context_of_log(const oom::LogFacts& log, const ContextOptions& given);

/// Diagnoses `log` for the config in `out`, gives the rules its facts (through `launch`), and fills
/// `diagnosis`, `findings` and `remedies`.
void explain(const oom::LogFacts& log, resolve::LaunchContext& launch, const advise::Bench& bench,
             Outcome& out);

}  // namespace headroom::lint
