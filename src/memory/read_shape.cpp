#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "headroom/memory/fields.hpp"
#include "headroom/memory/shape.hpp"
#include "outline.hpp"
#include "read_graphs.hpp"
#include "read_layout.hpp"
#include "read_range.hpp"
#include "read_states.hpp"
#include "read_tower.hpp"

namespace headroom::memory {
namespace {

double at_least_one(double x) {
  return std::max(x, 1.0);
}

std::uint32_t modules_of(const Fields& f, std::string_view field) {
  static constexpr std::array<std::pair<std::string_view, Module>, 13> names{
      {{"core_attn", core_attn},
       {"layernorm", layernorm},
       {"mla_up_proj", mla_up_proj},
       {"moe_act", moe_act},
       {"mlp", mlp},
       {"moe", moe},
       {"shared_experts", shared_experts},
       {"attn_norm", attn_norm},
       {"mlp_norm", mlp_norm},
       {"qkv_linear", qkv_linear},
       {"attn_proj", attn_proj},
       {"expert_fc1", expert_fc1},
       {"gdn_norm_out", gdn_norm_out}}};
  std::uint32_t bits = 0;
  for (const auto& [name, bit] : names) bits |= f.lists(field, name) ? static_cast<std::uint32_t>(bit) : 0U;
  return bits;
}

Sizes sizes_of(const Fields& f) {
  Sizes z;
  z.tp = f.number("model.tensor_model_parallel_size", 1);
  z.pp = f.number("model.pipeline_model_parallel_size", 1);
  z.vpp = f.number("model.virtual_pipeline_model_parallel_size", 1);
  z.cp = f.number("model.context_parallel_size", 1);
  z.ep = f.number("model.expert_model_parallel_size", 1);
  z.etp = f.number("model.expert_tensor_parallel_size");
  z.etp_written = f.written("model.expert_tensor_parallel_size");
  z.sequence = f.flag("model.sequence_parallel");
  z.gpus = f.number("launch.gpus", 0);
  z.group = f.number("model.microbatch_group_size_per_vp_stage");
  z.instances = f.number("ddp.num_distributed_optimizer_instances", 1);
  z.micro_batch = f.number("train.micro_batch_size", 1);
  z.global_batch = f.number("train.global_batch_size");
  return z;
}

double padded_vocabulary(const Fields& f, double vocab, double tp) {
  const auto layer = f.config().layer;
  const bool padded = layer == resolve::Layer::megatron_lm ||
                      (layer == resolve::Layer::bridge && f.flag("model.should_pad_vocab"));
  if (!padded) return vocab;
  const double multiple = at_least_one(f.number("model.make_vocab_size_divisible_by", 128)) * tp;
  return std::ceil(vocab / multiple) * multiple;
}

/// Where the tokenizer decides: the vocabulary of the well-known model whose tokenizer it is.
double vocabulary_of_tokenizer(const Fields& f) {
  const auto name = f.text("tokenizer.tokenizer_model");
  const schema::Schema& schema = *f.config().schema;
  const auto* model = name.empty() ? nullptr : schema.find_model(name);
  if (model == nullptr) return 0;
  const auto field = schema.find("model.vocab_size");
  for (const auto& fact : model->values) {
    const auto value = schema.value(fact.value);
    if (fact.field == field && value.is_number()) return value.as_double();
  }
  return 0;
}

void read_attention(const Fields& f, Model& m) {
  m.heads = f.number("model.num_attention_heads");
  m.groups = f.number("model.num_query_groups", m.heads);
  m.head_dim = f.number("model.kv_channels", m.heads > 0 ? m.hidden / m.heads : 0);
  m.q_rank = f.number("model.q_lora_rank");
  m.kv_rank = f.number("model.kv_lora_rank", 512);
  m.qk_dim = f.number("model.qk_head_dim", 128);
  m.rope_dim = f.number("model.qk_pos_emb_head_dim", 64);
  m.v_dim = f.number("model.v_head_dim", 128);
  m.qk_norm = f.flag("model.qk_layernorm");
  m.output_gate = f.flag("model.attention_output_gate");
  const auto position = f.text("model.position_embedding_type");
  m.rope = position.find("rope") != std::string_view::npos;
  if (position == "learned_absolute" || position.empty())
    m.positions = f.number("model.max_position_embeddings", f.number("model.seq_length"));
  if (position.empty() && f.config().layer != resolve::Layer::megatron_lm)
    m.positions = f.number("model.seq_length");
  if (f.text("model.experimental_attention_variant") == "dsa") {
    m.indexer_heads = f.number("model.dsa_indexer_n_heads");
    m.indexer_dim = f.number("model.dsa_indexer_head_dim");
  }
  m.gdn_key_heads = f.number("model.linear_num_key_heads", 16);
  m.gdn_value_heads = f.number("model.linear_num_value_heads", 32);
  m.gdn_key_dim = f.number("model.linear_key_head_dim", 128);
  m.gdn_value_dim = f.number("model.linear_value_head_dim", 128);
  m.gdn_conv = f.number("model.linear_conv_kernel_dim", 4);
}

void read_experts(const Fields& f, Model& m) {
  m.experts = f.number("model.num_moe_experts");
  m.moe = m.experts > 0;
  m.topk = f.number("model.moe_router_topk", 2);
  m.expert_ffn = f.number("model.moe_ffn_hidden_size", m.ffn);
  m.shared_ffn = f.number("model.moe_shared_expert_intermediate_size");
  m.latent = f.number("model.moe_latent_size");
  m.shared_gate = f.flag("model.moe_shared_expert_gate");
  m.expert_bias = f.flag("model.moe_router_enable_expert_bias");
}

void read_model(const Fields& f, Shape& s) {
  Model& m = s.model;
  m.hidden = f.number("model.hidden_size");
  m.gated = f.flag("model.gated_linear_unit");
  m.ffn = f.number("model.ffn_hidden_size", 4 * m.hidden);
  m.vocab = f.number("model.vocab_size", f.number("tokenizer.vocab_size"));
  if (m.vocab <= 0) m.vocab = vocabulary_of_tokenizer(f);
  m.vocab = padded_vocabulary(f, m.vocab, s.parallel.tp);
  m.bias = f.flag("model.add_bias_linear", true);
  m.qkv_bias = m.bias || f.flag("model.add_qkv_bias");
  m.layer_norm = f.text("model.normalization") != "RMSNorm";
  m.untied = !f.flag("model.share_embeddings_and_output_weights", true);
  m.squared_relu = f.text("derived.activation").find("squared") != std::string_view::npos;
  m.hidden_dropout = f.number("model.hidden_dropout", 0.1);
  m.attention_dropout = f.number("model.attention_dropout", 0.1);
  m.mtp_depths = f.number("model.mtp_num_layers");
  m.layer_embedding_rows = f.number("model.per_layer_embed_vocab_size");
  m.layer_embedding = f.number("model.per_layer_embed_dim");
  m.mtp_repeated = f.flag("model.mtp_use_repeated_layer");
  read_attention(f, m);
  read_experts(f, m);
  m.mamba_head_dim = f.number("model.mamba_head_dim", 64);
  m.mamba_heads =
      f.number("model.mamba_num_heads", m.mamba_head_dim > 0 ? 2 * m.hidden / m.mamba_head_dim : 0);
  m.mamba_state = f.number("model.mamba_state_dim", 128);
  m.mamba_groups = f.number("model.mamba_num_groups", 8);
}

Fp8 fp8_of(const Fields& f) {
  if (f.given("model.fp4")) return Fp8::nvfp4;
  if (!f.given("model.fp8")) return Fp8::none;
  const auto recipe = f.text("model.fp8_recipe");
  if (recipe == "mxfp8") return Fp8::mxfp8;
  if (recipe == "blockwise") return Fp8::blockwise;
  return recipe == "tensorwise" || recipe == "current" ? Fp8::current : Fp8::delayed;
}

void read_numerics(const Fields& f, Shape& s) {
  Numerics& n = s.numerics;
  const bool half = f.flag("model.bf16") || f.flag("model.fp16");
  n.parameter = half ? 2 : f.element_bytes("model.params_dtype", 4);
  n.residual = f.flag("model.fp32_residual_connection") ? 4 : n.parameter;
  n.fp8 = fp8_of(f);
  n.fp8_parameters = n.fp8 != Fp8::none && (f.flag("model.fp8_param") || f.flag("ddp.fp8_param_gather") ||
                                            f.flag("model.fp4_param"));
  n.keep_transposes = !f.flag("model.disable_parameter_transpose_cache");
  if (n.fp8 != Fp8::none && f.flag("model.first_last_layers_bf16"))
    n.bf16_layers =
        f.number("model.num_layers_at_start_in_bf16", 1) + f.number("model.num_layers_at_end_in_bf16", 1);
}

/// Tokens of the busiest rank over the average in the worst step of a training run: what brings the peaks of
/// expert-parallel runs in Megatron-LM's CI to those that were measured (docs/memory.md).
constexpr double usual_imbalance = 1.2;

void read_adapter(const Fields& f, Adapter& a) {
  const auto name = f.text("derived.peft_class");
  if (name.empty()) return;
  a.kind = name.find("Canonical") != std::string_view::npos ? Peft::canonical_lora
           : name.find("DoRA") != std::string_view::npos    ? Peft::dora
                                                            : Peft::lora;
  a.rank = f.number("peft.dim", 32);
  const bool all = !f.given("peft.target_modules");
  a.qkv = all || f.mentions("peft.target_modules", "linear_q");
  a.proj = all || f.mentions("peft.target_modules", "linear_proj");
  a.fc1 = all || f.mentions("peft.target_modules", "linear_fc1");
  a.fc2 = all || f.mentions("peft.target_modules", "linear_fc2");
  a.dropout = f.number("peft.dropout") > 0;
  a.regather = f.flag("peft.sequence_parallel_input_regather");
}

Backend backend_of(const Fields& f, bool te) {
  const auto name = f.text("model.attention_backend");
  const auto off = [&](std::string_view variable) {
    const auto it = f.config().launch.env.find(variable);
    return it != f.config().launch.env.end() && it->second && *it->second == "0";
  };
  if (!te) return name == "flash" || name == "fused" ? Backend::flash : Backend::unfused;
  if (name == "unfused") return Backend::unfused;
  if (name == "local") return Backend::unfused;
  if (name == "flash") return Backend::flash;
  if (name == "fused") return Backend::fused;
  if (off("NVTE_FLASH_ATTN") && off("NVTE_FUSED_ATTN")) return Backend::unfused;
  return off("NVTE_FUSED_ATTN") ? Backend::flash : Backend::fused;
}

void read_kernels(const Fields& f, Shape& s) {
  Kernels& k = s.kernels;
  k.te = f.text("model.transformer_impl") != "local";
  k.te_present = k.te || f.config().layer != resolve::Layer::megatron_core;
  k.attention = backend_of(f, k.te);
  k.softmax_fp32 = f.flag("model.attention_softmax_in_fp32");
  k.softmax_fusion = f.flag("model.masked_softmax_fusion", true);
  k.activation_fusion = f.flag("model.bias_activation_fusion");
  k.weighted_squared_relu = f.flag("model.use_fused_weighted_squared_relu");
  k.rope_fusion = f.flag("model.apply_rope_fusion");
  k.gradient_fusion = f.flag("model.gradient_accumulation_fusion");
  k.dropout_fusion = f.flag("model.bias_dropout_fusion");
  k.grouped_gemm = f.flag("model.moe_grouped_gemm");
  k.permute_fusion = f.flag("model.moe_permute_fusion");
  k.router_fusion = f.flag("model.moe_router_fusion");
  if (f.flag("model.cross_entropy_loss_fusion"))
    k.loss = f.text("model.cross_entropy_fusion_impl") == "te" ? LossKernel::te : LossKernel::native;
  const auto dispatcher = f.text("model.moe_token_dispatcher_type");
  k.dispatcher = dispatcher == "flex"       ? Dispatcher::flex
                 : dispatcher == "alltoall" ? Dispatcher::alltoall
                                            : Dispatcher::allgather;
  k.mamba_efficient = f.flag("model.use_mamba_mem_eff_path", true);
  if (f.config().launch.gpu != nullptr) k.capability = f.config().launch.gpu->compute_capability;
}

void read_saving(const Fields& f, Saving& s) {
  const auto granularity = f.text("model.recompute_granularity");
  s.layers = at_least_one(f.number("model.recompute_num_layers", 1));
  if (granularity == "selective") {
    s.mode = Recompute::selective;
    s.modules =
        f.value("model.recompute_modules").is_list() ? modules_of(f, "model.recompute_modules") : core_attn;
  } else if (granularity == "full") {
    s.mode = f.text("model.recompute_method") == "block" ? Recompute::block : Recompute::uniform;
    s.distribute = f.flag("model.distribute_saved_activations");
  }
  if (f.flag("model.cpu_offloading")) s.offload_layers = f.number("model.cpu_offloading_num_layers");
  if (f.flag("model.fine_grained_activation_offloading")) s.offload = modules_of(f, "model.offload_modules");
  s.offload_fraction = std::clamp(f.number("model.activation_offload_fraction", 1), 0.0, 1.0);
}

void read_batch(const Fields& f, Shape& s) {
  s.sequence = f.number("model.seq_length", f.number("derived.data_seq_length"));
  const double global = f.number("train.global_batch_size", s.micro_batch * s.parallel.dp);
  // A global batch too small for all ranks is no legal run; what it does feed is the best guess.
  const double fed = at_least_one(std::floor(global / s.micro_batch));
  if (f.config().layer == resolve::Layer::megatron_lm && fed < s.parallel.dp) {
    s.parallel.expert_dp = at_least_one(std::floor(s.parallel.expert_dp * fed / s.parallel.dp));
    s.parallel.dp = fed;
  }
  s.packed = f.flag("derived.packed");
  s.balanced_routing = f.flag("model.moe_router_force_load_balancing");
  // A peak is the highest of many steps and layers. A few steps on random tokens stay balanced.
  if (s.model.moe && s.parallel.ep > 1 && !s.balanced_routing &&
      f.config().layer != resolve::Layer::megatron_core)
    s.kernels.imbalance = usual_imbalance;
  s.deallocate_outputs = f.flag("model.deallocate_pipeline_outputs", true);
  s.overlap_p2p = f.flag("model.overlap_p2p_comm");
}

/// `:4096:8`, `:16:8:4096:2`: pairs of KiB and count.
double workspace_of(std::string_view text) {
  double bytes = 0, size = 0;
  for (bool is_size = true; !text.empty(); is_size = !is_size) {
    if (text.front() != ':') return 0;
    text.remove_prefix(1);
    double n = 0;
    std::size_t digits = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9' && digits < 9; ++digits)
      n = 10 * n + (text[digits] - '0');
    text.remove_prefix(digits);
    if (is_size) {
      size = n * 1024;
    } else {
      bytes += size * n;
    }
  }
  return bytes;
}

std::string variable(const Fields& f, std::string_view name) {
  const auto& env = f.config().launch.env;
  const auto it = env.find(name);
  if (it != env.end() && it->second) return *it->second;
  return std::string(f.text("env." + std::string(name)));
}

void read_device(const Fields& f, Shape& s) {
  const auto& launch = f.config().launch;
  s.cublas_workspace = workspace_of(variable(f, "CUBLAS_WORKSPACE_CONFIG"));
  // Deterministic mode sets the variable where nobody did (megatron/training/determinism.py).
  const bool deterministic =
      f.flag("model.deterministic_mode") || variable(f, "NVTE_ALLOW_NONDETERMINISTIC_ALGO") == "0";
  if (s.cublas_workspace <= 0 && deterministic) s.cublas_workspace = workspace_of(":4096:8");
  if (launch.gpu_memory_bytes) {
    s.capacity = static_cast<double>(*launch.gpu_memory_bytes);
  } else if (launch.gpu != nullptr) {
    s.capacity = static_cast<double>(launch.gpu->total_bytes);
  }
  s.margin = launch.margin_bytes + launch.margin_share * s.capacity;
  if (launch.gpu != nullptr) s.gpus_per_node = launch.gpu->gpus_per_node;
  if (launch.host_memory_bytes) {
    s.host_capacity = static_cast<double>(*launch.host_memory_bytes);
  } else if (launch.gpu != nullptr) {
    s.host_capacity = static_cast<double>(launch.gpu->host_bytes);
  }
  if (launch.calibration) s.calibration = *launch.calibration;
  for (const auto* name : {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"}) {
    const std::string written = variable(f, name);
    s.expandable_segments |= written.find("expandable_segments:True") != std::string::npos ||
                             written.find("expandable_segments:true") != std::string::npos;
  }
}

std::string missing(const Fields& f, const Shape& s) {
  std::vector<std::string_view> names;
  if (s.model.hidden <= 0) names.push_back("model.hidden_size");
  const auto pattern = f.text("derived.hybrid_pattern");
  if (pattern.empty() || pattern.find('*') != std::string_view::npos) {
    if (s.model.heads <= 0)
      names.push_back("model.num_attention_heads");
    else if (s.model.head_dim <= 0)
      names.push_back("model.kv_channels");
  }
  if (s.model.vocab <= 0) names.push_back("model.vocab_size");
  if (s.sequence <= 0) names.push_back("model.seq_length");
  if (!f.given("model.num_layers") && f.text("derived.hybrid_pattern").empty())
    names.push_back("model.num_layers");
  if (names.empty()) return {};
  return fmt::format(
      "the shape of the model is not known: {} {} no value; set {} or name a well-known model with --model",
      fmt::join(names, ", "), names.size() == 1 ? "has" : "have", names.size() == 1 ? "it" : "them");
}

/// What start-up refuses, and check explains; the figures are those of whole groups.
void note_world(const Shape& s, std::vector<std::string>& assumptions) {
  const Parallel& p = s.parallel;
  const double dense = p.tp * p.pp * p.cp, experts = p.etp * p.ep * p.pp;
  const double group = std::fmod(p.gpus, dense) != 0                    ? dense
                       : s.model.moe && std::fmod(p.gpus, experts) != 0 ? experts
                                                                        : 0;
  if (group > 0)
    assumptions.push_back(
        fmt::format("{:.0f} GPUs are no multiple of the {:.0f} that the parallel sizes ask for: this run is "
                    "refused at start-up",
                    p.gpus, group));
}

tl::unexpected<source::Error> failed(std::string message) {
  return tl::unexpected(source::Error{std::move(message), "", {}, false});
}

}  // namespace

void spread(const Sizes& z, Shape& s) {
  Parallel& p = s.parallel;
  p.tp = at_least_one(z.tp);
  p.pp = at_least_one(z.pp);
  p.vpp = at_least_one(z.vpp);
  p.cp = at_least_one(z.cp);
  p.ep = at_least_one(z.ep);
  p.etp = at_least_one(z.etp > 0 ? z.etp : p.tp);
  p.sequence = z.sequence && p.tp > 1;
  p.gpus = z.gpus;
  if (p.gpus <= 0) p.gpus = std::max(p.tp * p.cp, p.ep * p.etp) * p.pp;
  // The experts take the tensor size of the rest unless told otherwise, which many worlds cannot hold.
  if (!z.etp_written && p.gpus < p.etp * p.ep * p.pp) p.etp = 1;
  p.dp = at_least_one(std::floor(p.gpus / (p.tp * p.pp * p.cp)));
  p.expert_dp = at_least_one(std::floor(p.gpus / (p.etp * p.ep * p.pp)));
  p.group = z.group > 0 ? z.group : p.pp;
  p.instances = at_least_one(z.instances);
  s.micro_batch = at_least_one(z.micro_batch);
  const double global = z.global_batch > 0 ? z.global_batch : s.micro_batch * p.dp;
  s.microbatches = at_least_one(std::floor(global / (s.micro_batch * p.dp)));
}

source::Result<ShapeAndNotes> read_shape(const resolve::EffectiveConfig& config) {
  const Fields f(config);
  ShapeAndNotes out;
  Shape& s = out.shape;
  if (const auto other = f.text("derived.other_model"); !other.empty())
    return failed(fmt::format("{} are not counted: the ledger is for decoder-only language models", other));
  if (auto text = out_of_range(f); !text.empty()) return failed(std::move(text));
  spread(sizes_of(f), s);
  read_model(f, s);
  read_batch(f, s);
  if (auto text = missing(f, s); !text.empty()) return failed(std::move(text));
  read_numerics(f, s);
  read_states(f, s);
  read_adapter(f, s.adapter);
  read_kernels(f, s);
  read_saving(f, s.saving);
  read_graphs(f, s.graphs);
  read_device(f, s);
  read_tower(f, s, out.assumptions);
  if (is_outline(f)) complete_outline(f, s, out.assumptions);
  if (auto text = read_layout(f, s); !text.empty()) return failed(std::move(text));
  if (!f.given("launch.gpus"))
    out.assumptions.push_back(fmt::format(
        "number of GPUs not given: the smallest that the parallel sizes allow, {:.0f}", s.parallel.gpus));
  note_world(s, out.assumptions);
  return out;
}

}  // namespace headroom::memory
