// Types of parameters, gradients and optimizer state, and who shares them.
#pragma once
#include "headroom/memory/fields.hpp"
#include "headroom/memory/shape.hpp"

namespace headroom::memory {

void read_states(const Fields& fields, Shape& shape);

/// What the precision-aware optimizer makes of main parameters of this many bytes. With fp32 and an fp8
/// recipe other than delayed scaling only the moments change; Bridge's precision recipes name such a recipe
/// even for bf16 (megatron/core/optimizer/optimizer_config.py).
void set_precision_aware(const Fields& fields, double main_bytes, Shape& shape);

}  // namespace headroom::memory
