#!/bin/bash
# Documents of every format on clean, broken, unreadable and hostile input: PROGRAM SOURCE FOLDER.
set -u
program=$1
source=$2
out=$3
mkdir -p "$out/repo/conf dir"
cd "$out/repo" || exit 2
mkdir -p .git
cp "$source"/examples/*.yaml .
cp "$source"/examples/broken/*.yaml 'conf dir'
cp "$source"/examples/broken/*.sh 'conf dir'
printf 'model: [\n' > unreadable.yaml
printf 'model:\n  "<b>&\\"quoted\\e[2J\\x01": 1\n  "\\ud83d\\ude00|`x`": 1\n' > $'hostile \xff\n<&>\x27",:%.yaml'
printf '\xef\xbb\xbfmodel:\r\n  num_layer: 4\r\n  é: 1\r\n' > crlf.yaml

run() { # name, arguments…
  local name=$1
  shift
  "$program" check -q "$@" --output "sarif=$out/$name.sarif" --output "junit=$out/$name.xml" \
    --output "gitlab=$out/$name.gitlab.json" --output "json=$out/$name.json" >/dev/null 2>&1
  [ $? -le 2 ] || { echo "FAILED: headroom on $name"; exit 1; }
}
run clean qwen3_8b_lora.yaml --gpus 4 --gpu h100 --select offload
run broken 'conf dir' --gpus 32 --gpu h100 --advice
run script 'conf dir/pretrain_gpt.sh'
run unreadable unreadable.yaml
run hostile .
run releases . --bridge all
run elsewhere qwen3_8b_lora.yaml --set model.cpu_offloading=true --set model.pipeline_model_parallel_size=2
run input - < 'conf dir/qwen3_8b_lora.yaml'
