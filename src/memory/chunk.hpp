// Activations of a model chunk: its layers under the recompute mode, its ends.
#pragma once
#include <array>

#include "activations.hpp"
#include "schedule.hpp"

namespace headroom::memory {

struct LayerCost {
  double kept = 0, forward = 0, backward = 0;
  double moved = 0;     ///< on the host between the passes
  double captured = 0;  ///< of `kept`, inside CUDA graphs
};
using LayerCosts = std::array<LayerCost, max_kinds>;

[[nodiscard]] LayerCosts layer_costs(const Shape& s);
/// `logits`: receives the part of the peaks that is logits and loss.
[[nodiscard]] ChunkCost chunk_cost(const Shape& s, const Chunk& chunk, const LayerCosts& layers,
                                   double& logits);

}  // namespace headroom::memory
