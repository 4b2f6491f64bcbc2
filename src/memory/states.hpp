// Parameters, gradients, optimizer state and the buffers that stay allocated, per pipeline stage.
#pragma once
#include "headroom/memory/parts.hpp"
#include "walk.hpp"

namespace headroom::memory {

/// Parameters of a rank, by how they are sharded and stored.
struct Parameters {
  double dense = 0, experts = 0;                      ///< all
  double dense_quantised = 0, experts_quantised = 0;  ///< of these: weights of linears that run in fp8
  double dense_matrices = 0, experts_matrices = 0;    ///< of these: what Muon updates
  double adapters = 0, expert_adapters = 0;           ///< trainable beside frozen weights
  double frozen = 0, frozen_matrices = 0;             ///< of the dense ones: a tower that is not trained
  double largest_layer = 0;                           ///< of one layer, for FSDP's gathered copies
  double ends = 0;                                    ///< embedding and output layer
};
[[nodiscard]] Parameters parameters_of(const Shape& s, std::int32_t stage, Records* records);

struct StateBytes {
  double weights = 0, gradients = 0, optimizer = 0;
  double step_temporaries = 0;  ///< of an optimizer step
  double step_gathered = 0;     ///< parameters that FSDP gathers for a pass
  double step_backward = 0;     ///< gradients that FSDP holds in the backward
  double main_gradients = 0;  ///< fp32 copies of half-precision gradients, part of `optimizer` between steps
  double host = 0;
};
[[nodiscard]] StateBytes states_of(const Shape& s, const Parameters& n, Records* records);
[[nodiscard]] StageWorkspace workspace_of(const Shape& s, std::int32_t stage, Records* records);

}  // namespace headroom::memory
