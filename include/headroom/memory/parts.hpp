// The pieces that `peaks` is made of. A planner computes each once for all candidates that share it: layers
// depend neither on stages nor on optimizer states, states not on what is recomputed.
#pragma once
#include <algorithm>
#include <array>

#include "headroom/memory/ledger.hpp"
#include "headroom/memory/shape.hpp"

namespace headroom::memory {

/// Bytes of one layer, one micro-batch, one rank.
struct LayerCost {
  double kept = 0, forward = 0, backward = 0;
  double moved = 0;     ///< on the host between the passes
  double captured = 0;  ///< of `kept`, inside CUDA graphs
};
using LayerCosts = std::array<LayerCost, max_kinds>;

/// By index into Shape::kinds. Depends on everything of a shape but stages, data parallelism and states.
[[nodiscard]] LayerCosts layer_costs(const Shape& shape);
/// The same on the rank whose experts get most tokens; equal to `layer_costs` where routing is balanced.
[[nodiscard]] LayerCosts busiest_layer_costs(const Shape& shape);
/// Whether the two differ.
[[nodiscard]] bool has_busiest_rank(const Shape& shape);

/// Highest point of forward and backward of a stage, without states and library buffers.
struct StageStep {
  double bytes = 0, logits = 0;  ///< logits: part of `bytes`
  double transfers = 0;          ///< between stages
  double capture = 0,
         rest = 0;  ///< graphs captured before the first step: in the capture, and in a step beside
  bool graphed = false, captures_first = false, in_backward = false;
  double ratio = 1;      ///< of what moves in a step, as calibrated
  double in_flight = 0;  ///< micro-batch chunks held at that point
  std::int32_t layers = 0;
};
[[nodiscard]] StageStep stage_step(const Shape& shape, std::int32_t stage, const LayerCosts& layers);

/// What stays allocated on a stage, and what an optimizer step adds.
struct StageStates {
  double weights = 0, gradients = 0, optimizer = 0;
  double optimizer_step = 0;  ///< temporaries of the optimizer step
  double gathered = 0;        ///< parameters that FSDP gathers for a pass
  double in_backward = 0;     ///< gradients that FSDP holds in the backward
  double main_gradients = 0;  ///< part of `optimizer` that is not there in a pass
  double host = 0;            ///< pinned host memory
};
/// Depends on sizes, stages, data parallelism and optimizer, not on what is recomputed.
[[nodiscard]] StageStates stage_states(const Shape& shape, std::int32_t stage);

/// Library workspaces and buffers that stay allocated. Depends on what is recomputed.
struct StageWorkspace {
  double bytes = 0;
  double replayed_inputs = 0;  ///< part of `bytes` that a pass frees as it goes
  double graph_buffers = 0;    ///< part of `bytes` that is there once graphs are captured
};
[[nodiscard]] StageWorkspace stage_workspace(const Shape& shape, std::int32_t stage);

/// Bytes that stay, and the highest bytes above them in a step.
struct StageTotal {
  double fixed = 0, step = 0;
  [[nodiscard]] double peak() const { return fixed + step; }
};
[[nodiscard]] StageTotal total_of(const StageStep& step, const StageStates& states,
                                  const StageWorkspace& workspace);

/// What the device sees of the stage with the highest peak. `busiest_peak`: highest peak of any stage on the
/// rank whose experts get most tokens, or 0.
[[nodiscard]] double used_bytes(const Shape& shape, const StageTotal& highest, double busiest_peak);

/// Pinned host memory of the ranks of a node, from that of one. A node without a known size holds any.
[[nodiscard]] inline double host_of_node(const Shape& shape, double of_rank) {
  return of_rank * std::min(shape.gpus_per_node, shape.parallel.gpus);
}
[[nodiscard]] inline bool host_holds(const Shape& shape, double of_rank) {
  return shape.host_capacity <= 0 || host_of_node(shape, of_rank) <= shape.host_capacity;
}

}  // namespace headroom::memory
