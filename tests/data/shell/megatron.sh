#!/bin/bash
#SBATCH --nodes=4 --gpus-per-node=8   # four hosts
#SBATCH -J "my job"
##SBATCH --nodes=9
set -euo pipefail
export CUDA_DEVICE_MAX_CONNECTIONS=1
export NCCL_DEBUG=${NCCL_DEBUG:-WARN} UNKNOWN_ONE
#SBATCH --late

TP=${TP:-4}
PP=2
WORLD=$((TP * PP * 2))
DATA=$(ls -d /data/*)

GPT_ARGS=(
    --num-layers 32     # layers
    --hidden-size "4096"
    --tensor-model-parallel-size $TP
    --pipeline-model-parallel-size ${PP}
    --data-path ${DATA}
    "--fp8-format hybrid"
)
if [ "$PP" -gt 1 ]; then
    GPT_ARGS+=(--num-layers-per-virtual-pipeline-stage 4)
else
    GPT_ARGS+=(--no-pipeline)
fi
[[ -n "${PROFILE}" ]] && GPT_ARGS+=(--profile)

OMP_NUM_THREADS=8 srun --nodes 4 torchrun --nproc_per_node 8 --nnodes=$SLURM_NNODES \
    pretrain_gpt.py \
    ${GPT_ARGS[@]} --seq-length 4096 "$@" 2>&1 | tee log.txt
