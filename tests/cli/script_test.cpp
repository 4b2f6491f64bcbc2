// Launch scripts and other languages through the real program.
#include <catch2/catch.hpp>
#include <filesystem>

#include "program.hpp"

using headroom::cli::read;
using headroom::cli::run;
using headroom::cli::TemporaryFolder;

namespace {

const std::string script =
    "#!/bin/bash\n"
    "# a comment that stays\n"
    "export CUDA_DEVICE_MAX_CONNECTIONS=1\n"
    "PP=${PP:-4}\n"
    "MODEL_ARGS=(\n"
    "    --num-layers 30   # thirty\n"
    "    --hidden-size 2560\n"
    "    --num-attention-heads 20\n"
    ")\n"
    "torchrun --nproc_per_node 8 --nnodes 1 pretrain_gpt.py \"${MODEL_ARGS[@]}\" \\\n"
    "    --seq-length 2048 --max-position-embeddings 2048 \\\n"
    "    --pipeline-model-parallel-size $PP \\\n"
    "    --micro-batch-size 2 --global-batch-size 64 \\\n"
    "    --bf16 2>&1 | tee log.txt\n";

}  // namespace

TEST_CASE("a launch script is checked in its own words") {
  const TemporaryFolder folder;
  const std::string path = folder.file("launch.sh", script);
  const auto checked = run({{"check", path, "--env-file", "/dev/null"}});
  INFO(checked.out << checked.err);
  CHECK(checked.status == 1);
  CHECK_THAT(checked.out, Catch::Contains("pipeline/layers-divisible"));
  CHECK_THAT(checked.out, Catch::Contains("launch.sh:6:5"));
  CHECK_THAT(checked.out, Catch::Contains("--decoder-last-pipeline-num-layers"));
  CHECK_THAT(checked.out, Catch::Contains("read as Megatron-LM: it starts pretrain_gpt.py"));
  CHECK_THAT(checked.out, Catch::Contains("PP is taken as its default 4"));
  CHECK_THAT(checked.err, Catch::Contains("8 GPUs"));
}

TEST_CASE("--fix edits the script and nothing else") {
  const TemporaryFolder folder;
  const std::string path = folder.file("launch.sh", script);
  const auto diff = run({{"check", path, "--env-file", "/dev/null", "--diff"}});
  CHECK_THAT(diff.out, Catch::Contains("+") && Catch::Contains("--decoder-"));
  CHECK(read(path) == script);
  const auto fixed = run({{"check", path, "--env-file", "/dev/null", "--fix"}});
  INFO(fixed.out << fixed.err << read(path));
  CHECK(fixed.status == 0);
  const std::string after = read(path);
  CHECK_THAT(after,
             Catch::Contains("# a comment that stays") && Catch::Contains("--num-layers 30   # thirty"));
  CHECK_THAT(after, Catch::Contains("2>&1 | tee log.txt"));
  CHECK(run({{"check", path, "--env-file", "/dev/null", "--fix"}}).status == 0);
  CHECK(read(path) == after);
}

TEST_CASE("Hydra words of a script are edited before what the launch adds") {
  const TemporaryFolder folder;
  const std::string before =
      "python3 -m verl.trainer.main_ppo \\\n"
      "    actor_rollout_ref.model.path=Qwen/Qwen3-8B \\\n"
      "    +actor_rollout_ref.actor.megatron.override_transformer_config.recompute_method=uniform \\\n"
      "    +actor_rollout_ref.actor.megatron.override_transformer_config.recompute_num_layers=1 \\\n"
      "    trainer.n_gpus_per_node=8 trainer.nnodes=1 $@\n";
  const std::string path = folder.file("run.sh", before);
  static_cast<void>(run({{"check", path, "--env-file", "/dev/null", "--fix"}}));
  const std::string after = read(path);
  INFO(after);
  CHECK_THAT(after, Catch::Contains("recompute_granularity=full"));
  CHECK(after.find("recompute_granularity=full") < after.find("$@"));
}

TEST_CASE("arguments come from standard input, too") {
  headroom::cli::Run what{{"check", "-", "--gpus", "8", "--env-file", "/dev/null"}};
  what.input =
      "--num-layers 30 --hidden-size 2560 --num-attention-heads 20\n--pipeline-model-parallel-size 4\n";
  const auto checked = run(what);
  INFO(checked.out << checked.err);
  CHECK(checked.status == 1);
  CHECK_THAT(checked.out, Catch::Contains("--pipeline-model-parallel-size"));
}

TEST_CASE("nothing in a script is executed") {
  const TemporaryFolder folder;
  const std::string mark = folder.path() + "/executed";
  const std::string path =
      folder.file("launch.sh", "X=$(touch " + mark + ")\n`touch " + mark +
                                   "`\ntorchrun pretrain_gpt.py --num-layers $(touch " + mark +
                                   "; echo 4) --hidden-size 64 --num-attention-heads 4 > " + mark + "\n");
  const auto checked = run({{"check", path}});
  CHECK_FALSE(std::filesystem::exists(mark));
  CHECK_THAT(checked.out, Catch::Contains("is not evaluated") && Catch::Contains("--num-layers is unknown"));
}

