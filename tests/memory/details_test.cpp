// Pieces of the ledger that the frameworks' own code fixes: each case names what it turns on.
#include <catch2/catch.hpp>

#include "../lint/support.hpp"
#include "headroom/memory/ledger.hpp"

using headroom::memory::Peaks;
using headroom::memory::peaks;
using headroom::memory::read_shape;
using headroom::memory::ShapeAndNotes;
using headroom::memory::StagePeaks;
using headroom::test::lint_text;

namespace {

ShapeAndNotes read(const std::string& text, std::vector<std::string> sets = {}) {
  const auto outcome = lint_text(text, std::move(sets));
  REQUIRE_FALSE(outcome.unreadable);
  auto shape = read_shape(outcome.config);
  REQUIRE(shape);
  return *shape;
}

// 12 layers, h 1024, Transformer Engine, one GPU.
const std::string dense =
    "model: {_target_: megatron.bridge.models.gpt_provider.GPTModelProvider, num_layers: 12, hidden_size: "
    "1024, "
    "ffn_hidden_size: 4096, num_attention_heads: 16, num_query_groups: 4, kv_channels: 64, vocab_size: "
    "32000, "
    "seq_length: 2048, gated_linear_unit: true, activation_func: torch.nn.functional.silu, normalization: "
    "RMSNorm, add_bias_linear: false, position_embedding_type: rope, hidden_dropout: 0.0, attention_dropout: "
    "0.0, attention_backend: flash, bf16: true, params_dtype: bfloat16}\n"
    "ddp: {use_distributed_optimizer: true}\n"
    "optimizer: {use_distributed_optimizer: true, bf16: true}\n"
    "train: {micro_batch_size: 1, global_batch_size: 8}\n"
    "headroom: {gpus: 8, gpu: h100}\n";

// A hybrid in the ratio of Nemotron 3 Nano: Mamba, attention and expert layers.
const std::string hybrid =
    "model: {_target_: megatron.bridge.models.hybrid.hybrid_provider.HybridModelProvider, "
    "hybrid_layer_pattern: "
    "'MEMEM*EMEM', num_layers: 10, hidden_size: 1024, num_attention_heads: 16, num_query_groups: 2, "
    "kv_channels: "
    "64, ffn_hidden_size: 1024, vocab_size: 32000, seq_length: 4096, mamba_num_heads: 32, mamba_head_dim: "
    "64, "
    "mamba_state_dim: 128, mamba_num_groups: 8, num_moe_experts: 16, moe_router_topk: 4, "
    "moe_ffn_hidden_size: "
    "1024, moe_grouped_gemm: true, moe_token_dispatcher_type: alltoall, moe_router_force_load_balancing: "
    "true, "
    "gated_linear_unit: false, activation_func: megatron.core.activations.squared_relu, "
    "bias_activation_fusion: "
    "false, add_bias_linear: false, normalization: RMSNorm, attention_backend: flash, hidden_dropout: 0.0, "
    "attention_dropout: 0.0, bf16: true, params_dtype: bfloat16}\n"
    "ddp: {use_distributed_optimizer: true}\n"
    "optimizer: {use_distributed_optimizer: true, bf16: true}\n"
    "train: {micro_batch_size: 1, global_batch_size: 8}\n"
    "headroom: {gpus: 8, gpu: h100}\n";

StagePeaks stage(const std::string& text, std::vector<std::string> sets) {
  return peaks(read(text, std::move(sets)).shape).peak();
}

double step(const std::string& text, std::vector<std::string> sets) {
  return stage(text, std::move(sets)).step;
}

}  // namespace

TEST_CASE("Transformer Engine's norms of q and k keep a copy of their input") {
  const double more = step(dense, {"model.qk_layernorm=true"}) - step(dense, {});
  const double copies = 12 * 2048.0 * (1024 + 256) * 2;
  CHECK(more > copies);
  CHECK(more < 1.1 * copies);  // and the statistics of each head
}

TEST_CASE("a fused weighted square of ReLU keeps one tensor less in each expert layer") {
  const double apart = step(hybrid, {}), fused = step(hybrid, {"model.use_fused_weighted_squared_relu=true"});
  CHECK(apart - fused == Approx(4 * 4096.0 * 4 * 1024 * 2));
}

TEST_CASE("graphs hold buffers for the layers they capture, masks for those with attention") {
  const auto held = [](const std::string& modules) {
    return stage(hybrid,
                 {"model.cuda_graph_impl=transformer_engine", "model.cuda_graph_scope=[" + modules + "]"})
               .workspace -
           stage(hybrid, {}).workspace;
  };
  const double layer = 4 * 4096.0 * 1024 * 2, mask = 4096.0 * 4096;
  CHECK(held("attn") == Approx(layer + mask));
  CHECK(held("mamba") == Approx(5 * layer));
  CHECK(held("attn,mamba") == Approx(6 * layer + mask));
  CHECK(held("moe_router") == Approx(4 * layer));
}

