// A measured comparison in a few lines.
#pragma once
#include <string>
#include <vector>

#include "headroom/schema/schema.hpp"

namespace headroom::app {

/// What was measured on what, one line for each run against the first, and what it does not show.
[[nodiscard]] std::vector<std::string> evidence_lines(const schema::Evidence& evidence);

}  // namespace headroom::app
