// Why one run takes longer than another, in words.
#pragma once
#include <string>

#include "headroom/cost/step_time.hpp"

namespace headroom::plan {

/// "bubble -11 %, tensor communication -6 %, replay +3 %" of the first run's step; "the same time" where
/// nothing moves by a hundredth.
[[nodiscard]] std::string difference(const cost::StepTime& before, const cost::StepTime& after);

}  // namespace headroom::plan
