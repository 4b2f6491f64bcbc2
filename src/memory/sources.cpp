#include "sources.hpp"

namespace headroom::memory {

std::string_view source_text(Source source) {
  switch (source) {
    case Source::layer:
      return "megatron/core/transformer/transformer_layer.py; arXiv 2205.05198, section 4";
    case Source::attention:
      return "megatron/core/transformer/attention.py; arXiv 2205.05198, section 4.1";
    case Source::local_attention:
      return "megatron/core/transformer/dot_product_attention.py";
    case Source::te_attention:
      return "transformer_engine/pytorch/attention/dot_product_attention/backends.py";
    case Source::te_linear:
      return "transformer_engine/pytorch/module/layernorm_linear.py, linear.py";
    case Source::mlp:
      return "megatron/core/transformer/mlp.py; arXiv 2205.05198, section 4.1";
    case Source::experts:
      return "megatron/core/transformer/moe/experts.py";
    case Source::dispatcher:
      return "megatron/core/transformer/moe/token_dispatcher.py";
    case Source::router:
      return "megatron/core/transformer/moe/router.py, moe_utils.py";
    case Source::shared_experts:
      return "megatron/core/transformer/moe/shared_experts.py";
    case Source::mla:
      return "megatron/core/transformer/multi_latent_attention.py; arXiv 2405.04434, section 2.1";
    case Source::gdn:
      return "megatron/core/ssm/gated_delta_net.py; arXiv 2412.06464";
    case Source::mamba:
      return "megatron/core/ssm/mamba_mixer.py; arXiv 2405.21060";
    case Source::embedding:
      return "megatron/core/models/common/embeddings/language_model_embedding.py";
    case Source::output:
      return "megatron/core/models/gpt/gpt_model.py";
    case Source::cross_entropy:
      return "megatron/core/tensor_parallel/cross_entropy.py, fusions/fused_cross_entropy.py";
    case Source::checkpoint:
      return "megatron/core/tensor_parallel/random.py";
    case Source::schedule:
      return "megatron/core/pipeline_parallel/schedules.py";
    case Source::buffers:
      return "megatron/core/distributed/param_and_grad_buffer.py";
    case Source::distributed_optimizer:
      return "megatron/core/optimizer/distrib_optimizer.py; arXiv 1910.02054, section 5";
    case Source::optimizer:
      return "megatron/core/optimizer/optimizer.py";
    case Source::hybrid_optimizer:
      return "megatron/core/optimizer/cpu_offloading/hybrid_optimizer.py";
    case Source::workspace:
      return "aten/src/ATen/cuda/CublasHandlePool.cpp; transformer_engine/pytorch/cpp_extensions/gemm.py";
    case Source::fp8:
      return "transformer_engine/pytorch/tensor/; megatron/core/fp8_utils.py";
    case Source::fsdp:
      return "megatron/core/distributed/fsdp/src/megatron_fsdp/param_and_grad_buffer.py";
    case Source::lora:
      return "megatron/bridge/peft/lora_layers.py, utils.py";
    case Source::offload:
      return "megatron/core/pipeline_parallel/fine_grained_activation_offload.py";
    case Source::graphs:
      return "megatron/core/transformer/cuda_graphs.py";
    case Source::moe_checkpoint:
      return "megatron/core/tensor_parallel/random.py with moe/token_dispatcher.py";
    case Source::mtp:
      return "megatron/core/transformer/multi_token_prediction.py";
    case Source::tower:
      return "megatron/bridge/models/ (a module for each model); arXiv 2010.11929";
  }
  return "";
}

}  // namespace headroom::memory
