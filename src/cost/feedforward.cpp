// Dense MLP and experts.
#include <cmath>

#include "modules.hpp"

namespace headroom::cost {

using memory::Dispatcher;
using memory::Feedforward;
using memory::Shape;
using namespace constants;

void norm(const Shape& s, bool replayed, Tally& t) {
  const double bytes = s.rows() * s.model.hidden * s.numerics.parameter;
  const auto mark = t.open();
  t.elementwise(Part::dense, 2 * bytes, 4 * bytes, 1);
  if (replayed) t.replay(mark);
  // Bias, dropout and the residual.
  t.elementwise(Part::dense, 3 * bytes, 2 * bytes, s.kernels.dropout_fusion ? 1 : 3);
}

namespace {

/// An element of an activation that is gathered for a product: Transformer Engine quantises it before.
double gathered_element(const Shape& s, Format format) {
  if (!s.kernels.te) return s.numerics.parameter;
  switch (format) {
    case Format::fp8:
    case Format::mxfp8:
      return 1;
    case Format::fp4:
      return 0.5 + 1.0 / 16;  // with a scale for each 16
    default:
      return s.numerics.parameter;
  }
}

}  // namespace

void tensor_exchange(const Shape& s, const Job& job, double compute, Tally& t) {
  const double tp = s.parallel.tp;
  if (tp <= 1) return;
  const double elements = s.tokens() * s.model.hidden;
  const double reduce = t.links().gather({tp, 1}, elements * s.numerics.parameter);
  const double gather =
      s.parallel.sequence ? t.links().gather({tp, 1}, elements * gathered_element(s, t.format())) : reduce;
  // An all-gather and a reduce-scatter each way; without sequence parallelism one all-reduce each way. The
  // backward gathers the input once more for the weight's gradient.
  double forward = gather + reduce, backward = forward;
  const double again = s.parallel.sequence ? gather : 0;
  // Queued in one stream of commands, the backward's communication runs beside the weight gradient.
  backward = std::max(backward * (1 - overlap_share) + again, backward + again - compute);
  if (job.switches.tensor_overlap) {
    forward = std::max(forward * (1 - overlap_share), forward - compute);
    backward = std::max(backward * (1 - overlap_share), backward - compute);
  }
  t.exchange(Part::tensor, forward, backward);
  if (s.parallel.sequence) t.launches(collective_operators, 2 * collective_operators);
}

namespace {

void activation(const Shape& s, Part part, double rows, double width, Tally& t) {
  const double bytes = rows * width * s.numerics.parameter, in = s.model.gated ? 2 : 1;
  const double passes = s.kernels.activation_fusion ? 1 : 2;
  t.elementwise(part, passes * (in + 1) * bytes, passes * (2 * in + 1) * bytes,
                s.kernels.activation_fusion ? 1 : 1 + 2 * in);
}

void adapters(const Shape& s, double rows, double in, double out, Tally& t) {
  const double rank = s.adapter.rank;
  t.frozen(false);
  t.plain_linear(Part::dense, rows, in, rank);
  t.plain_linear(Part::dense, rows, rank, out);
  t.elementwise(Part::dense, 6 * rows * out, 4 * rows * out, 2);
  t.frozen(true);
}

void dense(const Shape& s, const Job& job, Tally& t) {
  const memory::Model& m = s.model;
  const double rows = s.tokens(), width = m.ffn / s.parallel.tp, wide = width * (m.gated ? 2 : 1);
  t.graphed(s.graphs.feedforward);
  norm(s, replays(s, memory::layernorm), t);
  const auto mark = t.open();
  t.linear(Part::dense, rows, m.hidden, wide);
  if (s.adapter.fc1) {
    adapters(s, rows, m.hidden, wide, t);
    if (s.adapter.regather && s.parallel.sequence)
      t.exchange(Part::tensor, 0,
                 t.links().gather({s.parallel.tp, 1}, rows * m.hidden * s.numerics.parameter));
  }
  activation(s, Part::dense, rows, width, t);
  t.linear(Part::dense, rows, width, m.hidden);
  if (s.adapter.fc2) adapters(s, rows, width, m.hidden, t);
  tensor_exchange(s, job, 2 * rows * m.hidden * (wide + width) / (job.machine.bf16 * gemm_bf16), t);
  if (replays(s, memory::mlp)) t.replay(mark);
  t.graphed(false);
}

/// One way of a dispatcher: tokens to experts, or back.
double dispatch(const Shape& s, const Links& links) {
  const memory::Model& m = s.model;
  const double ep = s.parallel.ep, etp = s.parallel.etp, width = m.latent > 0 ? m.latent : m.hidden;
  const double token = width * s.numerics.parameter;
  const Group group{ep, etp}, joint{ep * etp, 1};
  switch (s.kernels.dispatcher) {
    case Dispatcher::allgather:
      return links.gather(joint, s.rows() * ep * etp * token);
    case Dispatcher::alltoall:
      return links.exchange(group, s.rows() * m.topk * token) +
             links.gather({etp, 1}, s.rows() * m.topk * etp * token);
    case Dispatcher::flex: {
      // A token goes once to each rank and once to each node that holds one of its experts.
      const double inside = links.ranks_inside(joint), ranks = joint.size, nodes = ranks / inside;
      const double reached = ranks * (1 - std::pow(1 - 1 / ranks, m.topk));
      const double reached_nodes = nodes * (1 - std::pow(1 - 1 / nodes, m.topk));
      return links.exchange_once(joint, s.rows() * token * reached * (1 - 1 / ranks),
                                 nodes > 1 ? s.rows() * token * reached_nodes * (1 - 1 / nodes) : 0);
    }
  }
  return 0;
}

void shared(const Shape& s, const Job& job, Tally& t) {
  const memory::Model& m = s.model;
  if (m.shared_ffn <= 0) return;
  const double rows = s.tokens(), width = m.shared_ffn / s.parallel.tp, wide = width * (m.gated ? 2 : 1);
  const auto mark = t.open();
  t.linear(Part::dense, rows, m.hidden, wide);
  activation(s, Part::dense, rows, width, t);
  t.linear(Part::dense, rows, width, m.hidden);
  tensor_exchange(s, job, 2 * rows * m.hidden * (wide + width) / (job.machine.bf16 * gemm_bf16), t);
  if (replays(s, memory::shared_experts)) t.replay(mark);
}

/// Compute of the shared experts, which may run beside the exchange.
double shared_time(const Shape& s, const Job& job) {
  const double columns = s.model.shared_ffn / s.parallel.tp * (s.model.gated ? 3 : 2);
  return 2 * s.tokens() * s.model.hidden * columns / (job.machine.bf16 * gemm_bf16);
}

void route(const Shape& s, Tally& t) {
  const memory::Model& m = s.model;
  t.graphed(s.graphs.router);
  t.plain_linear(Part::experts, s.rows(), m.hidden, m.experts);
  const double scores = s.rows() * m.experts * 4;
  t.elementwise(Part::experts, 8 * scores, 8 * scores, s.kernels.router_fusion ? 3 : 14);
  t.graphed(false);
}

void experts(const Shape& s, const Job& job, Tally& t) {
  const memory::Model& m = s.model;
  const double local = m.experts / s.parallel.ep, in = m.latent > 0 ? m.latent : m.hidden;
  double busy = s.kernels.imbalance;
  if (job.switches.capacity_factor > 0) busy = std::min(busy, job.switches.capacity_factor);
  const double rows = s.rows() * m.topk * s.parallel.etp * busy;
  const double width = m.expert_ffn / s.parallel.etp, wide = width * (m.gated ? 2 : 1);
  norm(s, replays(s, memory::layernorm), t);
  const auto whole = t.open();
  route(s, t);
  if (m.latent > 0) t.linear(Part::dense, s.rows(), m.hidden, 2 * m.latent);
  // Permutation on both sides of the exchange, and its inverse.
  const double moved = rows * in * s.numerics.parameter;
  t.elementwise(Part::experts, (s.kernels.permute_fusion ? 6 : 10) * moved,
                (s.kernels.permute_fusion ? 6 : 10) * moved, s.kernels.permute_fusion ? 8 : 30);
  t.launches(dispatch_operators, dispatch_operators);
  const double way = dispatch(s, t.links()) * busy;
  const double hidden = job.switches.shared_overlap ? shared_time(s, job) : 0;
  const double shown = std::max(2 * way * (1 - overlap_share), 2 * way - overlap_share * hidden);
  t.exchange(Part::exchange, shown, shown);
  t.grouped(Part::experts, rows, local, in, wide);
  const auto act = t.open();
  activation(s, Part::experts, rows, width, t);
  if (replays(s, memory::moe_act)) t.replay(act);
  t.grouped(Part::experts, rows, local, width, in);
  shared(s, job, t);
  if (replays(s, memory::moe)) t.replay(whole);
}

}  // namespace

void feedforward(const Shape& s, const Job& job, Feedforward kind, Tally& t) {
  if (kind == Feedforward::dense) dense(s, job, t);
  if (kind == Feedforward::experts) experts(s, job, t);
}

}  // namespace headroom::cost
