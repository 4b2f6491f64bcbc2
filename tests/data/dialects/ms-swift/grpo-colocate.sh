CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 \
NPROC_PER_NODE=8 \
MASTER_PORT=29600 \
PYTORCH_CUDA_ALLOC_CONF='expandable_segments:True' \
megatron rlhf \
    --rlhf_type grpo \
    --model Qwen/Qwen2.5-7B \
    --save_safetensors true \
    --tensor_model_parallel_size 4 \
    --pipeline_model_parallel_size 2 \
    --dataset org/dapo-17k \
    --num_train_epochs 1 \
    --global_batch_size 128 \
    --micro_batch_size 1 \
    --steps_per_generation 4 \
    --num_generations 8 \
    --use_vllm true \
    --vllm_mode colocate \
    --vllm_gpu_memory_utilization 0.6 \
    --vllm_tensor_parallel_size 4 \
    --max_length 8192 \
    --max_completion_length 2048 \
    --tuner_type full \
    --lr 1e-6 \
    --bf16 true \
    --sleep_level 2 \
    --offload_model true \
    --offload_optimizer true \
    --recompute_granularity full \
    --recompute_method uniform \
    --recompute_num_layers 1 \
    --sequence_parallel true \
    --finetune \
    --no_save_optim \
    --no_save_rng \
    --attention_backend flash \
    --padding_free true
