#include <algorithm>

#include "chunk.hpp"
#include "headroom/memory/ledger.hpp"
#include "overheads.hpp"
#include "states.hpp"

namespace headroom::memory {
namespace {

/// Tokens of the busiest rank over the average where nothing balances them: what training from scratch shows
/// in its first steps (docs/memory.md).
constexpr double busiest = 1.5;

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

/// The capture, which holds the graphed parts of the micro-batches in flight, and a step that keeps only the
/// rest.
void graphed_step(const Shape& s, std::int32_t stage, const LayerCosts& layers, StageStep& out) {
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
  out.capture = walk_schedule(s, stage, capture.chunks).bytes;
  out.rest = walk_schedule(s, stage, stage_costs(s, stage, rest).chunks).bytes;
}

/// Bytes of forward and backward above what stays.
double step_bytes(const StageStep& step, const StageStates& states, const StageWorkspace& workspace) {
  const double beside = step.transfers + states.gathered + (step.in_backward ? states.in_backward : 0) -
                        workspace.replayed_inputs - states.main_gradients;
  double bytes = step.bytes + beside;
  // Steps without graphs come first, before the buffers of the graphs are there, and what the pools hold
  // later is what such a step keeps.
  if (step.graphed) bytes = std::max(bytes - workspace.graph_buffers, 0.0);
  if (step.captures_first) bytes = std::max({step.capture, step.rest + beside, 0.0});
  return bytes * step.ratio;
}

StagePeaks stage_peaks(const Shape& s, std::int32_t stage, const LayerCosts& layers) {
  StagePeaks out;
  const StageStates states = stage_states(s, stage);
  const StageWorkspace workspace = stage_workspace(s, stage);
  const StageStep step = stage_step(s, stage, layers);
  const StageTotal total = total_of(step, states, workspace);
  out.stage = stage;
  out.layers = step.layers;
  out.weights = states.weights;
  out.gradients = states.gradients;
  out.workspace = workspace.bytes;
  out.static_bytes = total.fixed;
  out.optimizer_step = states.optimizer_step;
  out.host = states.host;
  out.step = step_bytes(step, states, workspace);
  out.in_flight = step.in_flight;
  out.peak = total.peak();
  // Copies of gradients stand from one optimizer step to the next forward, and may be the peak by themselves.
  const bool passes = out.step > std::max(out.optimizer_step, 0.0);
  out.phase = !passes ? Phase::optimizer : step.in_backward ? Phase::backward : Phase::forward;
  out.optimizer = states.optimizer - (passes ? states.main_gradients : 0);
  out.logits = passes ? step.logits * step.ratio : 0;
  out.activations =
      passes
          ? std::max(out.peak - out.weights - out.gradients - out.optimizer - out.workspace - out.logits, 0.0)
          : 0;
  return out;
}

double busiest_peak(const Shape& s, const Peaks& balanced) {
  if (!has_busiest_rank(s)) return 0;
  const LayerCosts layers = busiest_layer_costs(s);
  double highest = 0;
  for (const StagePeaks& stage : balanced.stages)
    highest = std::max(highest, stage_peaks(s, stage.stage, layers).peak);
  return highest;
}

}  // namespace

bool has_busiest_rank(const Shape& s) {
  return s.model.moe && !s.balanced_routing && s.parallel.ep > 1 && s.kernels.imbalance < busiest;
}

LayerCosts busiest_layer_costs(const Shape& s) {
  if (!has_busiest_rank(s)) return layer_costs(s);
  Shape hot = s;
  hot.kernels.imbalance = busiest;
  return layer_costs(hot);
}

StageStep stage_step(const Shape& s, std::int32_t stage, const LayerCosts& layers) {
  const StageCosts costs = stage_costs(s, stage, layers);
  const Occupancy at = walk_schedule(s, stage, costs.chunks);
  StageStep out;
  out.bytes = at.bytes;
  out.logits = costs.logits[at.chunk];
  out.transfers = s.parallel.pp > 1 ? 2 * s.rows() * s.model.hidden * s.numerics.residual : 0;
  out.in_backward = at.in_backward;
  out.layers = costs.layers;
  for (const auto n : at.in_flight) out.in_flight += n;
  out.graphed = s.graphs.kind == Graphs::Kind::te || s.graphs.kind == Graphs::Kind::local;
  out.captures_first = captures_first(s);
  out.ratio = s.calibration.moving_ratio;
  if (out.captures_first) graphed_step(s, stage, layers, out);
  return out;
}

StageTotal total_of(const StageStep& step, const StageStates& states, const StageWorkspace& workspace) {
  const double fixed = states.weights + states.gradients + states.optimizer + workspace.bytes;
  return {fixed, std::max(step_bytes(step, states, workspace), states.optimizer_step)};
}

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
  add_overheads(s, out, busiest_peak(s, out));
  return out;
}

}  // namespace headroom::memory