TEST_CASE("dist_muon is sharded by whole parameters, muon is not") {
  const std::vector<std::string> plain{"optimizer.use_distributed_optimizer=false",
                                       "ddp.use_distributed_optimizer=false"};
  const auto with = [&](const std::string& name) {
    std::vector<std::string> sets = plain;
    sets.push_back("optimizer.optimizer=" + name);
    return stage(dense, sets).optimizer;
  };
  CHECK(with("dist_muon") < 0.2 * with("muon"));
}

TEST_CASE("with expandable segments the allocator gives back what it keeps before it fails") {
  ShapeAndNotes notes = read(dense, {"env_vars.PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"});
  const Peaks roomy = peaks(notes.shape);
  const double needed = roomy.used - (roomy.reserved - roomy.peak().peak);
  REQUIRE(roomy.used > needed);
  notes.shape.capacity = (needed + roomy.used) / 2;
  CHECK(peaks(notes.shape).fits());
  CHECK(peaks(notes.shape).used == Approx(notes.shape.capacity));
  notes.shape.capacity = needed - 1;
  CHECK_FALSE(peaks(notes.shape).fits());
  notes.shape.expandable_segments = false;
  notes.shape.capacity = (needed + roomy.used) / 2;
  CHECK_FALSE(peaks(notes.shape).fits());
}

TEST_CASE("a run in outline has the gradients, prediction depths and graphs of the nearest recipe") {
  const std::string glm =
      "model: {pipeline_model_parallel_size: 11, expert_model_parallel_size: 32, seq_length: 2048}\n"
      "headroom: {model: zai-org/GLM-5.2, gpus: 352, gpu: h100}\n";
  CHECK(read(glm).shape.model.mtp_depths == 1);
  CHECK(read(glm, {"model.mtp_num_layers=0"}).shape.model.mtp_depths == 0);

  const std::string llama =
      "model: {tensor_model_parallel_size: 4, pipeline_model_parallel_size: 4, seq_length: 4096}\n"
      "mixed_precision: bf16_with_fp8_current_scaling_mixed\n"
      "headroom: {model: meta-llama/Meta-Llama-3-70B, gpus: 32, gpu: h100}\n";
  CHECK(read(llama).shape.states.gradient == 2);
  CHECK(read(llama, {"ddp.grad_reduce_in_fp32=true"}).shape.states.gradient == 4);

  const std::string nano =
      "model: {expert_model_parallel_size: 8, seq_length: 8192, cuda_graph_impl: transformer_engine}\n"
      "mixed_precision: bf16_mixed\n"
      "headroom: {model: nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16, gpus: 16, gpu: h100}\n";
  const auto graphs = read(nano).shape.graphs;
  CHECK(graphs.attention);
  CHECK(graphs.mamba);
  CHECK_FALSE(graphs.whole_layer);
}

TEST_CASE("a vision tower stands on the first stage, trained or frozen") {
  const std::string tower =
      "model: {_target_: megatron.bridge.models.qwen_vl.qwen25_vl_provider.Qwen25VLModelProvider, "
      "num_layers: 8, "
      "hidden_size: 1024, ffn_hidden_size: 4096, num_attention_heads: 16, num_query_groups: 4, vocab_size: "
      "32000, "
      "seq_length: 2048, bf16: true, params_dtype: bfloat16, pipeline_model_parallel_size: 2}\n"
      "train: {micro_batch_size: 1, global_batch_size: 8}\n"
      "headroom: {gpus: 8, gpu: h100}\n";
  const double layers = 32 * (4 * 1280.0 * 1280 + 3 * 1280 * 3420), patches = 3 * 14 * 14 * 1280.0,
               projector = (4 * 1280 + 1024.0) * 5120;
  const ShapeAndNotes notes = read(tower);
  const Peaks p = peaks(notes.shape);
  auto bare = notes.shape;
  bare.tower = {};
  const Peaks without = peaks(bare);
  CHECK(p.stages[0].weights - without.stages[0].weights == Approx(2 * (layers + patches + projector)));
  CHECK(p.stages[0].gradients > without.stages[0].gradients);
  CHECK(p.stages[1].weights == without.stages[1].weights);
  REQUIRE_FALSE(notes.assumptions.empty());
  CHECK(notes.assumptions.front().find("vision tower of about 630 million parameters") != std::string::npos);
  const Peaks frozen = peaks(read(tower, {"model.freeze_vision_model=true"}).shape);
  CHECK(frozen.stages[0].weights == Approx(p.stages[0].weights));
  CHECK(frozen.stages[0].gradients == Approx(without.stages[0].gradients));
}

