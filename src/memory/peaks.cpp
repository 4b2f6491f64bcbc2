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

/// Costs of what the graphs hold, and of what stays outside them.
struct Graphed {
  LayerCosts inside, outside;
};

Graphed split_by_graphs(const Shape& s, const LayerCosts& layers) {
  Graphed out{layers, layers};
  for (std::size_t k = 0; k < static_cast<std::size_t>(s.kind_count); ++k) {
    const double captured = layers[k].captured;
    out.inside[k] = {captured, captured, captured};
    LayerCost& rest = out.outside[k];
    rest.kept -= captured;
    rest.forward = std::max(layers[k].forward - captured, rest.kept);
    rest.backward = std::max(layers[k].backward - captured, rest.kept);
  }
  return out;
}

/// The capture, which holds the graphed parts of the micro-batches in flight.
double capture_bytes(const Shape& s, std::int32_t stage, const LayerCosts& inside) {
  std::vector<ChunkCost> chunks;
  for (const Chunk& chunk : s.chunks) {
    if (chunk.stage != stage) continue;
    ChunkCost cost;
    for (std::size_t k = 0; k < static_cast<std::size_t>(s.kind_count); ++k)
      cost.kept += chunk.layers[k] * inside[k].kept;
    cost.forward = cost.backward = cost.kept;
    chunks.push_back(cost);
  }
  return walk_schedule(s, stage, chunks).bytes;
}

/// Above static, of a step of a run with graphs. `eager`: a step without them; `beside`: what a step takes
/// beside its layers. Steps without graphs come first, before the buffers of the graphs are there, and what
/// the pools hold later is what such a step keeps.
double graphed_step(const Shape& s, std::int32_t stage, const LayerCosts& layers, double eager, double beside,
                    double buffers) {
  if (!captures_first(s)) return std::max(eager - buffers, 0.0);
  const Graphed split = split_by_graphs(s, layers);
  const double replay = walk_schedule(s, stage, stage_costs(s, stage, split.outside).chunks).bytes + beside;
  return std::max({capture_bytes(s, stage, split.inside), replay, 0.0});
}

StagePeaks stage_peaks(const Shape& s, std::int32_t stage, const LayerCosts& layers) {
  StagePeaks out;
  out.stage = stage;
  const Parameters parameters = parameters_of(s, stage, nullptr);
  const StateBytes states = states_of(s, stage, parameters, nullptr);
  out.weights = states.weights;
  out.gradients = states.gradients;
  out.optimizer = states.optimizer;
  out.workspace = std::max(states.workspace + s.calibration.static_bytes, 0.0);
  out.static_bytes = out.weights + out.gradients + out.optimizer + out.workspace;
  out.optimizer_step = states.step_temporaries;
  out.host = states.host;

  StageCosts costs = stage_costs(s, stage, layers);
  const Occupancy at = walk_schedule(s, stage, costs.chunks);
  out.layers = costs.layers;
  const double transfers = s.parallel.pp > 1 ? 2 * s.rows() * s.model.hidden * s.numerics.residual : 0;
  const double sharded = states.step_gathered + (at.in_backward ? states.step_backward : 0);
  out.logits = costs.logits[at.chunk];
  out.step = at.bytes + transfers + sharded - states.replayed_inputs - states.main_gradients;
  if (s.graphs.kind == Graphs::Kind::te || s.graphs.kind == Graphs::Kind::local)
    out.step = graphed_step(s, stage, layers, out.step, out.step - at.bytes, states.graph_buffers);
  out.step *= s.calibration.moving_ratio;
  out.logits *= s.calibration.moving_ratio;
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
  out.margin = s.margin;
  add_overheads(s, out);
  return out;
}

}  // namespace headroom::memory
