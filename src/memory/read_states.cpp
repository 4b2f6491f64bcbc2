#include "read_states.hpp"

#include <algorithm>

namespace headroom::memory {

void set_precision_aware(const Fields& f, double main_bytes, Shape& s) {
  States& o = s.states;
  const auto recipe = f.text("optimizer.fp8_recipe");
  o.main = main_bytes;
  o.precision_aware =
      main_bytes < 4 || recipe.empty() || recipe == "delayed" || f.flag("optimizer.optimizer_cpu_offload");
  if (o.precision_aware && s.numerics.parameter < 4 && main_bytes == 4 &&
      f.flag("optimizer.store_param_remainders", true))
    o.main = 2;
}

namespace {

void read_precision_aware(const Fields& f, Shape& s) {
  s.states.exp_avg = f.element_bytes("optimizer.exp_avg_dtype", 4);
  s.states.exp_avg_sq = f.element_bytes("optimizer.exp_avg_sq_dtype", 4);
  set_precision_aware(f, f.element_bytes("optimizer.main_params_dtype", 4), s);
}

}  // namespace

void read_states(const Fields& f, Shape& s) {
  States& o = s.states;
  const auto name = f.text("optimizer.optimizer");
  o.kind = name == "sgd"                                 ? Optimizer::sgd
           : name.find("muon") != std::string_view::npos ? Optimizer::muon
                                                         : Optimizer::adam;
  o.momentum = f.number("optimizer.sgd_momentum", 0.9);
  o.distributed = f.flag("optimizer.use_distributed_optimizer") || f.flag("ddp.use_distributed_optimizer");
  // The older way to ask for it is in the name (megatron/core/optimizer/__init__.py).
  o.layer_wise = f.flag("optimizer.use_layer_wise_distributed_optimizer") || name.substr(0, 5) == "dist_";
  o.precision_aware = f.flag("optimizer.use_precision_aware_optimizer");
  o.gradient = f.flag("ddp.grad_reduce_in_fp32") ? 4 : s.numerics.parameter;
  o.main = s.numerics.parameter < 4 ? 4 : 0;
  if (o.precision_aware) read_precision_aware(f, s);
  if (f.flag("optimizer.optimizer_cpu_offload"))
    o.offload = std::clamp(f.number("optimizer.optimizer_offload_fraction", 0), 0.0, 1.0);
  o.trainer = f.config().layer != resolve::Layer::megatron_core;
  o.overlap_gather = f.flag("ddp.overlap_param_gather");
  o.overlap_reduce = f.flag("ddp.overlap_grad_reduce");
  o.fsdp = f.flag("derived.fsdp") || f.flag("dist.use_torch_fsdp2");
  if (!o.fsdp) return;
  const auto strategy = f.text("ddp.data_parallel_sharding_strategy");
  o.sharding = strategy == "optim_grads_params" ? Sharding::parameters
               : strategy == "optim_grads"      ? Sharding::gradients
               : strategy == "optim"            ? Sharding::optimizer
               : f.flag("dist.use_torch_fsdp2") ? Sharding::parameters
                                                : Sharding::none;
  // A buffer of main parameters of its own, whatever the type of the model's ("auto": none).
  o.main = f.written("ddp.megatron_fsdp_main_params_dtype") && !f.given("ddp.megatron_fsdp_main_params_dtype")
               ? 0
               : f.element_bytes("ddp.megatron_fsdp_main_params_dtype", 4);
  o.fsdp_keeps_ends = o.sharding == Sharding::parameters && s.model.untied && f.flag("derived.fsdp") &&
                      f.config().launch.release >= schema::Release::v0_6_0;
  o.hybrid_outer = f.text("ddp.outer_dp_sharding_strategy") == "optim";
  o.fsdp_double_buffer = f.flag("ddp.fsdp_double_buffer");
  o.distributed = true;
}

}  // namespace headroom::memory
