#include <catch2/catch.hpp>

#include "../lint/support.hpp"
#include "headroom/memory/calibrate.hpp"
#include "headroom/memory/ledger.hpp"

using headroom::memory::Chunk;
using headroom::memory::explain;
using headroom::memory::Line;
using headroom::memory::Peaks;
using headroom::memory::peaks;
using headroom::memory::read_shape;
using headroom::memory::Shape;
using headroom::test::lint_text;

namespace {

// 8 layers of a small Llama: h 1024, ffn 4096 gated, 16 heads of 64, 4 groups, vocabulary 32000.
const std::string llama =
    "model: {num_layers: 8, hidden_size: 1024, ffn_hidden_size: 4096, num_attention_heads: 16, "
    "num_query_groups: 4, "
    "kv_channels: 64, vocab_size: 32000, seq_length: 2048, gated_linear_unit: true, activation_func: "
    "torch.nn.functional.silu, normalization: RMSNorm, add_bias_linear: false, position_embedding_type: "
    "rope, "
    "share_embeddings_and_output_weights: false, hidden_dropout: 0.0, attention_dropout: 0.0, "
    "bias_activation_fusion: true, "
    "attention_backend: flash, bf16: true, params_dtype: bfloat16}\n"
    "ddp: {grad_reduce_in_fp32: true, use_distributed_optimizer: true}\n"
    "optimizer: {use_distributed_optimizer: true, bf16: true}\n"
    "train: {micro_batch_size: 1, global_batch_size: 8}\n"
    "headroom: {gpus: 8, gpu: h100}\n";

Shape shape_of(std::vector<std::string> sets = {}) {
  const auto outcome = lint_text(llama, std::move(sets));
  REQUIRE_FALSE(outcome.unreadable);
  auto shape = read_shape(outcome.config);
  REQUIRE(shape);
  return shape->shape;
}

double step(std::vector<std::string> sets) {
  return peaks(shape_of(std::move(sets))).peak().step;
}

}  // namespace

TEST_CASE("parameters, gradients and optimizer shards") {
  const Peaks p = peaks(shape_of());
  const double attention = 1024.0 * (1024 + 2 * 256) + 1024.0 * 1024, mlp = 3.0 * 1024 * 4096;
  const double n = 8 * (attention + mlp + 2 * 1024) + 2 * 32000.0 * 1024 + 1024;
  CHECK(p.peak().weights == Approx(2 * n));
  CHECK(p.peak().gradients == Approx(4 * n));
  CHECK(p.peak().optimizer == Approx(12 * n / 8));
}

TEST_CASE("tensor parallelism divides, data parallelism shards") {
  const Peaks two = peaks(shape_of({"model.tensor_model_parallel_size=2"}));
  const Peaks one = peaks(shape_of());
  CHECK(two.peak().weights == Approx(one.peak().weights / 2).epsilon(0.01));
  CHECK(two.peak().optimizer == Approx(one.peak().optimizer).epsilon(0.01));
}

TEST_CASE("every byte of a line is the product of its factors") {
  const auto ledger = explain(shape_of({"model.pipeline_model_parallel_size=2"}));
  REQUIRE(ledger.lines.size() > 40);
  for (const Line& line : ledger.lines) {
    INFO(line.name);
    CHECK_FALSE(line.formula.empty());
    CHECK_FALSE(line.source.empty());
    CHECK(line.bytes > 0);
  }
}

TEST_CASE("interleaving holds more micro-batches, not fewer") {
  const auto in_flight = [](const std::string& vpp) {
    return step({"model.pipeline_model_parallel_size=4", "model.virtual_pipeline_model_parallel_size=" + vpp,
                 "train.global_batch_size=64"});
  };
  CHECK(in_flight("2") > 0.99 * in_flight("null"));
}

