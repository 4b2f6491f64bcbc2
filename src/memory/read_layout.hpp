// Which layers each model chunk holds, and of which kind.
#pragma once
#include <string>
#include <vector>

#include "headroom/memory/fields.hpp"
#include "headroom/memory/shape.hpp"

namespace headroom::memory {

/// Fills `kinds` and `chunks`. An empty string, or what is missing or contradictory.
[[nodiscard]] std::string read_layout(const Fields& fields, Shape& shape);

}  // namespace headroom::memory
