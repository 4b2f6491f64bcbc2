#include <algorithm>

#include "chunk.hpp"
#include "headroom/memory/ledger.hpp"
#include "overheads.hpp"
#include "states.hpp"

namespace headroom::memory {
namespace {

struct StageCosts {
  std::vector<ChunkCost> chunks;
  std::vector<double> logits;
  std::int32_t layers = 0;
};

StageCosts stage_costs(const Shape& s, std::int32_t stage, const LayerCosts& layers) {
  StageCosts out;
  for (const Chunk& chunk : s.chunks) {
    if (chunk.stage != stage) continue;
    out.layers += chunk.layer_count();
    out.logits.emplace_back();
    out.chunks.push_back(chunk_cost(s, chunk, layers, out.logits.back()));
  }
  return out;
}

/// Graphs captured before any step ran: what lies in their pools is never seen as allocated by a step.
/// Otherwise the steps that run first without graphs set the peak.
bool captures_first(const Shape& s) {
  return (s.graphs.kind == Graphs::Kind::te || s.graphs.kind == Graphs::Kind::local) && s.graphs.warmup == 0;
}

/// The higher of the capture, which holds the graphed parts of the micro-batches in flight, and of a step
/// that keeps only the rest.
double graphed_step(const Shape& s, std::int32_t stage, const LayerCosts& layers, double beside) {
  LayerCosts graphed = layers, rest = layers;
  for (std::size_t k = 0; k < static_cast<std::size_t>(s.kind_count); ++k) {
    graphed[k] = {layers[k].captured, layers[k].captured, layers[k].captured};
    rest[k].kept -= layers[k].captured;
    rest[k].forward = std::max(layers[k].forward - layers[k].captured, rest[k].kept);
    rest[k].backward = std::max(layers[k].backward - layers[k].captured, rest[k].kept);
  }
  StageCosts capture;
  for (const Chunk& chunk : s.chunks) {
    if (chunk.stage != stage) continue;
    ChunkCost cost;
    for (std::size_t k = 0; k < static_cast<std::size_t>(s.kind_count); ++k)
      cost.kept += chunk.layers[k] * graphed[k].kept;
    cost.forward = cost.backward = cost.kept;
    capture.chunks.push_back(cost);
  }
  const double in_capture = walk_schedule(s, stage, capture.chunks).bytes;
  const double in_step = walk_schedule(s, stage, stage_costs(s, stage, rest).chunks).bytes;
  return std::max(in_capture, in_step + beside);
}

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
  out.host = states.host;

  StageCosts costs = stage_costs(s, stage, layers);
  const Occupancy at = walk_schedule(s, stage, costs.chunks);
  out.layers = costs.layers;
  const double transfers = s.parallel.pp > 1 ? 2 * s.rows() * s.model.hidden * s.numerics.residual : 0;
  const double sharded = states.step_gathered + (at.in_backward ? states.step_backward : 0);
  out.logits = costs.logits[at.chunk];
  out.step = at.bytes + transfers + sharded - states.replayed_inputs - states.main_gradients;
  // Steps that run before the capture set the peak, without the buffers of the graphs.
  if (!captures_first(s)) out.step -= states.graph_buffers;
  if (captures_first(s)) out.step = std::max(graphed_step(s, stage, layers, out.step - at.bytes), 0.0);
  out.activations = std::max(out.step - out.logits, 0.0);
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
    out.host = std::max(out.host, out.stages.back().host);
    if (out.stages.back().peak > out.peak().peak) out.highest = out.stages.size() - 1;
  }
  out.capacity = s.capacity;
  add_overheads(s, out);
  return out;
}

}  // namespace headroom::memory
