# Strings and documents that another shell reads.
OPTS="--bf16 \
  --lr 1e-4
  --split '99,1,0'"
run_cmd="python -u train.py ${OPTS} --tp ${TP:-2}"
srun -l --container-image a.sqsh bash -lc "cd /w && export A=\"x y\"; ${run_cmd}"
eval $run_cmd
ssh -p 22 host "torchrun --x 1" '--y "2 3"'
docker run --rm img sh -c 'env B=2 torchrun --z $1 "$C"' name 7
sbatch --nodes 2 <<EOT
#!/bin/bash
#SBATCH --time 1:00
torchrun --late ${TP:-2} \$SLURM_JOB_ID
EOT
cat <<'EOT' > other.sh
torchrun --not-read
EOT
