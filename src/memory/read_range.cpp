#include "read_range.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace headroom::memory {
namespace {

// Parallel sizes and batches of zero or less are taken as one, the rest is multiplied as it stands.
constexpr std::array<std::string_view, 20> at_most{"launch.gpus",
                                                   "train.micro_batch_size",
                                                   "train.global_batch_size",
                                                   "ddp.num_distributed_optimizer_instances",
                                                   "model.tensor_model_parallel_size",
                                                   "model.pipeline_model_parallel_size",
                                                   "model.virtual_pipeline_model_parallel_size",
                                                   "model.context_parallel_size",
                                                   "model.expert_model_parallel_size",
                                                   "model.expert_tensor_parallel_size",
                                                   "model.microbatch_group_size_per_vp_stage",
                                                   "model.make_vocab_size_divisible_by",
                                                   "model.recompute_num_layers",
                                                   "model.num_layers_in_first_pipeline_stage",
                                                   "model.num_layers_in_last_pipeline_stage",
                                                   "model.num_layers_at_start_in_bf16",
                                                   "model.num_layers_at_end_in_bf16",
                                                   "model.cpu_offloading_num_layers",
                                                   "model.cuda_graph_warmup_steps",
                                                   "derived.data_seq_length"};
constexpr std::array<std::string_view, 35> sizes{"model.num_layers",
                                                 "model.hidden_size",
                                                 "model.ffn_hidden_size",
                                                 "model.num_attention_heads",
                                                 "model.num_query_groups",
                                                 "model.kv_channels",
                                                 "model.seq_length",
                                                 "model.max_position_embeddings",
                                                 "model.vocab_size",
                                                 "tokenizer.vocab_size",
                                                 "model.mtp_num_layers",
                                                 "model.q_lora_rank",
                                                 "model.kv_lora_rank",
                                                 "model.qk_head_dim",
                                                 "model.qk_pos_emb_head_dim",
                                                 "model.v_head_dim",
                                                 "model.num_moe_experts",
                                                 "model.moe_router_topk",
                                                 "model.moe_ffn_hidden_size",
                                                 "model.moe_shared_expert_intermediate_size",
                                                 "model.moe_latent_size",
                                                 "model.mamba_num_heads",
                                                 "model.mamba_head_dim",
                                                 "model.mamba_state_dim",
                                                 "model.mamba_num_groups",
                                                 "model.linear_num_key_heads",
                                                 "model.linear_num_value_heads",
                                                 "model.linear_key_head_dim",
                                                 "model.linear_value_head_dim",
                                                 "model.linear_conv_kernel_dim",
                                                 "model.dsa_indexer_n_heads",
                                                 "model.dsa_indexer_head_dim",
                                                 "model.moe_layer_freq",
                                                 "model.linear_attention_freq",
                                                 "peft.dim"};
constexpr double largest = 1e10;

/// Fields that also take a list or a pattern.
bool may_be_list(std::string_view name) {
  return name == "model.moe_layer_freq" || name == "model.linear_attention_freq" ||
         name == "model.num_moe_experts";
}

std::string no_number(const Fields& fields, std::string_view name) {
  const auto& v = fields.value(name);
  if (may_be_list(name)) return {};
  if (v.is_string() || v.is_list()) return fmt::format("{} is {}, not a number", name, v.to_text());
  const double x = fields.number(name);
  return std::floor(x) != x ? fmt::format("{} is {}, not a whole number", name, v.to_text()) : std::string();
}

}  // namespace

std::string out_of_range(const Fields& fields) {
  const auto too_large = [&](std::string_view name) {
    return std::abs(fields.number(name)) > largest ? fmt::format("{} is absurdly large", name)
                                                   : std::string();
  };
  for (const auto name : at_most) {
    if (auto text = no_number(fields, name); !text.empty()) return text;
    if (auto text = too_large(name); !text.empty()) return text;
  }
  for (const auto name : sizes) {
    if (auto text = no_number(fields, name); !text.empty()) return text;
    if (auto text = too_large(name); !text.empty()) return text;
    if (fields.number(name) < 0) return fmt::format("{} is negative", name);
  }
  return {};
}

}  // namespace headroom::memory