TEST_CASE("models that the ledger does not count say so") {
  const auto message = [](const std::string& name, const std::string& text, std::vector<std::string> sets) {
    headroom::lint::Job job;
    job.text = std::make_shared<const headroom::source::SourceText>(name, text);
    for (const std::string& word : sets) job.sets.push_back(*headroom::source::parse_override(word, "--set"));
    const auto outcome = headroom::lint::lint(job);
    REQUIRE_FALSE(outcome.unreadable);
    const auto shape = read_shape(outcome.config);
    REQUIRE_FALSE(shape);
    return shape.error().message;
  };
  CHECK(message("config.yaml", dense,
                {"model._target_=megatron.bridge.diffusion.models.flux.flux_provider.FluxProvider"})
            .find("diffusion models are not counted") != std::string::npos);
  CHECK(message("run.sh",
                "#!/bin/bash\ntorchrun --nproc_per_node 8 pretrain_t5.py --num-layers 12 --hidden-size 512 "
                "--num-attention-heads 8 --seq-length 512 --vocab-size 30000\n",
                {})
            .find("encoder-decoder models are not counted") != std::string::npos);
}

TEST_CASE("sizes that are no numbers are refused, worlds that start-up refuses are named") {
  const auto message = [](const std::string& word) {
    const auto outcome = lint_text(dense, {word});
    const auto shape = read_shape(outcome.config);
    return shape ? std::string() : shape.error().message;
  };
  CHECK(message("model.tensor_model_parallel_size=abc") ==
        "model.tensor_model_parallel_size is abc, not a number");
  CHECK(message("model.pipeline_model_parallel_size=1.5").find("not a whole number") != std::string::npos);
  CHECK(message("train.global_batch_size=[4]").find("not a number") != std::string::npos);
  CHECK(message("model.kv_channels=0").find("model.kv_channels") != std::string::npos);
  CHECK(message("model.tensor_model_parallel_size=2").empty());
  const auto notes = read(dense, {"model.tensor_model_parallel_size=3"}).assumptions;
  REQUIRE_FALSE(notes.empty());
  CHECK(notes.back().find("refused at start-up") != std::string::npos);
}

TEST_CASE("the columns of a stage add up to its peak, whatever the gradients") {
  for (const char* fp32 : {"true", "false"}) {
    for (const char* layers : {"2", "24"}) {
      const StagePeaks s = stage(
          dense, {std::string("ddp.grad_reduce_in_fp32=") + fp32, std::string("model.num_layers=") + layers});
      CHECK(s.weights + s.gradients + s.optimizer + s.workspace + s.activations + s.logits == Approx(s.peak));
      CHECK((s.activations > 0) == (s.phase != headroom::memory::Phase::optimizer));
    }
  }
  // Short sequences on one GPU: the copies of half-precision gradients are more than a step keeps.
  std::string alone = dense;
  alone.replace(alone.find("gpus: 8"), 7, "gpus: 1");
  const StagePeaks s = stage(alone, {"ddp.grad_reduce_in_fp32=false", "model.seq_length=64"});
  CHECK(s.phase == headroom::memory::Phase::optimizer);
  CHECK(s.peak == Approx(s.static_bytes));
  CHECK(s.weights + s.gradients + s.optimizer + s.workspace == Approx(s.peak));
}

TEST_CASE("Gemma's embeddings for each layer are parameters of the first stage") {
  const std::string gemma =
      "model: {_target_: megatron.bridge.models.gemma.gemma4_provider.Gemma4DenseProvider, num_layers: 8, "
      "hidden_size: 1024, ffn_hidden_size: 4096, num_attention_heads: 8, vocab_size: 32000, seq_length: "
      "2048, "
      "bf16: true, params_dtype: bfloat16, per_layer_embed_dim: 64, per_layer_embed_vocab_size: 30000}\n"
      "train: {micro_batch_size: 1, global_batch_size: 8}\n"
      "headroom: {gpus: 8, gpu: h100, bridge: main}\n";
  const Peaks with = peaks(read(gemma).shape);
  const Peaks without = peaks(read(gemma, {"model.per_layer_embed_dim=0"}).shape);
  const double table = 30000.0 * 8 * 64, projections = 1024.0 * 8 * 64 + 8 * 2 * 1024.0 * 64;
  CHECK(with.peak().weights - without.peak().weights == Approx(2 * (table + projections)));
}
