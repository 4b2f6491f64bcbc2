#include "stage_time.hpp"

#include <algorithm>

#include "constants.hpp"
#include "links.hpp"

namespace headroom::cost {

using memory::Chunk;
using memory::Recompute;
using memory::Shape;
using namespace constants;

namespace {

void add_layer(const LayerTime& layer, double times, StageTime& out) {
  if (times <= 0) return;
  for (std::size_t i = 0; i < part_count; ++i) {
    out.forward[i] += times * layer.forward[i];
    out.backward[i] += times * layer.backward[i];
  }
  out.forward_total += times * layer.forward_total;
  out.backward_total += times * layer.backward_total;
  out.host_forward += times * layer.host_forward;
  out.host_backward += times * layer.host_backward;
  out.dense_parameters += times * layer.dense_parameters;
  out.expert_parameters += times * layer.expert_parameters;
}

void spend(Part part, double forward, double backward, StageTime& out) {
  out.forward[index_of(part)] += forward;
  out.backward[index_of(part)] += backward;
  out.forward_total += forward;
  out.backward_total += backward;
}

/// Layers of a chunk that full recompute runs again.
double replayed(const Shape& s, double layers) {
  if (s.saving.mode == Recompute::uniform) return layers;
  return s.saving.mode == Recompute::block ? std::min(s.saving.layers, layers) : 0;
}

/// Transfers run beside the layers on a stream of their own. Transformer Engine spreads those of the layers
/// that it offloads evenly over all layers, so that they wait only for what the whole chunk cannot hide.
void wait_for_host(double transfer, double forward, double backward, StageTime& out) {
  if (transfer <= 0) return;
  spend(Part::host, std::max(0.0, transfer - overlap_share * forward),
        std::max(0.0, transfer - overlap_share * backward), out);
}

void add_chunk(const Shape& s, const Job& job, const LayerTimes& times, const Chunk& chunk, StageTime& out) {
  const double before = out.forward_total, before_backward = out.backward_total;
  double transfer = 0, layers = chunk.layer_count();
  // `cpu_offloading` moves the first layers; the named modules of fine-grained offloading are in all.
  const double moving =
      s.saving.offload_layers > 0 ? std::min(1.0, s.saving.offload_layers / std::max(layers, 1.0)) : 1;
  for (std::size_t k = 0; k < static_cast<std::size_t>(s.kind_count); ++k) {
    add_layer(times.kinds[k], chunk.layers[k] + chunk.mtp_depths * s.mtp_layers[k], out);
    layers += chunk.mtp_depths * s.mtp_layers[k];
    transfer += moving * chunk.layers[k] * times.kinds[k].transfer;
  }
  wait_for_host(transfer, out.forward_total - before, out.backward_total - before_backward, out);
  out.layers += layers;
  const double again = replayed(s, layers);
  if (again > 0) {
    const double regions =
        s.saving.mode == Recompute::uniform ? std::max(again / s.saving.layers, 1.0) : again;
    spend(Part::replay, 0,
          (out.forward_total - before) * again / layers +
              regions * checkpoint_launches * launch * job.machine.host_pace,
          out);
  }
  if (chunk.embedding) add_layer(times.embedding, 1, out);
  if (chunk.mtp_depths > 0) add_layer(times.prediction, chunk.mtp_depths, out);
  if (chunk.loss) add_layer(times.loss, 1 + chunk.mtp_depths, out);
}

/// Work on tokens of another micro-batch hides the experts' exchange.
void hide_exchange(const Job& job, StageTime& out) {
  if (!job.switches.expert_overlap) return;
  const double both = out.forward[index_of(Part::exchange)] + out.backward[index_of(Part::exchange)];
  const double work = out.total() - both;
  const double hidden = std::min(overlap_share * both, overlap_share * work) / std::max(both, 1e-12);
  spend(Part::exchange, -hidden * out.forward[index_of(Part::exchange)],
        -hidden * out.backward[index_of(Part::exchange)], out);
}

void add_sends(const Shape& s, const Links& links, double chunks, double pace, StageTime& out) {
  const double pp = s.parallel.pp;
  if (pp <= 1) return;
  const double bytes = s.rows() * s.model.hidden * s.numerics.residual;
  const double once = links.send(s.parallel.gpus / pp, bytes);
  const double shown = s.overlap_p2p && chunks > 1 ? 1 - overlap_share : 1;
  spend(Part::pipeline, chunks * once * shown, chunks * once * shown, out);
  // What the layers leave the host idle hides its work on the transfers.
  const double issue = chunks * stage_operators * launch * pace;
  spend(Part::launch, std::max(0.0, out.host_forward + issue - out.forward_total),
        std::max(0.0, out.host_backward + issue - out.backward_total), out);
}

}  // namespace

std::size_t add_stage(const Shape& s, const Job& job, const LayerTimes& layers, std::size_t first,
                      StageTime& out) {
  out = {};
  std::size_t i = first;
  for (; i < s.chunks.size() && s.chunks[i].stage == s.chunks[first].stage; ++i)
    add_chunk(s, job, layers, s.chunks[i], out);
  hide_exchange(job, out);
  add_sends(s, Links(job.machine), static_cast<double>(i - first), job.machine.host_pace, out);
  return i;
}

}  // namespace headroom::cost
