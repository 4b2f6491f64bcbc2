// A training run as plain numbers: what the memory formulas read. Built once from a resolved config; the
// formulas themselves see no fields, no strings and no schema, so that they can run millions of times.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/resolve/effective.hpp"
#include "headroom/source/error.hpp"

namespace headroom::memory {

/// What mixes tokens in a layer.
enum class Mixer : std::uint8_t { none, attention, mla, gated_delta_net, mamba };
/// What follows it.
enum class Feedforward : std::uint8_t { none, dense, experts };

struct LayerKind {
  Mixer mixer = Mixer::attention;
  Feedforward feedforward = Feedforward::dense;
  friend bool operator==(const LayerKind&, const LayerKind&) = default;
};
inline constexpr std::size_t max_kinds = 12;

/// One model chunk: a virtual pipeline stage of one pipeline stage.
struct Chunk {
  std::int32_t stage = 0, virtual_stage = 0;
  std::array<std::int32_t, max_kinds> layers{};  ///< number of layers by index into Shape::kinds
  std::int32_t last_kind = 0;                    ///< of the last layer
  std::int32_t mtp_depths = 0;
  bool embedding = false, loss = false;
  [[nodiscard]] std::int32_t layer_count() const {
    std::int32_t n = 0;
    for (const auto count : layers) n += count;
    return n;
  }
};

enum class Backend : std::uint8_t { unfused, flash, fused };
enum class Recompute : std::uint8_t { none, selective, uniform, block };
enum class Optimizer : std::uint8_t { adam, sgd, muon };
enum class Fp8 : std::uint8_t { none, delayed, current, blockwise, mxfp8, nvfp4 };
enum class Sharding : std::uint8_t { none, optimizer, gradients, parameters };  ///< Megatron FSDP strategies
enum class Dispatcher : std::uint8_t { allgather, alltoall, flex };
enum class LossKernel : std::uint8_t { unfused, native, te };
enum class Peft : std::uint8_t { none, lora, canonical_lora, dora };

/// `recompute_modules` and `offload_modules`, as a set.
enum Module : std::uint32_t {
  core_attn = 1,
  layernorm = 2,
  mla_up_proj = 4,
  moe_act = 8,
  mlp = 16,
  moe = 32,
  shared_experts = 64,
  attn_norm = 128,
  mlp_norm = 256,
  qkv_linear = 512,
  attn_proj = 1024,
  expert_fc1 = 2048,
  gdn_norm_out = 4096,
};

struct Parallel {
  double tp = 1, pp = 1, vpp = 1, cp = 1, ep = 1, etp = 1, dp = 1, expert_dp = 1, gpus = 1;
  bool sequence = false;  ///< sequence parallelism
  double group = 1;       ///< microbatches a virtual stage runs in a row (interleaved schedule)
  double instances = 1;   ///< distributed optimizer instances
};

struct Model {
  double hidden = 0, ffn = 0, heads = 0, groups = 0, head_dim = 0, vocab = 0;  ///< vocab: padded
  double q_rank = 0, kv_rank = 0, qk_dim = 0, rope_dim = 0, v_dim = 0;         ///< multi-latent attention
  double experts = 0, topk = 0, expert_ffn = 0, shared_ffn = 0, latent = 0;
  double mamba_heads = 0, mamba_head_dim = 0, mamba_state = 0, mamba_groups = 0;
  double gdn_key_heads = 0, gdn_value_heads = 0, gdn_key_dim = 0, gdn_value_dim = 0, gdn_conv = 4;
  double indexer_heads = 0, indexer_dim = 0;
  double positions = 0;  ///< rows of a learned position table, else 0
  double mtp_depths = 0, window = 0;
  double layer_embedding = 0,
         layer_embedding_rows = 0;  ///< width of Gemma's embedding for each layer, its rows
  double hidden_dropout = 0, attention_dropout = 0;
  bool gated = false, bias = false, qkv_bias = false, layer_norm = false;  ///< layer_norm: bias and mean too
  bool qk_norm = false, untied = true, rope = false, moe = false, mtp_repeated = false;
  bool output_gate = false, shared_gate = false, expert_bias = false, squared_relu = false;
};

/// A vision tower and its projector, on the first stage.
struct Tower {
  double layers = 0, hidden = 0, ffn = 0, patch = 0;
  double merged = 1;     ///< patches that become one token
  double projector = 0;  ///< width inside the projector
  double shards = 1;     ///< tensor-parallel ranks that share it; Hugging Face towers are whole on each
  bool gated = false, frozen = false;
};

struct Numerics {
  double parameter = 2;  ///< bytes an element
  double residual = 2;   ///< fp32_residual_connection: 4
  Fp8 fp8 = Fp8::none;
  bool fp8_parameters = false, keep_transposes = true;
  double bf16_layers = 0;  ///< layers that stay in bf16 under fp8
};

struct States {
  Optimizer kind = Optimizer::adam;
  bool distributed = false, precision_aware = false, reuse_gradients = false;
  double gradient = 4, main = 4, exp_avg = 4, exp_avg_sq = 4;  ///< bytes an element
  double offload = 0;                                          ///< fraction of the optimizer on the CPU
  double momentum = 0;                                         ///< sgd
  Sharding sharding = Sharding::none;
  bool fsdp = false, hybrid_outer = false, fsdp_double_buffer = false;
  bool fsdp_keeps_ends = false;  ///< gathered embedding and output layer stay between steps (mcore 0.18)
  bool overlap_gather = false, overlap_reduce = false;
  bool layer_wise = false;
  bool trainer = true;  ///< a training loop that clears gradients when the next step begins
};

struct Adapter {
  Peft kind = Peft::none;
  double rank = 0;
  bool qkv = false, proj = false, fc1 = false, fc2 = false, dropout = false, regather = false;
  bool experts = true;
};

struct Kernels {
  bool te = true;  ///< Transformer Engine layers; else Megatron-Core's local ones
  Backend attention = Backend::flash;
  bool softmax_fp32 = false, softmax_fusion = true, activation_fusion = true, rope_fusion = true;
  bool weighted_squared_relu = false;  ///< One kernel for the square of ReLU and the router's weights
  bool gradient_fusion = true, dropout_fusion = true;
  bool grouped_gemm = false, permute_fusion = false, router_fusion = false;
  LossKernel loss = LossKernel::unfused;
  Dispatcher dispatcher = Dispatcher::allgather;
  bool te_present = true;   ///< installed, whatever the layers are made of
  double capability = 9.0;  ///< compute capability of the GPU, 0 unknown
  bool mamba_efficient = true;
  double imbalance = 1;  ///< tokens of the busiest rank over the average
};

struct Saving {
  Recompute mode = Recompute::none;
  double layers = 1;          ///< recompute_num_layers
  std::uint32_t modules = 0;  ///< Module bits
  bool distribute = false;    ///< distribute_saved_activations
  double offload_layers = 0;  ///< layers whose activations go to the host (cpu_offloading)
  std::uint32_t offload = 0;  ///< fine-grained offloading, Module bits
  double offload_fraction = 1;
};

struct Graphs {
  enum class Kind : std::uint8_t { none, local, te, full_iteration } kind = Kind::none;
  bool attention = false, feedforward = false, router = false, whole_layer = false, mamba = false;
  double warmup = 3;  ///< steps that run without graphs first
};

struct Shape {
  Parallel parallel;
  Model model;
  Tower tower;
  Numerics numerics;
  States states;
  Adapter adapter;
  Kernels kernels;
  Saving saving;
  Graphs graphs;
  double sequence = 0, micro_batch = 1, microbatches = 1;
  bool packed = false;
  std::array<LayerKind, max_kinds> kinds{};
  std::int32_t kind_count = 0;
  std::array<std::int32_t, max_kinds> mtp_layers{};  ///< of one prediction depth, by index into `kinds`
  std::vector<Chunk> chunks;                         ///< by stage, then virtual stage
  bool expandable_segments = false, deallocate_outputs = true, overlap_p2p = false;
  double capacity = 0;                          ///< bytes of the device, 0 unknown
  double margin = 0;                            ///< bytes of it that are to stay free
  double gpus_per_node = 8, host_capacity = 0;  ///< bytes of a node's host memory, 0 unknown
  resolve::Calibration calibration;
  bool balanced_routing = false;
  double cublas_workspace = 0;  ///< bytes of CUBLAS_WORKSPACE_CONFIG, 0 unset

  /// Tokens of a micro-batch that one rank holds, before sequence parallelism.
  [[nodiscard]] double tokens() const { return sequence * micro_batch / parallel.cp; }
  /// Tokens of the residual stream on one rank.
  [[nodiscard]] double rows() const { return tokens() / (parallel.sequence ? parallel.tp : 1); }
};

/// How a run is spread, as its fields say.
struct Sizes {
  double tp = 1, pp = 1, cp = 1, ep = 1, gpus = 0;  ///< gpus 0: the smallest number that the sizes allow
  double etp = 0;                                   ///< 0: as tp
  bool sequence = false, etp_written = false;
  double vpp = 1, group = 0;  ///< group 0: pp
  double instances = 1;
  double micro_batch = 1, global_batch = 0;  ///< global_batch 0: one micro-batch a rank
};
/// Fills `parallel`, `micro_batch` and `microbatches` of a shape.
void spread(const Sizes& sizes, Shape& shape);

struct ShapeAndNotes {
  Shape shape;
  std::vector<std::string> assumptions;
};

/// Reads a resolved config. Fails with the names of the fields that are missing or out of scope.
[[nodiscard]] source::Result<ShapeAndNotes> read_shape(const resolve::EffectiveConfig& config);

}  // namespace headroom::memory
