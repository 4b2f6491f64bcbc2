// What a conversion could not keep.
#pragma once
#include "fit.hpp"

namespace headroom::convert {

/// Chosen values that the target has no word for, and those that its framework makes into others. A setting
/// of the source alone (`--swiglu`) is kept where all is kept that it brings about.
[[nodiscard]] std::vector<Lost> lost(const From& from, const Fitted& fitted,
                                     const std::vector<schema::FieldId>& kept, std::string_view target,
                                     const resolve::ResolvePack& pack);

}  // namespace headroom::convert
