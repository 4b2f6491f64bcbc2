NPROC_PER_NODE=8 \
megatron rlhf \
    --rlhf_type grpo \
    --model Qwen/Qwen2.5-7B \
    --tensor_model_parallel_size 1 \
    --global_batch_size 32 \
    --micro_batch_size 2 \
    --num_generations 8 \
    --use_vllm true \
    --vllm_mode colocate \
    --vllm_tensor_parallel_size 3 \
    --max_length 4096 \
    --max_completion_length 1024 \
    --recompute_granularity full --recompute_method uniform --recompute_num_layers 1
