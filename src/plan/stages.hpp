// Pipeline stages, virtual stages and the layout of layers on them, as edits.
#pragma once
#include <vector>

#include "headroom/resolve/effective.hpp"
#include "headroom/rules/diagnostic.hpp"

namespace headroom::plan {

/// Every split of the model into stages that is worth a try on the given number of GPUs: even ones, embedding
/// or loss counted as a layer, and layouts with chunks of nearly equal work where no even split exists.
[[nodiscard]] std::vector<rules::Fix> stage_choices(const resolve::EffectiveConfig& config);

}  // namespace headroom::plan
