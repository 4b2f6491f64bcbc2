#!/bin/bash
export CUDA_DEVICE_MAX_CONNECTIONS=1
python /opt/NeMo/examples/nlp/language_modeling/megatron_gpt_pretraining.py \
  --config-path=conf --config-name=megatron_gpt_config \
  trainer.devices=8 trainer.num_nodes=4 trainer.precision=bf16 trainer.max_steps=500 \
  model.mcore_gpt=True \
  model.micro_batch_size=1 model.global_batch_size=256 \
  model.tensor_model_parallel_size=2 model.pipeline_model_parallel_size=4 model.expert_model_parallel_size=4 \
  model.sequence_parallel=True \
  model.encoder_seq_length=4096 model.max_position_embeddings=4096 \
  model.num_layers=32 model.hidden_size=4096 model.ffn_hidden_size=14336 model.num_attention_heads=32 \
  model.num_query_groups=8 model.bias=False model.num_moe_experts=8 model.moe_router_topk=2 model.moe_grouped_gemm=True \
  model.moe_token_dispatcher_type=alltoall model.moe_ffn_hidden_size=14336 \
  model.normalization=rmsnorm model.activation=fast-swiglu model.transformer_engine=True \
  model.activations_checkpoint_granularity=full model.activations_checkpoint_method=block \
  model.activations_checkpoint_num_layers=4 \
  model.optim.name=distributed_fused_adam model.optim.lr=1e-4
