// Attention, latent attention, gated delta nets and Mamba.
#include "modules.hpp"

namespace headroom::cost {

using memory::Mixer;
using memory::Shape;
using namespace constants;

namespace {

/// Scores and values of causal attention: half of the square, or the window.
double attention_flops(const Shape& s, double query_columns, double value_columns) {
  const double window = s.model.window;
  double keys = s.sequence / 2;
  if (window > 0 && window < s.sequence) keys = window * (1 - window / (2 * s.sequence));
  return 2 * s.tokens() * keys * (query_columns + value_columns);
}

/// Columns of keys and values travel round the ring, or heads are exchanged for tokens.
void context_exchange(const Shape& s, const Job& job, double query, double kv, double core, Tally& t) {
  const double cp = s.parallel.cp, b = s.numerics.parameter;
  if (cp <= 1) return;
  const Group group{cp, s.parallel.tp};
  if (job.switches.context == ContextExchange::all_to_all) {
    const double once = t.links().exchange(group, s.tokens() * (2 * query + kv) * b);
    t.exchange(Part::context, once, once);
  } else if (job.switches.context == ContextExchange::all_gather) {
    const double once = t.links().gather(group, cp * s.tokens() * kv * b);
    t.exchange(Part::context, once, 2 * once);
  } else {
    const double hop = t.links().send(s.parallel.tp, s.tokens() * kv * b);
    const double forward = (cp - 1) * hop, backward = 2 * forward;
    // Each hop hides behind the attention of the block before it.
    t.exchange(Part::context, std::max(0.1 * forward, forward - overlap_share * core),
               std::max(0.1 * backward, backward - overlap_share * 2 * core));
    t.launches((cp - 1) * hop_operators, (cp - 1) * hop_operators);
  }
}

void core(const Shape& s, const Job& job, double query, double value, double kv, Tally& t) {
  const double flops = attention_flops(s, query, value);
  const auto mark = t.open();
  t.core(Part::attention, flops, attention_forward, 2.5, attention_backward);
  if (s.kernels.attention == memory::Backend::unfused) {
    // The scores go through memory: written, scaled and masked, normalised, dropped out, read.
    const double scores = s.micro_batch * s.sequence * s.sequence / s.parallel.cp * s.model.heads /
                          s.parallel.tp * s.numerics.parameter;
    const double passes = s.kernels.softmax_fusion ? 4 : 8;
    t.elementwise(Part::attention, (passes + 2) * scores, (passes + 4) * scores, passes);
  } else if (!s.graphs.attention) {
    t.launches(attention_operators, attention_operators);
  }
  context_exchange(s, job, query, kv, flops / (job.machine.bf16 * attention_forward), t);
  if (replays(s, memory::core_attn)) t.replay(mark);
}

void rope(const Shape& s, double columns, Tally& t) {
  const double bytes = (s.kernels.rope_fusion ? 2 : 6) * s.tokens() * columns * s.numerics.parameter;
  t.elementwise(Part::attention, bytes, bytes, s.kernels.rope_fusion ? 2 : 8);
}

void adapter(const Shape& s, double in, double out, Tally& t) {
  const double rows = s.tokens(), rank = s.adapter.rank;
  t.frozen(false);
  t.plain_linear(Part::dense, rows, in, rank);
  t.plain_linear(Part::dense, rows, rank, out);
  t.elementwise(Part::dense, 3 * rows * out * 2, 2 * rows * out * 2, 2);
  t.frozen(true);
  if (s.adapter.regather && s.parallel.sequence)
    t.exchange(Part::tensor, 0, t.links().gather({s.parallel.tp, 1}, rows * in * s.numerics.parameter));
}

void attention(const Shape& s, const Job& job, Tally& t) {
  const memory::Model& m = s.model;
  const double tp = s.parallel.tp, rows = s.tokens();
  const double query = m.heads * m.head_dim / tp, key = std::max(m.groups / tp, 1.0) * m.head_dim;
  const double columns = query * (m.output_gate ? 2 : 1) + 2 * key;
  t.graphed(s.graphs.attention);
  norm(s, replays(s, memory::layernorm), t);
  t.linear(Part::attention, rows, m.hidden, columns);
  if (s.adapter.qkv) adapter(s, m.hidden, columns, t);
  if (m.qk_norm) t.elementwise(Part::attention, 4 * rows * (query + key), 6 * rows * (query + key), 2);
  if (m.rope) rope(s, query + key, t);
  core(s, job, query, query, 2 * key, t);
  t.linear(Part::attention, rows, query, m.hidden);
  if (s.adapter.proj) adapter(s, query, m.hidden, t);
  tensor_exchange(s, job, 2 * rows * m.hidden * (columns + query) / (job.machine.bf16 * gemm_bf16), t);
  t.graphed(false);
}

void latent(const Shape& s, const Job& job, Tally& t) {
  const memory::Model& m = s.model;
  const double tp = s.parallel.tp, rows = s.tokens(), heads = m.heads / tp;
  const double query = heads * (m.qk_dim + m.rope_dim), value = heads * m.v_dim;
  t.graphed(s.graphs.attention);
  norm(s, replays(s, memory::layernorm), t);
  // The compressed projections are not split over tensor ranks; sequence parallelism splits their rows.
  if (m.q_rank > 0) t.linear(Part::attention, s.rows(), m.hidden, m.q_rank);
  t.linear(Part::attention, s.rows(), m.hidden, m.kv_rank + m.rope_dim);
  const auto mark = t.open();
  if (m.q_rank > 0) {
    t.linear(Part::attention, rows, m.q_rank, query);
  } else {
    t.linear(Part::attention, rows, m.hidden, query);
  }
  t.linear(Part::attention, rows, m.kv_rank, heads * (m.qk_dim + m.v_dim));
  rope(s, 2 * query, t);
  if (replays(s, memory::mla_up_proj)) t.replay(mark);
  core(s, job, query, value, query + value, t);
  t.linear(Part::attention, rows, value, m.hidden);
  const double inner = (m.q_rank > 0 ? m.q_rank : m.hidden) * query + value * m.hidden;
  tensor_exchange(s, job, 2 * rows * inner / (job.machine.bf16 * gemm_bf16), t);
  t.graphed(false);
}

/// Convolution, scan and gate move their tensors a few times; chunked scans add small products.
void scan(const Shape& s, double columns, double state_flops, double kernels, Tally& t) {
  const double bytes = s.tokens() * columns * s.numerics.parameter;
  t.elementwise(Part::recurrent, 6 * bytes, 14 * bytes, kernels);
  t.core(Part::recurrent, state_flops, 0.5 * attention_forward, 2.5, 0.5 * attention_backward);
}

void mamba(const Shape& s, const Job& job, Tally& t) {
  const memory::Model& m = s.model;
  const double tp = s.parallel.tp, inner = m.mamba_heads * m.mamba_head_dim / tp;
  const double state = std::max(m.mamba_groups / tp, 1.0) * m.mamba_state, rows = s.tokens();
  constexpr double chunk = 128;
  t.graphed(s.graphs.mamba);
  norm(s, replays(s, memory::layernorm), t);
  t.linear(Part::recurrent, rows, m.hidden, 2 * inner + 2 * state + m.mamba_heads / tp);
  scan(s, 2 * inner + 2 * state, 2 * rows * inner * (2 * m.mamba_state + chunk), 8, t);
  t.linear(Part::recurrent, rows, inner, m.hidden);
  tensor_exchange(s, job, 6 * rows * m.hidden * inner / (job.machine.bf16 * gemm_bf16), t);
  t.graphed(false);
}

void delta_net(const Shape& s, const Job& job, Tally& t) {
  const memory::Model& m = s.model;
  const double tp = s.parallel.tp, rows = s.tokens();
  const double keys = m.gdn_key_heads * m.gdn_key_dim / tp, values = m.gdn_value_heads * m.gdn_value_dim / tp;
  constexpr double chunk = 64;
  t.graphed(s.graphs.attention);
  norm(s, replays(s, memory::layernorm), t);
  t.linear(Part::recurrent, rows, m.hidden, 2 * keys + 2 * values);
  if (s.adapter.qkv) adapter(s, m.hidden, 2 * keys + 2 * values, t);
  scan(s, 2 * keys + 2 * values, 2 * rows * values * (2 * m.gdn_key_dim + 2 * chunk), 14, t);
  const auto mark = t.open();
  t.elementwise(Part::recurrent, 6 * rows * values, 8 * rows * values, 2);
  if (replays(s, memory::gdn_norm_out)) t.replay(mark);
  t.linear(Part::recurrent, rows, values, m.hidden);
  if (s.adapter.proj) adapter(s, values, m.hidden, t);
  tensor_exchange(s, job, 6 * rows * m.hidden * values / (job.machine.bf16 * gemm_bf16), t);
  t.graphed(false);
}

}  // namespace

void mixer(const Shape& s, const Job& job, Mixer kind, Tally& t) {
  switch (kind) {
    case Mixer::attention:
      return attention(s, job, t);
    case Mixer::mla:
      return latent(s, job, t);
    case Mixer::mamba:
      return mamba(s, job, t);
    case Mixer::gated_delta_net:
      return delta_net(s, job, t);
    case Mixer::none:
      return;
  }
}

}  // namespace headroom::cost
