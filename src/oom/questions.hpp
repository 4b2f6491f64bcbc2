// What would tell most, where the log and the config leave the cause or the advice open.
#pragma once
#include "headroom/oom/diagnosis.hpp"

namespace headroom::oom {

/// Fills `questions` of `d`, at most five.
void ask(Diagnosis& d, const RunContext& run);

}  // namespace headroom::oom
