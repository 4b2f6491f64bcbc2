#include "states.hpp"

#include <algorithm>

#include "activations.hpp"

namespace headroom::memory {
namespace {

/// Adds fixed allocations to a total and to the records.
class Fixed {
 public:
  explicit Fixed(Records* records) : records_(records) {}
  double add(const Item& item, Product product) {
    const double bytes = value_of(product);
    if (records_ != nullptr && bytes > 0)
      records_->push_back({item, {product.begin(), product.end()}, bytes, Record::Life::fixed});
    return bytes;
  }

 private:
  Records* records_;
};

/// Ranks that share the optimizer state of a parameter.
struct Shards {
  double dense = 1, experts = 1;
};

Shards shards(const Shape& s) {
  if (!s.states.distributed && !s.states.layer_wise) return {};
  const double outer = s.states.hybrid_outer ? 1 : s.parallel.instances;
  return {std::max(s.parallel.dp * s.parallel.cp / outer, 1.0), std::max(s.parallel.expert_dp / outer, 1.0)};
}

/// FP8 copies of the weights of linears, bytes an element: one for the forward, one transposed for the
/// gradient of the input where the GPU multiplies fp8 only in one layout.
double quantised_bytes(const Shape& s) {
  const bool blackwell = s.kernels.capability >= 10;
  switch (s.numerics.fp8) {
    case Fp8::none:
      return 0;
    case Fp8::delayed:
    case Fp8::current:
      return blackwell ? 1 : 2;
    case Fp8::blockwise:
      return 2 * (1 + 4.0 / (128 * 128));
    case Fp8::mxfp8:
      return 2 * (1 + 1.0 / 32);
    case Fp8::nvfp4:
      return 2 * (0.5 + 1.0 / 16);
  }
  return 0;
}

double layer_share(const Shape& s) {
  double layers = 0;
  for (const Chunk& c : s.chunks) layers += c.layer_count();
  return layers > 0 ? std::max(0.0, 1 - s.numerics.bf16_layers / layers) : 1;
}

double weights(const Shape& s, const Parameters& n, Fixed& fixed) {
  const Numerics& x = s.numerics;
  const double all = n.dense + n.experts,
               quantised = (n.dense_quantised + n.experts_quantised) * layer_share(s);
  const double copies = quantised_bytes(s);
  const double shard_dense = s.states.sharding == Sharding::parameters ? shards(s).dense : 1;
  const double shard_experts = s.states.sharding == Sharding::parameters ? shards(s).experts : 1;
  const double share = all > 0 ? (n.dense / shard_dense + n.experts / shard_experts) / all : 1;
  double bytes = 0;
  if (x.fp8_parameters) {
    bytes += (all - quantised) * share * x.parameter;
    bytes +=
        fixed.add({"weights stored in fp8", "parameters", "model.fp8_param model.fp8_recipe", Source::fp8},
                  {{"parameters", quantised}, {"share of a rank", share}, {"bytes", copies}});
  } else {
    bytes += all * share * x.parameter;
    if (x.fp8 != Fp8::none && x.keep_transposes)
      bytes += fixed.add({"fp8 copies of the weights, kept between micro-batches", "parameters",
                          "model.fp8 model.fp8_recipe", Source::fp8},
                         {{"parameters", quantised}, {"bytes", copies}});
  }
  bytes += (n.adapters + n.expert_adapters) * x.parameter;
  return bytes;
}

struct Trained {
  double dense, experts, dense_matrices, experts_matrices;
};

Trained trained(const Shape& s, const Parameters& n) {
  if (s.adapter.kind != Peft::none) return {n.adapters, n.expert_adapters, n.adapters, n.expert_adapters};
  return {n.dense - n.frozen, n.experts, n.dense_matrices - n.frozen_matrices, n.experts_matrices};
}

double gradients(const Shape& s, const Trained& t, Fixed& fixed) {
  const bool sharded = s.states.sharding >= Sharding::gradients;
  const Shards by = sharded ? shards(s) : Shards{};
  const Item item{"gradient buffer", "gradients", "ddp.grad_reduce_in_fp32", Source::buffers};
  return fixed.add(item,
                   {{"dense parameters", t.dense}, over("ranks", by.dense), {"bytes", s.states.gradient}}) +
         fixed.add(
             item,
             {{"expert parameters", t.experts}, over("ranks", by.experts), {"bytes", s.states.gradient}});
}

double optimizer(const Shape& s, const Trained& t, Fixed& fixed) {
  const States& o = s.states;
  const Shards by = o.fsdp && o.sharding == Sharding::none ? Shards{} : shards(s);
  const double resident = 1 - o.offload;
  double bytes = 0;
  const auto add = [&](std::string_view name, double dense, double experts, double each) {
    const Item item{name, "optimizer",
                    "optimizer.use_distributed_optimizer optimizer.use_precision_aware_optimizer",
                    Source::distributed_optimizer};
    bytes += fixed.add(item, {{"dense parameters", dense}, over("ranks", by.dense), {"bytes", each}});
    bytes += fixed.add(item, {{"expert parameters", experts}, over("ranks", by.experts), {"bytes", each}});
  };
  add("main parameters", t.dense, t.experts, o.main);  // stay on the device with a CPU optimizer too
  switch (o.kind) {
    case Optimizer::adam:
      add("Adam moments", t.dense, t.experts, (o.exp_avg + o.exp_avg_sq) * resident);
      break;
    case Optimizer::sgd:
      if (o.momentum > 0) add("SGD momentum", t.dense, t.experts, 4 * resident);
      break;
    case Optimizer::muon:
      add("Muon momentum", t.dense_matrices, t.experts_matrices, 4);
      add("Adam moments of the rest", t.dense - t.dense_matrices, t.experts - t.experts_matrices, 8);
      break;
  }
  return bytes;
}

/// One for each thread that multiplies. Without the variable Hopper takes 32 MiB, any other kind 8 MiB and
/// 128 KiB.
double cublas_bytes(const Shape& s) {
  if (s.cublas_workspace > 0) return s.cublas_workspace;
  return s.kernels.capability >= 9 && s.kernels.capability < 10 ? 32.0 * 1024 * 1024 : 8.125 * 1024 * 1024;
}

bool recomputes_experts(const Shape& s) {
  return s.saving.mode == Recompute::uniform || s.saving.mode == Recompute::block ||
         (s.saving.mode == Recompute::selective && (s.saving.modules & moe) != 0);
}

double moe_layers(const Shape& s, std::int32_t stage) {
  double n = 0;
  for (const Chunk& c : s.chunks) {
    if (c.stage != stage) continue;
    for (std::size_t k = 0; k < static_cast<std::size_t>(s.kind_count); ++k)
      if (s.kinds[k].feedforward == Feedforward::experts) n += c.layers[k] + c.mtp_depths * s.mtp_layers[k];
  }
  return n;
}

void workspace(const Shape& s, std::int32_t stage, StageWorkspace& out, Fixed& fixed) {
  const Local l(s);
  out.bytes += fixed.add({"cuBLAS workspaces of forward and backward", "workspace", "", Source::workspace},
                         {{"threads", 2}, {"bytes", cublas_bytes(s)}});
  if (s.kernels.te || (s.kernels.te_present && s.model.moe)) {  // the router multiplies with it too
    const double te = s.kernels.capability >= 9 ? 32.0 * 1024 * 1024 + 1024 : 4.0 * 1024 * 1024;
    const bool grouped = s.kernels.te && s.model.moe && s.kernels.grouped_gemm;
    out.bytes += fixed.add(
        {"Transformer Engine's cuBLAS workspaces", "workspace", "model.moe_grouped_gemm", Source::workspace},
        {{"streams", grouped ? 5.0 : 1.0}, {"bytes", te}});
  }
  if (!s.kernels.te) {
    double shared = s.parallel.sequence ? l.tokens * l.hidden * l.bytes : 0;
    if (s.kernels.attention == Backend::unfused && s.model.heads > 0)
      shared = std::max(shared, s.micro_batch * l.heads * s.sequence * s.sequence / s.parallel.cp * l.bytes);
    out.bytes += fixed.add(
        {"Megatron-Core's shared buffer for scores and gathered inputs", "workspace",
         "model.seq_length model.attention_backend model.sequence_parallel", Source::local_attention},
        {{"bytes", shared}});
  }
  if (s.parallel.pp > 1)
    out.bytes += fixed.add({"tensors of the last transfers between stages", "pipeline",
                            "model.pipeline_model_parallel_size", Source::schedule},
                           {{"tensors", s.parallel.vpp > 1 ? 7.0 : 3.0},
                            {"tokens", l.rows},
                            {"hidden", l.hidden},
                            {"bytes", l.residual}});
  // What the dispatchers hold of the last micro-batch: probabilities and map of each expert, permutations and
  // counts of each token (measured: docs/memory.md).
  out.bytes += fixed.add({"routing maps, probabilities and permutations of the last micro-batch",
                          "mlp.token_dispatcher", "model.num_moe_experts", Source::dispatcher},
                         {{"MoE layers", moe_layers(s, stage)},
                          {"tokens", l.rows},
                          {"bytes", s.model.moe ? 240 + 23 * s.model.experts : 0}});
  const double replayed = recomputes_experts(s) ? moe_layers(s, stage) : 0;
  out.replayed_inputs =
      fixed.add({"input of the last replay and its gradient, held by the dispatcher", "mlp.token_dispatcher",
                 "model.recompute_modules model.recompute_granularity", Source::moe_checkpoint},
                {{"MoE layers", replayed},
                 {"tokens", l.rows},
                 {"hidden", l.hidden},
                 {"input and gradient", 2},
                 {"bytes", l.bytes}});
  out.bytes += out.replayed_inputs;
}

/// Passes of a model chunk that a stage holds at most, as in schedule.cpp.
double chunks_in_flight(const Shape& s, std::int32_t stage) {
  const double behind = s.parallel.pp - stage - 1;
  const double warmup =
      s.parallel.vpp > 1 ? 2 * behind + (s.parallel.vpp - 1) * std::max(s.parallel.group, 1.0) : behind;
  return std::min(warmup + 1, s.microbatches * s.parallel.vpp);
}

bool graphed(const Graphs& g, LayerKind kind) {
  if (g.whole_layer) return true;
  if (kind.mixer == Mixer::mamba) return g.mamba;
  return (kind.mixer != Mixer::none && g.attention) ||
         (kind.feedforward == Feedforward::experts && g.router) ||
         (kind.feedforward == Feedforward::dense && g.feedforward);
}

struct GraphedLayers {
  double all = 0, with_mask = 0;
};

/// Layers of a chunk that have a graph, on average over the chunks of the stage.
GraphedLayers graphed_layers(const Shape& s, std::int32_t stage) {
  GraphedLayers out;
  for (const Chunk& c : s.chunks) {
    if (c.stage != stage) continue;
    for (std::size_t k = 0; k < static_cast<std::size_t>(s.kind_count); ++k) {
      const LayerKind kind = s.kinds[k];
      const double layers = (c.layers[k] + c.mtp_depths * s.mtp_layers[k]) / s.parallel.vpp;
      if (!graphed(s.graphs, kind)) continue;
      out.all += layers;
      if (s.graphs.attention && kind.mixer != Mixer::none && kind.mixer != Mixer::mamba)
        out.with_mask += layers;
    }
  }
  return out;
}

/// Each graph has tensors of its own for each micro-batch in flight, shared by the graphs of a layer only
/// where one ends and the next begins.
void graph_buffers(const Shape& s, std::int32_t stage, StageWorkspace& out, Fixed& fixed) {
  if (s.graphs.kind != Graphs::Kind::te) return;
  const GraphedLayers layers = graphed_layers(s, stage);
  const Local l(s);
  const double held = chunks_in_flight(s, stage);
  const Item item{"inputs, outputs and gradients of the graphs", "cuda graphs", "model.cuda_graph_impl",
                  Source::graphs};
  out.graph_buffers = fixed.add(item, {{"chunks in flight", held},
                                       {"graphed layers of a chunk", layers.all},
                                       {"input, output and their gradients", 4},
                                       {"tokens", l.rows},
                                       {"hidden", l.hidden},
                                       {"bytes", l.bytes}});
  out.graph_buffers +=
      fixed.add({"attention masks of the graphs", "cuda graphs", "model.cuda_graph_impl", Source::graphs},
                {{"chunks in flight", held},
                 {"graphed attention layers of a chunk", layers.with_mask},
                 {"micro-batch", s.micro_batch},
                 {"sequence", s.sequence / s.parallel.cp},
                 {"sequence", s.sequence}});
  out.bytes += out.graph_buffers;
}

void fsdp_buffers(const Shape& s, const Parameters& n, StateBytes& out, Fixed& fixed) {
  if (!s.states.fsdp) return;
  // What belongs to no layer is gathered again in place and never given back.
  if (s.states.fsdp_keeps_ends)
    out.weights += fixed.add({"gathered embedding and output layer, kept between steps", "fsdp",
                              "ddp.data_parallel_sharding_strategy", Source::fsdp},
                             {{"parameters", n.ends}, {"bytes", s.numerics.parameter}});
  if (s.states.sharding == Sharding::parameters)
    out.step_gathered +=
        fixed.add({"gathered parameters of layers at work, of embedding and output", "fsdp",
                   "ddp.data_parallel_sharding_strategy ddp.fsdp_double_buffer", Source::fsdp},
                  {{"parameters", 2 * n.largest_layer + (s.states.fsdp_keeps_ends ? 0 : n.ends)},
                   {"bytes", s.numerics.parameter}});
  if (s.states.sharding >= Sharding::gradients)
    out.step_backward += fixed.add(
        {"gradients of layers on their way", "fsdp", "ddp.data_parallel_sharding_strategy", Source::fsdp},
        {{"parameters", 2 * n.largest_layer}, {"bytes", s.states.gradient}});
}

void step_temporaries(const Shape& s, const Trained& t, StateBytes& out, Fixed& fixed) {
  const Shards by = shards(s);
  const double local = t.dense / by.dense + t.experts / by.experts;
  // Gradients in bf16 become fp32 copies for an optimizer that reads only fp32.
  if (s.states.gradient < 4 && !s.states.precision_aware && s.states.main > 0 && !s.states.fsdp) {
    const double copies = 4 * local;
    // A trainer clears them when the next step begins, so they are there between steps.
    if (s.states.trainer) {
      out.main_gradients = copies;
      out.optimizer += fixed.add({"gradients in fp32 for the optimizer", "optimizer",
                                  "ddp.grad_reduce_in_fp32", Source::distributed_optimizer},
                                 {{"parameters of the rank", local}, {"bytes", 4}});
    } else {
      out.step_temporaries += copies;
    }
  }
  // Each rank steps whole parameters of its own and gathers those of the others.
  if (s.states.layer_wise)
    out.step_temporaries +=
        s.numerics.parameter * ((by.dense > 1 ? t.dense : 0) + (by.experts > 1 ? t.experts : 0));
  // torch's SGD updates all parameters at once and needs as much again.
  if (s.states.kind == Optimizer::sgd && !s.kernels.te) out.step_temporaries += 4 * local;
  out.host = s.states.offload * local * (4 + 4 + 8);
}

}  // namespace

StateBytes states_of(const Shape& s, const Parameters& n, Records* records) {
  Fixed fixed(records);
  const Trained t = trained(s, n);
  StateBytes out;
  out.weights = weights(s, n, fixed);
  out.gradients = gradients(s, t, fixed);
  out.optimizer = optimizer(s, t, fixed);
  fsdp_buffers(s, n, out, fixed);
  step_temporaries(s, t, out, fixed);
  return out;
}

StageWorkspace workspace_of(const Shape& s, std::int32_t stage, Records* records) {
  Fixed fixed(records);
  StageWorkspace out;
  workspace(s, stage, out, fixed);
  graph_buffers(s, stage, out, fixed);
  return out;
}

StageStates stage_states(const Shape& s, std::int32_t stage) {
  const StateBytes b = states_of(s, parameters_of(s, stage, nullptr), nullptr);
  return {b.weights,       b.gradients,     b.optimizer,      b.step_temporaries,
          b.step_gathered, b.step_backward, b.main_gradients, b.host};
}

StageWorkspace stage_workspace(const Shape& s, std::int32_t stage) {
  StageWorkspace out = workspace_of(s, stage, nullptr);
  out.bytes = std::max(out.bytes + s.calibration.static_bytes, 0.0);
  return out;
}

}  // namespace headroom::memory
