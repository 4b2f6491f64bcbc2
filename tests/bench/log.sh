#!/bin/sh
# headroom explain on 1 GB of log, mixed from 512 ranks, beside grep on the same file in the same run:
#   log.sh HEADROOM WORK_FOLDER [MEGABYTES]
set -eu

headroom=$1
folder=$2
megabytes=${3:-1000}
block="$folder/explain-block.log"
log="$folder/explain-bench.log"

# About 10 MB: iterations, memory reports, warnings, lines of NCCL and of data loaders, prefixed as torchrun does.
if [ ! -s "$block" ]; then
  awk 'BEGIN {
    srand(7)
    while (bytes < 10000000) {
      rank = int(rand() * 512); kind = rand(); n++
      if (kind < 0.55) line = sprintf("[rank%d]: step %d loss=%.4f grad_norm=%.3f tokens/s=%.0f lr=%.3e data_wait=%.2fms", rank, n, rand() * 3, rand(), rand() * 12000, rand() * 1e-4, rand() * 9)
      else if (kind < 0.80) line = sprintf("[rank%d]: [2026-06-14 09:41:22,%03d] [INFO] [data.py:118] fetched shard %d of blend %d, %d documents in cache", rank, n % 1000, n, n % 17, rand() * 90000)
      else if (kind < 0.90) line = sprintf("node-%02d:%d:%d [%d] NCCL INFO Channel %02d/0 : %d[%d] -> %d[%d] via P2P/CUMEM/read", rank / 8, 40000 + rank, 42000 + rank, rank % 8, n % 24, rank % 8, rank % 8, (rank + 1) % 8, (rank + 1) % 8)
      else if (kind < 0.96) line = sprintf(" [2026-06-14 09:41:22] iteration %8d/   50000 | consumed samples: %12d | elapsed time per iteration (ms): %.1f | learning rate: 1.200000E-05 | global batch size:   512 | lm loss: %.6E | grad norm: %.3f | number of skipped iterations:   0 | number of nan iterations:   0 |", n / 100, n * 5, 5000 + rand() * 900, rand() * 3, rand())
      else if (kind < 0.99) line = sprintf("[rank%d]: /opt/venv/lib/python3.12/site-packages/torch/autograd/graph.py:869: UserWarning: c10d::allreduce_: an autograd kernel was not registered to the Autograd key(s)", rank)
      else line = sprintf("[Rank %d] (after %d iterations) memory (MB) | allocated: %.2f | max allocated: %.2f | reserved: %.2f | max reserved: %.2f", rank, n / 100, 40000 + rand() * 900, 61000 + rand() * 900, 70000.5, 72000.5)
      print line
      bytes += length(line) + 1
    }
  }' >"$block"
fi

copies=$((megabytes / 10))
if [ ! -s "$log" ] || [ "$(wc -c <"$log")" -lt $((copies * 10000000)) ]; then
  : >"$log"
  i=0
  while [ $i -lt $copies ]; do
    cat "$block" >>"$log"
    i=$((i + 1))
  done
  for rank in 0 1 2 3; do
    echo "[rank$rank]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.19 GiB. GPU $rank has a total capacity of 79.11 GiB of which 1.02 GiB is free. Including non-PyTorch memory, this process has 78.09 GiB memory in use. Of the allocated memory 60.37 GiB is allocated by PyTorch, and 14.06 GiB is reserved by PyTorch but unallocated."
  done >>"$log"
fi
cat "$log" >/dev/null # into the page cache

# Wall seconds of a command, best of three.
seconds() {
  best=''
  for _ in 1 2 3; do
    begin=$(date +%s.%N)
    "$@" >/dev/null || true
    end=$(date +%s.%N)
    best=$(awk -v a="$begin" -v b="$end" -v c="$best" 'BEGIN { t = b - a; print c == "" || t < c ? t : c }')
  done
  echo "$best"
}

bytes=$(wc -c <"$log")
mine=$(seconds "$headroom" explain "$log")
grep_time=$(seconds grep -c 'out of memory' "$log")
awk -v b="$bytes" -v m="$mine" -v g="$grep_time" 'BEGIN {
  printf "explain  %6.0f MB/s\n", b / 1e6 / m
  printf "grep -c  %6.0f MB/s, explain takes %.2f times as long\n", b / 1e6 / g, m / g }'
if [ -x /usr/bin/time ]; then
  /usr/bin/time -f 'memory   %M KiB' "$headroom" explain "$log" >/dev/null
fi
