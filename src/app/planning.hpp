// The planner's page for a config that another command holds.
#pragma once
#include "headroom/report/terminal.hpp"
#include "single.hpp"

namespace headroom::app {

/// What `headroom plan` prints. Fails where the config is no job to plan for.
[[nodiscard]] source::Result<std::string> plan_page(const Options& options, Single input,
                                                    const report::TextOptions& look);

}  // namespace headroom::app
