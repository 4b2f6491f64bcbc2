// What a conversion could not keep.
#pragma once
#include "fit.hpp"

namespace headroom::convert {

/// Chosen values that the target has no word for, and those that its framework makes into others.
[[nodiscard]] std::vector<Lost> lost(const From& from, const Fitted& fitted,
                                     const std::vector<schema::FieldId>& kept, std::string_view target);

}  // namespace headroom::convert