TEST_CASE("core_attn under flash attention saves nearly nothing, under unfused attention the scores") {
  const std::vector<std::string> again{"model.recompute_granularity=selective",
                                       "model.recompute_modules=[core_attn]"};
  const double flash = step({}) - step(again);
  CHECK(flash < 0.01 * step({}));
  const auto unfused = [&](std::vector<std::string> more) {
    more.push_back("model.attention_backend=unfused");
    return step(std::move(more));
  };
  CHECK(unfused({}) - unfused(again) > 0.4 * unfused({}));
}

TEST_CASE("mlp saves nothing where all layers are expert layers; moe saves more than moe_act") {
  const auto with = [](const std::string& modules) {
    return step({"model.num_moe_experts=8", "model.moe_grouped_gemm=true",
                 "model.moe_token_dispatcher_type=alltoall", "model.recompute_granularity=selective",
                 "model.recompute_modules=[" + modules + "]"});
  };
  CHECK(with("mlp") == Approx(with("")));
  CHECK(with("moe_act") < with(""));
  CHECK(with("moe") < with("moe_act"));
}

TEST_CASE("an offloaded optimizer keeps its fraction on the host") {
  const auto with = [](const std::string& fraction) {
    return peaks(shape_of(
        {"optimizer.optimizer_cpu_offload=true", "optimizer.optimizer_offload_fraction=" + fraction}));
  };
  const Peaks none = with("0.0"), half = with("0.5"), all = with("1.0"), plain = peaks(shape_of());
  CHECK(none.peak().optimizer == Approx(plain.peak().optimizer));
  CHECK(none.host == 0);
  CHECK(all.host == Approx(2 * half.host));
  CHECK(plain.peak().optimizer - all.peak().optimizer ==
        Approx(2 * (plain.peak().optimizer - half.peak().optimizer)));
}

TEST_CASE("full recompute keeps the inputs of layers") {
  const double full = step(
      {"model.recompute_granularity=full", "model.recompute_method=uniform", "model.recompute_num_layers=1"});
  CHECK(full < 0.7 * step({}));
}

TEST_CASE("layers of a layout and of uneven stages") {
  const auto layers = [](std::vector<std::string> sets) {
    std::vector<std::int32_t> counts;
    for (const Chunk& c : shape_of(std::move(sets)).chunks) counts.push_back(c.layer_count());
    return counts;
  };
  CHECK(layers({"model.pipeline_model_parallel_size=2"}) == std::vector<std::int32_t>{4, 4});
  CHECK(layers({"model.pipeline_model_parallel_size=2",
                "model.pipeline_model_parallel_layout='Ettt|ttttt,L'"}) == std::vector<std::int32_t>{3, 5});
  CHECK(layers({"model.pipeline_model_parallel_size=2", "model.num_layers_in_first_pipeline_stage=3"}) ==
        std::vector<std::int32_t>{3, 5});
  CHECK(layers({"model.pipeline_model_parallel_size=2", "model.num_layers=7",
                "model.account_for_loss_in_pipeline_split=true"}) == std::vector<std::int32_t>{4, 3});
}

TEST_CASE("what is missing is said") {
  const auto outcome = lint_text("model: {num_layers: 4, hidden_size: 64}\n");
  const auto shape = read_shape(outcome.config);
  REQUIRE_FALSE(shape);
  CHECK(shape.error().message.find("model.vocab_size") != std::string::npos);
  CHECK(shape.error().message.find("model.num_attention_heads") != std::string::npos);
  CHECK(shape.error().message.find("hidden_size") == std::string::npos);
}

