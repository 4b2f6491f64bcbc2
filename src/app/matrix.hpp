// `check --bridge all`: the errors of one config on every release.
#pragma once
#include <string>
#include <vector>

#include "headroom/report/report.hpp"

namespace headroom::app {

/// `reports` holds one report a release for each file, oldest release first. One table a file: rules down,
/// releases across, `x` where the launch fails by that rule.
[[nodiscard]] std::string matrix(const std::vector<report::FileReport>& reports,
                                 const report::TextOptions& options);

}  // namespace headroom::app
