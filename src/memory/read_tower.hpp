// Vision tower of a multimodal model, as a stated estimate: parameters and their states, no activations.
#pragma once
#include <string>
#include <vector>

#include "headroom/memory/fields.hpp"
#include "headroom/memory/shape.hpp"

namespace headroom::memory {

/// Sizes from `derived.vision_tower`; leaves the tower empty where nothing is known.
void read_tower(const Fields& fields, Shape& shape, std::vector<std::string>& assumptions);

}  // namespace headroom::memory
