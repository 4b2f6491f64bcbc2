#include "activations.hpp"

#include <cmath>

namespace headroom::memory {
namespace {

/// Bytes of an element that a linear keeps of its input under fp8: only the copy for the weight gradient.
double saved_bytes(const Shape& s) {
  switch (s.numerics.fp8) {
    case Fp8::none:
      return s.numerics.parameter;
    case Fp8::delayed:
    case Fp8::current:
      return 1;
    case Fp8::blockwise:
      return 1 + 4.0 / 128;
    case Fp8::mxfp8:
      return 1 + 1.0 / 32;
    case Fp8::nvfp4:
      return 0.5 + 1.0 / 16;
  }
  return s.numerics.parameter;
}

double norm_statistics(const Model& m) {
  return m.layer_norm ? 8 : 4;
}

}  // namespace

Local::Local(const Shape& s) {
  const Model& m = s.model;
  tokens = s.tokens();
  rows = s.rows();
  hidden = m.hidden;
  bytes = s.numerics.parameter;
  residual = s.numerics.residual;
  tp = s.parallel.tp;
  heads = m.heads / tp;
  query = m.heads * m.head_dim / tp;
  key = value = std::max(m.groups / tp, 1.0) * m.head_dim;
  fp8 = s.kernels.te ? saved_bytes(s) : bytes;
  separate_norm = !s.kernels.te;
  frozen = s.adapter.kind != Peft::none;
}

bool offloads(const Shape& s, Module module) {
  return (s.saving.offload & module) != 0;
}

void norm_output(const Shape& s, const Local& l, bool recomputable, std::string_view module, Walk& w) {
  const bool discarded =
      recomputable && s.saving.mode == Recompute::selective && (s.saving.modules & layernorm) != 0;
  const Item statistics{"norm statistics", module, "model.normalization model.seq_length", Source::layer};
  if (discarded) {
    w.discard({"norm output, computed again", module, "model.recompute_modules model.hidden_size",
               Source::checkpoint},
              {{"tokens", l.rows}, {"hidden", l.hidden}, {"bytes", l.bytes}});
    return;
  }
  w.keep(statistics, {{"tokens", l.rows}, {"bytes", norm_statistics(s.model)}});
  // With frozen weights only an adapter needs the input: gathered over the sequence-parallel ranks unless it
  // gathers again in its backward.
  if (l.frozen) {
    const bool adapted = module == "mlp" ? s.adapter.fc1 : s.adapter.qkv;
    if (!adapted) return;
    const bool gathered = s.parallel.sequence && !s.adapter.regather;
    w.keep({"input of the adapter", module, "peft.target_modules peft.sequence_parallel_input_regather",
            Source::lora},
           {{"tokens", gathered ? l.tokens : l.rows}, {"hidden", l.hidden}, {"bytes", l.bytes}});
    w.keep({"low-rank input", module, "peft.dim", Source::lora},
           {{"tokens", l.tokens}, {"rank", s.adapter.rank}, {"bytes", l.bytes}});
    if (s.adapter.dropout)
      w.keep({"dropout mask of the adapter", module, "peft.dropout", Source::lora},
             {{"tokens", gathered ? l.tokens : l.rows}, {"hidden", l.hidden}, {"bytes", 1 + l.bytes}});
    return;
  }
  w.keep(
      {"norm output", module, "model.hidden_size model.seq_length train.micro_batch_size", Source::te_linear},
      {{"tokens", l.rows}, {"hidden", l.hidden}, {"bytes", l.fp8}},
      module == "self_attention" && offloads(s, qkv_linear));
}

void residual_add(const Shape& s, const Local& l, std::string_view module, Walk& w) {
  w.release();
  // The residual after attention is the input of the MLP's norm, that after the MLP the input of the next
  // layer's.
  const bool offloaded = offloads(s, module == "mlp_bda" ? attn_norm : mlp_norm);
  if (s.model.hidden_dropout > 0)
    w.keep({"dropout mask", module, "model.hidden_dropout model.hidden_size", Source::layer},
           {{"tokens", l.rows}, {"hidden", l.hidden}, {"bytes", 1}});
  w.keep({"residual", module, "model.hidden_size model.seq_length train.micro_batch_size", Source::layer},
         {{"tokens", l.rows}, {"hidden", l.hidden}, {"bytes", l.residual}}, offloaded);
}

namespace {

struct Scores {
  double heads, rows, columns;
};

void unfused_scores(const Shape& s, const Local& l, const Scores& e, Walk& w) {
  const Kernels& k = s.kernels;
  const auto matrix = [&](std::string_view name, Source source, double bytes) {
    w.keep(
        {name, "core_attention",
         "model.seq_length model.num_attention_heads train.micro_batch_size model.attention_backend", source},
        {{"micro-batch", s.micro_batch},
         {"heads", e.heads},
         {"queries", e.rows},
         {"keys", e.columns},
         {"bytes", bytes}},
        offloads(s, core_attn));
  };
  const Source source = k.te ? Source::te_attention : Source::local_attention;
  const bool fused =
      k.te ? e.columns < 16384 && std::fmod(s.micro_batch * e.heads, 4) == 0
           : k.softmax_fusion && e.columns <= 4096 && std::fmod(s.micro_batch * e.heads, 4) == 0;
  const bool fp32 = !fused && (k.te || k.softmax_fp32);
  if (fp32) matrix("softmax in fp32", source, 4);
  // Softmax keeps its own output. Rounded to half precision it is a second tensor, which only the product
  // with the values keeps: dropout does not.
  if (!fp32 || s.model.attention_dropout == 0) matrix("attention probabilities", source, l.bytes);
  if (s.model.attention_dropout > 0) {
    matrix("probabilities after dropout", source, l.bytes);
    matrix("attention dropout mask", source, 1);
  }
  if (!k.te && !fused)
    w.keep({"causal mask", "core_attention", "model.seq_length", Source::local_attention},
           {{"queries", e.rows}, {"keys", e.columns}, {"bytes", 1}});
  // The scores live beside the probabilities until the function returns.
  w.forward({"raw scores", "core_attention", "model.seq_length model.num_attention_heads", source},
            {{"micro-batch", s.micro_batch},
             {"heads", e.heads},
             {"queries", e.rows},
             {"keys", e.columns},
             {"bytes", fp32 ? 2 * l.bytes + 4 : 2 * l.bytes}});
  w.backward(
      {"gradient of the scores", "core_attention", "model.seq_length model.num_attention_heads", source},
      {{"micro-batch", s.micro_batch},
       {"heads", e.heads},
       {"queries", e.rows},
       {"keys", e.columns},
       {"bytes", fp32 ? 8.0 : 2 * l.bytes}});
}

}  // namespace

void core_attention(const Shape& s, const Local& l, double key_dim, double value_dim, Walk& w) {
  const Saving& saving = s.saving;
  const bool again = saving.mode == Recompute::selective && (saving.modules & core_attn) != 0;
  const auto region = w.open(again);
  if (s.kernels.attention == Backend::unfused) {
    if (s.model.groups < s.model.heads && key_dim == value_dim) {
      w.keep({"keys and values repeated for each head", "core_attention",
              "model.num_query_groups model.num_attention_heads",
              s.kernels.te ? Source::te_attention : Source::local_attention},
             {{"tokens", l.tokens},
              {"heads", l.heads},
              {"head dims of k and v", key_dim + value_dim},
              {"bytes", l.bytes}},
             offloads(s, core_attn));
    }
    unfused_scores(s, l, {l.heads, s.sequence / s.parallel.cp, s.sequence}, w);
  } else {
    w.keep(
        {"log-sum-exp", "core_attention", "model.num_attention_heads model.seq_length", Source::te_attention},
        {{"tokens", l.tokens}, {"heads", l.heads}, {"bytes", 4}}, offloads(s, core_attn));
    if (!s.kernels.te && key_dim != value_dim) {
      w.keep({"values and output padded to the head size of the keys", "core_attention",
              "model.v_head_dim model.qk_head_dim", Source::local_attention},
             {{"tokens", l.tokens},
              {"heads", l.heads},
              {"head dims of v and output", 2 * key_dim},
              {"bytes", l.bytes}});
    }
    if (s.parallel.cp > 1)
      w.forward({"keys and values of the next rank", "core_attention", "model.context_parallel_size",
                 Source::te_attention},
                {{"tokens", l.tokens}, {"k and v columns", 2 * (l.key + l.value)}, {"bytes", l.bytes}});
  }
  w.close(region);
  w.keep({"context", "core_attention", "model.num_attention_heads model.kv_channels", Source::attention},
         {{"tokens", l.tokens}, {"heads", l.heads}, {"head dim", value_dim}, {"bytes", l.bytes}},
         offloads(s, attn_proj));
}

void attention_activations(const Shape& s, const Local& l, Walk& w) {
  const Model& m = s.model;
  const Kernels& k = s.kernels;
  norm_output(s, l, l.separate_norm, "self_attention", w);
  const double gate = m.output_gate ? l.query : 0;
  const bool grouped = m.groups < m.heads;
  const bool again = s.saving.mode == Recompute::selective && (s.saving.modules & core_attn) != 0;
  const bool copies = m.rope || m.qk_norm;  // else q and k are views of the joint projection
  const bool repeated = k.attention == Backend::unfused && grouped && !again;
  const double columns = l.query + l.key + l.value + gate;
  const Item qkv{"q, k and v", "self_attention.linear_qkv",
                 "model.num_attention_heads model.num_query_groups model.kv_channels", Source::attention};
  // Values are a view of the joint projection and keep all of it, unless they are copied: Transformer Engine
  // makes them contiguous where queries and keys have left the projection, the local kernel repeats them for
  // each head.
  if (k.te && copies) {
    w.keep(qkv,
           {{"tokens", l.tokens},
            {"columns of v and gate", (repeated ? 0 : l.value) + gate},
            {"bytes", l.bytes}},
           offloads(s, core_attn));
    w.forward(qkv, {{"tokens", l.tokens}, {"columns", columns + l.query}, {"bytes", l.bytes}});
  } else if (repeated && copies) {
    w.forward(qkv, {{"tokens", l.tokens}, {"columns", 2 * columns}, {"bytes", l.bytes}});
  } else {
    w.keep(qkv, {{"tokens", l.tokens}, {"columns", columns}, {"bytes", l.bytes}}, offloads(s, core_attn));
  }
  if (m.qk_norm) {
    // Transformer Engine's norm keeps a contiguous copy of its input; the local one keeps the view, and only
    // grouped queries are copied to get their shape.
    const double copied = k.te ? l.query + l.key : grouped ? l.query : 0;
    w.keep({"queries and keys copied in front of their norm", "self_attention.q_layernorm",
            "model.qk_layernorm", Source::attention},
           {{"tokens", l.tokens}, {"columns", copied}, {"bytes", l.bytes}});
    w.keep({"statistics of the q and k norms", "self_attention.q_layernorm", "model.qk_layernorm",
            Source::attention},
           {{"tokens", l.tokens}, {"heads", (l.query + l.key) / m.head_dim}, {"bytes", norm_statistics(m)}});
  }
  if (copies) {
    w.keep({"q and k after rotation", "self_attention.rotary_pos_emb",
            "model.position_embedding_type model.num_attention_heads", Source::attention},
           {{"tokens", l.tokens}, {"columns", l.query + (repeated ? 0 : l.key)}, {"bytes", l.bytes}},
           offloads(s, core_attn));
    if (m.rope && !k.rope_fusion)
      w.keep({"sine and cosine", "self_attention.rotary_pos_emb", "model.apply_rope_fusion model.seq_length",
              Source::attention},
             {{"sequence", s.sequence / s.parallel.cp},
              {"head dim", m.head_dim},
              {"q and k, sine and cosine", 4},
              {"bytes", l.bytes}});
  }
  core_attention(s, l, m.head_dim, m.head_dim, w);
  if (gate > 0)
    w.keep({"gated context", "self_attention", "model.attention_output_gate", Source::attention},
           {{"tokens", l.tokens}, {"columns", l.query}, {"bytes", 2 * l.bytes}});
  if (l.fp8 < l.bytes && !l.frozen)
    w.keep({"context in fp8", "self_attention.linear_proj", "model.fp8 model.fp8_recipe", Source::te_linear},
           {{"tokens", l.tokens}, {"columns", l.query}, {"bytes", l.fp8}});
  w.backward({"gradients of the projections", "self_attention", "model.hidden_size", Source::attention},
             {{"tokens", l.tokens}, {"columns", 2 * columns + 2 * l.hidden}, {"bytes", l.bytes}});
}

void mla_activations(const Shape& s, const Local& l, Walk& w) {
  const Model& m = s.model;
  norm_output(s, l, true, "self_attention", w);
  const double head = m.qk_dim + m.rope_dim;
  const bool again = s.saving.mode == Recompute::selective && (s.saving.modules & mla_up_proj) != 0;
  const double q_down = m.q_rank > 0 ? m.q_rank : 0;
  // The down projections are not split by tensor parallelism; their norms and the up projections read rows.
  w.keep({"compressed q and kv", "self_attention.linear_kv_down_proj",
          "model.q_lora_rank model.kv_lora_rank model.qk_pos_emb_head_dim", Source::mla},
         {{"tokens", l.rows}, {"ranks", q_down + m.kv_rank + m.rope_dim}, {"bytes", l.bytes}});
  const Item normed{"normed q and kv", "self_attention.kv_layernorm", "model.q_lora_rank model.kv_lora_rank",
                    Source::mla};
  const auto region = w.open(again);
  w.keep(
      {"statistics of the q and kv norms", "self_attention.kv_layernorm", "model.qk_layernorm", Source::mla},
      {{"tokens", l.rows}, {"bytes", 2 * norm_statistics(m)}});
  w.close(region);
  w.keep(normed, {{"tokens", l.rows}, {"ranks", q_down + m.kv_rank}, {"bytes", l.fp8}});
  const Item rotated{"q and k of all heads", "self_attention.linear_q_up_proj",
                     "model.num_attention_heads model.qk_head_dim model.qk_pos_emb_head_dim", Source::mla};
  const double padded =
      !s.kernels.te && s.kernels.attention != Backend::unfused ? 0 : m.v_dim;  // then attention copies v
  const Product qkv{{"tokens", l.tokens},
                    {"heads", l.heads},
                    {"head dims of q, k and v", 2 * head + padded},
                    {"bytes", l.bytes}};
  const Item turn{"sine and cosine", "self_attention.rotary_pos_emb",
                  "model.apply_rope_fusion model.seq_length", Source::mla};
  const Product turns{{"sequence", s.sequence / s.parallel.cp},
                      {"rotary dims", m.rope_dim},
                      {"q and k, sine and cosine", 4},
                      {"bytes", s.kernels.rope_fusion ? 0 : l.bytes}};
  if (again) {
    w.discard(rotated, qkv);
    w.discard(turn, turns);
  } else {
    w.keep(rotated, qkv, offloads(s, core_attn));
    w.keep(turn, turns);
  }
  w.forward({"outputs of the up projections", "self_attention.linear_kv_up_proj",
             "model.num_attention_heads model.qk_head_dim", Source::mla},
            {{"tokens", l.tokens},
             {"heads", l.heads},
             {"head dims", head + m.qk_dim + m.v_dim},
             {"bytes", l.bytes}});
  core_attention(s, l, head, m.v_dim, w);
  if (m.indexer_heads > 0)
    w.keep(
        {"indexer queries and keys", "self_attention.indexer",
         "model.dsa_indexer_n_heads model.dsa_indexer_head_dim", Source::mla},
        {{"tokens", l.tokens}, {"columns", (m.indexer_heads + 1) * m.indexer_dim}, {"bytes", 2 * l.bytes}});
  if (l.fp8 < l.bytes)
    w.keep({"context in fp8", "self_attention.linear_proj", "model.fp8 model.fp8_recipe", Source::te_linear},
           {{"tokens", l.tokens}, {"columns", l.heads * m.v_dim}, {"bytes", l.fp8}});
  w.backward({"gradients of q, k and v", "self_attention", "model.num_attention_heads model.qk_head_dim",
              Source::mla},
             {{"tokens", l.tokens},
              {"heads", l.heads},
              {"head dims", 2 * (2 * head + m.v_dim)},
              {"bytes", l.bytes}});
}

void mlp_activations(const Shape& s, const Local& l, Walk& w) {
  const Model& m = s.model;
  const Kernels& k = s.kernels;
  norm_output(s, l, l.separate_norm, "mlp", w);
  const bool again = s.saving.mode == Recompute::selective && (s.saving.modules & mlp) != 0;
  // Transformer Engine's fused norm is part of linear_fc1: its output is computed again with the MLP only if
  // the norm is.
  const auto region = w.open(again);
  const double width = m.ffn / l.tp, wide = width * (m.gated ? 2 : 1);
  w.keep({"output of fc1", "mlp.linear_fc1", "model.ffn_hidden_size model.gated_linear_unit", Source::mlp},
         {{"tokens", l.tokens}, {"columns", wide}, {"bytes", l.bytes}});
  if (!k.activation_fusion && m.gated)
    w.keep({"halves of the gated activation", "mlp.activation_func",
            "model.bias_activation_fusion model.ffn_hidden_size", Source::mlp},
           {{"tokens", l.tokens}, {"columns", wide}, {"bytes", l.bytes}});
  if (!l.frozen || s.adapter.fc2)
    w.keep({"output of the activation", "mlp.linear_fc2", "model.ffn_hidden_size", Source::te_linear},
           {{"tokens", l.tokens}, {"columns", width}, {"bytes", l.fp8}});
  w.forward({"output of fc2", "mlp.linear_fc2", "model.hidden_size", Source::mlp},
            {{"tokens", l.tokens}, {"columns", l.hidden}, {"bytes", 2 * l.bytes}});
  w.backward({"gradients of the activation", "mlp", "model.ffn_hidden_size", Source::mlp},
             {{"tokens", l.tokens},
              {"columns", width + 2 * l.hidden + (k.gradient_fusion ? 0 : l.hidden * width / l.tokens)},
              {"bytes", l.bytes}});
  if (!k.gradient_fusion)
    w.backward({"weight gradient before it is added up", "mlp.linear_fc1",
                "model.gradient_accumulation_fusion", Source::te_linear},
               {{"rows", l.hidden}, {"columns", wide}, {"bytes", l.bytes}});
  w.close(region);
}

void layer_activations(const Shape& s, LayerKind kind, Walk& w) {
  const Local l(s);
  const Graphs& g = s.graphs;
  w.capture(kind.mixer == Mixer::mamba ? g.mamba : g.attention);
  switch (kind.mixer) {
    case Mixer::attention:
      attention_activations(s, l, w);
      break;
    case Mixer::mla:
      mla_activations(s, l, w);
      break;
    case Mixer::gated_delta_net:
      gdn_activations(s, l, w);
      break;
    case Mixer::mamba:
      mamba_activations(s, l, w);
      break;
    case Mixer::none:
      break;
  }
  if (kind.mixer != Mixer::none) residual_add(s, l, "self_attn_bda", w);
  w.capture(kind.feedforward == Feedforward::dense ? g.feedforward : g.whole_layer);
  if (kind.feedforward == Feedforward::dense) mlp_activations(s, l, w);
  if (kind.feedforward == Feedforward::experts) moe_activations(s, l, w);
  if (kind.feedforward != Feedforward::none) residual_add(s, l, "mlp_bda", w);
  w.capture(false);
}

}  // namespace headroom::memory
