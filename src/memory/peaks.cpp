#include <algorithm>

#include "chunk.hpp"
#include "headroom/memory/ledger.hpp"
#include "overheads.hpp"
#include "states.hpp"

namespace headroom::memory {
namespace {

StagePeaks stage_peaks(const Shape& s, std::int32_t stage, const LayerCosts& layers) {
  StagePeaks out;
  out.stage = stage;
  const Parameters parameters = parameters_of(s, stage, nullptr);
  const StateBytes states = states_of(s, stage, parameters, nullptr);
  out.weights = states.weights;
  out.gradients = states.gradients;
  out.optimizer = states.optimizer;
  out.workspace = states.workspace;
  out.static_bytes = states.weights + states.gradients + states.optimizer + states.workspace;
  out.optimizer_step = states.step_temporaries;

  std::vector<ChunkCost> costs;
  std::vector<double> logits;
  for (const Chunk& chunk : s.chunks) {
    if (chunk.stage != stage) continue;
    out.layers += chunk.layer_count();
    logits.emplace_back();
    costs.push_back(chunk_cost(s, chunk, layers, logits.back()));
  }
  const Occupancy at = walk_schedule(s, stage, costs);
  const double transfers = s.parallel.pp > 1 ? 2 * s.rows() * s.model.hidden * s.numerics.residual : 0;
  out.logits = logits[at.chunk];
  out.step = at.bytes + transfers + states.step_backward - states.replayed_inputs - states.main_gradients;
  out.activations = out.step - out.logits;
  for (const auto n : at.in_flight) out.in_flight += n;
  out.peak = out.static_bytes + std::max(out.step, out.optimizer_step);
  out.phase = out.optimizer_step > out.step ? Phase::optimizer
              : at.in_backward              ? Phase::backward
                                            : Phase::forward;
  return out;
}

}  // namespace

Peaks peaks(const Shape& s) {
  Peaks out;
  const LayerCosts layers = layer_costs(s);
  const auto stages = static_cast<std::int32_t>(s.parallel.pp);
  out.stages.reserve(static_cast<std::size_t>(stages));
  for (std::int32_t stage = 0; stage < stages; ++stage) {
    out.stages.push_back(stage_peaks(s, stage, layers));
    if (out.stages.back().peak > out.peak().peak) out.highest = out.stages.size() - 1;
  }
  out.capacity = s.capacity;
  for (std::int32_t stage = 0; stage < stages; ++stage)
    out.host = std::max(out.host, states_of(s, stage, parameters_of(s, stage, nullptr), nullptr).host);
  add_overheads(s, out);
  return out;
}

}  // namespace headroom::memory
