// A run in outline: a model by name and a few settings, no provider class. What it leaves open comes from the
// training recipe of Megatron Bridge that is nearest to it.
#pragma once
#include <string>
#include <vector>

#include "headroom/memory/fields.hpp"
#include "headroom/memory/shape.hpp"

namespace headroom::memory {

[[nodiscard]] bool is_outline(const Fields& fields);

/// Fused kernels, and types of optimizer state as the nearest recipe has them; what the
/// outline writes itself stays.
void complete_outline(const Fields& fields, Shape& shape, std::vector<std::string>& assumptions);

}  // namespace headroom::memory
