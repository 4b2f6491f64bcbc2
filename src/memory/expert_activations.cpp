// Mixture-of-experts layers: router, dispatch, experts, shared experts.
#include "activations.hpp"

namespace headroom::memory {

double routed_tokens(const Shape& s) {
  return s.rows() * s.model.topk * s.parallel.etp * s.kernels.imbalance;
}

namespace {

bool selected(const Shape& s, Module module) {
  return s.saving.mode == Recompute::selective && (s.saving.modules & module) != 0;
}

void router(const Shape& s, const Local& l, Walk& w) {
  // Logits, scores and probabilities in fp32, the map of chosen experts, and the permutation.
  w.keep({"logits, probabilities and routing map", "mlp.router", "model.num_moe_experts", Source::router},
         {{"tokens", l.rows}, {"experts", s.model.experts}, {"bytes", s.kernels.router_fusion ? 9.0 : 14.0}});
}

void shared(const Shape& s, const Local& l, Walk& w) {
  const Model& m = s.model;
  if (m.shared_ffn <= 0) return;
  const auto region = w.open(selected(s, shared_experts));
  const double width = m.shared_ffn / l.tp, wide = width * (m.gated ? 2 : 1);
  w.keep({"output of fc1", "mlp.shared_experts", "model.moe_shared_expert_intermediate_size",
          Source::shared_experts},
         {{"tokens", l.tokens}, {"columns", wide}, {"bytes", l.bytes}});
  // The compiled square of ReLU keeps its input alone.
  if (!s.kernels.activation_fusion && !m.squared_relu)
    w.keep({"parts of the activation", "mlp.shared_experts", "model.bias_activation_fusion",
            Source::shared_experts},
           {{"tokens", l.tokens}, {"columns", m.gated ? wide : width}, {"bytes", l.bytes}});
  if (!l.frozen)
    w.keep({"output of the activation", "mlp.shared_experts", "model.moe_shared_expert_intermediate_size",
            Source::shared_experts},
           {{"tokens", l.tokens}, {"columns", width}, {"bytes", l.fp8}});
  w.close(region);
  if (m.shared_gate)
    w.keep({"output in front of its gate", "mlp.shared_experts", "model.moe_shared_expert_gate",
            Source::shared_experts},
           {{"tokens", l.rows}, {"columns", l.hidden}, {"bytes", l.bytes}});
  w.forward(
      {"output of the shared experts", "mlp.shared_experts", "model.hidden_size", Source::shared_experts},
      {{"tokens", l.rows}, {"columns", l.hidden}, {"bytes", l.bytes}});
}

void activation(const Shape& s, const Local& l, double routed, double width, double wide, Walk& w) {
  const Model& m = s.model;
  const bool again = selected(s, moe_act);
  const bool fused = s.kernels.activation_fusion || (m.squared_relu && s.kernels.weighted_squared_relu);
  const auto region = w.open(again);
  if (!fused)  // each step of the activation keeps its input: both halves and their product, then the
               // probabilities
    w.keep({"parts of the activation", "mlp.experts.activation_func",
            "model.bias_activation_fusion model.moe_ffn_hidden_size", Source::experts},
           {{"routed tokens", routed}, {"columns", (m.gated ? wide : 0) + width}, {"bytes", l.bytes}});
  w.close(region);
  const Item item{"output of the activation", "mlp.experts.linear_fc2",
                  "model.moe_ffn_hidden_size model.moe_router_topk", Source::experts};
  if (again) {
    w.discard(item, {{"routed tokens", routed}, {"columns", width}, {"bytes", l.bytes}});
  } else if (!l.frozen || s.adapter.fc2) {
    w.keep(item, {{"routed tokens", routed}, {"columns", width}, {"bytes", l.fp8}});
  }
}

void experts(const Shape& s, const Local& l, Walk& w) {
  const Model& m = s.model;
  const double routed = routed_tokens(s);
  const double in = m.latent > 0 ? m.latent : l.hidden;
  const double width = m.expert_ffn / s.parallel.etp, wide = width * (m.gated ? 2 : 1);
  if (m.latent > 0)
    w.keep({"latent tokens", "mlp.fc1_latent_proj", "model.moe_latent_size", Source::experts},
           {{"tokens", l.rows}, {"columns", m.latent}, {"bytes", l.bytes}});
  w.forward({"tokens on their way to the experts", "mlp.token_dispatcher",
             "model.moe_router_topk model.moe_token_dispatcher_type", Source::dispatcher},
            {{"routed tokens", routed}, {"columns", in}, {"bytes", 3 * l.bytes}});
  if (!l.frozen || s.adapter.fc1)
    w.keep({"input of fc1", "mlp.experts.linear_fc1", "model.moe_router_topk model.hidden_size",
            Source::experts},
           {{"routed tokens", routed}, {"columns", in}, {"bytes", l.fp8}}, offloads(s, expert_fc1));
  w.keep({"probabilities of the routed tokens", "mlp.experts", "model.moe_router_topk", Source::dispatcher},
         {{"routed tokens", routed}, {"bytes", 12}});
  w.keep({"output of fc1", "mlp.experts.linear_fc1", "model.moe_ffn_hidden_size model.moe_router_topk",
          Source::experts},
         {{"routed tokens", routed}, {"columns", wide}, {"bytes", l.bytes}}, offloads(s, moe_act));
  activation(s, l, routed, width, wide, w);
  w.forward({"output of the experts and its way back", "mlp.experts",
             "model.moe_router_topk model.hidden_size", Source::dispatcher},
            {{"routed tokens", routed}, {"columns", 2 * in}, {"bytes", l.bytes}});
  w.backward({"gradients of the experts", "mlp.experts", "model.moe_ffn_hidden_size model.hidden_size",
              Source::experts},
             {{"routed tokens", routed}, {"columns", width + wide + 2 * in}, {"bytes", l.bytes}});
  w.release();
}

}  // namespace

void moe_activations(const Shape& s, const Local& l, Walk& w) {
  Local plain = l;
  plain.fp8 = l.bytes;  // router and dispatcher read the norm's output as it is
  plain.frozen = false;
  norm_output(s, plain, true, "mlp", w);
  const auto region = w.open(selected(s, moe));
  router(s, l, w);
  shared(s, l, w);
  experts(s, l, w);
  w.close(region);
}

}  // namespace headroom::memory
