// Parameter counts by module, on one rank of a stage.
#include <algorithm>
#include <array>

#include "states.hpp"

namespace headroom::memory {
namespace {

class Counter {
 public:
  Counter(const Shape& s, Records* records) : s_(s), records_(records) {}

  /// `times`: layers of this kind on the stage.
  void begin(double times) { times_ = times; }
  /// A weight matrix of a linear layer.
  void matrix(const Item& item, double rows, double columns) {
    const double n = rows * columns * times_;
    out.dense += n;
    out.dense_matrices += n;
    out.dense_quantised += n;
    note(item, {{"layers", times_}, {"rows", rows}, {"columns", columns}});
  }
  void expert_matrix(const Item& item, double experts, double rows, double columns) {
    const double n = experts * rows * columns * times_;
    out.experts += n;
    out.experts_matrices += n;
    out.experts_quantised += n;
    note(item, {{"layers", times_}, {"local experts", experts}, {"rows", rows}, {"columns", columns}});
  }
  /// Norms, biases, tables: never quantised.
  void vector(const Item& item, double elements) {
    out.dense += elements * times_;
    note(item, {{"layers", times_}, {"elements", elements}});
  }
  /// A matrix outside the transformer layers.
  void table(const Item& item, double rows, double columns) {
    out.dense += rows * columns;
    out.ends += rows * columns;
    note(item, {{"rows", rows}, {"columns", columns}});
  }
  /// Matrices of a vision tower, which never run in fp8.
  void tower_matrices(const Item& item, double elements) {
    const double n = elements * times_ / s_.tower.shards;
    out.dense += n;
    out.dense_matrices += n;
    if (s_.tower.frozen) out.frozen += n;
    if (s_.tower.frozen) out.frozen_matrices += n;
    note(item, {{"layers", times_}, {"elements", elements}, {"ranks", s_.tower.shards, true}});
  }
  void adapter(double in, double columns, double modules = 1) {
    const double rank = s_.adapter.rank;
    out.adapters +=
        times_ * modules * (rank * in + rank * columns + (s_.adapter.kind == Peft::dora ? columns : 0));
  }
  void expert_adapter(double experts, double in, double columns) {
    out.expert_adapters += times_ * experts * s_.adapter.rank * (in + columns);
  }
  void norm(std::string_view module, double width) {
    vector({"norm weights", module, "model.normalization model.hidden_size", Source::layer},
           width * (s_.model.layer_norm ? 2 : 1));
  }
  Parameters out;

