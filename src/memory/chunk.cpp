#include "chunk.hpp"

#include <algorithm>
#include <cmath>

#include "headroom/memory/ledger.hpp"

namespace headroom::memory {
namespace {

/// Layers of a chunk while they run: what stays, and the highest point above the start of the chunk.
struct Stack {
  double kept = 0, forward = 0, backward = 0;

  /// A layer in the midst of `kept` bytes of others.
  void touch(double before, const LayerCost& layer) {
    forward = std::max(forward, before + layer.forward);
    backward = std::max(backward, before + layer.backward);
  }
};

void plain_layers(const Shape& s, const Chunk& chunk, const LayerCosts& layers, Stack& stack) {
  double count = chunk.layer_count();
  for (std::size_t k = 0; k < static_cast<std::size_t>(s.kind_count); ++k)
    stack.kept += chunk.layers[k] * layers[k].kept;
  // Offloaded layers leave the device behind them; two are on their way at any time.
  if (s.saving.offload_layers > 0 && count > 0)
    stack.kept *= 1 - std::max(0.0, std::min(s.saving.offload_layers, count) - 2) / count;
  for (std::size_t k = 0; k < static_cast<std::size_t>(s.kind_count); ++k) {
    // The layer before is still on its way to the host.
    if (chunk.layers[k] > 0)
      stack.touch(std::max(0.0, stack.kept - layers[k].kept) + layers[k].moved, layers[k]);
  }
}

struct Average {
  double kept = 0, forward = 0, backward = 0;
};

Average average(const Shape& s, const Chunk& chunk, const LayerCosts& layers) {
  Average a;
  const double count = std::max(1, chunk.layer_count());
  for (std::size_t k = 0; k < static_cast<std::size_t>(s.kind_count); ++k) {
    if (chunk.layers[k] == 0) continue;
    a.kept += chunk.layers[k] * layers[k].kept / count;
    a.forward = std::max(a.forward, layers[k].forward);
    a.backward = std::max(a.backward, layers[k].backward);
  }
  return a;
}

double saved_input(const Shape& s) {
  return s.rows() * s.model.hidden * s.numerics.residual / (s.saving.distribute ? s.parallel.tp : 1);
}

/// Groups of layers keep their input only and run again, one group at a time.
void uniform_layers(const Shape& s, const Chunk& chunk, const LayerCosts& layers, Stack& stack) {
  const double count = chunk.layer_count(), size = std::min(s.saving.layers, count);
  if (count == 0) return;
  const Average a = average(s, chunk, layers);
  const double start = stack.kept;
  stack.kept += std::ceil(count / size) * saved_input(s);
  const double before = start + std::ceil(count / size) * saved_input(s) - saved_input(s);
  const double group = before + (size - 1) * a.kept;
  stack.forward = std::max(stack.forward, before + 0.5 * a.forward);
  stack.backward = std::max(stack.backward, group + std::max(a.backward, a.forward));
}

void block_layers(const Shape& s, const Chunk& chunk, const LayerCosts& layers, Stack& stack) {
  const double count = chunk.layer_count(), again = std::min(s.saving.layers, count);
  if (count == 0) return;
  const Average a = average(s, chunk, layers);
  const double start = stack.kept;
  stack.kept += again * saved_input(s) + (count - again) * a.kept;
  if (again > 0)
    stack.backward =
        std::max(stack.backward, start + (again - 1) * saved_input(s) + std::max(a.backward, a.forward));
  if (count > again) {
    stack.forward = std::max(stack.forward, stack.kept - a.kept + a.forward);
    stack.backward = std::max(stack.backward, stack.kept - a.kept + a.backward);
  }
}

LayerCost cost(const Walk& w) {
  return {w.kept(), w.forward_peak(), w.backward_peak(), w.moved(), w.captured()};
}

void mtp_layers(const Shape& s, const Chunk& chunk, const LayerCosts& layers, Stack& stack) {
  Walk depth;
  mtp_activations(s, depth);
  const bool full = s.saving.mode == Recompute::uniform || s.saving.mode == Recompute::block;
  for (std::int32_t i = 0; i < chunk.mtp_depths; ++i) {
    stack.kept += depth.kept();
    for (std::size_t k = 0; k < static_cast<std::size_t>(s.kind_count); ++k) {
      for (std::int32_t n = 0; n < s.mtp_layers[k]; ++n) {
        if (full) {
          stack.backward = std::max(stack.backward, stack.kept + layers[k].backward);
          stack.kept += saved_input(s);
        } else {
          stack.touch(stack.kept, layers[k]);
          stack.kept += layers[k].kept;
        }
      }
    }
  }
}

}  // namespace

LayerCosts layer_costs(const Shape& s) {
  LayerCosts costs;
  for (std::size_t k = 0; k < static_cast<std::size_t>(s.kind_count); ++k) {
    Walk w;
    layer_activations(s, s.kinds[k], w);
    costs[k] = cost(w);
  }
  return costs;
}

std::array<double, max_kinds> bytes_to_host(const Shape& s) {
  std::array<double, max_kinds> out{};
  if (s.saving.offload_layers <= 0 && s.saving.offload == 0) return out;
  const LayerCosts layers = layer_costs(s);
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = layers[k].moved + (s.saving.offload_layers > 0 ? layers[k].kept : 0);
  return out;
}

ChunkCost chunk_cost(const Shape& s, const Chunk& chunk, const LayerCosts& layers, double& logits) {
  Stack stack;
  const double stream = s.rows() * s.model.hidden * s.numerics.residual;
  if (chunk.embedding) {
    Walk w;
    embedding_activations(s, w);
    stack.kept = w.kept();
  } else {
    stack.kept = stream;  // what the stage before has sent
  }
  switch (s.saving.mode) {
    case Recompute::none:
    case Recompute::selective:
      plain_layers(s, chunk, layers, stack);
      break;
    case Recompute::uniform:
      uniform_layers(s, chunk, layers, stack);
      break;
    case Recompute::block:
      block_layers(s, chunk, layers, stack);
      break;
  }
  if (chunk.mtp_depths > 0) mtp_layers(s, chunk, layers, stack);
  logits = 0;
  if (!chunk.loss) {
    // What the chunk sends on is freed once it has left; nothing inside reads it again.
    const bool counted = s.saving.mode == Recompute::none || s.saving.mode == Recompute::selective;
    const double sent = counted && s.deallocate_outputs && chunk.layer_count() > 0 ? stream : 0;
    return {stack.kept - sent, std::max(stack.forward, stack.kept), std::max(stack.backward, stack.kept)};
  }
  Walk loss;
  loss_activations(s, loss);
  // Each depth of multi-token prediction has logits of its own.
  const double depths = chunk.mtp_depths, more = depths * loss.kept();
  logits = more + std::max(loss.forward_peak(), loss.backward_peak());
  ChunkCost out{stack.kept + more + loss.kept(),
                std::max(stack.forward, stack.kept + more + loss.forward_peak()),
                std::max(stack.backward, stack.kept + more + loss.backward_peak())};
  return out;
}

}  // namespace headroom::memory
