// What one layer, the embedding and the loss keep for their backward, as a Walk.
#pragma once
#include "headroom/memory/shape.hpp"
#include "walk.hpp"

namespace headroom::memory {

/// Sizes that several formulas share, per rank.
struct Local {
  explicit Local(const Shape& s);
  double tokens, rows, hidden, bytes, residual;
  double tp;
  double query, key, value;  ///< columns of attention's q, k and v
  double heads;
  double fp8;          ///< bytes of an element that a linear saves for its weight gradient
  bool separate_norm;  ///< the norm before attention or a dense MLP is a module of its own
  bool frozen;         ///< weights are frozen: linears keep no input
};

/// Whether the weights of the layer's linears run in fp8: then they save one byte an element.
void attention_activations(const Shape& s, const Local& l, Walk& w);
void mla_activations(const Shape& s, const Local& l, Walk& w);
void gdn_activations(const Shape& s, const Local& l, Walk& w);
void mamba_activations(const Shape& s, const Local& l, Walk& w);
void mlp_activations(const Shape& s, const Local& l, Walk& w);
void moe_activations(const Shape& s, const Local& l, Walk& w);

/// Core attention, from q, k and v to the context; shared by plain and latent attention. `value_dim` is that
/// of a head.
void core_attention(const Shape& s, const Local& l, double key_dim, double value_dim, Walk& w);
/// Fine-grained offloading of a module.
[[nodiscard]] bool offloads(const Shape& s, Module module);
/// Norm in front of a module: its output is what the module's first linear saves.
void norm_output(const Shape& s, const Local& l, bool recomputable, std::string_view module, Walk& w);
/// Dropout mask and the new residual after a module.
void residual_add(const Shape& s, const Local& l, std::string_view module, Walk& w);

/// One layer of the kind, from the residual stream to the residual stream; its input is not counted, its
/// output is.
void layer_activations(const Shape& s, LayerKind kind, Walk& w);
void embedding_activations(const Shape& s, Walk& w);
/// Final norm, output layer and loss.
void loss_activations(const Shape& s, Walk& w);
/// One depth of multi-token prediction, its own loss included.
void mtp_activations(const Shape& s, Walk& w);
/// Tokens times experts of one token that this rank computes, balanced routing.
[[nodiscard]] double routed_tokens(const Shape& s);

}  // namespace headroom::memory
