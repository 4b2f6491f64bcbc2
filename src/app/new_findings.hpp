// `--diff-base`: what a change brings.
#pragma once
#include <string>

#include "headroom/lint/lint.hpp"
#include "headroom/report/report.hpp"

namespace headroom::app {

/// Keeps the findings of `report` that the text `before`, checked in the same way, does not have, and those
/// that point at a line which is not in it. The rest is `suppressed` by `diff-base`.
void keep_new(report::FileReport& report, const lint::Job& job, const std::string& before);

}  // namespace headroom::app