TEST_CASE("a script beside a config supplies its context") {
  const TemporaryFolder folder;
  const std::string config = folder.file(
      "run_config.yaml",
      "model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4, tensor_model_parallel_size: 3}\n");
  const std::string launch = folder.file(
      "launch.sh", "#!/bin/bash\nexport NCCL_GRAPH_REGISTER=0\ntorchrun --nproc_per_node 8 train.py\n");
  const auto checked = run({{"check", config, launch, "--format", "json"}});
  CHECK_THAT(checked.out, Catch::Contains("\"gpus\": 8") && !Catch::Contains("launch.sh\""));
  CHECK_THAT(checked.out, Catch::Contains("pipeline/world-size"));
}

TEST_CASE("--env-file takes the exports of a script") {
  const TemporaryFolder folder;
  const std::string launch = folder.file(
      "run.sbatch",
      "#!/bin/bash\n#SBATCH --nodes=2\nexport PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\nsrun x\n");
  const std::string config =
      folder.file("c.yaml", "model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4}\n");
  const auto shown =
      run({{"effective", config, "env.PYTORCH_CUDA_ALLOC_CONF", "env.NCCL_ALGO", "--env-file", launch}});
  CHECK_THAT(shown.out, Catch::Contains("expandable_segments:True"));
}

TEST_CASE("ray's runtime environment is the run's") {
  const TemporaryFolder folder;
  const std::string path = folder.file(
      "run.sh",
      "RUNTIME_ENV_JSON=\"{ \\\"env_vars\\\": { \\\"CUDA_DEVICE_MAX_CONNECTIONS\\\": \\\"1\\\" } }\"\n"
      "ray job submit --address=x --runtime-env-json=\"${RUNTIME_ENV_JSON}\" -- python3 train.py \\\n"
      "   --num-layers 28 --hidden-size 1024 --rollout-batch-size 32 --actor-num-nodes 1 "
      "--actor-num-gpus-per-node 8\n");
  const auto shown = run({{"effective", path, "env.CUDA_DEVICE_MAX_CONNECTIONS", "--format", "json"}});
  INFO(shown.out << shown.err);
  CHECK_THAT(shown.out, Catch::Contains("\"value\": \"1\""));
}

TEST_CASE("recipes by name") {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.sh",
                                       "torchrun --nproc_per_node 8 scripts/training/run_recipe.py --recipe "
                                       "llama3_8b_pretrain_config model.tensor_model_parallel_size=3\n");
  const auto checked = run({{"check", path, "--env-file", "/dev/null"}});
  INFO(checked.out << checked.err);
  CHECK(checked.status == 1);
  CHECK_THAT(checked.out, Catch::Contains("the script starts from the recipe llama3_8b_pretrain"));
  const std::string other =
      folder.file("other.sh", "torchrun run_recipe.py --recipe my_own_recipe train.train_iters=5\n");
  CHECK_THAT(run({{"check", other}}).out, Catch::Contains("my_own_recipe is not in headroom's catalogue"));
}

TEST_CASE("what convert writes passes the check of its language") {
  const TemporaryFolder folder;
  const std::string tuned = folder.file("tuned.yaml",
                                        "model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4, "
                                        "cross_entropy_loss_fusion: true, cross_entropy_fusion_impl: te}\n"
                                        "dataset: {dataloader_type: batch}\nheadroom: {gpus: 8, env: {}}\n");
  for (const std::string& path : {tuned, std::string("examples/nemotron3_nano_h100.yaml")}) {
    const auto flags = run({{"convert", path, "--to", "megatron-lm"}});
    CAPTURE(flags.err, flags.out);
    CHECK(flags.status == 0);
    CHECK_THAT(flags.err, Catch::Contains("changed: "));
    CHECK(run({{"check", folder.file("launch.sh", flags.out)}}).status == 0);
  }
}

TEST_CASE("convert goes to flags and back") {
  const TemporaryFolder folder;
  const std::string example = HEADROOM_SOURCE_DIR "/examples/llama3_70b_sft_h100.yaml";
  const auto flags = run({{"convert", example, "--to", "megatron-lm"}});
  REQUIRE(flags.status == 0);
  CHECK_THAT(flags.out, Catch::Contains("--num-layers 80") && Catch::Contains("--swiglu"));
  CHECK_THAT(flags.err, Catch::Contains("not kept: dataset."));
  const std::string launch = folder.file("launch.sh", flags.out);
  const auto back = run({{"convert", launch, "--to", "bridge"}});
  REQUIRE(back.status == 0);
  const std::string config = folder.file("back.yaml", back.out);
  for (const char* field : {"model.num_layers", "model.tensor_model_parallel_size", "model.gated_linear_unit",
                            "train.global_batch_size", "model.sequence_parallel", "optimizer.lr"}) {
    INFO(field);
    const auto before = run({{"effective", example, field, "--format", "json"}}).out;
    const auto after = run({{"effective", config, field, "--format", "json"}}).out;
    const auto value = [](const std::string& text) { return text.substr(text.find("\"value\""), 40); };
    CHECK(value(before).substr(0, value(before).find('\n')) ==
          value(after).substr(0, value(after).find('\n')));
  }
  CHECK(run({{"convert", example}}).status == 2);
  CHECK(run({{"convert", example, "--to", "pascal"}}).status == 2);
}
