// Layers without attention: Mamba 2 and the gated delta net.
#include "activations.hpp"

namespace headroom::memory {

void mamba_activations(const Shape& s, const Local& l, Walk& w) {
  const Model& m = s.model;
  norm_output(s, l, l.separate_norm, "mixer", w);
  const double inner = m.mamba_heads * m.mamba_head_dim / l.tp;
  const double projected =
      2 * inner + 2 * std::max(m.mamba_groups / l.tp, 1.0) * m.mamba_state + m.mamba_heads / l.tp;
  w.keep({"output of in_proj", "mixer.in_proj",
          "model.mamba_num_heads model.mamba_head_dim model.mamba_state_dim", Source::mamba},
         {{"tokens", l.tokens}, {"columns", projected}, {"bytes", l.bytes}});
  if (!s.kernels.mamba_efficient)
    w.keep(
        {"convolution and scan, kept apart", "mixer.conv1d", "model.use_mamba_mem_eff_path", Source::mamba},
        {{"tokens", l.tokens}, {"columns", 2 * (projected - inner)}, {"bytes", l.bytes}});
  w.keep({"output of the scan", "mixer.norm", "model.mamba_num_heads model.mamba_head_dim", Source::mamba},
         {{"tokens", l.tokens}, {"columns", inner}, {"bytes", l.bytes}});
  if (!l.frozen)
    w.keep(
        {"input of out_proj", "mixer.out_proj", "model.mamba_num_heads model.mamba_head_dim", Source::mamba},
        {{"tokens", l.tokens}, {"columns", inner}, {"bytes", l.fp8}});
  constexpr double chunk = 128;
  w.forward({"states of the chunks, in fp32", "mixer", "model.mamba_state_dim model.mamba_num_heads",
             Source::mamba},
            {{"chunks", l.tokens / chunk}, {"inner", inner}, {"state", m.mamba_state}, {"bytes", 6}});
  w.backward({"states of the chunks and their gradients", "mixer",
              "model.mamba_state_dim model.mamba_num_heads", Source::mamba},
             {{"chunks", l.tokens / chunk}, {"inner", inner}, {"state", m.mamba_state}, {"bytes", 12}});
}

void gdn_activations(const Shape& s, const Local& l, Walk& w) {
  const Model& m = s.model;
  norm_output(s, l, l.separate_norm, "self_attention", w);
  const double keys = m.gdn_key_heads * m.gdn_key_dim / l.tp,
               values = m.gdn_value_heads * m.gdn_value_dim / l.tp;
  const double heads = m.gdn_value_heads / l.tp;
  w.keep({"output of in_proj", "self_attention.in_proj",
          "model.linear_num_key_heads model.linear_num_value_heads", Source::gdn},
         {{"tokens", l.tokens}, {"columns", 2 * keys + 2 * values + 2 * heads}, {"bytes", l.bytes}});
  w.keep({"output of the convolution", "self_attention.conv1d", "model.linear_conv_kernel_dim", Source::gdn},
         {{"tokens", l.tokens}, {"columns", 2 * keys + values}, {"bytes", 2 * l.bytes}});
  w.keep({"q and k of each value head", "self_attention",
          "model.linear_num_value_heads model.linear_key_head_dim", Source::gdn},
         {{"tokens", l.tokens}, {"columns", 2 * heads * m.gdn_key_dim}, {"bytes", l.bytes}});
  w.keep(
      {"decay, step and the chunk's inverse", "self_attention", "model.linear_num_value_heads", Source::gdn},
      {{"tokens", l.tokens}, {"heads", heads}, {"bytes", 12 + 64 * l.bytes}});
  w.keep({"output of the delta rule", "self_attention.out_norm",
          "model.linear_num_value_heads model.linear_value_head_dim", Source::gdn},
         {{"tokens", l.tokens}, {"columns", values}, {"bytes", l.bytes}});
  const bool again = s.saving.mode == Recompute::selective && (s.saving.modules & gdn_norm_out) != 0;
  const Item normed{"gated and normed output", "self_attention.out_proj", "model.linear_num_value_heads",
                    Source::gdn};
  const Product size{{"tokens", l.tokens}, {"columns", values}, {"bytes", again ? l.bytes : l.fp8}};
  if (again) {
    w.discard(normed, size);
  } else {
    w.keep(normed, size);
  }
  w.backward(
      {"gradients and states of the chunks", "self_attention", "model.linear_num_value_heads", Source::gdn},
      {{"tokens", l.tokens}, {"columns", 4 * keys + 4 * values}, {"bytes", 2 * l.bytes}});
}

}  // namespace headroom::memory
