// `headroom plan` and `headroom diff` as programs: what they write passes check.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "program.hpp"

using headroom::cli::read;
using headroom::cli::run;
using headroom::cli::TemporaryFolder;
using Json = nlohmann::json;

TEST_CASE("a plan that is written passes check, with its variables where the config keeps them") {
  const TemporaryFolder folder;
  for (const std::string name : {"llama3_70b_sft_h100", "moonlight_16b_h100", "qwen3_8b_lora"}) {
    INFO(name);
    const std::string config = "examples/" + name + ".yaml", path = folder.path() + "/" + name + ".yaml";
    const auto plan = run({{"plan", config, "--top", "1", "--format", "json"}});
    REQUIRE(plan.status == 0);
    const Json best = Json::parse(plan.out)["plans"][0];
    REQUIRE(run({{"plan", config, "--write", path}}).status == 0);
    const std::string text = read(path);
    for (const auto& [variable, value] : best["env"].items())
      if (value.is_string()) CHECK_THAT(text, Catch::Contains("  " + variable + ": "));
    const auto checked = run({{"check", path}});
    INFO(checked.out);
    CHECK(checked.status == 0);
    CHECK(run({{"plan", config, "--write", path}}).status == 2);  // never over a file
  }
}

TEST_CASE("a plan goes into the command line of a script, another job, too") {
  const TemporaryFolder folder;
  const std::string script =
      folder.file("train.sh",
                  "torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
                  "--ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention "
                  "--num-query-groups 8 --swiglu --disable-bias-linear --normalization RMSNorm "
                  "--seq-length 8192 --max-position-embeddings 8192 --position-embedding-type rope "
                  "--tensor-model-parallel-size 2 --sequence-parallel --pipeline-model-parallel-size 2 "
                  "--micro-batch-size 1 --global-batch-size 128 --train-iters 100 --bf16 "
                  "--use-distributed-optimizer --untie-embeddings-and-output-weights --vocab-size 128256 "
                  "--tokenizer-type NullTokenizer --mock-data --lr 1e-4 --transformer-impl "
                  "transformer_engine\n");
  struct Case {
    std::string free, written;
  };
  for (const Case& c :
       {Case{"", "--pipeline-model-parallel-size 1"}, Case{"global-batch", "--global-batch-size 256"},
        Case{"sequence", "--seq-length 4096"}, Case{"precision", "--fp8-format hybrid"}}) {
    INFO(c.free);
    const std::string path = folder.path() + "/" + (c.free.empty() ? "same" : c.free) + ".sh";
    std::vector<std::string> words{"plan", script, "--gpu", "h100", "--write", path};
    if (!c.free.empty()) words.insert(words.end(), {"--free", c.free});
    REQUIRE(run({words}).status == 0);
    CHECK_THAT(read(path), Catch::Contains(c.written));
    const auto checked = run({{"check", path, "--gpu", "h100", "--format", "json"}});
    CHECK(checked.status == 0);
    const Json report = Json::parse(checked.out);
    for (const auto& finding : report.at("files")[0].at("diagnostics"))
      CHECK(finding["severity"] != "ignored");
  }
}

TEST_CASE("diff says what a change does") {
  const TemporaryFolder folder;
  const auto result = run({{"diff", "examples/llama3_70b_sft_h100.yaml",
                            "examples/broken/llama3_70b_sft_h100.yaml", "--format", "json"}});
  const Json doc = Json::parse(result.out);
  CHECK_FALSE(doc["appeared"].empty());
  CHECK_FALSE(doc["changed"].empty());
  const auto same =
      run({{"diff", "examples/qwen3_8b_lora.yaml", "examples/qwen3_8b_lora.yaml", "--format", "json"}});
  CHECK(same.status == 0);
  CHECK(Json::parse(same.out)["changed"].empty());
}

TEST_CASE("a plan that was not found is wrong usage, a margin that a run leaves no room for is said") {
  CHECK(run({{"plan", "examples/llama3_70b_sft_h100.yaml", "--pick", "900", "--diff"}}).status == 2);
  const auto tight = run({{"estimate", "examples/llama3_70b_sft_h100.yaml", "--margin", "30GiB"}});
  CHECK(tight.out.find("margin of 30.00 GiB") != std::string::npos);
}
