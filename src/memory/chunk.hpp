// Activations of a model chunk: its layers under the recompute mode, its ends.
#pragma once
#include "activations.hpp"
#include "headroom/memory/parts.hpp"
#include "schedule.hpp"

namespace headroom::memory {

/// `logits`: receives the part of the peaks that is logits and loss.
[[nodiscard]] ChunkCost chunk_cost(const Shape& s, const Chunk& chunk, const LayerCosts& layers,
                                   double& logits);

}  // namespace headroom::memory