TEST_CASE("sizes that no run has are refused, at once") {
  struct Row {
    std::vector<std::string> sets;
    std::string message;
  };
  const std::string interleaved = "model.virtual_pipeline_model_parallel_size=2";
  const std::string four = "model.pipeline_model_parallel_size=4";
  const std::vector<Row> rows{
      {{"model.hidden_size=1000000000000000000"}, "model.hidden_size is absurdly large"},
      {{"model.kv_channels=-1"}, "model.kv_channels is negative"},
      {{"model.pipeline_model_parallel_layout=[]"}, "model.pipeline_model_parallel_layout has no stages"},
      {{"model.pipeline_model_parallel_size=9223372036854775807"},
       "pipeline_model_parallel_size is absurdly"},
      {{"model.pipeline_model_parallel_size=-9223372036854775808"},
       "pipeline_model_parallel_size is absurdly"},
      {{"model.pipeline_model_parallel_size=2000", interleaved}, "the pipeline is absurdly large"},
      {{four, "model.num_layers_in_first_pipeline_stage=1000000000"}, "layers in the pipeline is absurdly"},
      {{four, interleaved, "model.microbatch_group_size_per_vp_stage=1000000000",
        "train.global_batch_size=10000000000"},
       "microbatch_group_size_per_vp_stage is absurdly"},
      {{"model.mtp_num_layers=1000000000"}, "model.mtp_num_layers is absurdly"},
  };
  for (const Row& row : rows) {
    INFO(row.sets.back());
    const auto outcome = lint_text(llama, row.sets);
    REQUIRE_FALSE(outcome.unreadable);
    const auto shape = read_shape(outcome.config);
    REQUIRE_FALSE(shape);
    CHECK_THAT(shape.error().message, Catch::Contains(row.message));
  }
}

TEST_CASE("a number that is none is as if it were not there") {
  const Shape s =
      shape_of({"optimizer.optimizer_cpu_offload=true", "optimizer.optimizer_offload_fraction=.nan"});
  CHECK(s.states.offload == 0);
}

TEST_CASE("a calibration brings the figures of a cluster nearer") {
  using headroom::memory::calibrate;
  using headroom::memory::Observation;
  Shape shape = shape_of({"model.pipeline_model_parallel_size=2", "model.pipeline_dtype=torch.bfloat16"});
  const Peaks plain = peaks(shape);
  const double more = 300e6;
  std::vector<Observation> seen;
  for (const auto& stage : plain.stages) {
    const double still = stage.static_bytes + more, moves = 1.1 * (stage.peak - stage.static_bytes);
    seen.push_back(
        {stage.stage, still, still + moves, {}, still + moves + 0.2 * moves, still + 1.2 * moves + 2e9});
  }
  const auto learned = calibrate(shape, seen);
  REQUIRE(learned);
  CHECK(learned->calibration.static_bytes == Approx(more));
  CHECK(learned->calibration.moving_ratio == Approx(1.1));
  CHECK(learned->calibration.unused_share == Approx(0.2).epsilon(0.01));
  CHECK(learned->calibration.outside_bytes == Approx(2e9).epsilon(0.01));
  CHECK(learned->error_after < 0.001);
  CHECK(learned->error_before > 0.05);

  shape.calibration = learned->calibration;
  const Peaks now = peaks(shape);
  CHECK(now.peak().peak == Approx(*seen[now.highest].max_allocated).epsilon(0.001));
  CHECK(now.high - now.low == Approx(2 * *learned->calibration.band_share * now.peak().peak).epsilon(0.001));
  CHECK_FALSE(calibrate(shape, {}));
  seen = {{9, 1e9, 2e9, {}, {}, {}}};
  CHECK_FALSE(calibrate(shape, seen));
  // More allocated than at most, more at most than reserved, nothing at all.
  seen = {{0, 3e9, 2e9, {}, {}, {}}, {0, 1e9, 2e9, {}, 1e9, {}}, {0, 0.0, 0.0, {}, {}, {}}};
  CHECK_FALSE(calibrate(shape, seen));
}

TEST_CASE("ranks of a pipeline stage lie side by side") {
  const Shape shape =
      shape_of({"model.pipeline_model_parallel_size=2", "model.pipeline_dtype=torch.bfloat16"});
  CHECK(headroom::memory::stage_of_rank(shape, 0) == 0);
  CHECK(headroom::memory::stage_of_rank(shape, 3) == 0);
  CHECK(headroom::memory::stage_of_rank(shape, 4) == 1);
  CHECK(headroom::memory::stage_of_rank(shape, 99) == 1);
}
