#!/bin/bash
# A dense 7B model on one node, with the mistakes that cost a queue wait.
export CUDA_DEVICE_MAX_CONNECTIONS=1
TP=${TP:-2}

MODEL_ARGS=(
    --num-layers 30
    --hidden-size 4096
    --ffn-hidden-size 11008
    --num-attention-heads 32
    --swiglu
    --normalization RMSNorm
    --disable-bias-linear
    --untie-embeddings-and-output-weights
    --position-embedding-type rope
    --seq-length 4096
    --max-position-embeddings 4096
    --vocab-size 32000
)

torchrun --nproc_per_node 8 --nnodes 1 pretrain_gpt.py "${MODEL_ARGS[@]}" \
    --tensor-model-parallel-size $TP \
    --pipeline-model-parallel-size 4 \
    --micro-batch-size 1 \
    --global-batch-size 64 \
    --lr 3e-4 \
    --train-iters 1000 \
    --bf16 \
    --use-distributed-optimizer \
    --recompute-method uniform \
    --recompute-num-layers 1
