NPROC_PER_NODE=4 CUDA_VISIBLE_DEVICES=0,1,2,3 \
megatron rlhf \
    --rlhf_type dpo \
    --model Qwen/Qwen3-8B \
    --train_type lora \
    --lora_rank 16 \
    --lora_alpha 32 \
    --target_modules all-linear \
    --tensor_model_parallel_size 2 \
    --pipeline_model_parallel_size 1 \
    --decoder_first_pipeline_num_layers 16 \
    --micro_batch_size 4 \
    --global_batch_size 16 \
    --max_length 2048 \
    --lr 1e-4 \
    --use_distributed_optimizer false \
    --optimizer_cpu_offload true \
    --recompute_granularity full --recompute_method block --recompute_num_layers 8
