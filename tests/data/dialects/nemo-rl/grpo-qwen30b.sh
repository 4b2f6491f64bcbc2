#!/bin/bash
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
uv run examples/run_grpo.py \
  --config examples/configs/grpo_math_qwen30ba3b_megatron.yaml \
  policy.model_name=Qwen/Qwen3-30B-A3B \
  policy.train_global_batch_size=512 \
  policy.train_micro_batch_size=1 \
  policy.logprob_batch_size=1 \
  policy.sequence_packing.enabled=true \
  policy.megatron_cfg.enabled=true \
  policy.megatron_cfg.tensor_model_parallel_size=4 \
  policy.megatron_cfg.pipeline_model_parallel_size=4 \
  policy.megatron_cfg.expert_model_parallel_size=8 \
  policy.megatron_cfg.sequence_parallel=true \
  policy.megatron_cfg.activation_checkpointing=true \
  policy.generation.backend=vllm \
  policy.generation.colocated.enabled=true \
  policy.generation.vllm_cfg.tensor_parallel_size=4 \
  cluster.num_nodes=8 cluster.gpus_per_node=8
