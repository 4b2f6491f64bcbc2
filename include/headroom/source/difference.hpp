// What turns one text into another, as edits.
#pragma once
#include <string_view>
#include <vector>

#include "headroom/source/edit.hpp"

namespace headroom::source {

/// Edits that turn `before` into `after`, ascending; a line that both have is not touched, nor are the equal
/// ends of one that differs.
[[nodiscard]] std::vector<Edit> edits_between(std::string_view before, std::string_view after);

}  // namespace headroom::source