 private:
  void note(const Item& item, Product product) {
    if (records_ == nullptr) return;
    const double n = value_of(product);
    if (n == 0) return;
    std::vector<Factor> factors(product.begin(), product.end());
    factors.push_back({"bytes", s_.numerics.parameter});
    records_->push_back({item, std::move(factors), n * s_.numerics.parameter, Record::Life::fixed});
  }
  const Shape& s_;
  Records* records_;
  double times_ = 1;
};

void attention(const Shape& s, Counter& c) {
  const Model& m = s.model;
  const double tp = s.parallel.tp, q = m.heads * m.head_dim / tp,
               kv = std::max(m.groups / tp, 1.0) * m.head_dim;
  const double columns = q + 2 * kv + (m.output_gate ? q : 0);
  c.norm("input_layernorm", m.hidden);
  c.matrix({"linear_qkv", "self_attention",
            "model.num_attention_heads model.num_query_groups model.hidden_size", Source::attention},
           m.hidden, columns);
  c.matrix(
      {"linear_proj", "self_attention", "model.num_attention_heads model.hidden_size", Source::attention}, q,
      m.hidden);
  if (m.qkv_bias) c.vector({"qkv bias", "self_attention", "model.add_qkv_bias", Source::attention}, columns);
  if (m.bias) c.vector({"proj bias", "self_attention", "model.add_bias_linear", Source::attention}, m.hidden);
  if (m.qk_norm) c.norm("q_layernorm, k_layernorm", 2 * m.head_dim);
  if (s.adapter.qkv) c.adapter(m.hidden / (s.adapter.kind == Peft::canonical_lora ? 1 : tp), columns);
  if (s.adapter.proj) c.adapter(q, m.hidden / tp);
}

void latent_attention(const Shape& s, Counter& c) {
  const Model& m = s.model;
  const double tp = s.parallel.tp, head = m.qk_dim + m.rope_dim, down = s.kernels.te ? 1 : tp;
  const double heads = m.heads / tp;
  const std::string_view fields =
      "model.q_lora_rank model.kv_lora_rank model.num_attention_heads model.qk_head_dim";
  c.norm("input_layernorm", m.hidden);
  if (m.q_rank > 0) {
    c.matrix({"linear_q_down_proj", "self_attention", fields, Source::mla}, m.hidden, m.q_rank / down);
    c.matrix({"linear_q_up_proj", "self_attention", fields, Source::mla}, m.q_rank, heads * head);
    if (m.qk_norm) c.norm("q_layernorm", m.q_rank);
  } else {
    c.matrix({"linear_q_proj", "self_attention", fields, Source::mla}, m.hidden, heads * head);
  }
  c.matrix({"linear_kv_down_proj", "self_attention", fields, Source::mla}, m.hidden,
           (m.kv_rank + m.rope_dim) / down);
  c.matrix({"linear_kv_up_proj", "self_attention", fields, Source::mla}, m.kv_rank,
           heads * (m.qk_dim + m.v_dim));
  if (m.qk_norm) c.norm("kv_layernorm", m.kv_rank);
  c.matrix({"linear_proj", "self_attention", fields, Source::mla}, heads * m.v_dim, m.hidden);
  if (m.indexer_heads > 0)
    c.matrix(
        {"indexer", "self_attention", "model.dsa_indexer_n_heads model.dsa_indexer_head_dim", Source::mla},
        m.indexer_dim, (m.q_rank > 0 ? m.q_rank : m.hidden) * m.indexer_heads + m.hidden);
  if (s.adapter.qkv) c.adapter(m.q_rank + m.hidden, heads * head + m.kv_rank);
  if (s.adapter.proj) c.adapter(heads * m.v_dim, m.hidden);
}

void mlp(const Shape& s, Counter& c) {
  const Model& m = s.model;
  const double width = m.ffn / s.parallel.tp, wide = width * (m.gated ? 2 : 1);
  c.norm("pre_mlp_layernorm", m.hidden);
  c.matrix({"linear_fc1", "mlp", "model.ffn_hidden_size model.hidden_size", Source::mlp}, m.hidden, wide);
  c.matrix({"linear_fc2", "mlp", "model.ffn_hidden_size model.hidden_size", Source::mlp}, width, m.hidden);
  if (m.bias) c.vector({"biases", "mlp", "model.add_bias_linear", Source::mlp}, wide + m.hidden);
  if (s.adapter.fc1) c.adapter(m.hidden / s.parallel.tp, wide);
  if (s.adapter.fc2) c.adapter(width, m.hidden / s.parallel.tp);
}

void experts(const Shape& s, Counter& c) {
  const Model& m = s.model;
  const double local = m.experts / s.parallel.ep, in = m.latent > 0 ? m.latent : m.hidden;
  const double width = m.expert_ffn / s.parallel.etp, wide = width * (m.gated ? 2 : 1);
  c.norm("pre_mlp_layernorm", m.hidden);
  c.vector({"router", "mlp", "model.num_moe_experts model.hidden_size", Source::router},
           m.experts * m.hidden);
  const std::string_view fields =
      "model.num_moe_experts model.moe_ffn_hidden_size model.expert_model_parallel_size";
  c.expert_matrix({"experts.linear_fc1", "mlp", fields, Source::experts}, local, in, wide);
  c.expert_matrix({"experts.linear_fc2", "mlp", fields, Source::experts}, local, width, in);
  if (m.latent > 0)
    c.matrix({"latent projections", "mlp", "model.moe_latent_size", Source::experts}, m.hidden, 2 * m.latent);
  if (m.shared_ffn > 0)
    c.matrix({"shared_experts", "mlp", "model.moe_shared_expert_intermediate_size", Source::shared_experts},
             m.hidden, m.shared_ffn / s.parallel.tp * (m.gated ? 3 : 2));
  if (m.shared_gate)
    c.vector({"shared expert gate", "mlp", "model.moe_shared_expert_gate", Source::shared_experts}, m.hidden);
  if (m.bias)
    c.vector({"expert biases", "mlp", "model.add_bias_linear", Source::experts}, local * (wide + in));
  if (s.adapter.fc1) c.expert_adapter(local, in, wide);
  if (s.adapter.fc2) c.expert_adapter(local, width, in);
}

void mamba(const Shape& s, Counter& c) {
  const Model& m = s.model;
  const double tp = s.parallel.tp, inner = m.mamba_heads * m.mamba_head_dim / tp, heads = m.mamba_heads / tp;
  const double state = std::max(m.mamba_groups / tp, 1.0) * m.mamba_state;
  const std::string_view fields =
      "model.mamba_num_heads model.mamba_head_dim model.mamba_state_dim model.mamba_num_groups";
  c.norm("norm", m.hidden);
  c.matrix({"in_proj", "mixer", fields, Source::mamba}, m.hidden, 2 * inner + 2 * state + heads);
  c.matrix({"out_proj", "mixer", fields, Source::mamba}, inner, m.hidden);
  c.vector({"convolution, decay and norm", "mixer", fields, Source::mamba},
           5 * (inner + 2 * state) + 3 * heads + inner);
}

void gdn(const Shape& s, Counter& c) {
  const Model& m = s.model;
  const double tp = s.parallel.tp, heads = m.gdn_value_heads / tp;
  const double keys = m.gdn_key_heads * m.gdn_key_dim / tp, values = m.gdn_value_heads * m.gdn_value_dim / tp;
  const std::string_view fields =
      "model.linear_num_key_heads model.linear_num_value_heads model.linear_value_head_dim";
  c.norm("input_layernorm", m.hidden);
  c.matrix({"in_proj", "self_attention", fields, Source::gdn}, m.hidden, 2 * keys + 2 * values + 2 * heads);
  c.matrix({"out_proj", "self_attention", fields, Source::gdn}, values, m.hidden);
  c.vector({"convolution, decay and norm", "self_attention", fields, Source::gdn},
           m.gdn_conv * (2 * keys + values) + 2 * heads + m.gdn_value_dim);
  if (s.adapter.qkv) c.adapter(m.hidden / tp, 2 * keys + 2 * values);
  if (s.adapter.proj) c.adapter(values, m.hidden / tp);
}

void layer(const Shape& s, LayerKind kind, Counter& c) {
  switch (kind.mixer) {
    case Mixer::attention:
      attention(s, c);
      break;
    case Mixer::mla:
      latent_attention(s, c);
      break;
    case Mixer::gated_delta_net:
      gdn(s, c);
      break;
    case Mixer::mamba:
      mamba(s, c);
      break;
    case Mixer::none:
      break;
  }
  if (kind.feedforward == Feedforward::dense) mlp(s, c);
  if (kind.feedforward == Feedforward::experts) experts(s, c);
}

void mtp(const Shape& s, const Chunk& chunk, Counter& c) {
  const Model& m = s.model;
  c.begin(m.mtp_repeated ? 1 : chunk.mtp_depths);
  c.norm("mtp norms", 3 * m.hidden);
  c.matrix({"eh_proj", "mtp", "model.mtp_num_layers model.hidden_size", Source::mtp}, m.hidden,
           2 * m.hidden / s.parallel.tp);
  const double depths = m.mtp_repeated ? 1 : chunk.mtp_depths;
  for (std::size_t k = 0; k < static_cast<std::size_t>(s.kind_count); ++k) {
    if (s.mtp_layers[k] == 0) continue;
    c.begin(depths * s.mtp_layers[k]);
    layer(s, s.kinds[k], c);
  }
}

/// One table for the embeddings of all layers, a projection into them, and a gate and a projection in each
/// layer (megatron/bridge/models/gemma/modeling_gemma4.py).
void layer_embeddings(const Shape& s, const Chunk& chunk, Counter& c) {
  const Model& m = s.model;
  if (m.layer_embedding <= 0 || m.layer_embedding_rows <= 0) return;
  double all = 0;
  for (const Chunk& each : s.chunks) all += each.layer_count();
  c.begin(chunk.layer_count());
  c.matrix({"gates and projections of the embeddings for each layer", "per_layer_embedding",
            "model.per_layer_embed_dim", Source::embedding},
           m.hidden, 2 * m.layer_embedding);
  if (!chunk.embedding) return;
  c.begin(1);
  c.table({"embeddings for each layer", "per_layer_embedding",
           "model.per_layer_embed_dim model.per_layer_embed_vocab_size", Source::embedding},
          m.layer_embedding_rows / s.parallel.tp, all * m.layer_embedding);
  c.matrix({"projection into the embeddings for each layer", "per_layer_embedding",
            "model.per_layer_embed_dim", Source::embedding},
           m.hidden, all * m.layer_embedding);
}

void ends(const Shape& s, const Chunk& chunk, bool stage_has_embedding, Counter& c) {
  const Model& m = s.model;
  const double rows = m.vocab / s.parallel.tp;
  c.begin(1);
  const bool embeds = chunk.embedding || (chunk.mtp_depths > 0 && !stage_has_embedding);
  if (embeds) {
    c.table({"word embeddings", "embedding", "model.vocab_size model.hidden_size", Source::embedding}, rows,
            m.hidden);
    if (m.positions > 0)
      c.table({"position embeddings", "embedding", "model.position_embedding_type", Source::embedding},
              m.positions, m.hidden);
  }
  if (!chunk.loss) return;
  c.norm("final_layernorm", m.hidden);
  // A tied output layer on a stage of its own holds a copy of the word embeddings.
  if (m.untied || !(stage_has_embedding || embeds))
    c.table({"output layer", "output_layer", "model.share_embeddings_and_output_weights model.vocab_size",
             Source::output},
            rows, m.hidden);
}

void tower(const Shape& s, Counter& c) {
  const Tower& t = s.tower;
  if (t.layers <= 0) return;
  c.begin(t.layers);
  c.tower_matrices(
      {"vision tower: attention and MLP", "vision_model", "model.freeze_vision_model", Source::tower},
      4 * t.hidden * t.hidden + (t.gated ? 3 : 2) * t.hidden * t.ffn);
  c.begin(1);
  c.tower_matrices({"vision tower: patches", "vision_model", "model.freeze_vision_model", Source::tower},
                   3 * t.patch * t.patch * t.hidden);
  c.tower_matrices(
      {"projector of the vision tower", "vision_projection", "model.freeze_vision_model", Source::tower},
      (t.merged * t.hidden + s.model.hidden) * t.projector);
}

}  // namespace

Parameters parameters_of(const Shape& s, std::int32_t stage, Records* records) {
  Counter c(s, records);
  bool embedding = false;
  std::array<std::int32_t, max_kinds> layers{};
  for (const Chunk& chunk : s.chunks) {
    if (chunk.stage != stage) continue;
    embedding |= chunk.embedding;
    for (std::size_t k = 0; k < layers.size(); ++k) layers[k] += chunk.layers[k];
  }
  double largest = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(s.kind_count); ++k) {
    if (layers[k] == 0) continue;
    const double before = c.out.dense + c.out.experts;
    c.begin(layers[k]);
    layer(s, s.kinds[k], c);
    largest = std::max(largest, (c.out.dense + c.out.experts - before) / layers[k]);
  }
  for (const Chunk& chunk : s.chunks) {
    if (chunk.stage != stage) continue;
    if (chunk.mtp_depths > 0) mtp(s, chunk, c);
    layer_embeddings(s, chunk, c);
    if (chunk.embedding || chunk.loss || chunk.mtp_depths > 0) ends(s, chunk, embedding, c);
  }
  if (embedding) tower(s, c);
  c.out.largest_layer = largest;
  return c.out;
}

}  // namespace headroom::memory
